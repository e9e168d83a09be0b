"""Small helpers for viser controls: parameters as widgets, and callbacks that report their errors to the one who asked.

viser runs callbacks in a pool of threads, so two events of one slider may arrive in either order: a callback reads the
widget, never the event, and the last word is always the newest value.
"""

from __future__ import annotations

import html
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


def say(markdown: Any, text: str) -> None:
    """Set a text, only if it is another one: the page re-renders it every time."""
    if markdown.content != text:
        markdown.content = text


def param_widget(gui: viser.GuiApi, info: ParamInfo, value: Any) -> Any:
    """The control that fits a parameter: slider, checkbox, dropdown or text, with its meaning as the hint."""
    label = info.name.replace("_", " ")
    if isinstance(info.default, bool):
        return gui.add_checkbox(label, bool(value), hint=info.doc)
    if info.choices:
        return gui.add_dropdown(label, info.choices, initial_value=value, hint=info.doc)
    if isinstance(info.default, str):
        return gui.add_text(label, str(value), hint=info.doc)
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
    """Rows as a small HTML table: words to the left, numbers to the right in three digits; short rows are filled up."""
    width = max([len(header), *(len(row) for row in rows)])
    lines = "".join(f"<tr>{_cells(row, width, 'td')}</tr>" for row in rows)
    return ('<table style="width: 100%; border-spacing: 0; font-size: 0.8em; line-height: 1.6; '
            f'font-variant-numeric: tabular-nums"><tr>{_cells(header, width, "th")}</tr>{lines}</table>')


def _cells(cells: tuple[str, ...], width: int, tag: str) -> str:
    filled = [short_number(str(cell)) for cell in cells] + [""] * (width - len(cells))
    sides = ["left", *["right"] * (width - 1)]
    return "".join(f'<{tag} style="text-align: {side}; padding: 0 0.4em">{html.escape(cell)}</{tag}>'
                   for side, cell in zip(sides, filled, strict=True))


def short_number(text: str) -> str:
    """A number in three digits, anything below a millionth as 0; other text as it is."""
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{0.0 if abs(number) < 1e-6 else number:.3g}"
