"""Colours of the ground: muted, next to the grey checker of the scene."""

from __future__ import annotations

import mujoco

SAND, DUNE, CLAY, SAGE, MOSS, SLATE, DEEP = (
    f"terrain_{name}" for name in ("sand", "dune", "clay", "sage", "moss", "slate", "deep"))

_COLORS: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    SAND: ((0.87, 0.82, 0.73), (0.83, 0.77, 0.68)),
    DUNE: ((0.79, 0.70, 0.59), (0.76, 0.67, 0.56)),
    CLAY: ((0.80, 0.66, 0.55), (0.76, 0.61, 0.50)),
    SAGE: ((0.68, 0.75, 0.64), (0.68, 0.75, 0.64)),
    MOSS: ((0.63, 0.71, 0.60), (0.63, 0.71, 0.60)),
    SLATE: ((0.62, 0.68, 0.73), (0.57, 0.63, 0.69)),
    DEEP: ((0.54, 0.60, 0.65), (0.51, 0.57, 0.62)),
}
"""Two tones each, of a checker with half-metre squares: it shows distance and movement.
Sage and moss are plain: they alternate over the cells of a field."""


def add_materials(spec: mujoco.MjSpec, names: "set[str]") -> None:
    """Add the named materials to a scene."""
    for name in sorted(names & _COLORS.keys()):
        light, dark = _COLORS[name]
        spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
                         rgb1=list(light), rgb2=list(dark), width=256, height=256)
        material = spec.add_material(name=name, texrepeat=[1, 1], texuniform=True, reflectance=0.0, specular=0.1)
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
