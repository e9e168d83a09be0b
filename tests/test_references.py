"""Every publication that code or pages cite is in docs/references.md, by its key; every file they name is there."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

import pytest

from gambol.experiments import EXPERIMENTS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "references.md"
CITED = re.compile(r"\[([a-z]+(?:19|20)\d\d[a-z]?)(?:, [^\]]+)?\]")
KEYED = re.compile(rf"{CITED.pattern}|\[key(?:, [^\]]+)?\]")
PLACE = r"(?:section|chapter|table|fig\.|eq\.|algorithm) [\d.]+"
OWN = "own: "
"""What experiments that nobody else has published say first."""
FORM = re.compile(rf"\[(?P<key>\w+), {PLACE}(?:(?:, | and ){PLACE}|(?:, | and )[\d.]+)*\]")
"""How an experiment says where its result was published."""
STRAY = re.compile(r"\b(?:dossier|[Tt]he source(?! (?:model|code|tree))|source's|method notes?|T-[A-Z]+ ?\d+"
                   r"|[Tt]ests? \d+)\b")
"""Words that cite what nobody can look up, or tests by numbers of a list that is not here."""
NUMBER = re.compile(r"\b(?:(?:[Ee]q|[Ff]ig|[Aa]pp)s?\.|(?:[Ee]quation|[Tt]able|[Ss]ection|[Cc]hapter)s?)"
                    r" ?[A-Z]?\.?\d[\d.-]*"
                    r"|(?<=[a-z:] )\((?!\d\.0\))\d\.\d+(?:\.\d+)?(?:(?:, |-\(?)\d\.\d+\)?)*\)")
"""Numbers of equations, sections and tables; they count as cited inside of `[key, ...]`."""
DECLARED = "without a key are those of\n[delasa2011](references.md)"
"""A page that says so may give numbers alone."""
FILE, MODULE = re.compile(r"(?<![\w*{<./-])[\w./-]*\w\.py\b"), re.compile(r"\bgambol(?:\.[a-zA-Z]\w*)+")
USERS = {"own.py"}
"""Files that pages name and the reader writes."""


def keys(page: str) -> list[str]:
    """The keys of the tables on a page."""
    return re.findall(r"^\| `(\w+)` \| (?=\S)", page, re.M)


def files() -> list[Path]:
    return [*sorted((ROOT / "src" / "gambol").rglob("*.py")), *sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]


def others() -> list[Path]:
    """Files beside the package and its pages that a reader may look into."""
    return [path for folder in ("examples", "benchmarks") for path in sorted((ROOT / folder).glob("*.py"))]


def prose(path: Path) -> list[tuple[int, str]]:
    """Comments and docstrings of a module, or the whole of a page, each with its first line."""
    if path.suffix == ".md":
        return [(1, path.read_text(encoding="utf-8"))]
    with path.open("rb") as file:
        return [(token.start[0], token.string) for token in tokenize.tokenize(file.readline)
                if token.type == tokenize.COMMENT or token.string.startswith('"""')]


def found(pattern: re.Pattern[str], pieces: list[tuple[int, str]], name: str) -> list[str]:
    """Where a pattern is: file, line, and what was found. What stands in `[key, ...]` is passed over."""
    hits = []
    for first, text in pieces:
        text = KEYED.sub(lambda cited: "\n" * cited[0].count("\n"), text)
        hits += [f"{name}:{first + text.count(chr(10), 0, hit.start())}: {hit[0]}" for hit in pattern.finditer(text)]
    return hits


def there(name: str) -> bool:
    """Whether a Python file of this name, or path from any folder on, is in the repository."""
    name = re.sub(r"^(?:\.\./)+", "", name)
    return name in USERS or any(f"/{path.relative_to(ROOT).as_posix()}".endswith(f"/{name}")
                                for folder in ("src", "tests", "examples", "benchmarks")
                                for path in (ROOT / folder).rglob(name.rpartition("/")[2]))


def leads(dotted: str) -> bool:
    """Whether `gambol.x.y` is a module, or a name that stands in one. Old paths that are led on do not count."""
    place, names = ROOT / "src" / "gambol", dotted.split(".")[1:]
    while names and (place / names[0]).is_dir():
        place = place / names.pop(0)
    if names and (place / f"{names[0]}.py").is_file():
        place = place / f"{names.pop(0)}.py"
    module = place if place.is_file() else place / "__init__.py"
    return not names or re.search(rf"\b{names[0]}\b", module.read_text(encoding="utf-8")) is not None


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
    form = FORM.match(EXPERIMENTS[name].source)
    assert form is not None and form["key"] in keys(PAGE.read_text(encoding="utf-8")), EXPERIMENTS[name].source


@pytest.mark.parametrize("pattern", [STRAY, NUMBER], ids=["words", "numbers"])
def test_nothing_is_cited_without_a_key(pattern: re.Pattern[str]) -> None:
    hits = []
    for path in [*files(), *others()]:
        text, name = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
        if pattern is STRAY:
            hits += found(STRAY, [(1, text)], name)
        elif path != PAGE and DECLARED not in text:
            hits += found(NUMBER, prose(path), name)
    assert not hits, "\n".join(hits)


def test_what_is_cited_without_a_key_is_found() -> None:
    text = "As in the source (2.12),\nTable 5.1, see\n[delasa2011, eq. 5.39\nand 5.40] (test 22; the dossier's T-B3)"
    assert found(STRAY, [(7, text)], "a.py") == ["a.py:7: the source", "a.py:10: test 22", "a.py:10: dossier",
                                                 "a.py:10: T-B3"]
    assert found(NUMBER, [(7, text)], "a.py") == ["a.py:7: (2.12)", "a.py:8: Table 5.1"]
    assert found(STRAY, [(1, "the source model, no source, two tests")], "a.py") == []
    assert found(NUMBER, [(1, "friction (1.0), 0.7 (0.6) and a table of 3")], "a.py") == []


def test_files_and_modules_that_are_named_exist() -> None:
    for path in [*files(), *others()]:
        name, pieces = str(path.relative_to(ROOT)), prose(path)
        quoted = FILE if path.suffix == ".md" else re.compile(rf"(?<=`){FILE.pattern}(?=`)")
        assert [hit for hit in found(quoted, pieces, name) if not there(hit.rpartition(" ")[2])] == []
        assert [hit for hit in found(MODULE, pieces, name) if not leads(hit.rpartition(" ")[2])] == []


def test_files_and_modules_that_are_gone_are_found() -> None:
    assert there("control/qp/priorities.py") and there("plugins.py") and there("../examples/01_hello.py")
    assert not there("stepping.py") and not there("control/priorities.py") and not there("riorities.py")
    assert leads("gambol.control.qp.priorities") and leads("gambol.runs.record") and leads("gambol.simulate")
    assert not leads("gambol.experiments.plots") and not leads("gambol.own") and not leads("gambol.planning.stepping")
