"""The residuals at one sample, term by term. Each function sees only the numbers it depends on.

Forces are per unit of the first character's mass (m/s^2), moments m^2/s^2, lengths m (2A.10). A residual is weighted
here, so the cost is half its square. `w` holds the weights by name of term; `TERMS` says what each is.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from gambol.synthesis.angles import DOWN, UP, aside, elbow_pole, swing, twist
from gambol.synthesis.rotations import cross
from gambol.synthesis.surfaces import KEEN, ROUNDING, Boxes, box_distance, distances, off_faces, shares, upward
from gambol.units import GRAVITY

Rows = dict[str, jax.Array]
Constants = dict[str, jax.Array]
Weights = dict[str, jax.Array]

TERMS = {
    "force": ("m/s^2", "weight and inertia that no contact force explains"),
    "moment": ("m^2/s^2", "the same for rotation"),
    "closed": ("m", "gap at a contact that is on"),
    "slip": ("m/s", "sliding of a contact that is on"),
    "gate": ("m/s^2", "contact force, dear where the contact is off"),
    "cone": ("m/s^2", "force outside the friction cone, or pulling"),
    "effort": ("m^2/s^2", "torque at hips, knees, shoulders and elbows"),
    "stretch": ("m", "limb longer or shorter than it can be"),
    "limits": ("1", "joints beyond their range, as angles in rad; of arms the cosine"),
    "through": ("m", "parts inside the ground, a box, a prop or the own trunk"),
    "rise": ("m", "parts below the top of a box they are over"),
    "skim": ("m/s", "a foot that moves along just above a surface"),
    "ground": ("m", "feet off the ground, which is where they belong as long as forces do not count"),
    "grasp": ("m^2/s", "hands away from a prop that moves, which somebody must hold"),
    "smooth": ("m/s^2", "acceleration of everything"),
    "hurry": ("m/s", "hands and feet faster than they need be"),
    "pace": ("m/s", "speed of trunks, so that a motion takes the time it has"),
    "posture": ("m", "hands and feet away from where they hang at rest"),
    "upright": ("1", "the trunk's lean"),
    "on": ("1", "activations, so that idle contacts are off"),
    "task": ("m", "what should be true at a knot"),
    "rest": ("m/s", "speed at the end"),
}
"""Name of each term: unit and meaning."""

FALL = -GRAVITY * UP
SHARP = 0.03
"""What `sharp` is for a trunk at all stages: limbs can be led to where a force would help, a trunk cannot."""
LEVER = 0.2
"""Length that makes metres of radians."""
SPARE = 0.005
"""Room about links, m: knees are quick, and what happens between two samples is not seen."""
FAST = 2.5
"""Speed from which a hand or foot hurries, m/s."""
TURN_LEVER = 0.3
"""Length that makes such a speed of a foot's turning, m: from 8 rad/s on."""
CLEARANCE = 0.06
"""Height above a surface from which a foot may move freely, m."""


class Pose(NamedTuple):
    """Position and axes of a frame."""

    place: jax.Array
    turn: jax.Array


class State(NamedTuple):
    """Pose and velocity of a frame."""

    place: jax.Array
    turn: jax.Array
    speed: jax.Array
    spin: jax.Array


def positive(x: jax.Array) -> jax.Array:
    return jnp.maximum(x, 0.0)


def beyond(x: jax.Array, span: jax.Array) -> jax.Array:
    """How far a number is above the most or below the least it may be; less than 0 between them."""
    return jnp.maximum(x - span[1], span[0] - x)


def length(v: jax.Array, small: float = 1e-8) -> jax.Array:
    """Norm with a slope at zero."""
    return jnp.sqrt((v * v).sum(-1) + small)


def _inside(depth: jax.Array, w: Weights) -> jax.Array:
    """Depth in the ground (first) and in each box; boxes are solid only as far as the stage says."""
    return positive(jnp.concatenate([depth[..., :1], w["solid"] * depth[..., 1:]], axis=-1))


