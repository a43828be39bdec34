"""What is left of each quasi-identifier: at which levels its rows stand, and how much its values still tell apart."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model.generalized import EVERYTHING, MISSING, TreeColumn, quasi_column
from disjoin.model.intervals import ends_from
from disjoin.model.table import Table

# Intervals have no levels: their widths, as shares of all the numbers, are told up to these.
WIDTHS = (Fraction(0), Fraction(1, 20), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1))


class QuasiColumnFacts(NamedTuple):
    """Facts of a column; and what all its cells lost together, of values that they tell apart and of levels."""

    facts: dict[str, Any]
    spread: Fraction
    steps: Fraction


def quasi_facts(table: Table, names: tuple[str, ...], starred: int | None = None) -> dict[str, Any]:
    """Return the facts of every column, and for all of them the granularity kept and the precision.

    With a number of starred rows, which lost everything, also what the others keep.

    A value that stands for nothing raises `InvalidParameter`; the inspector accepts none.
    """
    found = [_column(table, name) for name in names]
    cells = len(table) * len(names)
    spread = sum((column.spread for column in found), Fraction(0))
    facts = {
        "quasi_identifiers": [column.facts for column in found],
        "granularity": _kept(spread, cells),
        "precision": _kept(sum((column.steps for column in found), Fraction(0)), cells),
    }
    return facts if starred is None else facts | {"starred": _star_facts(len(table), len(names), starred, spread)}


def _star_facts(rows: int, columns: int, starred: int, spread: Fraction) -> dict[str, Any]:
    """Return how many rows are starred, which share of all that is, and what the others keep."""
    others = _kept(spread - starred * columns, (rows - starred) * columns)
    return {"rows": starred, "share": round(starred / rows, 4) if rows else 0.0, "others_keep": others}


def _column(table: Table, name: str) -> QuasiColumnFacts:
    found = _tree(table, name) if name in table.hierarchies else _numbers(table, name)
    kept = {"granularity": _kept(found.spread, len(table)), "precision": _kept(found.steps, len(table))}
    return found._replace(facts={"column": name, **found.facts, **kept})


def _tree(table: Table, name: str) -> QuasiColumnFacts:
    column = quasi_column(table, name)
    assert isinstance(column, TreeColumn), "it has a hierarchy"
    tree, nodes, counts = column.tree, column.nodes, column.counts.astype(np.int64)
    rows = np.zeros(tree.height + 1, dtype=np.int64)
    np.add.at(rows, tree.levels[nodes], counts)
    facts = {
        "kind": "hierarchy",
        "height": tree.height,
        "leaves": tree.n_leaves,
        "values": counts.size,
        "rows_by_level": rows.tolist(),
    }
    spread = int((counts * (tree.leaf_counts[nodes] - 1)).sum())
    steps = int((counts * tree.levels[nodes]).sum())
    return QuasiColumnFacts(facts, Fraction(spread, max(1, tree.n_leaves - 1)), Fraction(steps, max(1, tree.height)))


def _numbers(table: Table, name: str) -> QuasiColumnFacts:
    every = np.bincount(table.codes_of(name), minlength=len(table.values_of(name))).tolist()
    counts = {value: n for value, n in zip(table.values_of(name).to_pylist(), every, strict=True) if n}
    missing, everything = counts.pop(MISSING, 0), counts.pop(EVERYTHING, 0)
    widths, span = _widths(name, list(counts))
    limits, rows = _limits(span), [0] * len(WIDTHS)
    for width, count in zip(widths, counts.values(), strict=True):
        rows[bisect_left(limits, width)] += count
    rows[0] += missing
    rows[-1] += everything
    facts = {
        "kind": "intervals",
        "values": len(counts) + (missing > 0) + (everything > 0),
        "rows_by_width": [{"to": float(limit), "rows": number} for limit, number in zip(WIDTHS, rows, strict=True)],
        "missing": missing,
        "everything": everything,
    }
    lost = sum(width * count for width, count in zip(widths, counts.values(), strict=True))
    return QuasiColumnFacts(facts, *(Fraction(lost, span or 1) + everything,) * 2)


def _limits(span: int) -> tuple[int, ...]:
    """Return the widest whole number that is not above each of the widths."""
    return tuple(limit.numerator * span // limit.denominator for limit in WIDTHS)


def _widths(name: str, values: list[str]) -> tuple[list[int], int]:
    """Return the widths of intervals and of all of them together, in units of the last place that any has.

    Whole numbers, as there may be as many intervals as classes and fractions take long.
    """
    ends = [ends_from(value) for value in values]
    known = [pair for pair in ends if pair is not None]
    if len(known) < len(ends):
        raise InvalidParameter(
            f"the column {name!r} has no hierarchy and must hold numbers or intervals, {values[ends.index(None)]!r} is "
            "neither."
        )
    places = max((len(end.partition(".")[2]) for pair in known for end in pair), default=0)
    lows, highs = ([_in_units(pair[side], places) for pair in known] for side in (0, 1))
    widths = [high - low for low, high in zip(lows, highs, strict=True)]
    return widths, max(highs, default=0) - min(lows, default=0)


def _in_units(number: str, places: int) -> int:
    """Return a number in units of that many places.

    >>> _in_units("-.5", 2), _in_units("12", 2)
    (-50, 1200)
    """
    whole, _, part = number.partition(".")
    return int(whole + part.ljust(places, "0"))


def _kept(lost: Fraction, cells: int) -> float:
    """Return the share that is kept, to four places: the last digits of floats differ between machines."""
    return round(float(1 - lost / cells), 4) if cells else 1.0
