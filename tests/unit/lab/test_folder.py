"""The folder of a comparison: whole or not at all, and never in the place of something else."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from disjoin.errors import OutputExists
from disjoin.lab.comparison import FOLDER, Comparison, Entry
from disjoin.lab.comparison_trial import COLUMNS, Conditions, Trial
from disjoin.lab.subprocess_runner import Failure
from disjoin.model import Hierarchy

TREE = Hierarchy.from_rows([["tea", "*"], ["jam", "*"]])
VALUES = {name: number / 8 for number, name in enumerate(COLUMNS)}
GOOD = Trial(VALUES, "Nobody is found.", {"type": "km-anonymity"}, True, False, ("It was a cold day.",))
BAD = Failure("GuaranteeUnreachable", "There are too few records.")
CONTEST = Comparison(
    "baskets.csv", 40, 2, Conditions(TREE), (Entry("good", "The good", GOOD), Entry("bad", "The bad", BAD))
)


def written(place: Path, *, overwrite: bool = False) -> Path:
    return CONTEST.write(place, overwrite=overwrite)


def test_table_facts_and_page_say_the_same(tmp_path: Path) -> None:
    folder = written(tmp_path / "results")
    with (folder / "comparison.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["measure"]: float(row["value"]) for row in rows if row["method"] == "good"} == VALUES
    assert {row["value"] for row in rows if row["method"] == "bad"} == {""}
    facts = json.loads((folder / "comparison.json").read_text())
    assert facts["rows"] == CONTEST.rows()
    assert facts["settings"]["k"] == 5
    assert facts["methods"]["bad"]["failed"]["reason"] == BAD.reason
    page = (folder / "comparison.md").read_text()
    assert f"| good | {' | '.join(column.written(VALUES[name]) for name, column in COLUMNS.items())} |" in page
    assert f"**bad** has no figures. {BAD.reason}" in page
    assert "Nobody is found. (Verified, record by record.) It was a cold day." in page
    assert "not to be published" in page
    assert "is not better for that reason" in page


def test_the_charts_show_those_who_have_figures(tmp_path: Path) -> None:
    folder = written(tmp_path / "results")
    page = (folder / "comparison.md").read_text()
    charts = sorted(folder.glob("*.svg"))
    assert charts
    for chart in charts:
        ElementTree.parse(chart)
        assert f"]({chart.name})" in page
        assert "bad" not in chart.read_text()


def test_a_comparison_is_replaced_only_if_asked_and_nothing_else_is(tmp_path: Path) -> None:
    place = written(tmp_path / "results")
    with pytest.raises(OutputExists, match="already exists"):
        written(place)
    assert written(place, overwrite=True) == place
    (place / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputExists, match=r"thesis\.tex"):
        written(place, overwrite=True)
    (place / "thesis.tex").unlink()
    (place / "comparison.md").write_text("my conclusions")
    with pytest.raises(OutputExists, match=r"'comparison\.md' in it has changed since"):
        written(place, overwrite=True)
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.svg").write_text("meow")
    with pytest.raises(OutputExists, match="not a comparison"):
        FOLDER.check(tmp_path / "photos", overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["photos", "results"]


def test_ranks_that_do_not_fit_are_said(tmp_path: Path) -> None:
    assert "200-220 (here " in (written(tmp_path / "results") / "comparison.md").read_text()
