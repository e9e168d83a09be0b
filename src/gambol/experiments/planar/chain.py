"""Chains of four links: strict priorities on a fully and on an underactuated body [delasa2011, section 3.3.1, 3.3.2].

Planar analyses of the method, not takes: see `analysis.py`.
"""

from __future__ import annotations

import numpy as np

from gambol.bodies.creatures.planar import CHAIN_BASE
from gambol.control.objectives import Objective, setpoint
from gambol.control.qp.priorities import Level
from gambol.experiments.experiment import Context, Result, below, check, experiment, report
from gambol.experiments.planar.analysis import STEP, Plan, Rig, Trace, on_accelerations, play
from gambol.features import CenterOfMass
from gambol.reporting.pictures import Picture, film
from gambol.reporting.plots import axes, legend, plot_residuals, plot_series, svg, thin

KP, KV = 100.0, 10.0
DAMPING = 1.0 / STEP
"""k_v of the posture: takes null-space velocity out in one Euler step."""
AMPLITUDE, CENTRE = 0.3, np.array([0.0, CHAIN_BASE + 0.9])
HANGING = np.array([-np.pi + 0.3, 0.2, 0.2, 0.2])
"""The notes' [-pi/2 + 0.3, 0.2, 0.2, 0.2]: our first angle counts from upright."""
SETTLED = 2.0
LEVELS = ("dynamics", "COM", "posture")


def dynamics(rig: Rig, passive: tuple[int, ...] = ()) -> Level:
    """`[I -M] x = h` [delasa2011, eq. 3.47], and no torque in passive joints [delasa2011, eq. 3.50]."""
    nv = rig.nv
    A = np.zeros((nv + len(passive), 2 * nv))
    A[:nv, :nv], A[:nv, nv:] = np.eye(nv), -rig.kinematics.mass_matrix
    A[nv + np.arange(len(passive)), passive] = 1.0
    return A, np.concatenate([rig.kinematics.bias_force, np.zeros(len(passive))])


def damped_posture(rig: Rig) -> Level:
    """`[0 I] x = -k_v qvel` [delasa2011, eq. 3.49], with k_p = 0."""
    return on_accelerations(Objective("posture", 3, np.eye(rig.nv), -DAMPING * rig.kinematics.rate), 2 * rig.nv)


