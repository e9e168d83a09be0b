"""References of clips and Motions: what was recorded is kept, feet stand still, the pressure point is where it can be.

The clip is a walk of the project's own, written as BVH and read back as if a stranger had recorded it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from clip_tools import CMU, MIXAMO, NONE, clip_text, renamed, walked, with_t_pose
from gambol.bodies import make_character
from gambol.errors import BadInput
from gambol.motion.formats.bvh import parse_bvh
from gambol.motion.motion import Motion
from gambol.motion.reference import Reference
from gambol.planning.reference.build import clip_reference, reference_of_clip, reference_of_motion
from gambol.planning.reference.clip import read_clip
from gambol.planning.reference.poser import Poser
from gambol.planning.reference.project import nearest_in, project
from gambol.planning.reference.retarget import fit, targets_of
from gambol.planning.reference.series import smooth, stretches, tidied
from gambol.planning.reference.shown import motion_of
from gambol.planning.reference.skeleton import find_roles, plain
from gambol.rotations import conjugate, multiply, rotate, unit

LEG = Poser("human").leg()


@cache
def made(character: str = "human", mirrored: bool = False) -> Reference:
    return reference_of_clip(parse_bvh(renamed(clip_text(), CMU)), character, mirrored=mirrored)


# -- skeletons ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [CMU, MIXAMO, NONE, {}], ids=["cmu", "mixamo", "no names", "our own"])
def test_roles_are_found_by_names_and_without(names: dict[str, str]) -> None:
    animation = parse_bvh(renamed(clip_text(), names))
    roles = find_roles(animation)
    assert roles.by == ("tree" if names is NONE else "names")
    for ours, role in {"pelvis": "root", "thorax": "trunk", "head": "head", "left_thigh": "left_thigh",
                       "right_shank": "right_shank", "right_foot": "right_foot", "left_upper_arm": "left_upper_arm",
                       "right_forearm": "right_forearm", "left_hand": "left_hand"}.items():
        assert animation.names[roles[role]] == names.get(ours, ours), role


@pytest.mark.parametrize("name, meant", [
    ("mixamorig:LeftUpLeg", ("left", "upleg")), ("Bip01 L Thigh", ("left", "thigh")), ("RightFoot", ("right", "foot")),
    ("Bip001_R_UpperArm", ("right", "upperarm")), ("lThigh", ("left", "thigh")), ("thigh.L", ("left", "thigh")),
    ("DEF-shin.R", ("right", "shin")), ("Hips", ("", "hips")), ("RIGHT_ELBOW", ("right", "elbow"))])
def test_names_of_other_programs(name: str, meant: tuple[str, str]) -> None:
    assert plain(name) == meant


def test_a_skeleton_without_legs_is_refused_in_one_line() -> None:
    animation = parse_bvh(clip_text())
    keep = [k for k, name in enumerate(animation.names) if not name.endswith(("thigh", "shank", "foot"))]
    where = {old: new for new, old in enumerate(keep)}
    trunk = replace(animation, names=tuple(animation.names[k] for k in keep),
                    parents=tuple(where.get(animation.parents[k], -1) for k in keep), offsets=animation.offsets[keep],
                    translations=animation.translations[:, keep], rotations=animation.rotations[:, keep])
    with pytest.raises(BadInput, match="no two legs") as raised:
        reference_of_clip(trunk)
    assert "\n" not in str(raised.value) and "left_thigh" in str(raised.value)


def test_a_t_pose_is_found_left_out_and_used() -> None:
    plain_clip = read_clip(parse_bvh(renamed(clip_text(), CMU)), LEG)
    posed = read_clip(parse_bvh(with_t_pose(renamed(clip_text(), CMU))), LEG)
    assert (plain_clip.posed, posed.posed) == ("rest pose", "T-pose")
    assert posed.frames == plain_clip.frames
    for role, ways in plain_clip.directions.items():
        assert np.abs(posed.directions[role] - ways).max() < 1e-3, role
    assert np.allclose(posed.straight["left_upper_arm"], [0, 1, 0], atol=0.01)
    arm = posed.turns["left_upper_arm"][0] @ [0, 1, 0]  # out to the side in the T-pose, hanging in the walk
    assert arm[2] < -0.8


def test_axes_and_scale_are_those_of_the_character() -> None:
    clip = read_clip(parse_bvh(renamed(clip_text(), CMU)), LEG)
    assert clip.scale == pytest.approx(0.01, rel=1e-3)  # the file is in centimetres
    z_up = parse_bvh(renamed(clip_text(), CMU)).to_z_up(3.0)
    other = read_clip(z_up, LEG)
    assert other.scale == pytest.approx(0.01 / 3.0, rel=1e-3)
    assert np.abs(other.hips - clip.hips).max() < 1e-6
    assert clip.hips[-1, 0] > 1.0 and abs(clip.hips[0, 0]) < 1e-9


def test_a_rest_pose_that_is_none_is_replaced_by_the_mean() -> None:
    """Every joint's own axes are turned at random: nothing can be read from the rest pose any more."""
    animation = parse_bvh(renamed(clip_text(), CMU))
    good = read_clip(animation, LEG)
    generator = np.random.default_rng(3)
    own = unit(generator.normal(size=(len(animation.names), 4)))
    above = np.array([own[parent] if parent >= 0 else [1.0, 0, 0, 0] for parent in animation.parents])
    odd = replace(animation, offsets=rotate(conjugate(above), animation.offsets),
                  translations=rotate(conjugate(above), animation.translations),
                  rotations=multiply(multiply(conjugate(above), animation.rotations), own))
    assert np.abs(odd.positions() - animation.positions()).max() < 1e-6
    clip = read_clip(odd, LEG)
    assert clip.posed == "mean pose"
    assert np.abs(clip.directions["left_shank"] - good.directions["left_shank"]).max() < 0.1
    between = np.degrees(np.arccos(np.clip((np.einsum("nij,nij->n", clip.turns["trunk"], good.turns["trunk"]) - 1) / 2,
                                           -1, 1)))
    assert between.mean() < 8.0