# -- contacts ----------------------------------------------------------------------------------------------------------


def fixed_contact(frame: State, c: jax.Array, force: jax.Array, k: Constants, w: Weights, boxes: Boxes) -> Rows:
    """A point that may touch the surroundings.

    Which surface it is for is decided at the patch's middle (`anchor`): all corners of a sole want the same face.
    """
    arm = frame.turn @ k["point"]
    point, velocity = frame.place + arm, frame.speed + cross(frame.spin, arm)
    rounding = jnp.where(k["radius"] > 0, KEEN, ROUNDING)
    away, normals = distances(point, boxes, rounding)
    away = away - k["radius"]
    anchor = frame.place + frame.turn @ k["anchor"]
    share = shares(distances(anchor, boxes, rounding)[0] - k["radius"])
    offset = k["sole"] * (share @ off_faces(point, anchor, boxes)) + (1 - k["sole"]) * ((share * away) @ normals)
    normal = share @ normals
    normal = normal / length(normal, 1e-10)
    face = k["sole"] * frame.turn[:, 2] + (1 - k["sole"]) * normal  # forces on a sole are limited in its frame (2A.4)
    near = positive(1 - jnp.min(away) / CLEARANCE)
    return {**_contact(offset, velocity, face, c, force, k, w),
            "skim": w["skim"] * k["skim"] * near * (velocity - (velocity @ normal) * normal),
            "ground": w["ground"] * k["skim"] * k["share"] * positive(jnp.min(away))[None]}


def solid_point(frame: Pose, k: Constants, w: Weights, boxes: Boxes) -> Rows:
    """A contact point that must not be inside of things."""
    point = frame.place + frame.turn @ k["point"]
    return {"through": w["through"] * _inside(k["radius"] - distances(point, boxes)[0], w),
            "rise": w["rise"] * upward(point, k["radius"], w["sides"], boxes)}


def moving_contact(frame: State, other: State, c: jax.Array, force: jax.Array, k: Constants, w: Weights) -> Rows:
    """A point that may touch another actor: a hand its box, a foot the top of it, whose `half` is flat."""
    arm = frame.turn @ k["point"]
    point, velocity = frame.place + arm, frame.speed + cross(frame.spin, arm)
    local = other.turn.T @ (point - other.place) - k["center"]
    away, normal = box_distance(local, k["half"])
    normal, away = other.turn @ normal, away - k["radius"]
    above = other.turn @ (local - jnp.clip(local, -k["half"], k["half"]))
    offset = k["skim"] * above + (1 - k["skim"]) * away * normal
    normal = k["skim"] * other.turn[:, 2] + (1 - k["skim"]) * normal
    carried = other.speed + cross(other.spin, point - other.place)
    return {**_contact(offset, velocity - carried, normal, c, force, k, w),
            "grasp": w["grasp"] * k["held"] * length(other.speed, 1e-4) * positive(away) * normal,
            "through": w["through"] * w["solid"] * (1 - k["skim"]) * positive(-away)[None]}  # feet: in `between`


def _contact(offset: jax.Array, velocity: jax.Array, normal: jax.Array, c: jax.Array, force: jax.Array,
             k: Constants, w: Weights) -> Rows:
    """Closed and still where it is on (3.2), force only where it is on (3.7), inside the cone."""
    force = force / k["unit"]
    sharp = k["limb"] * w["sharp"] + (1 - k["limb"]) * SHARP
    normal_force = force @ normal
    sideways = length(force - normal_force * normal, 1e-4) - 1e-2
    outside = positive(jnp.stack([sideways - k["friction"] * normal_force, -normal_force]))
    firm = k["share"] * (1 + k["prop"] * (w["firm"] - 1))
    return {"closed": w["closed"] * firm * c * offset,
            "slip": w["slip"] * firm * c * velocity,
            "gate": k["reluctance"] / k["share"] * force * jnp.sqrt(
                (w["gate"] / (c + sharp)) ** 2 + (w["strain"] * k["burden"]) ** 2 + 1e-12),
            "cone": w["cone"] * k["cone"] / k["share"] * outside}


