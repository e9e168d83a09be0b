"""The rules of honest physics, as far as they can be read off a Motion: its model, edits, throws and initial state.

Which bodies belong to a character is not taken on trust: every moving tree of more than one body counts as a figure
(props and balls are single bodies), and whatever the file says besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import mujoco
import numpy as np

from gambol.errors import BadInput
from gambol.motion.motion import Motion
from gambol.units import GRAVITY
from gambol.world.carriers import trees
from gambol.world.recorder import STATE

FASTEST_THROW = 50.0
"""Launch speed (m/s) beyond which a throw is no throw."""
EDITABLE_ACTUATOR = ("actuator_ctrlrange", "actuator_forcerange", "actuator_actrange", "actuator_acc0",
                     "actuator_length0", "actuator_lengthrange", "actuator_user")
"""What a body edit may change of a motor: how strong it is, not what it pulls on or how."""
STRUCTURE = re.compile(r"(body|jnt|dof|geom|site|tendon|wrap|tree)_(?!bvh|mat)\w*(id|adr|num|type)")
"""Fields that say what hangs on what: another structure is another model, not an edit."""
GROUND_FIELDS = ("geom_type", "geom_pos", "geom_quat", "geom_size", "body_pos", "body_quat")
PASSIVE = {"jnt_stiffness": "stiffness", "jnt_stiffnesspoly": "stiffness", "jnt_limited": "limit",
           "dof_damping": "damping", "dof_dampingpoly": "damping", "dof_frictionloss": "friction loss",
           "dof_armature": "armature"}
"""What a joint may have that would hold or carry a floating character."""


def rule_breaks(motion: Motion, model: mujoco.MjModel) -> list[str]:
    """Broken rules, in words. The model must be as compiled and the caller's own: it is left with all edits applied."""
    figures = figure_bodies(motion, model)
    breaks = [*_initial_breaks(motion, model), *_throw_breaks(motion, model, figures), *model_breaks(model, figures)]
    breaks += _strength_breaks(motion, model)
    for _, fields in sorted(motion.edits, key=lambda edit: edit[0]):
        breaks += _edit_breaks(model, fields)
        for name, value in fields.items():
            getattr(model, name)[:] = value
        breaks += model_breaks(model, figures)
    return list(dict.fromkeys(breaks))


def check_edits(motion: Motion, model: mujoco.MjModel) -> None:
    """Refuse edits, pushes and throws that do not fit the model."""
    for _, fields in motion.edits:
        for name, value in fields.items():
            present = None if name.startswith("_") else getattr(model, name, None)
            if not isinstance(present, np.ndarray) or present.shape != np.shape(value):
                raise BadInput(f"a body edit of this Motion does not fit its model: {name!r}")
    for kind, bodies in (("push", motion.push_body), ("throw", motion.throw_body)):
        if len(bodies) and not (bodies.min() >= 0 and bodies.max() < model.nbody):
            raise BadInput(f"a {kind} of this Motion is on a body that its model does not have")
    if any(model.body_jntnum[body] == 0 or model.jnt_type[model.body_jntadr[body]] != mujoco.mjtJoint.mjJNT_FREE
           for body in motion.throw_body):
        raise BadInput("a throw of this Motion is of a body that is not free to fly")


def strengths(motion: Motion, model: mujoco.MjModel) -> np.ndarray:
    """Largest control of every actuator at every tick, (n, nu): declared body edits may change it.

    The model must be as compiled, without edits.
    """
    found = np.tile(np.abs(model.actuator_ctrlrange).max(axis=1, initial=0), (len(motion.ctrl), 1))
    for tick, fields in motion.edits:
        if "actuator_ctrlrange" in fields:
            found[max(0, tick):] = np.abs(fields["actuator_ctrlrange"]).max(axis=1, initial=0)
    return found


def figure_bodies(motion: Motion, model: mujoco.MjModel) -> np.ndarray:
    """Which bodies are parts of characters, a mask: moving trees of several bodies, and those the file names.

    All moving bodies where neither finds any.
    """
    tree = trees(model)
    mask = (tree > 0) & (np.bincount(tree, minlength=model.nbody)[tree] > 1)
    prefixes = tuple(figure.prefix for figure in motion.figures)
    named = [b for b in range(1, model.nbody) if prefixes and model.body(b).name.startswith(prefixes)]
    mask |= (tree > 0) & np.isin(tree, tree[named])
    return mask if mask.any() else tree > 0


