"""Taking one character out of a model file: what does not belong to it is dropped, with a note.

Works on the canonical text, because text shows what is there: elements are removed, or kept as they are. Honest
physics decides what may stay: no welds to the world, no gravity compensation, nothing that holds the character up.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator

import mujoco
import numpy as np

from gambol.bodies.mjcf.source import Source
from gambol.errors import BadInput
from gambol.units import GRAVITY

GROUND_BIT = 1 << 30
"""Collision bit that only ground and props answer to."""

GLOBAL_SECTIONS = ("option", "size", "statistic", "visual", "keyframe", "sensor", "custom", "actuator")
ACTUATOR_DEFAULTS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
                     "adhesion", "dcmotor", "pid", "orientation")
REFERENCES = {"body": ("body", "body1", "body2", "bodyname"), "joint": ("joint", "joint1", "joint2"),
              "geom": ("geom", "geom1", "geom2"), "site": ("site", "site1", "site2", "sidesite"),
              "tendon": ("tendon", "tendon1", "tendon2")}


def numbers(text: str | None, default: str) -> np.ndarray:
    """The numbers of an attribute."""
    return np.array([float(word) for word in (text or default).split()])


def words(values: "np.ndarray | list[float]") -> str:
    return " ".join(f"{value:.17g}" for value in values)


def extract(source: Source) -> tuple[ET.Element, str, list[str]]:
    """The MJCF tree of the character alone, the name of its top body, and notes."""
    notes: list[str] = []
    mujoco_xml = ET.fromstring(source.text)
    top = _choose_top(source, notes)
    _note_options(source.model, notes)
    for tag in GLOBAL_SECTIONS:
        for section in mujoco_xml.findall(tag):
            mujoco_xml.remove(section)
    for section in mujoco_xml.findall("default"):
        _remove(section, lambda element: element.tag in ACTUATOR_DEFAULTS)
    world = _one_worldbody(mujoco_xml)
    _free_paired_geoms(mujoco_xml, world, source.model, notes)
    tree = _lift(world, source.model, top)
    _strip_world(world, tree, notes)
    _strip_tree(tree, notes)
    _plain_free_joint(tree, source.model, top, notes)
    _split_balls(tree, source.model, notes)
    _drop_dangling(mujoco_xml, tree, notes)
    _drop_unused_assets(mujoco_xml)
    return mujoco_xml, top, notes


def bodies(element: ET.Element) -> Iterator[ET.Element]:
    """This body and all below it, in the order of the compiled model, through frames."""
    if element.tag == "body":
        yield element
    for child in element:
        if child.tag in ("body", "frame"):
            yield from bodies(child)


def _choose_top(source: Source, notes: list[str]) -> str:
    model = source.model
    free = [int(model.jnt_bodyid[j]) for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE]
    free.sort(key=lambda b: -model.body_subtreemass[b])
    for body in free[1:]:
        notes.append(f"dropped the other free body {model.body(body).name!r} "
                     f"({model.body_subtreemass[body]:.3g} kg): the heaviest is the character")
    return str(model.body(free[0]).name)


def _note_options(model: mujoco.MjModel, notes: list[str]) -> None:
    option = model.opt
    if not np.allclose(option.gravity, (0, 0, -GRAVITY)):
        notes.append(f"the file's gravity {words(np.round(option.gravity, 6))} is replaced by "
                     f"{GRAVITY:g} m/s2 downward")
    if np.linalg.norm(option.gravity) > 20:
        notes.append("such gravity means other units: gambol takes the file's lengths as metres, its masses as kg")
    if option.density or option.viscosity:
        notes.append("the file's fluid (density, viscosity) is dropped: gambol's scenes have no air")
    if model.nsensor:
        notes.append(f"dropped its sensors ({model.nsensor})")


def _one_worldbody(mujoco_xml: ET.Element) -> ET.Element:
    worlds = mujoco_xml.findall("worldbody")
    for extra in worlds[1:]:
        worlds[0].extend(extra)
        mujoco_xml.remove(extra)
    return worlds[0]


def _lift(world: ET.Element, model: mujoco.MjModel, top: str) -> ET.Element:
    """Take the top body out of frames around it, so that its place is its own."""
    parents = {child: parent for parent in world.iter() for child in parent}
    tree = next(body for body in bodies(world) if body.get("name") == top)
    parent = parents[tree]
    if parent is world:
        return tree
    if parent.tag != "frame":
        raise BadInput(f"the body {top!r} with the free joint is not at the top of the world; "
                       f"a free joint belongs to a body directly under <worldbody>")
    while parent is not world:
        if parent.get("childclass") and not tree.get("childclass"):
            tree.set("childclass", parent.get("childclass", ""))
        parent = parents[parent]
    parents[tree].remove(tree)
    tree.set("pos", words(model.body(top).pos))
    tree.set("quat", words(model.body(top).quat))
    world.append(tree)
    return tree


def _free_paired_geoms(mujoco_xml: ET.Element, world: ET.Element, model: mujoco.MjModel, notes: list[str]) -> None:
    """Geoms that touch the file's floor only through an explicit <pair> must be able to touch any ground."""
    static = {geom.get("name") for geom in world.findall("geom")}
    geoms = {geom.get("name"): geom for geom in world.iter("geom")}
    freed = set()
    for pair in mujoco_xml.findall("contact/pair"):
        one, two = pair.get("geom1"), pair.get("geom2")
        for mine, other in ((one, two), (two, one)):
            if other in static and mine not in static and mine in geoms:
                freed.add(mine)
                geoms[mine].set("conaffinity", str(int(model.geom(mine).conaffinity[0]) | GROUND_BIT))
    if freed:
        notes.append(f"geoms that touched the floor through explicit contact pairs ({len(freed)}) now touch any ground")


