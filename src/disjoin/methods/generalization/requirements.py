"""Requirements of classes: k, l-diversity, closeness, and whether the table can meet them."""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor, gcd, log, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.errors import GuaranteeUnreachable
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.generalization.closeness import ClosenessLimits, is_close, largest_share_within, limits_of
from disjoin.methods.generalization.encoding import Encoded, packed_keys, words_of
from disjoin.methods.generalization.roles import Roles
from disjoin.model import Table
from disjoin.model.ragged import Flags, Ints64

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization


# Whether a class of rows is large enough and its sensitive values are diverse enough (sections D.4, D.7).
#
# Codes of different sensitive columns are different numbers: those of column j are starts[j] .. starts[j + 1] - 1.
#
# Where people may have several rows, a class is judged by its people: the last column has their codes, and the codes of
# a sensitive column are pairs of a person and a value, so that nobody counts twice.

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any


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


_NEVER_EQUAL = 2**61 - 1  # a prime above all sizes of classes


def demands_of(settings: Generalization, encoded: Encoded, k: int | None = None) -> Demands:
    """Return what every class must satisfy, for as many rows as there are (with another k, if one is given)."""
    alpha = largest_share_within(settings.alpha or Fraction(1), max(1, len(encoded)))
    entropy = settings.entropy_l or Fraction(1)
    fits = max(entropy.numerator, entropy.denominator) < 2**61
    coded = _coded(encoded)
    starts = np.cumsum([0, *coded.sizes]).astype(np.int64)
    return Demands(
        k=settings.k if k is None else k,
        alpha_top=alpha.numerator,
        alpha_bottom=alpha.denominator,
        l=settings.l,
        entropy_top=entropy.numerator if fits else _NEVER_EQUAL,
        entropy_bottom=entropy.denominator if fits else 1,
        log_entropy=log(entropy),
        only_k=encoded.people is None and not settings.is_about_sensitive,
        starts=starts,
        people=0 if encoded.people is None else settings.k,
        values=coded.values,
        closeness=limits_of(settings.closeness, settings.l, encoded, starts),
    )


def secrets_of(encoded: Encoded, demands: Demands) -> Ints64:
    """Return the codes that classes are judged by, different ones in different columns: int64 (rows, columns)."""
    return _coded(encoded).codes + demands.starts[:-1]


class _Coded(NamedTuple):
    """Codes of every column from 0, how many there may be, and the values in pairs of a person and a value."""

    codes: Ints64  # (rows, columns)
    sizes: list[int]
    values: Ints64  # (codes of all columns,), empty if every row is a person


def _coded(encoded: Encoded) -> _Coded:
    """Return the sensitive values or, where people have several rows, pairs of person and value, and the people."""
    if encoded.people is None:
        return _Coded(encoded.sensitive.astype(np.int64), encoded.n_sensitive.tolist(), np.zeros(0, dtype=np.int64))
    people = encoded.people.astype(np.int64)
    columns, values = [], []
    for column, n_values in zip(encoded.sensitive.T, encoded.n_sensitive.tolist(), strict=True):
        pairs, codes = np.unique(people * max(1, n_values) + column, return_inverse=True)
        columns.append(codes.ravel())
        values.append(np.unique(pairs % max(1, n_values), return_inverse=True)[1].ravel())
    n_people = int(people.max(initial=-1)) + 1
    sizes = [found.size for found in values] + [n_people]
    everybody = np.zeros(n_people, dtype=np.int64)  # they have no value
    return _Coded(np.stack([*columns, people], axis=1), sizes, np.concatenate([*values, everybody]))


def combinations_of(secrets: Ints64) -> tuple[Ints64, Ints64]:
    """Return the combination of sensitive values of every row, and the codes of every combination."""
    if not secrets.shape[1]:
        return np.zeros(len(secrets), dtype=np.int64), np.zeros((1, 0), dtype=np.int64)
    keys = packed_keys([column.astype(np.int32) for column in secrets.T])
    order = np.lexsort(keys[::-1])
    fresh = np.ones(order.size, dtype=np.bool_)
    fresh[1:] = (secrets[order[1:]] != secrets[order[:-1]]).any(axis=1)
    combos = np.empty(order.size, dtype=np.int64)
    combos[order] = np.cumsum(fresh) - 1
    return combos, np.ascontiguousarray(secrets[order[fresh]])


