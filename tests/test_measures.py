"""Measures against MuJoCo, against physics, and on cases made so that the answer is known."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from gambol.errors import BadInput
from gambol.motion.kinematics import Track
from gambol.motion.measures import SERIES, SUMMARIES, Measured, count_touchdowns, summaries
from gambol.motion.motion import Motion
from short_motion import fall, standing


def test_every_measure_has_unit_and_meaning_and_fits_its_columns() -> None:
    motion = fall()
    measured = Measured(motion)
    for name, series in SERIES.items():
        values = measured.series(name)
        assert series.unit and series.doc
        assert values.shape == (len(motion.time), len(measured.columns(name))), name
        assert np.isfinite(values).all(), name
    for summary in SUMMARIES.values():
        assert summary.unit and summary.doc


def test_com_momentum_and_velocity_agree_with_differences() -> None:
    """The velocity of the centre of mass is the derivative of its position; its change is force over mass."""
    motion = fall()
    measured = Measured(motion)
    com, velocity = measured.series("com"), measured.series("com_velocity")
    middle = (com[2:] - com[:-2]) / (2 * motion.tick_length)
    assert np.quantile(np.abs(middle - velocity[1:-1]), 0.9) < 0.02
    data = mujoco.MjData(motion.model)
    data.qpos[:], data.qvel[:] = motion.qpos[100], motion.qvel[100]
    mujoco.mj_forward(motion.model, data)
    mujoco.mj_subtreeVel(motion.model, data)
    assert np.allclose(measured.series("angular_momentum")[100], data.subtree_angmom[measured.share.top])


def test_joint_columns_are_the_motions_own_numbers() -> None:
    motion = fall()
    measured = Measured(motion)
    knee = measured.columns("joint_angle").index("left_knee")
    assert np.array_equal(measured.series("joint_angle")[:, knee],
                          motion.qpos[:, motion.model.joint("human/left_knee").qposadr[0]])
    assert np.array_equal(measured.series("joint_torque")[:-1], motion.ctrl[:, measured.share.motors])


def test_standing_on_the_ground_takes_the_weight() -> None:
    measured = Measured(standing())
    late = standing().time > 0.5
    total, feet = measured.series("ground_force")[late], measured.series("foot_force")[late]
    assert total[:, 2].mean() == pytest.approx(measured.weight, rel=0.03)
    assert (feet[:, 2] + feet[:, 5]).mean() == pytest.approx(measured.weight, rel=0.03)
    assert (feet[:, [2, 5]].mean(axis=0) > 0.25 * measured.weight).all()
    assert np.abs(measured.series("foot_height")[late]).max() < 0.005
    assert measured.summary("steps") == 0
    assert measured.summary("cost_of_transport") is None


def test_ground_force_is_what_changes_the_momentum() -> None:
    """Over the whole run: impulse of ground, gravity and push equals the change of momentum (no ball here)."""
    motion = standing()
    measured = Measured(motion)
    force = measured.series("ground_force")[1:].sum(axis=0) * motion.tick_length
    gain = measured.mass * np.diff(measured.series("com_velocity")[[0, -1]], axis=0)[0]
    assert np.allclose(force + measured.mass * motion.seconds * motion.model.opt.gravity, gain, atol=0.02 * force[2])


def test_touchdowns_need_a_tenth_of_a_second_in_the_air() -> None:
    left = [1] * 10 + [0] * 10 + [1] * 5 + [0] * 9 + [1] * 5      # 0.10 s off, then 0.09 s off
    right = [0] * 20 + [1] * 19                                   # in the air at the start
    loaded = np.array([left, right]).T.astype(bool)
    assert count_touchdowns(loaded, ~loaded, 0.01) == 2
    assert count_touchdowns(loaded, np.zeros_like(loaded), 0.01) == 0  # unloaded, never lifted: no step
    assert count_touchdowns(np.ones((50, 2), dtype=bool), np.ones((50, 2), dtype=bool), 0.01) == 0
    assert count_touchdowns(np.zeros((0, 2), dtype=bool), np.zeros((0, 2), dtype=bool), 0.01) == 0


CART = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="cart"><joint name="x" type="slide" axis="1 0 0"/>
<geom size="0.1" mass="2"/></body></worldbody><actuator><motor joint="x" ctrlrange="-10 10" ctrllimited="true"/>
</actuator></mujoco>"""


def _cart(speed: float, force: float) -> Motion:
    """A mass of 2 kg that is moved at a constant speed for 2 s by a constant force."""
    time = np.linspace(0, 2, 101)
    figure = {"character": "cart", "prefix": "", "bodies": {"root": "cart"}, "joints": {}, "soles": {}}
    return Motion(CART, time, speed * time[:, None], np.full((101, 1), speed), ctrl=np.full((100, 1), force),
                  meta={"figures": [figure]})


def test_cost_of_transport_of_a_cart() -> None:
    found = summaries(_cart(1.5, -4.0))
    assert found["distance"] == pytest.approx(3.0)
    assert found["speed"] == pytest.approx(1.5)
    assert found["cost_of_transport"] == pytest.approx(4.0 * 3.0 / (2 * 9.81 * 3.0))
    assert found["max_torque_ratio"] == pytest.approx(0.4)
    assert summaries(_cart(0.0, 4.0))["cost_of_transport"] is None


def test_measures_follow_body_edits() -> None:
    """Twice the strength and three times the mass from tick 50 on."""
    motion = _cart(1.5, -4.0)
    model = motion.model
    edit = {"actuator_ctrlrange": 2 * model.actuator_ctrlrange, "body_mass": 3 * model.body_mass}
    ctrl = motion.ctrl.copy()
    ctrl[50:] = -12.0
    measured = Measured(replace(motion, ctrl=ctrl, edits=((50, edit),)))
    assert measured.summary("max_torque_ratio") == pytest.approx(0.6)
    assert measured.mass == pytest.approx(6.0) and measured.weight == pytest.approx(6.0 * 9.81)
    assert measured.masses[49] == pytest.approx(2.0) and measured.masses[50] == pytest.approx(6.0)


def test_a_motion_without_controls_says_what_it_cannot_know() -> None:
    motion = replace(fall(), ctrl=np.zeros((0, 0)))
    found = summaries(motion)
    assert found["steps"] is None and found["max_torque_ratio"] is None and found["distance"] is not None
    for name in ("ground_force", "joint_torque"):
        with pytest.raises(BadInput, match="no controls"):
            Measured(motion).series(name)


def test_unknown_names_are_told() -> None:
    with pytest.raises(BadInput, match="did you mean 'com'"):
        Measured(fall()).series("comm")
    with pytest.raises(BadInput, match="no figure 1"):
        Measured(fall(), figure=1)


def test_keys_follow_the_motion_within_tolerance() -> None:
    track = Track(fall())
    few, more = track.keys(60, 1.0), track.keys(60, 0.0002)
    assert len(few) < len(more) <= len(track.time)
    assert track._interpolation_error(more).max() <= 0.0002
    assert len(track.keys(None, 0.0)) == len(track.time)
