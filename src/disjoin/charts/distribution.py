"""Distribution of whole numbers: a few facts, and at most 20 bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from disjoin.model.ragged import Ints64

_BINS = 20
_SMALL = 1 << 16


def distribution_of(values: Ints64, weights: Ints64 | None = None) -> dict[str, Any]:
    """Return number, least, median, mean and largest of whole numbers, each counted `weights` times, and a histogram.
    Bins have equal, round widths; when a few values lie far out the last bin takes them all in.

    >>> distribution_of(np.array([1, 2, 2]))["histogram"]
    [{'from': 1, 'to': 1, 'count': 1}, {'from': 2, 'to': 2, 'count': 2}]
    """
    if not values.size:
        return {"number": 0, "histogram": []}
    distinct, times = tally(values, weights)
    running = np.cumsum(times)
    total = int(running[-1])
    return {
        "number": total,
        "least": int(distinct[0]),
        "median": _quantile(distinct, running, 1, 2),
        "mean": round(int((distinct * times).sum()) / total, 2),
        "largest": int(distinct[-1]),
        "histogram": _histogram(distinct, times, _quantile(distinct, running, 99, 100)),
    }


def distribution_of_sizes(sizes: Ints64) -> dict[str, Any]:
    """Return the distribution with a bin of their own for sizes far out: one part may have all that was left over."""
    facts = distribution_of(sizes)
    *others, last = facts["histogram"] or [{"from": 0, "to": 0, "count": 0}]
    width = others[0]["to"] - others[0]["from"] + 1 if others else 1
    end = last["from"] + width - 1
    beyond = int((sizes > end).sum())
    if 0 < beyond < last["count"]:
        usual = last | {"to": end, "count": last["count"] - beyond}
        facts["histogram"] = [*others, usual, {"from": end + 1, "to": last["to"], "count": beyond}]
    return facts


def range_of(facts: dict[str, Any], noun: str) -> str:
    """Return least, largest and median of a distribution in words.

    >>> range_of({"number": 3, "least": 1, "median": 2, "largest": 2000}, "record")
    '1 to 2,000 records (median 2)'
    """
    if not facts["number"]:
        return f"0 {noun}s"
    least, largest = facts["least"], facts["largest"]
    if least == largest:
        return f"{least:,} {noun}{'s' if least != 1 else ''}"
    return f"{least:,} to {largest:,} {noun}s (median {facts['median']:,})"


def percent(part: float) -> str:
    """Return a share, which is rounded to four places, with one digit at most; what is not all is not 100%.

    >>> percent(0.0), percent(0.3456), percent(1.0), percent(0.9999), percent(0.0001)
    ('0%', '34.6%', '100%', '99.99%', '0.01%')
    """
    digits = 1 if 0.001 <= part < 0.999 else 2
    return f"{100 * part:.{digits}f}".rstrip("0").rstrip(".") + "%"


def tally(values: Ints64, weights: Ints64 | None = None) -> tuple[Ints64, Ints64]:
    """Return the distinct values, ascending, and how many there are of each; a value is counted `weights` times.

    >>> [each.tolist() for each in tally(np.array([2, 1, 2]))]
    [[1, 2], [1, 2]]
    """
    if not values.size:
        return values, values
    if int(values.min()) >= 0 and int(values.max()) < _SMALL:  # no need to sort
        times = np.bincount(values, weights).astype(np.int64)
        distinct = np.flatnonzero(times)
        return distinct, times[distinct]
    weights = np.ones_like(values) if weights is None else weights
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(values[order]) != 0))
    return values[order][starts], np.add.reduceat(weights[order], starts)


def _quantile(distinct: Ints64, running: Ints64, part: int, whole: int) -> int:
    """Return the least value that at least part/whole of the numbers do not exceed; whole numbers, so no rounding."""
    return int(distinct[np.searchsorted(running, -(-int(running[-1]) * part // whole))])


def _histogram(distinct: Ints64, times: Ints64, usual: int) -> list[dict[str, int]]:
    least, largest = int(distinct[0]), int(distinct[-1])
    top = largest if largest - least < 2 * (usual - least + 1) else usual
    width = _round_width(top - least + 1)
    start = least if width < 10 else least // width * width
    last = (top - start) // width
    places = np.minimum((distinct - start) // width, last)
    counts = np.zeros(last + 1, dtype=np.int64)
    np.add.at(counts, places, times)
    bins = [
        {"from": start + i * width, "to": start + (i + 1) * width - 1, "count": int(n)} for i, n in enumerate(counts)
    ]
    bins[-1]["to"] = max(bins[-1]["to"], largest)
    return bins


def _round_width(span: int) -> int:
    """Return the least of 1, 2, 5, 10, 20, 50 ... that covers the span with a score of bins."""
    width, steps = 1, (2, 5, 10)
    while width * _BINS < span:
        decade = 10 ** (len(str(width)) - 1)
        width = next(step * decade for step in steps if step * decade > width)
    return width
