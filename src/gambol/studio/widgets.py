"""Small helpers for viser controls: parameters as widgets, and callbacks that report their errors to the one who asked.

viser runs callbacks in a pool of threads, so two events of one slider may arrive in either order: a callback reads the
widget, never the event, and the last word is always the newest value.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from typing import Any

import viser

from gambol.errors import GambolError
from gambol.params import ParamInfo

SLIDER_STEPS = 100
PAUSE, PLAY = ("Pause", viser.Icon.PLAYER_PAUSE), ("Play", viser.Icon.PLAYER_PLAY)
"""The two faces of the button that starts and stops."""


def attend(event: Any, work: Callable[[], Any]) -> bool:
    """Do what a viewer asked; tell that viewer if it cannot be done."""
    try:
        work()
    except GambolError as error:
        tell(event.client, str(error))
        return False
    except Exception as error:
        traceback.print_exc()
        tell(event.client, f"{type(error).__name__}: {error}")
        return False
    return True


def tell(client: viser.ClientHandle | None, text: str, title: str = "That did not work", color: Any = "red") -> None:
    """Show one viewer a message for a while."""
    if client is not None:
        client.add_notification(title, text, color=color, auto_close_seconds=8.0)


def on_change(handle: Any, work: Callable[[], Any]) -> None:
    """Call `work` when a viewer (not the program) has changed a control."""
    @handle.on_update
    def _(event: Any) -> None:
        if event.client is not None:
            attend(event, work)


def on_click(handle: Any, work: Callable[[], Any]) -> None:
    @handle.on_click
    def _(event: Any) -> None:
        attend(event, work)


def show_button(button: Any, label: str, icon: Any) -> None:
    """Give a button another face, if it has not got it yet."""
    if button.label != label:
        button.label, button.icon = label, icon


def param_widget(gui: viser.GuiApi, info: ParamInfo, value: Any) -> Any:
    """The control that fits a parameter: slider, checkbox or dropdown, with its meaning as the hint."""
    label = info.name.replace("_", " ")
    if isinstance(info.default, bool):
        return gui.add_checkbox(label, bool(value), hint=info.doc)
    if info.choices:
        return gui.add_dropdown(label, info.choices, initial_value=value, hint=info.doc)
    low, high = info.low, info.high
    assert low is not None and high is not None  # `param` refuses numbers without a range
    hint = f"{info.doc}, {info.range_text}"
    if info.unit:
        label = f"{label} ({info.unit})"
    if isinstance(info.default, int):
        return gui.add_slider(label, int(low), int(high), 1, int(value), hint=hint)
    return gui.add_slider(label, float(low), float(high), nice_step(high - low), float(value), hint=hint)


def nice_step(span: float) -> float:
    """About a hundredth of a range, as 1, 2 or 5 times a power of ten, so that values read well."""
    rough = span / SLIDER_STEPS
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next(factor for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999) * power)


def table(rows: tuple[tuple[str, ...], ...], header: tuple[str, ...]) -> str:
    """Rows as a markdown table; short rows are filled up."""
    width = max([len(header), *(len(row) for row in rows)])
    lines = [_line(header, width), _line(("---",) * width, width)]
    return "\n".join(lines + [_line(row, width) for row in rows])


def _line(cells: tuple[str, ...], width: int) -> str:
    filled = [str(cell).replace("|", "/") for cell in cells] + [""] * (width - len(cells))
    return "| " + " | ".join(filled) + " |"
