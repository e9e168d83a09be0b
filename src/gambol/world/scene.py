"""From characters, terrain and props to one compiled model.

The text is written out and compiled again from the text, so that the MJCF in a Motion file is the very one that was
simulated. Solver settings are chosen here, once (docs/honest-physics.md shows what they give).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mujoco

from gambol.bodies.builder import FOOT_SOLIMP, FOOT_SOLREF
from gambol.bodies.character import Character
from gambol.errors import BadInput
from gambol.world.props import Prop, check_names, make_slippery
from gambol.world.terrain import PREFIX as TERRAIN_PREFIX
from gambol.world.terrain import Terrain
from gambol.world.vary import Vary

EVERYTHING = 0x7FFFFFFF
"""Collision mask of ground and props: they touch every geom that collides at all."""


@dataclass(frozen=True)
class Scene:
    """A compiled model, the text it came from, and the name prefix of each character in it."""

    model: mujoco.MjModel
    xml: str
    assets: Mapping[str, bytes]
    prefixes: tuple[str, ...]


def compile_scene(characters: Sequence[Character], terrain: Terrain, props: Sequence[Prop],
                  physics_rate: float, names: Sequence[str] | None = None, vary: Vary | None = None) -> Scene:
    """Put everything into one world and compile it. Characters go by their own names if not given others.

    Bodies are given as they truly are; friction is varied here.
    """
    prefixes = scene_prefixes(characters, names)
    check_names(props, [prefix.rstrip("/") for prefix in prefixes])
    spec = mujoco.MjSpec()
    spec.modelname = "gambol"
    spec.compiler.degree = False
    _set_options(spec, physics_rate)
    _set_looks(spec)
    assets: dict[str, bytes] = {}
    try:
        terrain.build(spec)
        for prop in props:
            prop.build(spec)
        for geom in spec.geoms:
            of_terrain = geom.name.startswith(TERRAIN_PREFIX)
            geom.contype = geom.conaffinity = EVERYTHING if of_terrain or geom.contype else 0
            if of_terrain and terrain.friction < 1.0:
                make_slippery(geom, terrain.friction)
                geom.solref, geom.solimp = list(FOOT_SOLREF), list(FOOT_SOLIMP)
        for index, (character, prefix) in enumerate(zip(characters, prefixes, strict=True)):
            _add_character(spec, character, prefix, index, len(characters))
            assets |= character.assets
        if vary is not None:
            vary.loosen(spec)
        spec.compile()
        xml = spec.to_xml()
        model = mujoco.MjModel.from_xml_string(xml, assets)
    except ValueError as error:
        raise BadInput(f"MuJoCo cannot compile the scene: {' '.join(str(error).split())}") from None
    return Scene(model, xml, assets, prefixes)


def scene_prefixes(characters: Sequence[Character], names: Sequence[str] | None = None) -> tuple[str, ...]:
    """The names given; else `human/`, or `human1/`, `human2/`, ... where several share the scene."""
    if names is not None:
        return tuple(f"{name}/" for name in names)
    if len(characters) == 1:
        return (f"{characters[0].name}/",)
    return tuple(f"{character.name}{i + 1}/" for i, character in enumerate(characters))


def _add_character(spec: mujoco.MjSpec, character: Character, prefix: str, index: int, count: int) -> None:
    child = character.spec.copy()
    if not character.self_collision:
        own = 1 << (index + 1)
        others = sum(1 << (k + 1) for k in range(count)) - own
        for geom in child.geoms:
            if geom.contype or geom.conaffinity:
                geom.contype, geom.conaffinity = own, others
    spec.attach(child, prefix=prefix, frame=spec.worldbody.add_frame())


def _set_options(spec: mujoco.MjSpec, physics_rate: float) -> None:
    option = spec.option
    option.timestep = 1.0 / physics_rate
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = 100
    option.tolerance = 1e-10
    # A state that goes bad is reported, never silently reset.
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET


def _set_looks(spec: mujoco.MjSpec) -> None:
    """Light, sky and ground of every scene."""
    visual = spec.visual
    visual.global_.offwidth, visual.global_.offheight = 1920, 1080
    visual.quality.shadowsize = 2048
    visual.quality.numslices, visual.quality.numstacks = 56, 32
    # Scales of depth and shadow: of a person, not of the longest terrain.
    spec.stat.extent = 6.0
    spec.stat.center = [0.0, 0.0, 1.0]
    visual.headlight.ambient = [0.35, 0.35, 0.37]
    visual.headlight.diffuse = [0.30, 0.30, 0.30]
    visual.headlight.specular = [0.0, 0.0, 0.0]
    visual.rgba.haze = [0.80, 0.86, 0.92, 1]
    spec.worldbody.add_light(pos=[3, -3, 6], dir=[-0.45, 0.5, -0.75], type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
                             diffuse=[0.65, 0.63, 0.58], specular=[0.1, 0.1, 0.1], castshadow=True)
    spec.add_texture(name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
                     rgb1=[0.62, 0.74, 0.86], rgb2=[0.93, 0.95, 0.97], width=64, height=384)
    spec.add_texture(name="ground", type=mujoco.mjtTexture.mjTEXTURE_2D, builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
                     rgb1=[0.80, 0.81, 0.80], rgb2=[0.74, 0.76, 0.76], width=256, height=256)
    ground = spec.add_material(name="ground", texrepeat=[1, 1], texuniform=True, reflectance=0.0)
    ground.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "ground"
