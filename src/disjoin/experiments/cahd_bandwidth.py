"""What ordering does to the matrix of records and items: how wide its band is, and where its ones are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from disjoin.experiments.crowds import Crowding, drawn_items, groups_formed
from disjoin.experiments.experiment import EXPECTED, Claim, Experiment, Judgement, Point, Setting
from disjoin.experiments.sources import ExperimentSource
from disjoin.methods.cahd import ORDER_NAMES
from disjoin.trials.charts import density
from disjoin.trials.rows import Rows, distinct, rows_with

if TYPE_CHECKING:
    from disjoin.charts.specifications import Specification
    from disjoin.model import Transactions

NUMBER, P, SEED = 10, 10, 1
IN_FILE, BEFORE = "as in the file", "sorted by content"
PICTURE = "ones in a line of the picture"  # the tidy form of a picture: one row per line, its cells as text


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    fixed = {"sensitive items": NUMBER, "seed": SEED}
    return [Point(source, fixed) for source in sources]


def _measure(data: Transactions, setting: Setting) -> Rows:
    """Return both bandwidths and the picture for each order; one that the data are too large for is left out."""
    from disjoin.forms.groups.density import matrix_facts

    sensitive = drawn_items(data, setting["sensitive items"], P, setting["seed"])
    groups = groups_formed(data, sensitive, Crowding(P), setting["seed"])
    rows: Rows = []
    for order in ORDER_NAMES:
        facts = matrix_facts(groups, order)
        if facts is None:
            continue
        if not rows:
            about = {"order": IN_FILE, "ordinary items": facts["columns"]}
            rows.append({**about, "measure": "bandwidth", "value": bandwidth_in_file(data, sensitive)})
            rows += _rows_of(facts, "before", BEFORE)
        rows += _rows_of(facts, "after", order)
    return rows


def bandwidth_in_file(data: Transactions, sensitive: tuple[str, ...]) -> float:
    """Return U + L + 1 with the records in the order in which they were read, which no release knows."""
    from disjoin.model.ragged import ranks_of

    marked = data.with_sensitive(sensitive)
    assert marked.sensitive is not None, "just marked"
    ordinary = ~marked.sensitive & (data.supports() > 0)
    kept = ordinary[data.items]
    i = data.records.owners()[kept]
    j = ranks_of(ordinary)[data.items[kept]].astype(int)
    off = j * len(data) / int(ordinary.sum()) - i
    return round(float(max(0.0, off.max()) + max(0.0, -off.min()) + 1), 1)


def _rows_of(facts: dict[str, Any], when: str, order: str) -> Rows:
    found, about = facts[when], {"order": order, "ordinary items": facts["columns"]}
    rows: Rows = [{**about, "measure": name, "value": found[key]} for name, key in _WIDTHS.items()]
    return rows + [
        {**about, "line": line, "cells": cells, "measure": PICTURE, "value": sum(map(int, cells.split()))}
        for line, cells in enumerate(found["density"])
    ]


_WIDTHS = {"bandwidth": "bandwidth", "mean span of a record": "mean_spread"}


def _charts(rows: Rows) -> dict[str, Specification]:
    charts = {}
    for data in distinct(rows, "data"):
        found = rows_with(rows, data=data, measure=PICTURE)
        size = (found[0]["records"], found[0]["ordinary items"])
        grids = {order: _grid(rows_with(found, order=order)) for order in distinct(found, "order")}
        for order in grids:
            title = f"{data}, {'order ' if order != BEFORE else ''}{order}"
            charts[title] = density(title, order, grids, size)
    return charts


def _grid(lines: Rows) -> list[list[int]]:
    return [[int(cell) for cell in row["cells"].split()] for row in sorted(lines, key=lambda row: int(row["line"]))]


def _narrower(rows: Rows, measure: str, before: str) -> Judgement:
    """Compare the default order with the matrix as it was before."""
    words, holds = [], []
    for data in distinct(rows, "data"):
        found = {row["order"]: row["value"] for row in rows_with(rows, data=data, measure=measure)}
        holds.append(found[ORDER_NAMES[0]] < found[before])
        others = "".join(f", `{order}` {found[order]:,.1f}" for order in ORDER_NAMES[1:] if order in found)
        words.append(f"{data} {found[before]:,.1f} to {found[ORDER_NAMES[0]]:,.1f}{others}")
    return Judgement("met" if all(holds) else "not met", "; ".join(words))


EXPERIMENT = Experiment(
    name="cahd-bandwidth",
    title="Bandwidth of CAHD",
    question="How narrow does ordering make the band around the diagonal in which records and items meet?",
    points=_points,
    measure=_measure,
    charts=_charts,
    claims=(
        Claim(
            EXPECTED,
            "the default order makes the band narrower than it is in the file",
            lambda rows: _narrower(rows, "bandwidth", IN_FILE),
        ),
        Claim(
            EXPECTED,
            "the default order makes the band narrower than sorting by content does",
            lambda rows: _narrower(rows, "bandwidth", BEFORE),
        ),
        Claim(
            EXPECTED,
            "in the default order a record spans fewer columns than with items sorted by name",
            lambda rows: _narrower(rows, "mean span of a record", BEFORE),
        ),
    ),
    shown=tuple(_WIDTHS),
    notes=(
        "The matrix has a row for every record and a column for every ordinary item; sensitive items are no part of "
        "it. `bandwidth` is U + L + 1 with the columns stretched to as many as there are rows (so it is at most about "
        "twice the number of records): a single record far off the diagonal decides it. `mean span of a record` is the "
        "mean over the records of the distance from their first to their last column. In the file, and sorted by "
        "content, items are in the order of their names.",
        "In the pictures a spot is the darker the more of its records have its items, in five steps, each four times "
        "as dense as the one before, on one scale for a dataset.",
    ),
)