def model_breaks(model: mujoco.MjModel, figures: np.ndarray) -> Iterator[str]:
    """What is wrong with a model as it is now; `figures` is a mask over bodies."""
    if not np.allclose(model.opt.gravity, [0, 0, -GRAVITY]):
        yield f"gravity is {model.opt.gravity}, not {GRAVITY:g} m/s2 downward"
    if model.opt.disableflags & ~int(mujoco.mjtDisableBit.mjDSBL_AUTORESET) or model.opt.enableflags:
        yield "a part of the physics is switched off or overridden (option flags)"
    if model.opt.wind.any() or model.opt.density or model.opt.viscosity:
        yield "the air is not still and thin: wind, density or viscosity is set"
    friction = max(model.geom_friction[:, 0].max(initial=0), model.pair_friction[:, :2].max(initial=0))
    if not friction <= 1.0:
        yield f"a friction coefficient is {friction:g}, above 1"
    if any(getattr(model, name, np.zeros(0)).any() for name in ("geom_adhesion", "pair_adhesion")):
        yield "a surface sticks (adhesion)"
    if getattr(model, "geom_surfacevel", np.zeros(0)).any():
        yield "a surface moves by itself (surfacevel)"
    if model.body_gravcomp[figures].any():
        yield "a part of a character does not feel gravity (gravcomp)"
    base = _base_joints(model, figures)
    if _ties(model, figures, base):
        yield "a character is tied to the world or to a prop by an equality constraint"
    if any(_reaches_out(model, figures, base, bodies, joints) for bodies, joints in _tendons(model)):
        yield "a tendon joins a character to the world or to a prop"
    if _drives_base(model, figures, base):
        yield "an actuator pushes a character's free joint, a site or a body, not a joint"
    if _has_endless_servo(model, figures):
        yield "a servo of a character has no limit to its force"
    base_dofs = np.isin(model.dof_jntid, np.flatnonzero(base))
    for name, word in PASSIVE.items():
        values = getattr(model, name, np.zeros(0))  # MuJoCo before 4 has not all of them
        if len(values) and values[base if name.startswith("jnt") else base_dofs].any():
            yield f"the {word} of a character's free joint is not 0: it is held by the world"


def _initial_breaks(motion: Motion, model: mujoco.MjModel) -> Iterator[str]:
    data = mujoco.MjData(model)
    if len(motion.initial_state) == mujoco.mj_stateSize(model, STATE):
        mujoco.mj_setState(model, data, motion.initial_state, STATE)
        if data.qfrc_applied.any() or data.xfrc_applied.any():
            yield "the initial state holds applied forces"


def _strength_breaks(motion: Motion, model: mujoco.MjModel) -> Iterator[str]:
    within = np.abs(motion.ctrl) <= strengths(motion, model) * (1 + 1e-12)
    if (~within & (model.actuator_ctrllimited > 0)).any():
        yield "a recorded control is beyond the strength of its actuator"


def _throw_breaks(motion: Motion, model: mujoco.MjModel, figures: np.ndarray) -> Iterator[str]:
    tree = trees(model)
    if any(figures[body] or np.count_nonzero(tree == tree[body]) > 1 for body in motion.throw_body):
        yield "a throw moves a part of a character, not a free ball"
    speeds = np.linalg.norm(motion.throw_state[:, 7:10], axis=1)
    if not (speeds <= FASTEST_THROW).all():
        yield f"a throw starts at {speeds.max():.3g} m/s, above {FASTEST_THROW:g} m/s"


def _edit_breaks(model: mujoco.MjModel, fields: Mapping[str, np.ndarray]) -> Iterator[str]:
    """What one edit changes that no body edit may; the model must be as it was before the edit."""
    for name, value in fields.items():
        before = getattr(model, name)
        if np.array_equal(before, value):
            continue
        if name == "body_gravcomp" or STRUCTURE.fullmatch(name) or name.startswith(("pair_", "eq_", "hfield_")) or (
                name.startswith("actuator_") and name not in EDITABLE_ACTUATOR):
            yield f"a body edit changes {name}, which is no matter of the body"
        if name in GROUND_FIELDS:
            body = model.geom_bodyid if name.startswith("geom") else np.arange(model.nbody)
            fixed = model.body_weldid[body] == 0
            if not np.array_equal(before[fixed], value[fixed]):
                yield "a body edit moves the ground"


