"""A solution as a Motion: the real characters, obstacles and props of the scene, moved by inverse kinematics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from gambol._version import __version__
from gambol.motion.motion import FigureInfo, Motion
from gambol.synthesis.fullbody import RATE, FullBody
from gambol.synthesis.measures import Measure
from gambol.synthesis.scene import Obstacle, Scene
from gambol.synthesis.trajectory import Trajectory
from gambol.world.scene import compile_scene
from gambol.world.terrains import make_terrain

DRIFT, TRUNK_DRIFT = 0.02, 0.05
"""How far (m) a loaded foot or hand of the full body may be from the plan's, and its trunk."""


@dataclass(frozen=True)
class Block:
    """An obstacle as a thing of the compiled scene."""

    name: str
    obstacle: Obstacle

    def build(self, spec: mujoco.MjSpec) -> None:
        o = self.obstacle
        half = math.radians(o.yaw) / 2
        spec.worldbody.add_geom(name=self.name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=[o.x, o.y, o.z + o.height / 2],
                                size=[o.depth / 2, o.width / 2, o.height / 2], rgba=[0.72, 0.70, 0.64, 1],
                                quat=[math.cos(half), 0, 0, math.sin(half)])


def to_motion(scene: Scene, z: np.ndarray, measures: list[Measure], **about: Any) -> tuple[Motion, list[Measure]]:
    """The Motion, with contacts and residuals, and the measures with the full body's drift added."""
    problem = scene.problem()
    path = Trajectory(problem, z, rate=RATE, ends=True)
    things = [Block(f"obstacle{i + 1}", obstacle) for i, obstacle in enumerate(scene.obstacles)]
    bodies = [performer.body for performer in scene.performers]
    compiled = compile_scene(bodies, make_terrain("flat"), [*scene.props, *things], 1000.0)
    model = compiled.model
    qpos = np.tile(model.qpos0, (len(path.time), 1))
    drift = np.zeros(2)
    for i, (body, prefix) in enumerate(zip(bodies, compiled.prefixes, strict=True)):
        figure = FullBody(model, prefix, body, path, i)
        rows = figure.follow()
        own = np.concatenate([np.arange(figure.free, figure.free + 7), figure.qpos])
        qpos[:, own] = rows[:, own]
        drift = np.maximum(drift, figure.drift(rows))
    for i, prop in enumerate(scene.props):
        _put_prop(model, prop.name, path, len(bodies) + i, qpos)
    measures = [*measures, Measure("full body drift", float(drift[0]), DRIFT, "m"),
                Measure("full body trunk", float(drift[1]), TRUNK_DRIFT, "m")]
    figures = [FigureInfo(body.name, prefix, body.anatomy).as_dict()
               for body, prefix in zip(bodies, compiled.prefixes, strict=True)]
    meta = {"synthesis": scene.name, "character": bodies[0].name, "terrain": "flat", "gambol": __version__,
            "mujoco": mujoco.__version__, "figures": figures, "events": [],
            "contacts": contact_names(scene), "residuals": {m.name: m.value for m in measures}, **about}
    points, _ = path.points
    extra = {"activation": path.c, "contact_load": path.load(), "contact_point": points,
             "contact_force": path.force * problem.actors[0].puppet.mass}
    motion = Motion(model_xml=compiled.xml, time=path.time, qpos=qpos, qvel=_velocities(model, path.time, qpos),
                    assets=dict(compiled.assets), meta=meta, extra=extra)
    return motion, measures


def contact_names(scene: Scene) -> list[str]:
    """A name for each activation, in order."""
    problem = scene.problem()
    names: dict[int, str] = {}
    who = [*(f"{p.body.name}{i + 1} " if len(scene.performers) > 1 else "" for i, p in enumerate(scene.performers)),
           *(f"{prop.name} " for prop in scene.props)]
    for actor, limb, point, activation, other in problem.layout.contacts:
        owner = problem.actors[actor]
        part = (owner.puppet.limbs[limb].role if limb >= 0 else "underside" if owner.is_prop
                else f"trunk {point + 1}")
        names[int(activation)] = who[actor] + part + (f" on {problem.actors[other].puppet.name}" if other >= 0 else "")
    return [names[i] for i in sorted(names)]


def _put_prop(model: mujoco.MjModel, name: str, path: Trajectory, actor: int, qpos: np.ndarray) -> None:
    """A prop's free joint from its frame; its body's origin is the middle of its underside."""
    frame, adr = path.problem.layout.roots[actor], int(model.joint(name).qposadr[0])
    turn = path.turn[:, frame]
    qpos[:, adr:adr + 3] = path.place[:, frame] - turn[:, :, 2] * path.problem.actors[actor].half[2]
    qpos[:, adr + 3:adr + 7] = Rotation.from_matrix(turn).as_quat()[:, [3, 0, 1, 2]]


def _velocities(model: mujoco.MjModel, time: np.ndarray, qpos: np.ndarray) -> np.ndarray:
    """Differences of the rows, the last repeated."""
    qvel = np.zeros((len(time), model.nv))
    for row in range(len(time) - 1):
        mujoco.mj_differentiatePos(model, qvel[row], time[row + 1] - time[row], qpos[row], qpos[row + 1])
    qvel[-1] = qvel[-2] if len(time) > 1 else 0.0
    return qvel
