"""`gambol export`, `gambol verify` and `gambol inspect`: what can be done with files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from gambol.cli.app import File, Json, app
from gambol.console import out, progress_bar
from gambol.errors import BadInput


@app.command()
def export(file: File, target: Annotated[Path, typer.Argument(help="OUT.glb, .bvh, .mp4, .gif or .csv",
                                                              show_default=False)],
           skinned: Annotated[bool, typer.Option(help="glTF: one skinned mesh with a skeleton")] = False,
           fps: Annotated[float | None, typer.Option(help="frames per second", min=1, max=1000)] = None,
           json_: Json = False) -> None:
    """Write a Motion as glTF, BVH, video or CSV."""
    from gambol.motion.export import export as export_motion
    from gambol.motion.motion import Motion

    motion = Motion.load(file)
    options: dict[str, Any] = {"fps": fps} if fps is not None else {}
    if skinned:
        if target.suffix.lower() != ".glb":
            raise BadInput(f"--skinned is for .glb only, not {target.suffix or 'no suffix'!r}")
        options["skinned"] = True
    with progress_bar(f"writing {target.name}") as progress:
        written = export_motion(motion, target, progress=progress, **options)
    if json_:
        print(json.dumps({"written": [str(path) for path in written]}))
    else:
        for path in written:
            out.print(f"wrote {path} ({path.stat().st_size / 1024:.0f} KiB)")


@app.command()
def verify(file: File, json_: Json = False) -> None:
    """Replay a Motion in plain MuJoCo; report the largest difference and any undeclared force."""
    from gambol.motion.verify import verify_file

    with progress_bar("replaying") as progress:
        verdict = verify_file(file, progress)
    if json_:
        print(json.dumps(verdict.as_dict()))
    else:
        for line in verdict.sentences():
            out.print(line, markup=False)
    if not verdict.ok:
        raise typer.Exit(1)


@app.command()
def inspect(model: Annotated[Path, typer.Argument(help="an MJCF model (.xml) or a recorded clip (.bvh)",
                                                  show_default=False)],
            character_: Annotated[str, typer.Option("--character", help="who a clip is retargeted to")] = "human",
            anatomy: Annotated[Path | None, typer.Option(help="a YAML file that says what the parts are")] = None,
            write_anatomy: Annotated[Path | None, typer.Option(help="write what was found as such a file")] = None,
            actuators: Annotated[str, typer.Option(help="motors, or those of the file")] = "motors",
            json_: Json = False) -> None:
    """The anatomy that was found in a model, or the roles in a clip, and what is missing."""
    from gambol.bodies.character import Character
    from gambol.bodies.mjcf.anatomy_file import to_yaml
    from gambol.bodies.mjcf.inspection import inspect_rows
    from gambol.files import whole_file

    if model.suffix.lower() == ".bvh":
        if anatomy is not None or write_anatomy is not None:
            raise BadInput("--anatomy and --write-anatomy are for models (.xml), not for clips (.bvh)")
        _table(_clip_rows(model, character_), json_)
        return
    character = Character.from_mjcf(model, anatomy, actuators)
    rows = list(inspect_rows(character))
    if write_anatomy is not None:
        with whole_file(write_anatomy) as temporary:
            temporary.write_text(to_yaml(character))
    _table(rows, json_)
    if write_anatomy is not None and not json_:
        out.print(f"wrote {write_anatomy}")


def _clip_rows(path: Path, character: str) -> list[tuple[str, str, str]]:
    """What is found in a recorded clip."""
    from gambol.planning.reference.build import clip_reference, read_for
    from gambol.planning.reference.shown import clip_rows

    clip, poser = read_for(path, character)
    return list(clip_rows(clip, clip_reference(clip, poser)))


def _table(rows: list[tuple[str, str, str]], json_: bool) -> None:
    """Print rows of section, name and value."""
    if json_:
        sections: dict[str, dict[str, str]] = {}
        for section, name, value in rows:
            sections.setdefault(section, {})[name] = value
        print(json.dumps(sections))
        return
    table = Table(box=None, show_header=False)
    last = ""
    for section, name, value in rows:
        table.add_row("" if section == last else f"[bold]{escape(section)}[/bold]", escape(name), escape(value))
        last = section
    out.print(table)
