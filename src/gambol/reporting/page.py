"""One self-contained HTML page, readable on a phone; nothing is loaded from outside."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

import mujoco

from gambol._version import __version__
from gambol.reporting.pictures import Picture

MIME = {"svg": "image/svg+xml", "png": "image/png"}
CSS = """
:root { color-scheme: light; --ink: #1f2933; --soft: #5b6670; --line: #e1e5e9; --paper: #ffffff; --ground: #f4f6f8;
        --pass: #1f7a4d; --fail: #b3261e; --report: #566573; --accent: #2c6e91; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
       font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 1.7rem; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 1.2rem; margin: 0; }
p { margin: 6px 0; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
.soft { color: var(--soft); font-size: 0.9rem; }
section, nav { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px;
               margin: 18px 0; }
.head { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
.badge { display: inline-block; border-radius: 999px; padding: 1px 10px; font-size: 0.8rem; font-weight: 600;
         color: #fff; white-space: nowrap; }
.badge.pass { background: var(--pass); } .badge.fail { background: var(--fail); }
.badge.report { background: var(--report); }
.scroll { overflow-x: auto; margin: 12px 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th { text-align: left; color: var(--soft); font-weight: 600; border-bottom: 2px solid var(--line); }
th, td { padding: 6px 12px 6px 0; vertical-align: top; }
tbody tr + tr td { border-top: 1px solid var(--line); }
td.ours { font-variant-numeric: tabular-nums; }
figure { margin: 16px 0 0; }
figure { overflow-x: auto; }
figure img { display: block; height: auto; max-width: 100%; }
figcaption { color: var(--soft); font-size: 0.86rem; margin-top: 4px; }
nav td:last-child { text-align: right; }
@media (max-width: 620px) {
  main { padding: 14px 8px 40px; }
  section, nav { padding: 14px 12px; }
  h1 { font-size: 1.4rem; }
  section table { min-width: 540px; }
  figure img { max-width: 1000px; }
}
@media print { body { background: #fff; } section, nav { break-inside: avoid; border: none; padding: 0; } }
"""


def html_page(name: str, title: str, subtitle: str, body: str) -> str:
    """A whole page around its sections; the versions are told below the title."""
    made = f"gambol {__version__}, MuJoCo {mujoco.__version__}, {subtitle}."
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>gambol: {escape(name)}</title>'
            f"<style>{CSS}</style></head><body><main><h1>{escape(title)}</h1>"
            f'<p class="soft">{escape(made)}</p>{body}</main></body></html>\n')


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain table of text."""
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return (f'<div class="scroll"><table><thead><tr>{"".join(f"<th>{escape(cell)}</th>" for cell in head)}</tr></thead>'
            f"<tbody>{lines}</tbody></table></div>")


def html_figure(picture: Picture) -> str:
    """A picture with its caption, inside the page."""
    data = base64.b64encode(picture.data).decode()
    caption = escape(picture.caption)
    return (f'<figure><img alt="{caption}" src="data:{MIME[picture.kind]};base64,{data}">'
            f"<figcaption>{caption}</figcaption></figure>")