# -- the fit -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("character, most", [("human", 3.5), ("child", 3.5), ("wide_biped", 6.0)])
def test_limbs_point_where_the_actors_do(character: str, most: float) -> None:
    reference = made(character)
    assert reference.report["direction_error"] < most
    swapped = reference.directions[:, [reference.limbs.index(_other(role)) for role in reference.limbs]]
    apart = np.degrees(np.arccos(np.clip((swapped * reference.directions).sum(axis=2), -1, 1))).mean()
    assert apart > 1.5 * most  # the measure tells left from right


def _other(role: str) -> str:
    side, part = role.split("_", 1)
    return f"{'right' if side == 'left' else 'left'}_{part}"


def test_the_fit_keeps_inside_the_joints_ranges() -> None:
    poser, reference = Poser("child"), made("child")
    angles = reference.qpos[:, poser.limited_qpos]
    low, high = poser.model.jnt_range[poser.model.jnt_limited != 0].T
    assert (angles > low - 1e-6).all() and (angles < high + 1e-6).all()


def test_a_limited_joint_leaves_the_rest_to_the_others() -> None:
    """Deep squat: with ankles that hardly bend, the feet stay where they should and the knees give."""
    poser = Poser("human")
    clip = read_clip(parse_bvh(renamed(clip_text(), CMU)), LEG)
    targets = targets_of(clip.part(0.0, 0.25), poser)
    poser.high[:] = np.where(np.isin(poser.limited_dofs, [poser.model.joint(f"{side}_ankle_flexion").dofadr[0]
                                                          for side in ("left", "right")]), 0.05, poser.high)
    targets.hips[:, 2] = 0.5
    feet = poser.end_places(poser.zero[None], poser.feet)
    feet[..., 2] = 0.0
    targets.ends = np.broadcast_to(feet, (targets.count, 2, 2, 3)).copy()
    targets.end_weights = np.full((targets.count, 2, 2), 20.0)
    off = poser.end_places(fit(poser, targets), poser.feet) - targets.ends
    assert np.abs(off[..., 2]).max() < 0.02


def test_mirrored_mirrors() -> None:
    plain_one, flipped = made(), made(mirrored=True)
    left, right = (plain_one.patches.index(role) for role in ("left_foot", "right_foot"))
    assert (flipped.touching[:, left] == plain_one.touching[:, right]).mean() > 0.99
    assert not (plain_one.touching[:, left] == plain_one.touching[:, right]).mean() > 0.9
    across = plain_one.places[:, right] * [1, -1, 1]
    assert np.abs(flipped.places[:, left] - across).max() < 0.02