def _strip_world(world: ET.Element, tree: ET.Element, notes: list[str]) -> None:
    obstacles = []
    for element in list(world):
        if element is tree:
            continue
        world.remove(element)
        if element.tag == "frame":
            obstacles += [body.get("name", "?") for body in bodies(element)]
        elif element.tag == "body" and not any(j.tag == "freejoint" or j.get("type") == "free" for j in element.iter()):
            obstacles.append(element.get("name", "?"))
        elif element.tag == "geom" and element.get("type") != "plane":
            obstacles.append(element.get("name", f"a static {element.get('type', 'sphere')}"))
    if obstacles:
        listed = ", ".join(obstacles[:4]) + (", ..." if len(obstacles) > 4 else "")
        notes.append(f"dropped what is fixed to the world ({listed})")


def _strip_tree(tree: ET.Element, notes: list[str]) -> None:
    """Lights are the scene's; gravity compensation would be a force from nowhere."""
    _remove(tree, lambda element: element.tag == "light" or (element.tag == "camera" and "target" in element.attrib))
    compensated = [body for body in bodies(tree) if body.attrib.pop("gravcomp", None) not in (None, "0")]
    if compensated:
        notes.append(f"removed gravity compensation ({compensated[0].get('name')}, {len(compensated)} in all): only "
                     f"motors hold a character up")
    for body in bodies(tree):
        body.attrib.pop("sleep", None)


def _plain_free_joint(tree: ET.Element, model: mujoco.MjModel, top: str, notes: list[str]) -> None:
    """The root moves freely: a spring, a damper or friction on its joint would be a hand that holds it."""
    k = int(model.body(top).jntadr[0])
    dofs = slice(model.jnt_dofadr[k], model.jnt_dofadr[k] + 6)
    held = {"stiffness": model.jnt_stiffness[k], "damping": model.dof_damping[dofs],
            "frictionloss": model.dof_frictionloss[dofs], "armature": model.dof_armature[dofs]}
    for joint in tree.iter("joint"):
        if joint.get("name") == model.joint(k).name:
            joint.tag = "freejoint"  # it takes nothing from defaults
            kept = {key: value for key, value in joint.attrib.items() if key in ("name", "group")}
            joint.attrib.clear()
            joint.attrib.update(kept)
    found = [name for name, values in held.items() if np.any(values)]
    if found:
        notes.append(f"removed {', '.join(found)} of the free joint: nothing but the ground may hold a character")