# -- limbs -------------------------------------------------------------------------------------------------------------


def two_links(root: Pose, end: Pose, k: Constants) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Places of base, middle joint and wrist, by analytic inverse kinematics (2A.5), and distance base to wrist."""
    base, wrist = root.place + root.turn @ k["base"], end.place + end.turn @ k["wrist"]
    line = wrist - base
    distance = length(line)
    along = line / distance
    ahead = (k["links"][0] ** 2 - k["links"][1] ** 2) / (2 * distance) + distance / 2
    off = jnp.sqrt(positive(k["links"][0] ** 2 - ahead**2) + 1e-5)
    pole = k["foot"] * cross(along, end.turn @ k["pole"]) + (1 - k["foot"]) * elbow_pole(root.turn, k["pole"])
    bend = pole - (pole @ along) * along
    return base, base + ahead * along + off / length(bend, 1e-3) * bend, wrist, distance


def limb(root: Pose, end: Pose, k: Constants, w: Weights, boxes: Boxes) -> Rows:
    """Lengths, joint limits, knees and elbows outside of things."""
    base, middle, wrist, distance = two_links(root, end, k)
    thigh, hang, hinge = jnp.stack([(middle - base) / k["links"][0], end.place - root.place,
                                    end.turn @ k["pole"]]) @ root.turn
    shank, line = jnp.stack([(wrist - middle) / k["links"][1], (wrist - base) / distance]) @ end.turn
    foot, forward, sideways = k["foot"], swing(thigh, k["axis"], jnp), aside(thigh, jnp)
    about = twist(thigh, hinge, k["pole"], jnp) - k["couples"] * sideways
    limits = jnp.stack([foot * beyond(forward, k["swing"]) + (1 - foot) * (k["spread"] - thigh @ k["axis"]),
                        foot * beyond(sideways, k["sideways"]), foot * beyond(about, k["twist"]),
                        foot * beyond(swing(shank, DOWN, jnp), k["lean"]),
                        foot * jnp.maximum(beyond(aside(shank, jnp), k["tip"]), beyond(aside(line, jnp), k["tip"])),
                        foot * 10 * (0.6 * jnp.abs(k["base"][1]) - jnp.sign(k["base"][1]) * hang[1])])
    parts = jnp.stack([middle, (middle + wrist) / 2, (middle + base) / 2, end.place])  # a sole does not bend at an edge
    room = jnp.array([1.0, 1.0, 1.0, 0.0]) * (k["thickness"] + SPARE)
    away = jax.vmap(lambda p: distances(p, boxes)[0])(parts)
    lift = jax.vmap(lambda p: upward(p, k["thickness"], w["brim"], boxes))(parts[:3])
    near = jnp.stack([end.place, middle, parts[1]])
    own = (1 - foot) * positive(_inside_trunk((near - root.place) @ root.turn, k))
    return {"stretch": w["stretch"] * positive(jnp.stack([distance - k["reach"][1] + w["margin"],
                                                          k["reach"][0] - distance])),
            "limits": w["limits"] * positive(limits),
            "through": w["through"] * jnp.concatenate([_inside(room[:, None] - away, w).ravel(), own]),
            "rise": w["rise"] * lift.ravel()}


def posture(root: Pose, end: Pose, k: Constants, w: Weights) -> Rows:
    """Hands and feet where they hang at rest, feet turned as the trunk is."""
    hang = root.turn.T @ (end.place - root.place)
    return {"posture": w["posture"] * jnp.concatenate([k["tied"] * (hang - k["rest"]),
                                                       k["turned"] * LEVER * (end.turn - root.turn).ravel()])}


def between(root: Pose, end: Pose, other: Pose, k: Constants, w: Weights) -> Rows:
    """A limb outside of another actor's box; hands and soles may touch it."""
    base, middle, wrist, _ = two_links(root, end, k)
    parts = jnp.stack([middle, (middle + wrist) / 2, (middle + base) / 2, wrist, end.place])
    local = (parts - other.place) @ other.turn - k["center"]
    away = jax.vmap(lambda p: box_distance(p, k["half"])[0])(local)
    solid = jnp.concatenate([jnp.ones(3), k["foot"] * jnp.ones(2)])
    room = jnp.array([1.0, 1.0, 1.0, 1.0, 0.0]) * (k["thickness"] + SPARE)
    return {"through": w["through"] * w["solid"] * solid * positive(room - away)}


