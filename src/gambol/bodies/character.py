"""A Character: a body tree with motors, its anatomy, its rest pose. What a World is populated with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from gambol.bodies.anatomy import Anatomy
from gambol.bodies.spec_text import same_tree, text_of, tree_of

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True, eq=False)
class Character:
    """A MuJoCo tree plus what its parts are for. Treat it as a value: changes make a new one.

    Two are equal if all they say is, and their trees as text.
    """

    name: str
    spec: mujoco.MjSpec
    """The tree under an otherwise empty world, one actuator per driven joint: torque motors, or servos."""
    anatomy: Anatomy
    rest: Mapping[str, float] = field(default_factory=dict)
    """Joint name -> angle of the relaxed standing pose, radians; joints not named rest at the model's zero."""
    doc: str = ""
    assets: Mapping[str, bytes] = field(default_factory=dict)
    """Files the tree refers to (meshes, textures): name -> content."""
    self_collision: bool = False
    """Whether its own parts collide with each other (foreign models keep what their file says)."""
    notes: tuple[str, ...] = ()
    """What was changed or guessed while reading a foreign model; `gambol inspect` prints it."""

    @staticmethod
    def from_mjcf(file: "str | PathLike[str]", anatomy: "str | PathLike[str] | None" = None,
                  actuators: str = "motors") -> Character:
        """Read a MuJoCo XML model; infer its anatomy, or take it from a YAML file (see docs/own-character.md).

        It is driven by one torque motor per joint, or by the actuators that the file gives it (`actuators="file"`).
        """
        from gambol.bodies.mjcf.foreign import read_mjcf

        return read_mjcf(Path(file), None if anatomy is None else Path(anatomy), actuators)

    def scaled(self, height: float | None = None, limb: Mapping[str, float] | None = None) -> Character:
        """A character of another height (m), or with limbs (by role) longer or shorter by a factor.

        Mass goes with the cube and inertia with the fifth power of the factor, as for a body of constant density.
        """
        from gambol.bodies.shape.scaling import scale

        return scale(self, height, limb or {})

    def compile(self) -> mujoco.MjModel:
        """The bare tree as a model, without ground: for measuring and tests."""
        spec = self.spec.copy()
        return mujoco.MjModel.from_xml_string(spec.to_xml(), dict(self.assets)) if self.assets else spec.compile()

    def rest_qpos(self, model: mujoco.MjModel, prefix: str = "") -> np.ndarray:
        """`qpos0` of a model that contains this character, with its rest pose put in."""
        qpos = model.qpos0.copy()
        for joint, angle in self.rest.items():
            qpos[model.jnt_qposadr[model.joint(prefix + joint).id]] = angle
        return qpos

    def _key(self) -> tuple[Any, ...]:
        """All it says but its tree."""
        return (self.name, self.anatomy.as_dict(), dict(self.rest), self.doc, dict(self.assets), self.self_collision,
                self.notes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Character):
            return NotImplemented
        return self is other or (self._key() == other._key() and same_tree(self.spec, other.spec))

    def __hash__(self) -> int:
        return hash(self.name)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the tree goes as text, from which a World compiles the very same model."""
        return {**self.__dict__, "spec": text_of(self.spec, self.assets)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, spec=tree_of(state["spec"], state["assets"]))

    def renamed(self, name: str) -> Character:
        return replace(self, name=name)
