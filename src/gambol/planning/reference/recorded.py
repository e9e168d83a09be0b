"""A Motion as the beginning of a Reference: poses of one figure, what its parts do, and what of it touches.

A simulated take tells its contacts itself: in each state, the geoms that touch. A plan says which limbs carry load;
which end of a foot does is seen from its height.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from gambol.bodies import find_character
from gambol.bodies.character import Character
from gambol.errors import BadInput
from gambol.motion.kinematics import Share, share_of
from gambol.motion.motion import Motion
from gambol.planning.reference.clip import SHORTEST
from gambol.planning.reference.contacts import GAP, LEAST, find_contacts
from gambol.planning.reference.poser import Poser
from gambol.planning.reference.retarget import RATE, Targets
from gambol.planning.reference.series import tidied
from gambol.world.patches import FigurePatch

CLOSE = 0.002
"""m, the gap at which a geom of a simulated take counts as touching."""
BESIDE = 0.08
"""m between a contact and a patch that it belongs to."""
LOADED = 0.02
"""Share of the body weight that counts as load in a plan."""
DOWN = 0.025
"""m: an end of a loaded foot that is higher than the lower one by more than this does not touch."""


@dataclass
class Recorded:
    """A figure of a Motion at the rate of the fit."""

    name: str
    poser: Poser
    poses: np.ndarray
    targets: Targets
    patches: tuple[str, ...]
    touching: np.ndarray
    """(n, patches, 2)"""


def recorded(motion: Motion, figure: int = 0, character: Character | None = None) -> Recorded:
    """Read a figure of a Motion."""
    share = share_of(motion, figure)
    poser = Poser(find_character(share.info.character) if character is None else character)
    start = int(motion.model.jnt_qposadr[share.joints[0]])
    _check_same(motion.model, share, poser)
    if motion.seconds < SHORTEST:
        raise BadInput(f"a motion of {motion.seconds:.3g} s is too short to follow; at least {SHORTEST:g} s are needed")
    times = motion.time[0] + np.arange(0.0, motion.seconds + 1e-9, 1.0 / RATE)
    whole = motion.sample(times)
    poses = whole[:, start:start + poser.model.nq]
    names = list(motion.meta.get("contacts", []))
    if "contact_load" in motion.extra and names:
        touching = _planned(motion, share, poser, poses, times, names)
    elif motion.simulated:
        touching = _simulated(motion, share, poser, whole)
    else:
        ends = poser.end_places(poses, poser.feet)
        found = find_contacts(ends, poses[:, :3], RATE)
        touching = {role: found[:, k] for k, role in enumerate(poser.feet)}
    patches = (*poser.feet, *(role for role, flags in touching.items() if role not in poser.feet and flags.any()))
    for role in patches:
        for end in (0, 1):
            touching[role][:, end] = tidied(tidied(touching[role][:, end], GAP * RATE), LEAST * RATE)
    name = str(motion.meta.get("synthesis", motion.meta.get("behavior", "motion")))
    return Recorded(name, poser, poses, _targets(poser, poses), patches,
                    np.stack([touching[role] for role in patches], axis=1))


def _check_same(model: mujoco.MjModel, share: Share, poser: Poser) -> None:
    """The figure of the Motion is the character: same joints, same masses."""
    own = [model.joint(j).name.removeprefix(share.prefix) for j in share.joints]
    known = [poser.model.joint(j).name for j in range(poser.model.njnt)]
    masses = model.body_mass[share.bodies]
    if own != known or len(masses) != poser.model.nbody - 1 or not np.allclose(masses, poser.model.body_mass[1:],
                                                                               rtol=0.01, atol=1e-6):
        raise BadInput(f"the figure of this motion is not the {poser.character.name!r} that is known here; give the "
                       "character it was made with")


def _targets(poser: Poser, poses: np.ndarray) -> Targets:
    """What all parts do, as a fit would be asked for it."""
    n, data = len(poses), poser.data
    hips = np.zeros((n, 3))
    turns = {role: np.zeros((n, 3, 3)) for role in poser.parts}
    twists = {role: np.zeros((n, 3, 3)) for role in poser.limbs if role.endswith(("thigh", "upper_arm"))}
    directions = {role: np.zeros((n, 3)) for role in (*poser.limbs, *poser.feet)}
    root = poser.index.root
    for row, qpos in enumerate(poses):
        poser.put(qpos)
        hips[row] = data.xpos[root] + data.xmat[root].reshape(3, 3) @ poser.between_hips
        for table in (turns, twists):
            for role, values in table.items():
                body = poser.roles[role]
                values[row] = data.xmat[body].reshape(3, 3) @ poser.rest_turn[body].T
        for role, way in poser.limb_directions().items():
            directions[role][row] = way
    return Targets(hips, turns, twists, directions, poses.copy())


def _simulated(motion: Motion, share: Share, poser: Poser, states: np.ndarray) -> dict[str, np.ndarray]:
    """Patches of a take that touch something, role -> (n, 2), from the states of the whole scene (n, nq)."""
    model, data = motion.model, mujoco.MjData(motion.model)
    patches = poser.index.patches
    touching = {role: np.zeros((len(states), 2), dtype=bool) for role in patches}
    offset = int(share.top) - 1  # the figure's bodies are in the order of the bare tree, whose first is 1
    on = {body + offset: [role for role, patch in patches.items() if body in patch.bodies]
          for body in range(1, poser.model.nbody)}
    for row, state in enumerate(states):
        data.qpos[:] = state
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        contact = data.contact
        bodies = model.geom_bodyid[contact.geom[:data.ncon]] if data.ncon else np.zeros((0, 2), dtype=int)
        for k in range(data.ncon):
            if contact.dist[k] > CLOSE:
                continue
            for body, other in (bodies[k], bodies[k][::-1]):
                if int(other) in on and int(body) in on:
                    continue  # its own parts
                for role in on.get(int(body), ()):
                    _touch(touching[role][row], patches[role], data, offset, contact.pos[k])
    return touching


def _touch(flags: np.ndarray, patch: FigurePatch, data: mujoco.MjData, offset: int, place: np.ndarray) -> None:
    """Note a contact at a place (3,) with the end of a patch that it is at, if it is at the patch."""
    bodies, places = patch.bodies + offset, patch.places
    points = data.xpos[bodies] + (data.xmat[bodies].reshape(-1, 3, 3) @ places[:, :, None])[..., 0]
    far = np.linalg.norm(points - place, axis=1)
    nearest = int(np.argmin(far))
    if far[nearest] > BESIDE:
        return
    if patch.is_foot and patch.heel.stop > 0:
        flags[0 if nearest < patch.heel.stop else 1] = True
    else:
        flags[:] = True


def _planned(motion: Motion, share: Share, poser: Poser, poses: np.ndarray, times: np.ndarray, names: list[str]
             ) -> dict[str, np.ndarray]:
    """Patches of a plan that carry load, role -> (n, 2)."""
    load = motion.extra["contact_load"]
    mine = share.label.rstrip("/") + " " if share.label else ""
    touching = {role: np.zeros((len(poses), 2), dtype=bool) for role in poser.index.patches}
    for column, name in enumerate(names):
        part = name.split(" on ")[0].removeprefix(mine)
        carries = np.interp(times, motion.time, load[:, column]) > LOADED
        role = part if part in touching else part.replace("hand", "palm")
        if role not in touching:
            continue
        ends = poser.end_places(poses, (role,))[:, 0, :, 2]
        low = ends < ends.min(axis=1, keepdims=True) + DOWN
        touching[role] |= carries[:, None] & (low if poser.index.patches[role].is_foot else True)
    return touching
