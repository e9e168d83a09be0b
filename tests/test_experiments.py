"""Experiments: the registry, the report, the command, and the quick ones against docs/experiments.md."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gambol.cli import main
from gambol.errors import BadInput
from gambol.experiments import EXPERIMENTS, Context, Experiment, Result, select
from gambol.experiments.experiment import Row, above, below, check, count_of, report
from gambol.experiments.planar.squat import WeightedSum, run_squat
from gambol.experiments.report import html_report, write_report
from gambol.reporting.pictures import Picture

GAMBOL = Path(sys.executable).parent / "gambol"
PNG = b"\x89PNG\r\n\x1a\n"


def double(value: int) -> int:
    return 2 * value


def test_every_experiment_says_where_it_comes_from() -> None:
    assert {"chain", "passive-chain", "squat", "weighted-squat", "priorities", "bounded-priorities"} <= set(EXPERIMENTS)
    for name, entry in EXPERIMENTS.items():
        assert entry.name == name and entry.doc and entry.source and entry.published and entry.group


def test_experiments_are_chosen_by_name_or_group_and_unknown_ones_refused() -> None:
    assert [entry.name for entry in select(["squat", "chain"])] == ["squat", "chain"]
    assert {entry.group for entry in select(["solvers"])} == {"solvers"}
    assert select([]) == list(EXPERIMENTS.values())
    with pytest.raises(BadInput, match="did you mean 'squat'"):
        select(["sqat"])


@pytest.mark.parametrize(("row", "verdict"), [
    (below("a", "-", 1.0, 2.0), "pass"), (below("a", "-", 3.0, 2.0), "fail"), (below("a", "-", np.nan, 2.0), "fail"),
    (above("a", "-", 3.0, 2.0), "pass"), (above("a", "-", 1.0, 2.0), "fail"), (above("a", "-", np.inf, 2.0), "fail"),
    (count_of("a", "-", 19, 20, 18), "pass"), (count_of("a", "-", 17, 20, 18), "fail"),
    (check("a", "-", "so", True), "pass"), (check("a", "-", "not so", False), "fail"),
    (report("a", "-", "7"), "report")])
def test_verdicts(row: Row, verdict: str) -> None:
    assert row.verdict == verdict


def test_a_result_is_as_good_as_its_worst_row() -> None:
    good, bad, neutral = check("a", "", "", True), check("b", "", "", False), report("c", "", "")
    assert [Result(rows).verdict for rows in ([good, bad], [good, neutral], [neutral], [])] == [
        "fail", "pass", "report", "report"]


def test_figures_over_trials_give_the_count() -> None:
    assert count_of("stood", "-", 19, 20, 18).ours.startswith("19 of 20")


def test_trials_run_on_a_pool_in_order_and_tell_progress() -> None:
    heard: list[float] = []
    assert Context(progress=heard.append).trials(double, [(1,), (2,), (3,)]) == [2, 4, 6]
    assert heard[-1] == 1.0 and Context(workers=1).trials(double, [(4,), (5,)]) == [8, 10]


def test_the_report_is_one_page_that_loads_nothing(tmp_path: Path) -> None:
    from gambol.reporting.plots import axes, svg

    figure, (axis,) = axes(1)
    axis.plot([0, 1], [0, 1])
    entry = Experiment("made-up", "group", "section 0 <b>", "a doc & more", "nothing", lambda context: Result([]))
    result = Result([check("x < y", "1", "2", True), report("z", "-", "3")],
                    [Picture("a plot", svg(figure)), Picture('a "strip"', PNG, "png")], ["a note"])
    text = write_report(tmp_path / "page.html", [(entry, result)], 3, True).read_text()
    assert text == html_report([(entry, result)], 3, True)
    assert "http" not in text and "//" not in re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)
    assert all(source.startswith("data:image/") for source in re.findall(r'src="([^"]*)"', text))
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', text))
    assert "<script" not in text and "@import" not in text and "url(" not in text
    assert "x &lt; y" in text and "section 0 &lt;b&gt;" in text and "seed 3" in text and "quick" in text
    assert text.count('class="badge pass"') == 3 and 'name="viewport"' in text


def test_plots_are_the_same_bytes_every_time() -> None:
    from gambol.reporting.plots import axes, svg

    def draw() -> bytes:
        figure, (axis,) = axes(1)
        axis.plot([0, 1], [2, 3])
        return svg(figure)

    assert draw() == draw() and b"<svg" in draw()


@pytest.mark.parametrize("name", ["priorities", "bounded-priorities", "chain", "passive-chain", "squat"])
def test_quick_experiment_meets_its_reference_values(name: str) -> None:
    result = EXPERIMENTS[name].run(Context(seed=1, quick=True))
    assert [row for row in result.rows if row.verdict == "fail"] == []
    assert result.verdict == "pass" and result.seconds > 0 and result.pictures
    assert result.pictures[0].kind == "svg" and b"<svg" in result.pictures[0].data[:1000]


def test_weighted_squats_approach_strict_priorities() -> None:
    errors = [run_squat(0.4, WeightedSum(weights, 0.01))[1].com_error.max()
              for weights in ((10.0, 10.0, 0.1), (1e4, 1e4, 0.1))]
    strict = run_squat(0.4)[1].com_error.max()
    assert errors[0] > 20 * errors[1] and strict < 1e-4


def test_reproduce_prints_published_beside_ours_and_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    done = subprocess.run([GAMBOL, "reproduce", "priorities", "--quick", "--seed", "5", "--report", page, "--json"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["seed"] == 5 and answer["failed"] == [] and answer["report"] == str(page)
    rows = answer["experiments"]["priorities"]["rows"]
    assert rows and set(rows[0]) == {"metric", "published", "ours", "verdict"} and page.stat().st_size > 5000


def test_reproduce_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for arguments, word in ((["chian"], "chain"), (["chain", "--report", str(tmp_path / "out.pdf")], ".html")):
        with pytest.raises(SystemExit) as caught:
            main(["reproduce", *arguments])
        assert caught.value.code == 2 and word in capsys.readouterr().err


def test_list_shows_experiments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["list", "--json"])
    assert json.loads(capsys.readouterr().out)["experiments"]["chain"]
