"""t-closeness and its variants for classes, in integer arithmetic. A maximal share (beta-likeness) or minimal share
(delta-disclosure) is rounded to a stricter fraction with a denominator of at most the rows: the same counts satisfy
it."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.jit.kernel import inner
from disjoin.methods.generalization.encoding import Encoded, words_of
from disjoin.model import Table
from disjoin.model.intervals import number_from
from disjoin.model.k_anonymity import DISTANCES, Closeness
from disjoin.model.ragged import Ints64
from disjoin.model.spelling import folded

ORDERED, HIERARCHICAL = DISTANCES.index("ordered"), DISTANCES.index("hierarchical")


class ClosenessLimits(NamedTuple):
    """The limits of a class compared to the whole table; conditions without a limit have neutral numbers."""

    is_asked: bool
    rows: int  # of the whole table
    totals: Ints64  # (codes,) rows of the whole table that have it
    most_top: Ints64  # (codes,) its share of a class is at most most_top / most_bottom
    most_bottom: Ints64
    least_top: Ints64  # (codes,) and at least least_top / least_bottom
    least_bottom: Ints64
    needs_all: bool  # whether any minimal share is above 0
    c_top: int  # recursive (c,l): the largest count is below c_top / c_bottom times the tail; c_bottom 0: no limit
    c_bottom: int
    l: int  # noqa: E741 - the papers' name
    t_top: Ints64  # (columns,) a distance of at most t_top / t_bottom; t_bottom 0: no limit
    t_bottom: Ints64
    distance: int  # position in DISTANCES
    order: Ints64  # (codes,) the codes of a column that occur, in the order of numbers or the tree, from starts[column]
    used: Ints64  # (columns,) number of codes of a column that occur
    spans: Ints64  # (nodes below the roots, 2): the ordered codes under each node
    span_starts: Ints64  # (columns + 1,)
    heights: Ints64  # (columns,) heights of the trees


@inner
def is_close(limits, starts, tally, size):
    for column in range(starts.size - 1):
        first, end = starts[column], starts[column + 1]
        if not _shares_fit(limits, tally, first, end, size):
            return False
        if limits.c_bottom > 0 and not _is_recursive(limits, tally, first, end, size):
            return False
        if limits.t_bottom[column] > 0:
            if limits.distance == HIERARCHICAL:
                moved = _climbed(limits, tally, first, column, size)
                most = 2 * limits.heights[column] * size * limits.rows
            elif limits.distance == ORDERED:
                steps = limits.used[column] - 1
                moved = _moved(limits, tally, first, steps, size)
                most = steps * size * limits.rows
            else:
                moved = _apart(limits, tally, first, end, size)
                most = 2 * size * limits.rows
            if moved * limits.t_bottom[column] > limits.t_top[column] * most:
                return False
    return True


@inner
def _shares_fit(limits, tally, first, end, size):
    for i in range(tally.used[0]):
        code = tally.touched[i]
        if first <= code < end and tally.counts[code] * limits.most_bottom[code] > limits.most_top[code] * size:
            return False
    if limits.needs_all:
        for code in range(first, end):
            if tally.counts[code] * limits.least_bottom[code] < limits.least_top[code] * size:
                return False
    return True


@inner
def _is_recursive(limits, tally, first, end, size):
    """Return whether r1 < c (r_l + ... + r_n)."""
    largest, left, taken, below = 0, size, 0, size + 1
    while taken < limits.l - 1:  # the next largest count, and the number of values with it
        best, times = 0, 0
        for i in range(tally.used[0]):
            code = tally.touched[i]
            if first <= code < end and tally.counts[code] < below:
                if tally.counts[code] > best:
                    best, times = tally.counts[code], 0
                times += tally.counts[code] == best
        if best == 0:
            return False  # fewer than l values
        largest = max(largest, best)
        times = min(times, limits.l - 1 - taken)
        left -= best * times
        taken += times
        below = best
    return largest * limits.c_bottom < limits.c_top * left


@inner
def _apart(limits, tally, first, end, size):
    """Return the sum of |p - P| over all values, times the rows of the class and of the table."""
    total = size * limits.rows
    for i in range(tally.used[0]):
        code = tally.touched[i]
        if first <= code < end:
            expected = limits.totals[code] * size
            total += abs(tally.counts[code] * limits.rows - expected) - expected
    return total


@inner
def _moved(limits, tally, first, steps, size):
    """Return the sum of |p - P| over all prefixes of the ordered values, times the rows of class and table."""
    far, total = 0, 0
    for i in range(first, first + steps):
        code = limits.order[i]
        far += tally.counts[code] * limits.rows - limits.totals[code] * size
        total += abs(far)
    return total


@inner
def _climbed(limits, tally, first, column, size):
    """Return the sum of |p - P| over all nodes below the root, times the rows of class and table: the distance that
    shares move in the tree, one step per level and side. Allocates no array, because loops would count references."""
    total = 0
    for span in range(limits.span_starts[column], limits.span_starts[column + 1]):
        far = 0
        for i in range(first + limits.spans[span, 0], first + limits.spans[span, 1]):
            code = limits.order[i]
            far += tally.counts[code] * limits.rows - limits.totals[code] * size
        total += abs(far)
    return total


PLACES = 12  # digits of a logarithm or a power of e, rounded to the strict side; the verifier uses more
FINEST = 10_000  # the largest denominator used for t, if t is not exact
_ROOM = 2**61


def limits_of(asked: Closeness, l: int, encoded: Encoded, starts: Ints64) -> ClosenessLimits:  # noqa: E741 - the papers' name
    given = encoded.sensitive if encoded.whole is None else encoded.whole
    n_codes, n_columns, rows = int(starts[-1]), starts.size - 1, max(1, len(given))
    totals, order = np.zeros((2, n_codes), dtype=np.int64)
    most, least = [Fraction(1)] * n_codes, [Fraction(0)] * n_codes
    t_top, t_bottom, used = np.zeros((3, n_columns), dtype=np.int64)
    trees = (asked and encoded.sensitive_trees) or ()
    orders = [tree.order for tree in trees] or encoded.sensitive_order
    spans = [tree.spans for tree in trees] or [np.zeros((0, 2), dtype=np.int64)] * n_columns
    heights = np.array([max(1, tree.height) for tree in trees] or [1] * n_columns, dtype=np.int64)
    columns = given.T if asked else ()  # with people the codes differ, and there are no limits
    for column, codes in enumerate(columns):
        first, end = int(starts[column]), int(starts[column + 1])
        totals[first:end] = np.bincount(codes, minlength=end - first)
        for code in np.flatnonzero(totals[first:end]).tolist():
            share = Fraction(int(totals[first + code]), rows)
            most[first + code], least[first + code] = _allowed(asked, share, rows)
        ranked = orders[column] if orders else np.flatnonzero(totals[first:end])
        used[column] = ranked.size
        order[first : first + ranked.size] = ranked + first
        if asked.t is not None and ranked.size > 1:
            steps = {"equal": 2, "ordered": ranked.size - 1, "hierarchical": 2 * int(heights[column])}
            t = _written(asked.t, rows, steps[asked.t_distance])
            t_top[column], t_bottom[column] = t.numerator, t.denominator
    return ClosenessLimits(
        is_asked=bool(asked),
        rows=rows,
        totals=totals,
        most_top=np.array([share.numerator for share in most], dtype=np.int64),
        most_bottom=np.array([share.denominator for share in most], dtype=np.int64),
        least_top=np.array([share.numerator for share in least], dtype=np.int64),
        least_bottom=np.array([share.denominator for share in least], dtype=np.int64),
        needs_all=asked.delta is not None,
        c_top=0 if asked.c is None else asked.c.numerator,
        c_bottom=0 if asked.c is None else asked.c.denominator,
        l=l,
        t_top=t_top,
        t_bottom=t_bottom,
        distance=DISTANCES.index(asked.t_distance),
        order=order,
        used=used,
        spans=np.concatenate(spans) if spans else np.zeros((0, 2), dtype=np.int64),
        span_starts=np.cumsum([0, *map(len, spans)]).astype(np.int64),
        heights=heights,
    )


def largest_share_within(share: Fraction, rows: int) -> Fraction:
    """Return the largest fraction up to `share` with a denominator up to `rows`: classes may have the same counts.

    >>> largest_share_within(Fraction("0.3333333333333333"), 10)
    Fraction(3, 10)
    """
    near = share.limit_denominator(rows)
    if near <= share:
        return near
    # The fraction before `near`: its denominator is the largest with near.numerator * q = 1 modulo near.denominator.
    first = pow(near.numerator, -1, near.denominator) if near.denominator > 1 else 0
    bottom = first + (rows - first) // near.denominator * near.denominator
    return Fraction((near.numerator * bottom - 1) // near.denominator, bottom)


def orders_of(table: Table, names: tuple[str, ...]) -> tuple[Ints64, ...]:
    """Return for every column its codes in the order of numbers; raise if a value is not a number."""
    found = []
    for name in names:
        texts = table.values_of(name).to_pylist()
        numbers = {code: number_from(folded(texts[code])) for code in np.unique(words_of(table, name)).tolist()}
        if any(number is None for number in numbers.values()):
            raise InvalidParameter(
                f"t_distance 'ordered' is for numbers, but some values of {name!r} are not numbers. "
                "Leave t_distance out, or group the values."
            )
        found.append(np.array(sorted(numbers, key=lambda code: (numbers[code], code)), dtype=np.int64))
    return tuple(found)


def _allowed(asked: Closeness, share: Fraction, rows: int) -> tuple[Fraction, Fraction]:
    most, least = Fraction(1), Fraction(0)
    if asked.beta is not None:
        surprise = max(Fraction(0), -_rounded("ln", share, ROUND_CEILING))
        most = min(most, share * (1 + (min(asked.beta, surprise) if asked.enhanced_beta else asked.beta)))
    if asked.delta is not None:
        most = min(most, share * _rounded("exp", asked.delta, ROUND_FLOOR))
        least = share * _rounded("exp", -asked.delta, ROUND_CEILING)
    return largest_share_within(most, rows), 1 - largest_share_within(1 - least, rows)


def _rounded(function: Literal["ln", "exp"], number: Fraction, rounding: str) -> Fraction:
    context = Context(prec=PLACES + 12)
    value: Decimal = getattr(context.divide(Decimal(number.numerator), Decimal(number.denominator)), function)(context)
    return Fraction(value.quantize(Decimal(1).scaleb(-PLACES), rounding, Context(prec=400)))


def _written(t: Fraction, rows: int, steps: int) -> Fraction:
    """Return t, or slightly less, so that the limits of comparisons fit into 64 bits."""
    finest = min(max(FINEST, t.denominator), _ROOM // (rows * rows * steps))
    if finest < 1:
        raise InvalidParameter("the table is too large for this t: it has too many rows and different values.")
    return largest_share_within(t, finest)
