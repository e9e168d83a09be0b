"""Every publication that code or pages cite is in docs/references.md, by its key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gambol.experiments import EXPERIMENTS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "references.md"
CITED = re.compile(r"\[([a-z]+(?:19|20)\d\d[a-z]?)(?:, [^\]]+)?\]")
PLACE = r"(?:section|chapter|table|fig\.|eq\.|algorithm) [\d.]+"
OWN = "own: "
"""What experiments that nobody else has published say first."""
FORM = re.compile(rf"\[(?P<key>\w+), {PLACE}(?:(?:, | and ){PLACE}|(?:, | and )[\d.]+)*\]")
"""How an experiment says where its result was published."""


def keys(page: str) -> list[str]:
    """The keys of the tables on a page."""
    return re.findall(r"^\| `(\w+)` \| (?=\S)", page, re.M)


def files() -> list[Path]:
    return [*sorted((ROOT / "src" / "gambol").rglob("*.py")), *sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]


def missing(known: set[str], texts: dict[str, str]) -> list[str]:
    """Where something is cited that nobody knows."""
    return [f"{name}: [{key}]" for name, text in texts.items() for key in CITED.findall(text) if key not in known]


def test_every_key_that_is_cited_is_known() -> None:
    known = keys(PAGE.read_text(encoding="utf-8"))
    assert len(known) == len(set(known)) >= 8
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files()}
    assert missing(set(known), texts) == []


def test_an_unknown_key_is_found() -> None:
    texts = {"a.py": '"""As in [delasa2011, eq. 5.39] and [nobody1999]."""\nx = table[rows2010, 1]; y = z[row]'}
    assert missing({"delasa2011"}, texts) == ["a.py: [nobody1999]", "a.py: [rows2010]"]
    assert missing({"delasa2011", "nobody1999", "rows2010"}, texts) == []


def test_a_key_is_an_author_and_a_year_with_both_in_its_entry() -> None:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if key := keys(line):
            author, year = re.fullmatch(r"([a-z]+)(\d{4})[a-z]?", key[0]).groups()  # type: ignore[union-attr]
            assert year in line.split("|")[2] and author in line.split("|")[2].lower().replace(" ", ""), line


@pytest.mark.parametrize("name", sorted(name for name, entry in EXPERIMENTS.items()
                                        if not entry.source.startswith(OWN)))
def test_experiments_say_where_their_result_was_published(name: str) -> None:
    found = FORM.match(EXPERIMENTS[name].source)
    assert found is not None and found["key"] in keys(PAGE.read_text(encoding="utf-8")), EXPERIMENTS[name].source
