"""Head to head: the verdicts follow from rows, and hierarchies belong to their data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from disjoin.advise.results import Rows
from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.lab.head_to_head import BEST, EXPERIMENT, PUBLISHED, _measure, best_rows
from disjoin.lab.sources import Arranged, arranged_sources
from disjoin.model import Transactions

VALUES = {"disassociation": (0.05, 0.3), "apriori": (0.9, 1.2), "diffpart": (0.8, 1.9)}  # tkd, re


def rows(known_as: str | None = "WV1", **changed: tuple[float, float]) -> Rows:
    """One dataset with the same losses by all measures but re."""
    found: Rows = []
    for method, (share, error) in {**VALUES, **changed}.items():
        for epsilon, worse in (("0.5", 0.1), ("1", 0.0)) if method == "diffpart" else ((None, 0.0),):
            about: dict[str, Any] = {"data": "wv1", "known_as": known_as, "method": method, "epsilon": epsilon}
            for name, best in BEST.items():
                value = (error if name.startswith("re") else share) + worse
                found += [{**about, "measure": name, "value": value}, {**about, "measure": best, "value": value}]
    return found


def verdicts(given: Rows) -> list[str]:
    return [claim.judge(given).verdict for claim in EXPERIMENT.claims]


def test_all_claims_are_met_by_rows_like_the_papers() -> None:
    assert verdicts(rows()) == ["met"] * 5


@pytest.mark.parametrize(
    ("changed", "claim"),
    [
        ({"diffpart": (0.7, 1.9)}, 0),
        ({"disassociation": (0.2, 0.3)}, 1),
        ({"apriori": (0.9, 0.9)}, 2),
        ({"diffpart": (0.8, 0.95)}, 3),
        ({"apriori": (0.9, 0.2)}, 4),
    ],
)
def test_each_claim_can_fail(changed: dict[str, tuple[float, float]], claim: int) -> None:
    assert verdicts(rows(**changed))[claim] == "not met"


def test_data_of_no_paper_are_told_and_not_held_against_it() -> None:
    assert verdicts(rows(None)) == ["not comparable"] * 4 + ["met"]
    assert "wv1 0.800" in EXPERIMENT.claims[0].judge(rows(None)).ours


def test_the_best_of_the_budgets_counts() -> None:
    [row] = [row for row in best_rows(rows(), "tkd") if row["method"] == "diffpart"]
    assert (row["epsilon"], row["value"]) == ("1", 0.8)


def test_charts_are_drawn_of_every_measure() -> None:
    charts = EXPERIMENT.charts(rows())
    assert len(charts) == len(BEST) + 2
    assert set(charts["tKd by method"].header[1:]) == set(VALUES)


def test_several_seeds_give_a_mean_and_a_best_no_worse() -> None:
    data = Arranged(Transactions.from_sets([["tea", "milk"], ["tea"]] * 200), None)
    setting = {"k": 5, "m": 2, "fan-out": 10, "top": 5, "method": "diffpart", "seeds": 3, "epsilon": "0.5"}
    found = {row["measure"]: row["value"] for row in _measure(data, setting)}
    assert set(found) == {*BEST, *BEST.values(), PUBLISHED}
    assert all(found[best] <= found[name] for name, best in BEST.items())
    assert {row["hierarchy"] for row in _measure(data, setting | {"seeds": 1})} == {"built"}


def test_a_hierarchy_belongs_to_the_data_of_its_name(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.dat").write_text("1 2\n3\n")
    trees = tmp_path / "trees"
    trees.mkdir()
    (trees / "two.csv").write_text("1;low;*\n2;low;*\n3;high;*\n")
    files = [tmp_path / "one.dat", tmp_path / "two.dat"]
    first, second = arranged_sources(files, trees, quick=False)
    assert first.load().hierarchy is None  # type: ignore[union-attr]
    assert second.load().hierarchy.height == 2  # type: ignore[union-attr]
    [_, bare] = arranged_sources(files, None, quick=False)
    assert bare.identity != second.identity


def test_hierarchies_of_nothing_are_mistakes(tmp_path: Path) -> None:
    (tmp_path / "one.dat").write_text("1 2\n")
    with pytest.raises(InvalidParameter, match="Give data, or leave both out"):
        arranged_sources([], tmp_path, quick=True)
    with pytest.raises(InvalidParameter, match=r"Expected at least one of: one\.csv"):
        arranged_sources([tmp_path / "one.dat"], tmp_path, quick=True)
    with pytest.raises(UnreadableInput, match="expected a folder"):
        arranged_sources([tmp_path / "one.dat"], tmp_path / "absent", quick=True)