# -- contacts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("character", ["human", "child"])
def test_contacts_alternate_and_feet_do_not_skate(character: str) -> None:
    reference = made(character)
    landings = sorted((row, foot) for foot in (0, 1)
                      for row in np.flatnonzero(np.diff(reference.down[:, foot].astype(int)) > 0))
    feet = [foot for _, foot in landings]
    assert len(feet) >= 4 and all(a != b for a, b in pairwise(feet))
    assert reference.down.any(axis=1).all()  # walking, it never flies
    poser = Poser(character)
    ends = poser.end_places(reference.qpos, poser.feet)
    for foot in (0, 1):
        for first, last in stretches(reference.touching[:, foot].all(axis=1)):
            stance = ends[max(first, 1) + 12:last - 12, foot]  # 0.05 s from landing and lifting: poses are smoothed
            assert np.ptp(stance, axis=0)[:, :2].max() < 0.012
            assert np.abs(stance[..., 2]).max() < 0.012
    assert ends[~reference.down][..., 2].max() > 0.04


def test_contacts_are_those_of_the_take_it_was_recorded_from() -> None:
    clip, take = made(), reference_of_motion(walked())
    rows = min(len(clip.down), len(take.down))
    assert (clip.down[:rows] == take.down[:rows]).mean() > 0.88


def test_tidying_and_smoothing() -> None:
    flags = np.array([1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0], dtype=bool)
    assert stretches(tidied(flags, 3)) == [(0, 8)]
    line = np.linspace(0, 3, 50)[:, None]
    assert np.abs(smooth(line, 0.05, 60.0) - line).max() < 1e-9  # value and slope at the ends are kept


# -- projection --------------------------------------------------------------------------------------------------------


def pressure(com: np.ndarray, rate: float) -> np.ndarray:
    acceleration = np.gradient(np.gradient(com, 1 / rate, axis=0), 1 / rate, axis=0)
    found: np.ndarray = com[:, :2] - acceleration[:, :2] * (com[:, 2] / (9.81 + acceleration[:, 2]))[:, None]
    return found


def test_a_sway_beyond_the_feet_is_brought_back_inside() -> None:
    t = np.arange(0, 4, 0.004)
    sole = np.array([[-0.1, -0.1, 0], [0.2, -0.1, 0], [0.2, 0.1, 0], [-0.1, 0.1, 0]])
    com = np.stack([0.05 + 0.15 * np.sin(4 * t), 0 * t, 0.95 + 0 * t], axis=1)
    found = project(com, np.zeros_like(com), [sole] * len(t), 250.0, 80.0)
    assert found.outside_before > 0.1 and found.outside < 0.002
    room = 0.05 - 0.3 * 0.15, 0.05 + 0.3 * 0.15
    least, most = np.percentile(pressure(found.com, 250.0)[50:-50, 0], [2, 98])  # between rows the spline may ring
    assert room[0] - 0.01 < least < most < room[1] + 0.01
    assert pressure(com, 250.0)[50:-50, 0].max() > room[1] + 0.1
    assert np.corrcoef(found.com[:, 0], com[:, 0])[0, 1] > 0.6  # it still sways as it was told


@pytest.mark.parametrize("end, stands", [(0.0, True), (0.6, False)])
def test_it_ends_where_it_stands_or_goes(end: float, stands: bool) -> None:
    """Standing, the capture point ends over the soles; under way, it ends where it was."""
    t = np.arange(0, 3, 0.004)
    sole = np.array([[-0.1, -0.1, 0], [0.2, -0.1, 0], [0.2, 0.1, 0], [-0.1, 0.1, 0]])
    noise = 0.004 * np.sin(9 * t)
    com = np.stack([0.12 + noise + end * np.maximum(t - 2.5, 0) ** 2 * 2, 0.08 + 0 * t, 0.95 + 0 * t], axis=1)
    found = project(com, np.zeros_like(com), [sole] * len(t), 250.0, 80.0)
    capture = (found.com + found.velocity * np.sqrt(0.95 / 9.81))[-1, :2]
    if stands:
        assert 0.05 - 0.06 < capture[0] < 0.05 + 0.06 and abs(capture[1]) < 0.04
    else:
        asked = com[-1, 0] + np.sqrt(0.95 / 9.81) * (com[-1, 0] - com[-26, 0]) / 0.1
        assert asked > 0.4 and capture[0] == pytest.approx(asked, abs=0.06)


def test_a_flight_is_a_free_fall() -> None:
    t = np.arange(0, 2, 0.004)
    air = (t > 0.8) & (t < 1.2)
    com = np.stack([t, 0 * t, 0.95 + 0.15 * np.exp(-((t - 1.0) / 0.12) ** 2)], axis=1)
    points = np.array([[-1.0, -1, 0], [4, -1, 0], [4, 1, 0], [-1, 1, 0]])
    found = project(com, np.zeros_like(com), [np.zeros((0, 3)) if a else points for a in air], 250.0, 80.0)
    free = (t > 0.86) & (t < 1.14)
    assert np.abs(found.acceleration[free, 2] + 9.81).max() < 0.5
    assert np.abs(found.acceleration[free, :2]).max() < 0.2