def _split_balls(tree: ET.Element, model: mujoco.MjModel, notes: list[str]) -> None:
    """A ball joint becomes three hinges about x, y, z of the part, because a motor drives one angle."""
    for parent in list(tree.iter()):
        for joint in parent.findall("joint"):
            name = joint.get("name", "")
            if model.joint(name).type[0] != mujoco.mjtJoint.mjJNT_BALL:
                continue
            place = list(parent).index(joint)
            parent.remove(joint)
            limit = float(model.joint(name).range[1])
            for k, axis in enumerate("xyz"):
                hinge = ET.Element("joint", joint.attrib)
                hinge.attrib |= {"name": f"{name}_{axis}", "type": "hinge", "axis": words(np.eye(3)[k])}
                if limit > 0:
                    hinge.set("range", words([-limit, limit]))
                parent.insert(place + k, hinge)
            notes.append(f"split the ball joint {name!r} into three hinges (_x, _y, _z)")


def _drop_dangling(mujoco_xml: ET.Element, tree: ET.Element, notes: list[str]) -> None:
    """Remove constraints, tendons and contact rules that mention what is no longer there."""
    names = {
        "body": {body.get("name", "") for body in bodies(tree)},
        "joint": {element.get("name", "") for element in tree.iter() if element.tag in ("joint", "freejoint")},
        "geom": {geom.get("name", "") for geom in tree.iter("geom")},
        "site": {site.get("name", "") for site in tree.iter("site")}}
    names["tendon"] = {tendon.get("name", "") for tendon in mujoco_xml.findall("tendon/*") if _known(tendon, names)}

    def known(element: ET.Element) -> bool:
        if element.tag in ("weld", "connect") and element.get("body1") and not element.get("body2"):
            return False  # to the world
        return _known(element, names)

    for section in ("tendon", "equality", "contact", "deformable"):
        for group in mujoco_xml.findall(section):
            for element in list(group):
                if element.tag in ("flex", "flexcomp") or not known(element):
                    group.remove(element)
                    if section in ("equality", "deformable"):
                        notes.append(f"dropped the {section} {element.tag} {element.get('name', '')!r}: it ties the "
                                     f"character to the world, or needs what was dropped")
            if not len(group):
                mujoco_xml.remove(group)


def _known(element: ET.Element, names: dict[str, set[str]]) -> bool:
    return all(part.get(attribute) is None or part.get(attribute) in names[kind]
               for part in element.iter() for kind, attributes in REFERENCES.items() if kind in names
               for attribute in attributes)


def _drop_unused_assets(mujoco_xml: ET.Element) -> None:
    """Meshes, height fields, materials and textures that only dropped things used."""
    def used(attribute: str) -> set[str | None]:
        return {element.get(attribute) for element in mujoco_xml.iter() if element.get(attribute)}

    for tag, attribute in (("mesh", "mesh"), ("hfield", "hfield"), ("material", "material"), ("texture", "texture")):
        keep = used(attribute)
        for asset in mujoco_xml.findall("asset"):
            for element in asset.findall(tag):
                name = element.get("name") or (element.get("file") or "").rpartition(".")[0]
                if name not in keep:
                    asset.remove(element)


def _remove(parent: ET.Element, unwanted: Callable[[ET.Element], bool]) -> None:
    for child in list(parent):
        if unwanted(child):
            parent.remove(child)
        else:
            _remove(child, unwanted)
