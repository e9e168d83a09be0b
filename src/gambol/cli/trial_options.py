"""Options that say what is to be simulated, shared by `gambol run` and `gambol studio`, and the Trial they make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gambol.params import parse_settings

if TYPE_CHECKING:
    from gambol.runs import Cast, Trial

Character = Annotated[str | None, typer.Option(help="a built-in character or an MJCF file; else the behavior's own, or "
                                               "a human", show_default=False)]
Terrain = Annotated[str | None, typer.Option(help="the ground, as name:key=value,...; else the behavior's own, or flat",
                                             show_default=False)]
Seed = Annotated[int, typer.Option(help="seed of the random start", min=0)]
Settings = Annotated[list[str], typer.Option("--set", help="a parameter of the behavior, param=value")]
Preset = Annotated[str | None, typer.Option(help="a named set of parameters, see `gambol list`")]
ParamsFile = Annotated[Path | None, typer.Option(help="a parameter file (.json) of the behavior: {\"format\": "
                                                 "\"gambol-params/1\", \"behavior\": \"balance\", "
                                                 "\"params\": {\"height\": 0.9}}")]
StartText = Annotated[str | None, typer.Option(help="how it begins: standing, sitting, supine, prone, left_side, "
                                               "right_side, or a moment of a Motion, FILE.npz@2.5")]
JitterFactor = Annotated[float | None, typer.Option(help="how much its start differs by the seed; 0: not at all",
                                                    show_default="1")]
VaryText = Annotated[str | None, typer.Option(help="how the true body differs from what the behavior believes: "
                                              "mass=0.8,friction=0.6,strength=0.5,lock=left_elbow,pack=5")]
MotionFile = Annotated[Path | None, typer.Option("--motion", help="the Motion to follow (.npz): short for --set "
                                                 "motion=FILE; its character and start are taken, too")]
Actuators = Annotated[str, typer.Option(help="of an MJCF file: motors, or those of the file")]
Figures = Annotated[list[str], typer.Option(help="one more figure, as name=b,character=child,behavior=balance,x=1,"
                                            "start=prone,param=value")]
Pushes = Annotated[list[str], typer.Option(help="t=2,body=trunk,force=300:0:0,duration=0.1")]
Throws = Annotated[list[str], typer.Option(help="t=2,body=trunk,mass=3,speed=8,bearing=90")]
Props = Annotated[list[str], typer.Option(help="a thing in the scene, as name:key=value,...")]


def first_cast(behavior: str, character: str | None, settings: list[str], preset: str | None, params: Path | None,
               start: str | None, jitter: float | None, actuators: str, motion: Path | None = None) -> Cast:
    """The figure that the command names."""
    from gambol.motion.moments import start_from
    from gambol.runs import Cast

    given = parse_settings(",".join(settings)) | ({} if motion is None else {"motion": str(motion)})
    return Cast(behavior, character, settings=given, preset=preset,
                params=None if params is None else str(params), start=None if start is None else start_from(start),
                where={} if jitter is None else {"jitter": jitter}, actuators=actuators)


def trial_of(first: Cast, figures: list[str], terrain: str | None, props: list[str], pushes: list[str],
             throws: list[str], vary: str | None, seed: int) -> Trial:
    """The first figure with what else the options say."""
    from gambol.runs import Trial
    from gambol.runs.figure_text import parse_figure
    from gambol.world.props import make_props
    from gambol.world.pushes import Push, Throw
    from gambol.world.vary import Vary

    return Trial((first, *map(parse_figure, figures)), terrain, props=tuple(make_props(props)) or None,
                 pushes=tuple(map(Push.parse, pushes)), throws=tuple(map(Throw.parse, throws)) or None, seed=seed,
                 vary=None if vary is None else Vary.parse(vary))
