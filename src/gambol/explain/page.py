"""The page of `gambol run ... --explain out.html`: the diagnosis on top, then pictures, then every step."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np

from gambol.explain.charts import charts, strip
from gambol.explain.diagnosis import Finding, findings, headline
from gambol.explain.diary import Diary
from gambol.explain.evidence import Evidence
from gambol.explain.landings import Landing, landings
from gambol.files import whole_file
from gambol.motion.motion import Motion
from gambol.reporting.page import html_figure, html_page, html_table


def explain(motion: Motion, diary: Diary, path: Path | str) -> Path:
    """Write the page, whole or not at all."""
    with whole_file(Path(path)) as temporary:
        temporary.write_text(html_explanation(motion, diary), encoding="utf-8")
    return Path(path)


def html_explanation(motion: Motion, diary: Diary) -> str:
    """The whole page."""
    evidence = Evidence(motion, diary)
    steps = landings(evidence) if evidence.feet else []
    shots = strip(motion, evidence.fell_at)
    film = "".join(map(html_figure, shots)) or ('<p class="soft">No pictures of the figure: there is no usable OpenGL '
                                                "library here.</p>")
    body = (f"<section><h2>{escape(headline(evidence))}</h2>{_diagnosis(evidence, findings(evidence, steps))}"
            f'<p class="soft">{escape(_summary(evidence))}</p>{film}</section>'
            f"<section><h2>Plan and reality</h2>{_plans(evidence)}"
            + "".join(html_figure(picture) for picture in charts(evidence, steps)) + "</section>"
            + (f"<section><h2>Every step</h2>{_steps(steps)}</section>" if steps else ""))
    return html_page(f"{motion.meta.get('behavior', 'run')}: why", _title(motion), _setting(motion), body)


def _title(motion: Motion) -> str:
    meta = motion.meta
    return f"{meta.get('character', 'a character')}, {meta.get('behavior', 'some behavior')}, {meta.get('terrain')}"


def _setting(motion: Motion) -> str:
    params = ", ".join(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
                       for name, value in motion.meta.get("params", {}).items())
    return "; ".join(filter(None, (f"seed {motion.meta.get('seed')}", params, _others(motion))))


def _others(motion: Motion) -> str:
    """Who else was there: the page is about the first figure."""
    named = [f"{entry.get('name', 'somebody')} ({entry['character']}, {entry.get('behavior', '?')})"
             for entry in motion.meta.get("figures", [])[1:]]
    return f"with {', '.join(named)}" if named else ""


def _summary(evidence: Evidence) -> str:
    figures = evidence.measured.summaries()
    parts = [f"{evidence.motion.seconds:.1f} s simulated",
             f"{figures['distance']:.2f} m, {figures['speed']:.2f} m/s as the crow flies"]
    if figures["steps"] is not None:
        parts.append(f"{figures['steps']:.0f} steps")
    if figures["cost_of_transport"] is not None:
        parts.append(f"cost of transport {figures['cost_of_transport']:.2f}")
    return "; ".join(parts) + "."


def _diagnosis(evidence: Evidence, found: list[Finding]) -> str:
    if not found:
        return ("<p>None of the usual signs of trouble.</p>" if evidence.fall is None else
                "<p>None of the usual signs before it: look at the pictures.</p>")
    lead = ("Before it, in the order in which it began (the first is the place to look):" if evidence.fall is not None
            else "Worth a look, in the order in which it began:")
    rows = "".join(f"<li>{finding.since:.2f} s: {escape(finding.text)}</li>" for finding in found)
    return f"<p>{lead}</p><ol>{rows}</ol>"


def _plans(evidence: Evidence) -> str:
    return "" if evidence.planned else ('<p class="soft">This behavior does not tell of plans (<code>notes()</code>): '
                                        "only what happened is shown.</p>")


def _steps(steps: list[Landing]) -> str:
    head = ("foot", "lifted [s]", "landed [s]", "late [s]", "ahead of its foothold [cm]", "to the left of it [cm]",
            "foothold moved meanwhile [cm]")
    rows = [(step.name, f"{step.lifted:.2f}", _number(step.landed, 2), _number(step.late, 2),
             _number(100 * step.ahead, 0), _number(100 * step.left, 0), _number(100 * step.moved, 0)) for step in steps]
    return html_table(head, rows)


def _number(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:.{digits}f}"