def figure_eight(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration of `[A sin t, A sin 2t]` about the centre [delasa2011, eq. 3.35]."""
    return (CENTRE + AMPLITUDE * np.array([np.sin(t), np.sin(2 * t)]),
            AMPLITUDE * np.array([np.cos(t), 2 * np.cos(2 * t)]),
            AMPLITUDE * np.array([-np.sin(t), -4 * np.sin(2 * t)]))


def track_eight(seconds: float, context: Context) -> tuple[Rig, Trace]:
    rig = Rig("chain", np.array([0.6, -1.2, 1.2, -1.2]))

    def plan(t: float) -> Plan:
        value, velocity, acceleration = figure_eight(t)
        com = setpoint(rig.com, rig.com.at(rig.kinematics), value, 1, kp=KP, kv=KV, velocity=velocity,
                       acceleration=acceleration)
        return Plan([dynamics(rig), on_accelerations(com, 2 * rig.nv), damped_posture(rig)], value)

    return rig, play(rig, seconds, plan, tell=context.tell)


@experiment("chain", group="planar", source="[delasa2011, section 3.3.1, fig. 3.2]",
            published="the COM follows a figure eight for 15 s; residuals of dynamics and COM zero to machine "
                      "precision, that of posture not")
def chain(context: Context) -> Result:
    """A chain of four links draws a figure eight with its centre of mass"""
    rig, trace = track_eight(2.5 if context.quick else 15.0, context)
    late = trace.time >= SETTLED
    worst = trace.residuals.max(axis=0)
    figure, (path, levels, torque) = axes(3)
    com, reference = thin(trace.com, trace.reference)
    path.plot(*reference.T, color="#b6bdc4", linewidth=4.0, label="reference")
    path.plot(*com.T, label="COM")
    path.set(title="path of the COM", xlabel="x [m]", ylabel="z [m]", aspect="equal")
    legend(path)
    plot_residuals(levels, trace.time, trace.residuals, LEVELS)
    plot_series(torque, trace.time[1:], trace.torques[1:], [f"joint {k + 1}" for k in range(4)], "torques", "N m")
    return Result(
        rows=[check("run", "15 s", f"{trace.time[-1] + STEP:g} s", trace.finished),
              below("residual of the dynamics, largest", "0 (machine)", worst[0], 1e-10),
              below("residual of the COM, largest", "0 (machine)", worst[1], 1e-12, "m/s2"),
              check("residual of the posture", "not 0", f"{np.median(trace.residuals[late, 2]):.3g} (median)",
                    bool(np.median(trace.residuals[late, 2]) > 1e-3)),
              below("COM error after 2 s, largest", "-", 1e3 * trace.com_error[late].max(), 0.1, "mm"),
              report("one solution", "real time at 1 kHz", f"{1e3 * trace.solve_time:.2f} ms")],
        pictures=[Picture("Path of the COM against its reference, residuals and torques", svg(figure)),
                  *_film(rig, trace, "The chain drawing its figure eight")],
        notes=["Start and amplitude are ours; gains are the published ones. The COM's error is that of explicit Euler: "
               "the commanded accelerations are met exactly."])


@experiment("passive-chain", group="planar", source="[delasa2011, section 3.3.2, fig. 3.3]",
            published="height of the COM tracked with a passive base joint; only the last, full-rank residual is not 0")
def passive_chain(context: Context) -> Result:
    """A chain with a passive base joint brings its centre of mass to a height"""
    heights = (-0.8,) if context.quick else (-0.8, -1.2)
    rows, figure, parts = [], *axes(3)
    pictures: list[Picture] = []
    for k, height in enumerate(heights):
        rig, trace = hold_height(height, 2.3 if context.quick else 8.0, context)
        late = trace.time >= SETTLED
        worst = trace.residuals.max(axis=0)
        rows += [check(f"run at {height:g} m", "stable", f"{trace.time[-1] + STEP:g} s", trace.finished),
                 below(f"residual of the dynamics at {height:g} m, largest", "0 (machine)", worst[0], 1e-9),
                 below(f"residual of the COM height at {height:g} m, largest", "0 (machine)", worst[1], 1e-9, "m/s2"),
                 below(f"height error at {height:g} m after 2 s, largest", "tracked",
                       1e3 * trace.com_error[late].max(initial=0.0), 0.13, "mm"),
                 below(f"torque of the passive joint at {height:g} m, largest", "0",
                       float(np.abs(trace.torques[:, 0]).max()), 1e-9, "N m"),
                 report(f"torque at {height:g} m, largest", "-", f"{np.abs(trace.torques).max():.0f} N m")]
        time, com = thin(trace.time, trace.com)
        parts[0].plot(time, com[:, 1] - CHAIN_BASE, label=f"to {height:g} m")
        parts[0].axhline(height, color="#b6bdc4", linewidth=1.0, zorder=0)
        if k == 0:
            plot_residuals(parts[1], trace.time, trace.residuals, LEVELS)
            plot_series(parts[2], trace.time[1:], trace.torques[1:], [f"joint {j + 1}" for j in range(4)], "torques",
                        "N m")
            parts[2].set_yscale("symlog", linthresh=10.0)
            pictures += _film(rig, trace, "A passive base joint: swinging freely at the held height")
    parts[0].set(title="height of the COM over the base", xlabel="time [s]", ylabel="m")
    legend(parts[0])
    return Result(rows, [Picture("Height of the COM; residuals and torques of the first run", svg(figure)), *pictures],
                  notes=["A step command without torque limits: torques peak high in the first milliseconds. Above its "
                         "base the passive chain falls over sideways, whatever its height does."])


def hold_height(height: float, seconds: float, context: Context) -> tuple[Rig, Trace]:
    """Bring the COM to a height over the base (one row of the COM), base joint passive."""
    rig = Rig("chain", HANGING)
    vertical = CenterOfMass(np.array([[0.0, 0.0, 1.0]]))
    goal = np.array([CHAIN_BASE + height])

    def plan(t: float) -> Plan:
        com = setpoint(vertical, vertical.at(rig.kinematics), goal, 1, kp=KP, kv=KV)
        return Plan([dynamics(rig, passive=(0,)), on_accelerations(com, 2 * rig.nv), damped_posture(rig)],
                    np.array([np.nan, goal[0]]))

    return rig, play(rig, seconds, plan, tell=context.tell)


def _film(rig: Rig, trace: Trace, caption: str) -> list[Picture]:
    rows = np.arange(0, len(trace.time), 20)
    motion = rig.motion(trace.time[rows], trace.qpos[rows])
    times = np.linspace(0.0, motion.seconds, 6)
    return list(film(motion, times, caption, bearing=90.0, elevation=-6.0, size=(240, 300)))