def _base_joints(model: mujoco.MjModel, figures: np.ndarray) -> np.ndarray:
    """Joints by which characters float, a mask: free ones, and the slides and hinge of a planar body.

    A single slide or hinge to the world is the rail or the bearing of a machine, and may have a motor.
    """
    slides = np.bincount(model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_SLIDE], minlength=model.nbody)
    floating = (np.asarray(slides) > 1) & (model.body_parentid == 0)
    free = model.jnt_type == mujoco.mjtJoint.mjJNT_FREE
    return figures[model.jnt_bodyid] & (free | floating[model.jnt_bodyid])


def _reaches_out(model: mujoco.MjModel, figures: np.ndarray, base: np.ndarray, bodies: list[int],
                 joints: list[int]) -> bool:
    """Whether something that acts between bodies or joints also acts between a character and what is not it."""
    ends = [*bodies, *(int(model.jnt_bodyid[joint]) for joint in joints)]
    touched = {int(trees(model)[end]) for end in ends}
    return any(base[joint] for joint in joints) or (len(touched) > 1 and any(figures[end] for end in ends))


def _ties(model: mujoco.MjModel, figures: np.ndarray, base: np.ndarray) -> bool:
    """Whether an equality constraint joins a character to anything that is not the same character."""
    for k in range(model.neq):
        kind, ends = mujoco.mjtEq(model.eq_type[k]), [int(model.eq_obj1id[k]), int(model.eq_obj2id[k])]
        bodies: list[int] = []
        joints: list[int] = []
        if kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
            sites = mujoco.mjtObj(model.eq_objtype[k]) == mujoco.mjtObj.mjOBJ_SITE
            bodies = [int(model.site_bodyid[end]) for end in ends] if sites else ends
        elif kind == mujoco.mjtEq.mjEQ_JOINT:
            joints = [end for end in ends if end >= 0]
        elif kind == mujoco.mjtEq.mjEQ_TENDON:
            tendons = list(_tendons(model))
            bodies = [body for end in ends if end >= 0 for body in tendons[end][0]]
            joints = [joint for end in ends if end >= 0 for joint in tendons[end][1]]
        if _reaches_out(model, figures, base, bodies, joints):
            return True
    return False


def _tendons(model: mujoco.MjModel) -> Iterator[tuple[list[int], list[int]]]:
    """The bodies a spatial tendon runs along, and the joints a fixed tendon adds up, for every tendon."""
    for k in range(model.ntendon):
        bodies: list[int] = []
        joints: list[int] = []
        for w in range(model.tendon_adr[k], model.tendon_adr[k] + model.tendon_num[k]):
            kind, target = mujoco.mjtWrap(model.wrap_type[w]), int(model.wrap_objid[w])
            if kind == mujoco.mjtWrap.mjWRAP_JOINT:
                joints.append(target)
            elif kind == mujoco.mjtWrap.mjWRAP_SITE:
                bodies.append(int(model.site_bodyid[target]))
            elif kind in (mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER):
                bodies.append(int(model.geom_bodyid[target]))
        yield bodies, joints


def _has_endless_servo(model: mujoco.MjModel, figures: np.ndarray) -> bool:
    """Whether a servo on a character's joint may pull as hard as it likes: the range of its control is no limit."""
    for k in range(model.nu):
        joint = model.actuator_trnid[k, 0]
        if (model.actuator_biastype[k] != mujoco.mjtBias.mjBIAS_NONE and not model.actuator_forcelimited[k]
                and model.actuator_trntype[k] == mujoco.mjtTrn.mjTRN_JOINT and figures[model.jnt_bodyid[joint]]
                and not model.jnt_actfrclimited[joint]):
            return True
    return False


def _drives_base(model: mujoco.MjModel, figures: np.ndarray, base: np.ndarray) -> bool:
    """Whether an actuator acts on a character other than through one of its inner joints or tendons."""
    for k in range(model.nu):
        kind, (target, other) = mujoco.mjtTrn(model.actuator_trntype[k]), model.actuator_trnid[k]
        if kind in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT):
            if base[target]:
                return True
        elif kind == mujoco.mjtTrn.mjTRN_SLIDERCRANK:
            ends = [int(model.site_bodyid[site]) for site in (target, other)]
            if _reaches_out(model, figures, base, ends, []):
                return True
        elif kind == mujoco.mjtTrn.mjTRN_SITE:
            if figures[model.site_bodyid[target]]:
                return True
        elif kind == mujoco.mjtTrn.mjTRN_BODY:
            if figures[target]:
                return True
        elif kind != mujoco.mjtTrn.mjTRN_TENDON:  # a kind not known here
            return True
    return False