def require_reachable(settings: Generalization, table: Table, roles: Roles) -> None:
    """Complain if the whole table, as one class, would not do: then nothing else does either."""
    n = len(table)
    if n < settings.k:
        raise GuaranteeUnreachable(
            f"{n:,} rows cannot hide one another in classes of {settings.k}. Lower k to {n} or less, or add rows."
            if n >= 2
            else f"a table of {n} rows hides nobody; add rows."
        )
    for name in roles.sensitive:
        counts = np.bincount(words_of(table, name))
        complaint = _complaint(
            settings, name, f"the most frequent one is in {counts.max():,} of {n:,}", counts[counts > 0].tolist()
        )
        if complaint:
            raise GuaranteeUnreachable(complaint)


def _complaint(settings: Generalization, name: str, worst: str, counts: list[int]) -> str:
    """Say what all rows together do not reach; nothing if they reach everything."""
    share = Fraction(max(counts), sum(counts))
    if settings.person is None and settings.alpha is not None and share > settings.alpha:
        return (
            f"no value of {name!r} may be in more than {settings.alpha} of the rows of a class, but {worst} rows of "
            f"the whole table; alpha can be {share} or more (about {-floor(-share * 1000) / 1000:g})."
        )
    if len(counts) < settings.l:
        return (
            f"every class needs {settings.l} different values of {name!r}, and the whole table has {len(counts)} "
            f"({worst} rows); l can be {len(counts)} or less."
        )
    if settings.entropy_l is not None and not entropy_reaches(counts, settings.entropy_l):
        return (
            f"values of {name!r} must be as even as {settings.entropy_l} equally frequent ones, but {worst} rows of "
            f"the whole table; entropy_l can be {float(largest_entropy_l(counts)):g} or less."
        )
    ratio = recursive_ratio(counts, settings.l)
    if settings.c is not None and (ratio is None or ratio >= settings.c):
        return (
            f"the most frequent value of {name!r} must be in fewer than {settings.c} times as many rows as all values "
            f"but the {settings.l - 1} most frequent, but {worst} rows of the whole table; c can be above {ratio}."
        )
    return ""


def recursive_ratio(counts: list[int], l: int) -> Fraction | None:  # noqa: E741 - the papers' name
    """Return the largest count divided by the sum of all but the l - 1 largest; None if nothing is left.

    >>> recursive_ratio([5, 3, 2, 1], 3)
    Fraction(5, 3)
    """
    left = sum(sorted(counts)[: max(0, len(counts) - l + 1)])
    return Fraction(max(counts), left) if left else None


def entropy_reaches(counts: list[int], effective: Fraction) -> bool:
    """Tell exactly whether the entropy of the counts is at least the logarithm of a number.

    >>> entropy_reaches([1, 1], Fraction(2)), entropy_reaches([2, 1], Fraction(2))
    (True, False)
    """
    spare = _entropy(counts) - log(effective)
    if abs(spare) >= CLOSE:
        return spare > 0
    n, common = sum(counts), gcd(*counts)  # every exponent is a multiple of the common divisor
    top = (n * effective.denominator) ** (n // common)
    return bool(top >= effective.numerator ** (n // common) * prod(times ** (times // common) for times in counts))


def largest_entropy_l(counts: list[int]) -> Fraction:
    """Return how many equally frequent values the counts are as even as, rounded down to three places."""
    most = Fraction(round(exp(_entropy(counts)) * 1000), 1000)
    return most if entropy_reaches(counts, most) else most - Fraction(1, 1000)


def _entropy(counts: list[int]) -> float:
    n = sum(counts)
    return log(n) - sum(times * log(times) for times in counts) / n
