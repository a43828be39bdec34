"""Statistics of groups, and their summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from disjoin.attack.possible_records import by_content
from disjoin.charts.distribution import distribution_of, distribution_of_sizes, percent, range_of
from disjoin.charts.text_drawing import shorten
from disjoin.errors import InvalidParameter
from disjoin.forms.clusters.facts import most_frequent
from disjoin.forms.form import largest_share
from disjoin.methods.cahd import ORDER_NAMES
from disjoin.model.groups import Groups
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.ragged import Ints64, Ragged, ranks_of
from disjoin.model.release import Report
from disjoin.text import counted, printable

# How dense the matrix of records and items is, before and after ordering: matrix and picture.

MOST_ROWS, MOST_ONES = 5_000_000, 50_000_000  # beyond that no picture is drawn
_TALL, _WIDE = 48, 64  # cells of a picture, at most
_AT_ONCE = 1 << 14  # rows that are looked at


@dataclass(frozen=True, slots=True, eq=False)
class Matrix(Ragged):
    """A matrix of zeros and ones: the items of a row are the columns in which it has ones."""

    n_items: int


def matrix_facts(published: Groups, order: str) -> dict[str, Any] | None:
    """Return size, bandwidth and density of the matrix before and after ordering; None if it is too large for that."""
    from disjoin.methods.cahd.cuthill_mckee import rows_and_columns

    matrix = matrix_of(published)
    if matrix is None:
        return None
    try:
        rows, columns = rows_and_columns(matrix.offsets, matrix.items, matrix.n_items, order)
    except InvalidParameter:  # too large for this order; its maker had another way
        return None
    return {
        "rows": len(matrix),
        "columns": matrix.n_items,
        "ones": int(matrix.items.size),
        "order": order,
        "before": _arranged(matrix, np.arange(len(matrix)), np.arange(matrix.n_items)),
        "after": _arranged(matrix, _inverse(rows), _inverse(columns)),
    }


def matrix_of(published: Groups) -> Matrix | None:
    """Return the matrix with its rows sorted by content; None if there is nothing in it, or far too much."""
    from disjoin.arrays.ordering import in_order

    lengths, counts = published.records.lengths, published.counts
    # Floats first: invented counts may not fit into whole numbers.
    if not lengths.any() or counts.astype(float).sum() > MOST_ROWS or counts.astype(float) @ lengths > MOST_ONES:
        return None
    is_there = published.records.used(len(published.vocabulary))
    index = in_order(published.items, published.item_offsets[:-1], lengths, len(published.vocabulary))
    rows = published.records.take(np.repeat(index, counts[index])).renumbered(ranks_of(is_there))
    return Matrix(rows.offsets, rows.items, int(is_there.sum()))


def _arranged(matrix: Matrix, row_at: Ints64, column_at: Ints64) -> dict[str, Any]:
    """Return the facts of the matrix with rows and columns arranged so (old index -> new position)."""
    first, last, density = _ends_and_density(matrix, row_at, column_at)
    return {
        "bandwidth": _bandwidth_density(row_at[matrix.lengths > 0], first, last, len(matrix), matrix.n_items),
        "mean_spread": round(int((last - first).sum()) / first.size, 2),
        "density": [" ".join(map(str, line)) for line in density.tolist()],
    }


def _inverse(order: Ints64) -> Ints64:
    positions = np.empty_like(order)
    positions[order] = np.arange(order.size)
    return positions


def _bandwidth_density(i: Ints64, first: Ints64, last: Ints64, n: int, d: int) -> float:
    """Return B = U + L + 1, the width of the band around the diagonal that has all ones; columns count n/d rows.
    Row `i` has its ones in the columns from `first` to `last`."""
    above, below = int((last * n - i * d).max()), int((i * d - first * n).max())  # in d-ths of a row: whole numbers
    return round((max(0, above) + max(0, below)) / d + 1, 1)


def _ends_and_density(matrix: Matrix, row_at: Ints64, column_at: Ints64) -> tuple[Ints64, Ints64, Ints64]:
    """Return the columns in which every row with ones begins and ends, and the ones per cell of a grid; in blocks."""
    n, d = len(matrix), matrix.n_items
    tall, wide = min(n, _TALL), min(d, _WIDE)
    lines, places = (row_at * tall // n * wide).astype(np.int32), (column_at * wide // d).astype(np.int32)
    lengths, narrow = matrix.lengths, column_at.astype(np.int32)
    ends: list[Any] = []
    density = np.zeros(tall * wide, dtype=np.int64)
    for top in range(0, n, _AT_ONCE):
        cuts = matrix.offsets[top : top + _AT_ONCE + 1]
        ones, here = matrix.items[cuts[0] : cuts[-1]], lengths[top : top + _AT_ONCE]
        cells = np.repeat(lines[top : top + _AT_ONCE], here) + places[ones]
        density += np.bincount(cells, minlength=tall * wide)
        starts = (cuts[:-1] - cuts[0])[here > 0]
        j = narrow[ones]
        if starts.size:
            ends.append((np.minimum.reduceat(j, starts), np.maximum.reduceat(j, starts)))
    first, last = (np.concatenate(each).astype(np.int64) for each in zip(*ends, strict=True))
    return first, last, density.reshape(tall, wide)


Grid = list[list[int]]


def grid_of(lines: Iterable[str]) -> Grid:
    """Read the picture of a report: one text per row, its numbers separated by blanks.

    >>> grid_of(["0 12", "3 0"])
    [[0, 12], [3, 0]]
    """
    return [[int(number) for number in line.split()] for line in lines]


def levels_of(*grids: Grid, rows: int, columns: int) -> list[Grid]:
    """Return density steps of the cells of several pictures on one scale, 0 (empty) to 5; cells may differ in size."""
    tall, wide = len(grids[0]), len(grids[0][0])
    heights, widths = np.diff(_starts(rows, tall)), np.diff(_starts(columns, wide))
    densities = [np.array(grid) / np.outer(heights, widths) for grid in grids]
    densest = max(density.max() for density in densities)
    bounds = densest / np.array([128, 32, 8, 2])  # each step is four times as dense as the one before
    return [np.where(each > 0, 1 + np.digitize(each, bounds), 0).tolist() for each in densities]


def _starts(of: int, cells: int) -> Ints64:
    """Return the first row (column) of every cell, and the end: for cell c the least i with i * cells // of == c."""
    return -(-np.arange(cells + 1) * of // cells)


def statistics_of(published: Groups, guarantee: AnyGuarantee, parameters: Mapping[str, Any]) -> dict[str, Any]:
    lengths, entries, counts = published.records.lengths, published.secrets.lengths, published.counts
    ordinary, bare = published.records.used(len(published.vocabulary)), lengths == 0
    order = parameters.get("order")
    return {
        "groups": {"total": len(published), "without_sensitive_items": int((entries == 0).sum())},
        "bare_records": {
            "records": int(counts[bare].sum()),
            "groups": int(np.unique(published.groups.owners()[bare]).size),
        },
        "distinct_records": counts.size,
        "items": {"ordinary": int(ordinary.sum()), "sensitive": int(published.is_sensitive.sum())},
        "frequent_terms": _frequent(published),
        "sensitive_entries": int(published.sensitive_items.size),
        "sensitive_items": _sensitive_items(published, entries),
        "privacy_degree": _privacy_degree(published, entries),
        "alone": _alone(published),
        "records_without_sensitive_items": int(published.sizes[entries == 0].sum()),
        "most_sensitive_group": _most_sensitive(published, entries),
        "group_sizes": distribution_of_sizes(published.sizes),
        "record_lengths": distribution_of(lengths, counts),
        "sensitive_items_of_a_group": distribution_of(entries),
        "matrix": matrix_facts(published, order if order in ORDER_NAMES else ORDER_NAMES[0]),
    }


def _frequent(published: Groups) -> list[dict[str, Any]]:
    supports = np.zeros(len(published.vocabulary), dtype=np.int64)
    np.add.at(supports, published.items, np.repeat(published.counts, published.records.lengths))
    np.add.at(supports, published.sensitive_items, published.sensitive_counts)
    return most_frequent(published.vocabulary, supports, supports, frozenset(published.sensitive_terms()))


def _alone(published: Groups) -> int:
    """Count the records whose ordinary items no other record of any group has; those without any are left out."""
    rows = published.records
    order = by_content(rows)  # equal ones come together
    distinct, numbers = rows.take(order).distinct()
    counts = np.bincount(numbers, published.counts[order], minlength=len(distinct))
    return int(((counts == 1) & (distinct.lengths > 0)).sum())


def _most_sensitive(published: Groups, entries: Ints64) -> dict[str, int] | None:
    """Return in how many records of a group sensitive items can be at most, where that is the largest share."""
    if not published.sensitive_items.size:
        return None
    listed = np.minimum(published.secrets.sums(published.sensitive_counts), published.sizes)
    count, size = largest_share(listed[entries > 0], published.sizes[entries > 0])
    return {"count": count, "size": size}


def _privacy_degree(published: Groups, entries: Ints64) -> dict[str, Any] | None:
    """Return the least size / count over groups and their sensitive items; None where nothing is sensitive."""
    if not published.sensitive_items.size:
        return None
    count, size = largest_share(published.sensitive_counts, np.repeat(published.sizes, entries))
    degree = Fraction(size, count)
    return {"exact": [degree.numerator, degree.denominator], "rounded": round(size / count, 2)}


def _sensitive_items(published: Groups, entries: Ints64) -> list[dict[str, Any]]:
    if not published.sensitive_items.size:
        return []
    sizes, counts, items = np.repeat(published.sizes, entries), published.sensitive_counts, published.sensitive_items
    order = np.lexsort((sizes, -counts / sizes, items))  # an item's largest share first, in the smallest such group
    starts = np.flatnonzero(np.diff(items[order], prepend=-1))
    records, groups = np.add.reduceat(counts[order], starts), np.diff(np.append(starts, order.size))
    worst = order[starts]
    terms = published.vocabulary.take(items[worst]).to_pylist()
    columns = terms, records.tolist(), groups.tolist(), counts[worst].tolist(), sizes[worst].tolist()
    return [
        {
            "term": term,
            "records": total,
            "groups": spread,
            "largest_share": {"count": count, "size": size, "rounded": round(count / size, 4)},
        }
        for term, total, spread, count, size in zip(*columns, strict=True)
    ]


NAMED = 5


def rows_of(report: Report) -> list[tuple[str, str]]:
    facts = report.statistics
    items, groups = facts["items"], facts["groups"]
    sensitive = _named([entry["term"] for entry in facts["sensitive_items"]])
    listed = f"{counted(items['sensitive'], 'sensitive item')} ({sensitive})" if sensitive else "sensitive items"
    return [
        ("Records", f"{report.counts['records']:,} in {groups['total']:,} groups of {_sizes(facts)}"),
        (
            "Kept",
            f"All {items['ordinary']:,} ordinary items are published unchanged; {listed} are counted per group only.",
        ),
        ("Still learnable", " ".join(_learnable(report))),
    ]


def _sizes(facts: dict[str, Any]) -> str:
    return range_of(facts["group_sizes"], "record")


def _learnable(report: Report) -> list[str]:
    facts, records = report.statistics, report.counts["records"]
    words = []
    if records:
        words.append(
            f"{counted(facts['alone'], 'record')} ({percent(facts['alone'] / records)}) can be found by all of their "
            "ordinary items."
        )
    if not facts["sensitive_items"]:
        return [*words, "No sensitive item is listed."]
    worst = max((entry["largest_share"] for entry in facts["sensitive_items"]), key=lambda each: each["rounded"])
    words.append(f"In the worst group, {worst['count']:,} of {worst['size']:,} records have the same sensitive item.")
    if none := facts["records_without_sensitive_items"]:
        words.append(f"{counted(none, 'record')} certainly have none.")
    return [*words, "Correlation with ordinary items is not hidden."]


def bare_in_words(bare: dict[str, int]) -> str:
    return f"{bare['records']:,} in {counted(bare['groups'], 'group')}" if bare["records"] else "none"


def _named(terms: list[str]) -> str:
    named = ", ".join(shorten(printable(term), 30) for term in terms[:NAMED])
    return named + (f" and {len(terms) - NAMED:,} more" if len(terms) > NAMED else "")


def degree_of(degree: dict[str, Any] | None, *, exactly: bool = False) -> str:
    """Return the privacy degree in words, with its fraction where it is not whole.

    >>> degree_of({"exact": [10, 1], "rounded": 10.0}), degree_of({"exact": [7, 2], "rounded": 3.5}, exactly=True)
    ('10', '3.5 (7 records for 2 with the same item)')
    """
    if degree is None:
        return "no limit: nothing is sensitive" if exactly else "∞"
    size, count = degree["exact"]
    if count == 1:
        return f"{size:,}"
    return f"{degree['rounded']:,}" + (f" ({size:,} records for {count:,} with the same item)" if exactly else "")