def test_points_move_to_the_nearest_place_of_a_polygon() -> None:
    square = np.array([[[0.0, 0], [1, 0], [1, 1], [0, 1], [0, 1]]])
    for point, nearest in (((0.5, 0.5), (0.5, 0.5)), ((2.0, 0.5), (1.0, 0.5)), ((-1.0, -1.0), (0.0, 0.0))):
        assert np.allclose(nearest_in(square, np.array([point])), [nearest])


@pytest.mark.parametrize("character", ["human", "child"])
def test_the_clips_pressure_point_ends_inside_the_soles(character: str) -> None:
    report = made(character).report
    assert report["pressure_outside"] < 0.003 < 0.03 < report["pressure_outside_before"]
    assert report["com_moved"] < 0.06


# -- Motions, loops, parts ---------------------------------------------------------------------------------------------


def test_a_take_as_a_reference_stays_what_it_was() -> None:
    motion = walked()
    reference = reference_of_motion(motion)
    assert reference.character == "human" and reference.seconds == pytest.approx(motion.seconds, abs=0.03)
    assert reference.report["direction_error"] < 4.0 and reference.report["pressure_outside"] < 0.003
    rows = np.arange(0, len(reference.qpos), 25)
    off = reference.qpos[rows, :3] - motion.sample(motion.time[0] + rows / reference.rate)[:, :3]
    assert np.abs(off).max() < 0.08
    assert set(reference.patches) == {"left_foot", "right_foot"}


def test_a_plan_tells_what_carries() -> None:
    clip = made("child")
    plan = motion_of(clip)  # without controls, with the load of each foot
    again = reference_of_motion(plan)
    rows = min(len(again.down), len(clip.down))
    assert not plan.simulated and (again.down[:rows] == clip.down[:rows]).mean() > 0.97
    unloaded = replace(plan, extra={"contact_load": plan.extra["contact_load"] * [1.0, 0.0]})
    assert not reference_of_motion(unloaded).down[:, 1].any()


def test_a_take_of_somebody_else_is_refused() -> None:
    with pytest.raises(BadInput, match="is not the 'child'"):
        reference_of_motion(walked(), character=make_character("child"))


def test_part_and_loop() -> None:
    animation = parse_bvh(renamed(clip_text(), CMU))
    part = reference_of_clip(animation, begin=1.0, end=2.5)
    assert part.seconds == pytest.approx(1.5, abs=0.02) and np.abs(part.qpos[0, :2]).max() < 0.1
    with pytest.raises(BadInput, match="the clip lasts"):
        reference_of_clip(animation, begin=9.0)


def test_few_frames_a_second_make_no_steps() -> None:
    animation = parse_bvh(renamed(clip_text(), CMU))
    rare = replace(animation, translations=animation.translations[::6], rotations=animation.rotations[::6],
                   frame_time=6 * animation.frame_time)
    coarse, fine = reference_of_clip(rare), made()
    rows = min(len(coarse.qpos), len(fine.qpos))
    assert np.abs(coarse.qpos[:rows, :3] - fine.qpos[:rows, :3]).max() < 0.03
    assert coarse.report["pressure_outside_before"] < 1.5 * fine.report["pressure_outside_before"] + 0.02


@pytest.mark.parametrize("begin, end", [(-1.0, None), (2.0, 1.0), (float("nan"), None), (0.0, float("nan"))])
def test_a_part_that_is_none_is_refused(begin: float, end: float | None) -> None:
    with pytest.raises(BadInput, match="nothing to follow"):
        reference_of_clip(parse_bvh(clip_text()), begin=begin, end=end)


def test_a_loop_has_no_seam() -> None:
    poser = Poser("wide_biped")  # has no arms, and is quick
    clip = read_clip(parse_bvh(renamed(clip_text(), CMU)), poser.leg()).part(1.2, None)
    once, looped = clip_reference(clip, poser), clip_reference(clip, poser, loop=True)
    assert looped.seconds >= 19.0
    fast, fastest = (np.abs(one.qvel[:, 6:]).max() for one in (once, looped))
    assert fastest < 1.5 * fast
    assert looped.com[-1, 0] > 3.0 * once.com[-1, 0]


def test_it_can_be_played(tmp_path: Path) -> None:
    reference = made("child")
    motion = Motion.load(motion_of(reference).save(tmp_path / "x.npz"))
    assert not motion.simulated and motion.figures[0].character == "child"
    assert np.allclose(motion.qpos, reference.qpos)
