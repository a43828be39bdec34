"""Facts about groups against slow twins, and the matrix picture against the matrix."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.forms.groups import facts as matrix
from disjoin.forms.groups.facts import grid_of, levels_of, matrix_facts, matrix_of, statistics_of
from disjoin.methods.cahd.cuthill_mckee import rows_and_columns
from disjoin.model import Groups, PrivacyDegree, Report
from disjoin.report.facts import facts_of
from helpers.hypothesis_profile import examples
from unit.report.group_releases import figure, groups, sealed


def statistics(published: Groups, order: str = "bipartite") -> dict:
    return statistics_of(published, PrivacyDegree(2), {"order": order})


def rows_of(published: Groups) -> list[tuple[str, ...]]:
    """All records without their sensitive items, by content."""
    nested = published.to_nested()
    return sorted(tuple(terms) for group in nested for terms, count in group["records"] for _ in range(count))


def arranged(published: Groups, order: str | None) -> list[list[int]]:
    """The matrix of records and ordinary items as lists, in content order or in that of the method."""
    rows = rows_of(published)
    items = sorted({term for row in rows for term in row})
    full = [[int(item in row) for item in items] for row in rows]
    if order is None:
        return full
    offsets = np.cumsum([0, *map(len, rows)])
    flat = np.array([items.index(term) for row in rows for term in row], dtype=np.int32)
    by_row, by_column = rows_and_columns(offsets, flat, len(items), order)
    return [[full[i][j] for j in by_column] for i in by_row]


def slow_bandwidth(full: list[list[int]]) -> tuple[float, float]:
    """B = U + L + 1 with columns rescaled, and the mean of last less first column, as spec C.2 has them."""
    n, d = len(full), len(full[0])
    ones = [(i, Fraction(j * n, d)) for i, row in enumerate(full) for j, one in enumerate(row) if one]
    upper, lower = (max(0, *(sign * (j - i) for i, j in ones)) for sign in (1, -1))
    spans = [max(js) - min(js) for js in ([j for j, one in enumerate(row) if one] for row in full) if js]
    return float(upper + lower + 1), sum(spans) / len(spans)


@examples(40)
@given(groups())
def test_statistics_are_what_counting_by_hand_gives(published):
    facts, nested = statistics(published), published.to_nested()
    totals, shares = Counter(), {}
    for group in nested:
        for term, count in group["sensitive"].items():
            totals[term] += count
            shares[term] = max(shares.get(term, 0), Fraction(count, group["size"]))
    told = {entry["term"]: entry for entry in facts["sensitive_items"]}
    assert {term: entry["records"] for term, entry in told.items()} == totals
    for term, entry in told.items():
        worst = entry["largest_share"]
        assert Fraction(worst["count"], worst["size"]) == shares[term]
        assert worst["rounded"] == round(float(shares[term]), 4)
        assert entry["groups"] == sum(term in group["sensitive"] for group in nested)
    degree = facts["privacy_degree"]
    assert (degree and Fraction(*degree["exact"])) == (1 / max(shares.values()) if shares else None)
    rows = rows_of(published)
    bare = [[count for terms, count in group["records"] if not terms] for group in nested]
    assert facts["bare_records"] == {"records": sum(map(sum, bare)), "groups": sum(map(bool, bare))}
    assert facts["items"] == {"ordinary": len({t for row in rows for t in row}), "sensitive": len(totals)}
    without = sum(not group["sensitive"] for group in nested)
    assert facts["groups"] == {"total": len(nested), "without_sensitive_items": without}
    for name, values in {
        "group_sizes": [group["size"] for group in nested],
        "record_lengths": [len(row) for row in rows],
        "sensitive_items_of_a_group": [len(group["sensitive"]) for group in nested],
    }.items():
        assert (facts[name]["number"], facts[name]["largest"]) == (len(values), max(values))
        bins = facts[name]["histogram"]
        assert [b["count"] for b in bins] == [sum(b["from"] <= v <= b["to"] for v in values) for b in bins]


@examples(40)
@given(groups(), st.sampled_from(["bipartite", "aat"]))
def test_bandwidth_and_density_are_those_of_the_matrix(published, order):
    facts = matrix_facts(published, order)
    if not any(rows_of(published)):
        assert facts is None
        return
    for when, full in (("before", arranged(published, None)), ("after", arranged(published, order))):
        told, (band, span) = facts[when], slow_bandwidth(full)
        assert told["bandwidth"] == pytest.approx(band, abs=0.06)
        assert told["mean_spread"] == pytest.approx(span, abs=0.006)
        # So small a matrix has a cell for every entry.
        assert grid_of(told["density"]) == full or len(full) > 48
    assert (facts["rows"], facts["columns"]) == (len(full), len(full[0]))
    assert facts["ones"] == sum(map(sum, full))


def test_the_figure_of_the_paper_is_narrower_when_ordered():
    facts = facts_of(sealed(figure())).statistics
    assert facts["privacy_degree"] == {"exact": [3, 1], "rounded": 3.0}
    assert facts["bare_records"] == {"records": 1, "groups": 1}
    assert facts["matrix"]["before"]["mean_spread"] > facts["matrix"]["after"]["mean_spread"]
    assert facts["matrix"]["before"]["density"][0] == "0 0 0 0"  # the bare record


def test_a_large_matrix_becomes_a_small_picture_that_has_every_one():
    rows = [[[f"i{i % 90:02d}", f"j{i % 70:02d}"], 1 + i % 3] for i in range(630)]
    facts = matrix_facts(Groups.from_nested([{"records": rows, "sensitive": {}}]), "bipartite")
    for when in ("before", "after"):
        grid = grid_of(facts[when]["density"])
        assert (len(grid), {len(row) for row in grid}) == (48, {64})
        assert sum(map(sum, grid)) == facts["ones"]


def test_a_picture_has_one_scale_whatever_the_cells_cover():
    """70 rows in 48 cells: some cells cover two rows, some one, and a full matrix is equally dense in all."""
    full = Groups.from_nested([{"records": [[[f"c{c}" for c in range(5)], 70]], "sensitive": {}}])
    facts = matrix_facts(full, "bipartite")
    grids = [grid_of(facts[when]["density"]) for when in ("before", "after")]
    levels = levels_of(*grids, rows=70, columns=5)
    assert {level for picture in levels for row in picture for level in row} == {5}


def test_levels_are_empty_or_more_the_denser():
    [[row]] = levels_of([[0, 1, 4, 16, 64, 256, 10**6]], rows=10**6, columns=7)
    assert row[0] == 0
    assert row[1] == 1  # a single one can be seen
    assert row == sorted(row)
    assert row[-1] == 5


def test_counts_that_somebody_made_up_are_not_written_out_row_by_row():
    absurd = [{"records": [[["a"], 2**61], [["b"], 2**61]], "sensitive": {"s": 1}}]
    facts = statistics(Groups.from_nested(absurd))
    assert facts["matrix"] is None
    assert facts["group_sizes"]["largest"] == 2**62


def test_a_matrix_too_large_for_an_order_is_left_out(monkeypatch):
    monkeypatch.setattr("disjoin.methods.cahd.cuthill_mckee.MOST_MEETINGS", 3)
    assert matrix_facts(figure(), "aat") is None
    assert matrix_facts(figure(), "bipartite") is not None
    monkeypatch.setattr(matrix, "MOST_ONES", 3)
    assert matrix_of(figure()) is None


def test_one_giant_group_has_a_bin_of_its_own():
    many = [{"records": [[[f"i{i}"], 5]], "sensitive": {}} for i in range(200)]
    many.append({"records": [[["j"], 900]], "sensitive": {}})
    bins = statistics(Groups.from_nested(many))["group_sizes"]["histogram"]
    assert bins == [{"from": 5, "to": 5, "count": 200}, {"from": 6, "to": 900, "count": 1}]


@examples(20)
@given(groups())
def test_the_order_of_groups_means_nothing_and_a_report_survives_json(published):
    report = facts_of(sealed(published))
    assert report.form == "groups"
    assert Report.from_json(report.to_json()) == report
    backwards = Groups.from_nested(published.to_nested()[::-1])
    assert json.loads(facts_of(sealed(backwards)).to_json()) == json.loads(report.to_json())
