"""`gambol list`: everything that has a name, with its parameters."""

from __future__ import annotations

import json
from typing import Any

from rich.markup import escape
from rich.table import Table

from gambol.cli.app import Json, app
from gambol.console import out


@app.command("list")
def list_(json_: Json = False) -> None:
    """Characters, behaviors, terrains, props, scenes, features and experiments, with one line on each."""
    from gambol.behaviors import BEHAVIORS
    from gambol.behaviors.scenes import scene_of
    from gambol.bodies import CHARACTERS
    from gambol.experiments import EXPERIMENTS
    from gambol.synthesis.features import FEATURES
    from gambol.synthesis.shipped import SCENES
    from gambol.world.props import PROPS
    from gambol.world.terrains import TERRAINS

    names = {
        "characters": {name: _first_line(make.__doc__) for name, make in CHARACTERS.items()},
        "behaviors": {name: kind.doc for name, kind in BEHAVIORS.items()},
        "terrains": {name: kind.doc for name, kind in TERRAINS.items()},
        "props": {name: kind.doc for name, kind in PROPS.items()},
        "scenes": SCENES,
        "features": {name: f"{found.doc} ({found.unit})" for name, found in FEATURES.items()},
        "experiments": {name: entry.doc for name, entry in EXPERIMENTS.items()}}
    params = {name: kind.Params.describe() for registry in (BEHAVIORS, TERRAINS) for name, kind in registry.items()}
    params |= {name: list(kind.describe()) for name, kind in PROPS.items()}
    presets = {name: {preset: dict(values) for preset, values in kind.presets.items()}
               for name, kind in BEHAVIORS.items() if kind.presets}
    scenes = {name: {preset: scene.as_dict() for preset, values in kind.presets.items()
                     if (scene := scene_of(values)) is not None} for name, kind in BEHAVIORS.items()}
    if json_:
        described = {name: [info.as_dict() for info in infos] for name, infos in params.items()}
        print(json.dumps({**names, "params": described, "presets": presets,
                          "preset_scenes": {name: found for name, found in scenes.items() if found}}))
        return
    for title, entries in names.items():
        table = Table(title=title, title_justify="left", title_style="bold", box=None, show_header=False)
        for name, doc in entries.items():
            table.add_row(name, escape(doc))
            for info in params.get(name, []) if title in ("behaviors", "terrains", "props") else []:
                table.add_row("", f"[dim]{info.name}={_plain(info.default)}   {escape(info.doc)} "
                                  f"({escape(info.range_text)})[/dim]")
            if title == "behaviors" and name in presets:
                table.add_row("", f"[dim]presets: {escape(', '.join(presets[name]))}[/dim]")
                for preset, where in scenes[name].items():
                    table.add_row("", f"[dim]  {escape(preset)}: {escape(_scene_text(where))}[/dim]")
        out.print(table)
        out.print()


def _scene_text(scene: dict[str, Any]) -> str:
    """A scene in one line: `terrain=flat prop=box:x=0,size=0.6`."""
    words = [f"{name}={value}" for name, value in scene.items() if name not in ("props", "throws")]
    words += [f"prop={prop}" for prop in scene.get("props", ())]
    words += [f"throw={throw}" for throw in scene.get("throws", ())]
    return " ".join(words)


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n")[0]


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
