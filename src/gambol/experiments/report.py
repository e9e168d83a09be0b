"""The report: published figures beside ours, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from gambol.experiments.experiment import Experiment, Result, Row
from gambol.files import whole_file
from gambol.reporting.page import html_figure, html_page


def html_report(results: Sequence[tuple[Experiment, Result]], seed: int, quick: bool) -> str:
    """The whole page."""
    counts = {verdict: sum(row.verdict == verdict for _, result in results for row in result.rows)
              for verdict in ("pass", "fail", "report")}
    summary = f"{counts['pass']} pass, {counts['fail']} fail, {counts['report']} reported without a claim"
    short = ", quick: short runs, few trials" if quick else ""
    contents = "".join(f'<tr><td><a href="#{escape(entry.name)}">{escape(entry.name)}</a></td><td>{escape(entry.doc)}'
                       f'</td><td>{_badge(result.verdict)}</td></tr>' for entry, result in results)
    return html_page("experiments", "Published results, and ours", f"seed {seed}{short}. {summary}",
                     f'<nav><div class="scroll"><table><tbody>{contents}</tbody></table></div></nav>'
                     + "".join(_section(entry, result) for entry, result in results))


def write_report(path: Path, results: Sequence[tuple[Experiment, Result]], seed: int, quick: bool) -> Path:
    """Write the page, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(html_report(results, seed, quick), encoding="utf-8")
    return path


def _section(entry: Experiment, result: Result) -> str:
    notes = "".join(f'<p class="soft">{escape(note)}</p>' for note in result.notes)
    return (f'<section id="{escape(entry.name)}"><div class="head"><h2>{escape(entry.name)}</h2>'
            f"{_badge(result.verdict)}</div><p>{escape(entry.doc)}.</p>"
            f'<p class="soft">{escape(entry.source)}. Published: {escape(entry.published)}. '
            f"Took {result.seconds:.1f} s.</p>"
            f'<div class="scroll"><table><thead><tr><th>figure</th><th>published</th><th>ours</th><th></th></tr>'
            f"</thead><tbody>{''.join(_row(row) for row in result.rows)}</tbody></table></div>"
            + "".join(html_figure(picture) for picture in result.pictures) + notes + "</section>")


def _row(row: Row) -> str:
    return (f'<tr><td>{escape(row.metric)}</td><td>{escape(row.published)}</td><td class="ours">{escape(row.ours)}</td>'
            f"<td>{_badge(row.verdict)}</td></tr>")


def _badge(verdict: str) -> str:
    return f'<span class="badge {verdict}">{verdict}</span>'