def _inside_trunk(points: jax.Array, k: Constants) -> jax.Array:
    """How deep points (n, 3) in the trunk's frame are inside the capsule about the trunk."""
    low, axis = k["trunk"][:3], k["trunk"][3:6] - k["trunk"][:3]
    local = points - low
    share = jnp.clip(local @ axis / (axis @ axis + 1e-9), 0.0, 1.0)
    return k["trunk"][6] + k["radius"] - length(local - share[:, None] * axis)


def effort(root: Pose, end: Pose, forces: jax.Array, k: Constants, w: Weights) -> Rows:
    """Torque of the contact forces about base and middle joint: `u` of (3.9) for massless limbs, 0 = J'f + u."""
    base, middle, _, _ = two_links(root, end, k)
    forces = forces.reshape(-1, 3)
    points = end.place + k["points"] @ end.turn.T
    total = forces.sum(0)
    about = jax.vmap(cross)(points, forces).sum(0)
    return {"effort": w["effort"] * jnp.concatenate([about - cross(base, total), about - cross(middle, total)])}


# -- bodies ------------------------------------------------------------------------------------------------------------


def trunk(root: Pose, k: Constants, w: Weights, boxes: Boxes) -> Rows:
    """The trunk's spheres outside of things, and the trunk upright."""
    centers = root.place + k["spheres"][:, :3] @ root.turn.T
    away = jax.vmap(lambda p: distances(p, boxes)[0])(centers) - k["spheres"][:, 3:]
    lift = jax.vmap(lambda p, r: upward(p, r, w["brim"], boxes))(centers, k["spheres"][:, 3])
    return {"through": w["through"] * _inside(-away, w).ravel(), "rise": w["rise"] * lift.ravel(),
            "upright": w["upright"] * k["upright"] * root.turn[:2, 2]}


def physics(root: State, linear: jax.Array, angular: jax.Array, frames: jax.Array, forces: jax.Array, k: Constants,
            w: Weights) -> Rows:
    """Newton and Euler for one rigid body (3.8); `frames` has a row of (place, axes) each, the root's first."""
    fixed = k["at"] @ frames  # the frame of each contact
    arms = fixed[:, :3] - root.place + jnp.einsum("nab,nb->na", fixed[:, 3:].reshape(-1, 3, 3), k["points"])
    forces = k["sign"][:, None] * forces
    inertia = root.turn @ k["inertia"] @ root.turn.T
    twist = inertia @ angular + cross(root.spin, inertia @ root.spin)
    moment = jax.vmap(cross)(arms, forces).sum(0)
    strict = w["physics"] * (1 + k["prop"] * (w["inert"] - 1))
    return {"force": strict * w["force"] * (forces.sum(0) / k["mass"] + FALL - linear),
            "moment": strict * w["moment"] * (moment / k["mass"] - twist)}


def smoothness(second: jax.Array, k: Constants, w: Weights) -> Rows:
    """Acceleration of one feature triple."""
    return {"smooth": w["smooth"] * k["smooth"] * second}


def pace(speed: jax.Array, w: Weights) -> Rows:
    """Speed of a trunk's place: the least over a way goes evenly along it, and leaves no time unused."""
    return {"pace": w["pace"] * speed}


def hurry(speed: jax.Array, k: Constants, w: Weights) -> Rows:
    """Massless limbs would dart past an edge between two samples, or because it is there; feet would spin."""
    return {"hurry": w["hurry"] * positive(k["lever"] * length(speed) - FAST)[None]}
