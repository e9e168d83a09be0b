"""A body tree as text and back, so that a Character can be sent to another process."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

import mujoco

from gambol.errors import BadInput


def text_of(spec: mujoco.MjSpec, assets: Mapping[str, bytes]) -> str:
    """The tree as MJCF, from which the same bodies can be made; BadInput where text would change them."""
    once = _written(spec.copy())
    twice = _written(tree_of(once, assets))
    if once != twice and _bodies(once) != _bodies(twice):
        raise BadInput("this character cannot be sent to another process: written as text its bodies would be others; "
                       "give its name or its file instead")
    return once


def same_tree(one: mujoco.MjSpec, other: mujoco.MjSpec) -> bool:
    """Whether two trees have the same bodies: one may have been made from the text of the other."""
    if one is other:
        return True
    first, second = _written(one.copy()), _written(other.copy())
    return first == second or _bodies(first) == _bodies(second)


def tree_of(text: str, assets: Mapping[str, bytes]) -> mujoco.MjSpec:
    """The tree of a text."""
    return mujoco.MjSpec.from_string(text, assets=dict(assets))


def _written(spec: mujoco.MjSpec) -> str:
    spec.compile()
    return spec.to_xml()


def _bodies(text: str) -> str:
    """The text without geoms that are only looked at: their last digit may change, and nothing feels it."""
    root = ElementTree.fromstring(text)
    for parent in root.iter():
        for geom in [geom for geom in parent.findall("geom") if _is_looks(geom)]:
            parent.remove(geom)
    return ElementTree.tostring(root, encoding="unicode")


def _is_looks(geom: ElementTree.Element) -> bool:
    return all(geom.get(name) == "0" for name in ("contype", "conaffinity", "mass"))
