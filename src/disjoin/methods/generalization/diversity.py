"""Whether a class of rows is large enough and its sensitive values are diverse enough (sections D.4, D.7).

Codes of different sensitive columns are different numbers: those of column j are starts[j] .. starts[j + 1] - 1.

Where people may have several rows, a class is judged by its people: the last column has their codes, and the codes of
a sensitive column are pairs of a person and a value, so that nobody counts twice.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.methods.generalization.closeness import ClosenessLimits, is_close
from disjoin.model.ragged import Flags, Ints64

# A mean of logarithms that is nearer than this to its limit is decided by whole numbers,
CLOSE = 1e-9
# and what is not equal but nearer than this is refused: floats do not tell on which side it is.
TOO_CLOSE = 1e-13


class Demands(NamedTuple):
    """What every class must satisfy; numbers that make a condition empty where nothing is asked."""

    k: int
    alpha_top: int  # no value in more than alpha_top / alpha_bottom of the rows
    alpha_bottom: int
    l: int  # noqa: E741 - the papers' name
    entropy_top: int  # entropy at least log(entropy_top / entropy_bottom)
    entropy_bottom: int
    log_entropy: float
    only_k: bool
    starts: Ints64  # (columns + 1,)
    people: int  # how many different people a class has; 0 if every row is a person
    values: Ints64  # (codes,) with people: the value in a pair of a person and a value
    closeness: ClosenessLimits  # beside the whole table


class Tally(NamedTuple):
    """Room to count codes in; empty between uses."""

    counts: Ints64  # (codes,)
    touched: Ints64  # (codes,) the codes with a count, as many as `used` says
    used: Ints64  # (1,)
    holders: Ints64  # (values,) with people: those of the class who have a value; no longer than `counts`


def new_tally(n_codes: int) -> Tally:
    """Return room for that many codes."""
    counts, touched, holders = np.zeros((3, n_codes), dtype=np.int64)
    return Tally(counts, touched, np.zeros(1, dtype=np.int64), holders)


@inner
def count(tally, code, times):
    """Count a code some more times."""
    if times == 0:
        return
    if tally.counts[code] == 0:
        tally.touched[tally.used[0]] = code
        tally.used[0] += 1
    tally.counts[code] += times


@inner
def clear(tally):
    """Forget all counts."""
    for i in range(tally.used[0]):
        tally.counts[tally.touched[i]] = 0
    tally.used[0] = 0


@inner
def holds(demands, tally, size):
    """Tell whether that many rows with the counted codes are a class as demanded."""
    if size < demands.k:
        return False
    if demands.only_k:
        return True
    if demands.people > 0:
        return _people_hold(demands, tally)
    for column in range(demands.starts.size - 1):
        most, distinct, weighted = 0, 0, 0.0
        for i in range(tally.used[0]):
            code = tally.touched[i]
            if demands.starts[column] <= code < demands.starts[column + 1]:
                times = tally.counts[code]
                most = max(most, times)
                distinct += 1
                weighted += times * log(times)
        if most * demands.alpha_bottom > demands.alpha_top * size or distinct < demands.l:
            return False
        spare = log(size) - weighted / size - demands.log_entropy
        if spare < CLOSE and (spare < -CLOSE or not _just_holds(demands, tally, column, size, spare)):
            return False
    return not demands.closeness.is_asked or is_close(demands.closeness, demands.starts, tally, size)


@inner
def _people_hold(demands, tally):
    """Tell whether the counted pairs belong to enough people, and no value to too many of them."""
    columns = demands.starts.size - 2  # the last one is the people themselves
    people = 0
    for i in range(tally.used[0]):
        people += tally.touched[i] >= demands.starts[columns]
    if people < demands.people:
        return False
    for column in range(columns):
        most, distinct = 0, 0
        for i in range(tally.used[0]):
            code = tally.touched[i]
            if demands.starts[column] <= code < demands.starts[column + 1]:
                value = demands.values[code]
                distinct += tally.holders[value] == 0
                tally.holders[value] += 1
                most = max(most, tally.holders[value])
        for i in range(tally.used[0]):
            code = tally.touched[i]
            if demands.starts[column] <= code < demands.starts[column + 1]:
                tally.holders[demands.values[code]] = 0
        if most * demands.alpha_bottom > demands.alpha_top * people or distinct < demands.l:
            return False
        if people - most < demands.l - 1:  # of every value, that many people must be without it
            return False
    return True


@inner
def _just_holds(demands, tally, column, size, spare):
    """Tell whether an entropy next to its limit reaches it: (size·bottom/top)^size against the product of c^c."""
    if demands.entropy_top == demands.entropy_bottom:
        return True
    top, bottom = demands.entropy_top, demands.entropy_bottom
    for factor in range(2, size + 1):
        if not _is_prime(factor):
            continue
        balance = size * (_power(factor, size) + _power(factor, bottom) - _power(factor, top))
        for i in range(tally.used[0]):
            code = tally.touched[i]
            if demands.starts[column] <= code < demands.starts[column + 1]:
                balance -= tally.counts[code] * _power(factor, tally.counts[code])
        if balance != 0:
            return spare > TOO_CLOSE
        while top % factor == 0:
            top //= factor
        while bottom % factor == 0:
            bottom //= factor
    return (top == 1 and bottom == 1) or spare > TOO_CLOSE


@inner
def _is_prime(number):
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return True


@inner
def _power(factor, number):
    """Return how often the factor divides the number."""
    times = 0
    while number % factor == 0:
        number //= factor
        times += 1
    return times


@kernel
def judge_groups(demands, tally, secrets, order, starts, good):
    """Write for every group of rows, order[starts[g] : starts[g + 1]], whether it is a class as demanded."""
    for group in range(starts.size - 1):
        for i in range(starts[group], starts[group + 1]):
            for column in range(secrets.shape[1]):
                count(tally, secrets[order[i], column], 1)
        good[group] = holds(demands, tally, starts[group + 1] - starts[group])
        clear(tally)


def groups_that_hold(demands: Demands, secrets: Ints64, group_of_row: Ints64, n_groups: int) -> Flags:
    """Return for every group of rows whether it is a class as demanded; rows of group -1 belong to none."""
    sizes = np.bincount(group_of_row[group_of_row >= 0], minlength=n_groups)
    if demands.only_k:
        return sizes >= demands.k
    order = np.argsort(group_of_row, kind="stable")[group_of_row.size - int(sizes.sum()) :]
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    good = np.zeros(n_groups, dtype=np.bool_)
    judge_groups(demands, new_tally(int(demands.starts[-1])), secrets, order, starts, good)
    return good
