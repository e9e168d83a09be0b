"""Small parts of the studio's panel and drawings."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.params import ParamInfo
from gambol.studio.guard import open_server
from gambol.studio.overlays import outline
from gambol.studio.widgets import nice_step, param_widget, short_number, table


def test_slider_steps_read_well() -> None:
    assert nice_step(1.0) == pytest.approx(0.01)
    assert nice_step(580.0) == pytest.approx(10.0)
    assert nice_step(0.48) == pytest.approx(0.005)


def test_tables_cannot_be_broken_by_their_content() -> None:
    text = table((("<b>a</b>", "1"),), ("name", "priority", "weight"))
    assert "<b>" not in text and "&lt;b&gt;a&lt;/b&gt;" in text
    assert text.count("<td") == text.count("<th") == 3


def test_numbers_in_tables_are_short() -> None:
    shown = [short_number(text) for text in ("98.2137", "0.000448", "5.33e-15", "1", "com height", "nan")]
    assert shown == ["98.2", "0.000448", "0", "1", "com height", "nan"]


def test_the_outline_of_points() -> None:
    square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 0]], dtype=float)
    assert len(outline(square)) == 4
    assert len(outline(np.array([[0, 0, 0], [1, 1, 0], [2, 2, 0]], dtype=float))) == 2
    assert len(outline(square[:2])) == 2


def test_every_kind_of_parameter_has_a_control() -> None:
    server = open_server("127.0.0.1", 0, "controls")
    for info in (ParamInfo("big_step", 0.5, "m", 0.0, 1.0, (), "how big"), ParamInfo("count", 3, "", 1, 9, (), "many"),
                 ParamInfo("fast", True, "", None, None, (), "hurry"), ParamInfo("way", "a", "", None, None, ("a", "b"),
                                                                                  "which"),
                 ParamInfo("file", "a.npz", "", None, None, (), "what is read")):
        widget = param_widget(server.gui, info, info.default)
        assert widget.value == info.default
        widget.remove()
    server.stop()
