"""Requirements of equivalence classes (k, l, t, alpha), by the roles that the data owner gave to columns. A class that
satisfies all of them is called valid."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import exp, floor, gcd, log, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.errors import GuaranteeUnreachable, InvalidParameter, Placeholder, Remedy, all_problems
from disjoin.jit.kernel import inner, kernel
from disjoin.methods.generalization.closeness import ClosenessLimits, is_close, largest_share_within, limits_of
from disjoin.methods.generalization.encoding import Encoded, distinct_rows, words_of
from disjoin.methods.sensitive_terms import named as listed
from disjoin.model import Role, Table
from disjoin.model.input_checks import lists_in
from disjoin.model.ragged import Flags, Ints64, offsets_of
from disjoin.model.spelling import alike, folded_value

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

NAME_QUASI = Remedy("quasi", Placeholder("COLUMNS"), "name the columns that an attacker may know")


def require_single_values(table: Table, columns: Iterable[str]) -> None:
    for name in columns:
        values = table.values_of(name)
        found = lists_in(values, np.bincount(table.codes_of(name), minlength=len(values)).astype(np.int64))
        if found is not None:
            raise InvalidParameter(
                f"the cells of {name!r} look like lists, of the form {found.form!r}, and whole sets would be "
                "published. Put one value in a cell, or publish sets by disassociation.",
                remedies=[Remedy("whole_cells", True, "treat each cell as one value")],
            )


class Roles(NamedTuple):
    """The columns of a table by role, each in the order of the table."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    others: tuple[str, ...]
    dropped: tuple[str, ...] = ()  # columns without a role, which are not published

    @property
    def published(self) -> tuple[str, ...]:
        return (*self.quasi, *self.sensitive, *self.others)

    def by_name(self) -> dict[str, Role]:
        kinds = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.IDENTIFIER, Role.OTHER, Role.OTHER)
        return {name: role for role, names in zip(kinds, self, strict=True) for name in names}


def roles_of(
    table: Table,
    quasi: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    identifiers: Iterable[str] = (),
    others: Iterable[str] = (),
) -> Roles:
    """Return the roles given here or in the table's schema; a column has one role, and is dropped without one.

    >>> table = Table.from_columns({"age": ["7"], "name": ["Bo"]}, {"name": Role.IDENTIFIER})
    >>> roles_of(table, quasi=["age"]).identifiers
    ('name',)
    """
    others = tuple(others)
    named: dict[str, Role] = {column.name: column.role for column in table.schema.columns}
    wanted = {Role.QUASI_IDENTIFIER: quasi, Role.SENSITIVE: sensitive, Role.IDENTIFIER: identifiers}
    problems, unknown = list[InvalidParameter](), list[str]()
    for role, name in (
        *((role, name) for role, names in wanted.items() for name in names),
        *((Role.OTHER, name) for name in others),
    ):
        if name not in named:
            unknown.append(name)
            continue
        if named[name] not in (Role.OTHER, role):
            both = f"{named[name].value} and as {role.value}"
            problems.append(InvalidParameter(f"a column has one role, {name!r} is named as {both}."))
        elif role is not Role.OTHER:
            named[name] = role
    if len(set(unknown)) > 1:
        known = ", ".join(map(repr, table.schema.names))
        problems.insert(0, InvalidParameter(f"there are no columns {listed(unknown)}; the columns are {known}."))
    elif unknown:
        table.schema.position(unknown[0])  # raises, with the name that may be meant
    if problems:
        raise all_problems(problems)
    for names in alike(named):
        without = [name for name in names if named[name] is Role.OTHER]
        if 0 < len(without) < len(names):  # unclear which one was meant
            raise InvalidParameter(
                f"columns must have different names, but these differ only in their spelling: {listed(names)}. Rename "
                "or drop one, or give each a role."
            )
    by_role = [tuple(name for name in named if named[name] is role) for role in wanted]
    unassigned = tuple(name for name in named if named[name] is Role.OTHER and name not in others)
    found = Roles(by_role[0], by_role[1], by_role[2], tuple(name for name in named if name in others), unassigned)
    if not found.quasi:
        raise InvalidParameter(
            "at least one column must be a quasi-identifier, but none is named.", remedies=[NAME_QUASI]
        )
    return found


def require_one_spelling(settings: Generalization, table: Table, roles: Roles) -> None:
    """Raise if sensitive values that must be diverse differ only in spelling, or are equal numbers."""
    for name in roles.sensitive if settings.is_about_sensitive and settings.sensitive_match == "exact" else ():
        codes, first_rows = np.unique(table.codes_of(name), return_index=True)
        texts = table.values_of(name).take(codes).to_pylist()
        groups = alike(texts, folded_value)
        if groups:
            rows = dict(zip(texts, (first_rows + 1).tolist(), strict=True))
            one, other = sorted(rows[text] for text in groups[0])[:2]
            raise InvalidParameter(
                f"values of the sensitive column {name!r} must have one spelling each, but {sum(map(len, groups)):,} "
                f"texts are spellings of {len(groups):,} {'value' if len(groups) == 1 else 'values'}, such as those of "
                f"rows {one:,} and {other:,}. Correct the data.",
                remedies=[Remedy("sensitive_match", "loose", "count the spellings of a value as one")],
            )


# Whether a class of rows is large enough and its sensitive values are diverse enough (sections D.4, D.7).
# Codes of different sensitive columns are different numbers: those of column j are starts[j] .. starts[j + 1] - 1.
# Where people may have several rows, a class is tested by its people: the last column has their codes, and the codes of
# a sensitive column are pairs of a person and a value, so that no person counts twice.

# If a mean of logarithms is closer than this to its limit, integers decide,
CLOSE = 1e-9
# and if it is closer than this but not equal, it is refused, because floats are not accurate enough.
TOO_CLOSE = 1e-13


class Demands(NamedTuple):
    """The conditions that every class must satisfy; conditions without a limit have neutral numbers."""

    k: int
    alpha_top: int  # no value in more than alpha_top / alpha_bottom of the rows
    alpha_bottom: int
    l: int  # noqa: E741 - the papers' name
    entropy_top: int  # entropy at least log(entropy_top / entropy_bottom)
    entropy_bottom: int
    log_entropy: float
    only_k: bool
    starts: Ints64  # (columns + 1,)
    people: int  # least number of people of a class; 0 if every row is a person
    values: Ints64  # (codes,) with people: the value in a pair of a person and a value
    closeness: ClosenessLimits  # compared to the whole table


class Tally(NamedTuple):
    """Space to count codes in; empty between uses."""

    counts: Ints64  # (codes,)
    touched: Ints64  # (codes,) the codes with a count, in number `used`
    used: Ints64  # (1,)
    holders: Ints64  # (values,) with people: those of the class who have a value; not longer than `counts`


class Asked(NamedTuple):
    """The conditions on every class, space to count in, and the codes that classes are tested by."""

    demands: Demands
    tally: Tally
    secrets: Ints64  # (rows, columns), different ones in different columns

    def of(self, rows: Ints64 | slice) -> Asked:
        return self._replace(secrets=self.secrets[rows])


def new_tally(demands: Demands) -> Tally:
    counts, touched, holders = np.zeros((3, int(demands.starts[-1])), dtype=np.int64)
    return Tally(counts, touched, np.zeros(1, dtype=np.int64), holders)


@inner
def count(tally, codes, row, times):
    """Count the codes of a row that many times."""
    if times == 0:
        return
    for column in range(codes.shape[1]):
        code = codes[row, column]
        if tally.counts[code] == 0:
            tally.touched[tally.used[0]] = code
            tally.used[0] += 1
        tally.counts[code] += times


@inner
def clear(tally):
    for i in range(tally.used[0]):
        tally.counts[tally.touched[i]] = 0
    tally.used[0] = 0


@inner
def holds(demands, tally, size):
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
    """Return whether the counted pairs belong to enough people, and no value belongs to too many of them."""
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
        if people - most < demands.l - 1:  # that many people must be without each value
            return False
    return True


@inner
def _just_holds(demands, tally, column, size, spare):
    """Return whether an entropy close to its limit reaches it: (size·bottom/top)^size against the product of c^c."""
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
    times = 0
    while number % factor == 0:
        number //= factor
        times += 1
    return times


@kernel
def judge_groups(asked, order, starts, good):
    for group in range(starts.size - 1):
        for i in range(starts[group], starts[group + 1]):
            count(asked.tally, asked.secrets, order[i], 1)
        good[group] = holds(asked.demands, asked.tally, starts[group + 1] - starts[group])
        clear(asked.tally)


def groups_that_hold(asked: Asked, group_of_row: Ints64, n_groups: int) -> Flags:
    sizes = np.bincount(group_of_row[group_of_row >= 0], minlength=n_groups)
    if asked.demands.only_k:
        return sizes >= asked.demands.k
    order = np.argsort(group_of_row, kind="stable")[group_of_row.size - int(sizes.sum()) :]
    good = np.zeros(n_groups, dtype=np.bool_)
    judge_groups(asked, order, offsets_of(sizes), good)
    return good


_NEVER_EQUAL = 2**61 - 1  # a prime above all sizes of classes


def asked_of(settings: Generalization, encoded: Encoded, k: int | None = None) -> Asked:
    alpha = largest_share_within(settings.alpha or Fraction(1), max(1, len(encoded)))
    entropy = settings.entropy_l or Fraction(1)
    fits = max(entropy.numerator, entropy.denominator) < 2**61
    codes, sizes, values = _coded(encoded)
    starts = offsets_of(sizes)
    demands = Demands(
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
        values=values,
        closeness=limits_of(settings.closeness, settings.l, encoded, starts),
    )
    return Asked(demands, new_tally(demands), codes + starts[:-1])


def _coded(encoded: Encoded) -> tuple[Ints64, list[int], Ints64]:
    """Return the codes that classes are tested by (rows, columns), the number of codes per column, and their values. A
    code is a sensitive value or, if people have several rows, a pair of person and value. In the second case the last
    column has the people, and the values of the pairs are returned (codes of all columns,), otherwise none."""
    if encoded.people is None:
        return encoded.sensitive.astype(np.int64), encoded.n_sensitive.tolist(), np.zeros(0, dtype=np.int64)
    people = encoded.people.astype(np.int64)
    columns, values = [], []
    for column, n_values in zip(encoded.sensitive.T, encoded.n_sensitive.tolist(), strict=True):
        pairs, codes = np.unique(people * max(1, n_values) + column, return_inverse=True)
        columns.append(codes.ravel())
        values.append(np.unique(pairs % max(1, n_values), return_inverse=True)[1].ravel())
    n_people = int(people.max(initial=-1)) + 1
    sizes = [found.size for found in values] + [n_people]
    everybody = np.zeros(n_people, dtype=np.int64)  # people as a column without values
    return np.stack([*columns, people], axis=1), sizes, np.concatenate([*values, everybody])


def combinations_of(secrets: Ints64) -> tuple[Ints64, Ints64]:
    if not secrets.shape[1]:
        return np.zeros(len(secrets), dtype=np.int64), np.zeros((1, 0), dtype=np.int64)
    combos, firsts = distinct_rows(list(secrets.T))
    return combos, np.ascontiguousarray(secrets[firsts])


def require_reachable(settings: Generalization, table: Table, roles: Roles) -> None:
    """Raise if one class of the whole table would not satisfy the requirements: then no other classes do."""
    n = len(table)
    if n < settings.k:
        raise GuaranteeUnreachable(
            f"{n:,} rows cannot form a class of {settings.k}. Lower k to {n} or less, or add rows."
            if n >= 2
            else f"a table of {n} rows is too small; add rows."
        )
    for name in roles.sensitive:
        counts = np.bincount(words_of(table, name))
        worst = f"the most frequent one is in {counts.max():,} of {n:,}"
        complaint = _complaint(settings, name, worst, counts[counts > 0].tolist())
        if complaint:
            raise GuaranteeUnreachable(complaint)


def _complaint(settings: Generalization, name: str, worst: str, counts: list[int]) -> str:
    share = Fraction(max(counts), sum(counts))
    if settings.person is None and settings.alpha is not None and share > settings.alpha:
        return (
            f"no value of {name!r} may be in more than {settings.alpha} of the rows of a class, but {worst} rows of "
            f"the whole table. Use alpha = {share} or more (about {-floor(-share * 1000) / 1000:g})."
        )
    if len(counts) < settings.l:
        return (
            f"every class needs {settings.l} different values of {name!r}, but the whole table has {len(counts)} "
            f"({worst} rows). Use l = {len(counts)} or less."
        )
    if settings.entropy_l is not None and not entropy_reaches(counts, settings.entropy_l):
        return (
            f"values of {name!r} must be as even as {settings.entropy_l} equally frequent ones, but {worst} rows of "
            f"the whole table. Use entropy_l = {float(largest_entropy_l(counts)):g} or less."
        )
    ratio = recursive_ratio(counts, settings.l)
    if settings.c is not None and (ratio is None or ratio >= settings.c):
        return (
            f"the most frequent value of {name!r} must be in fewer than {settings.c} times as many rows as all values "
            f"but the {settings.l - 1} most frequent, but {worst} rows of the whole table. Use c above {ratio}."
        )
    return ""


def recursive_ratio(counts: list[int], l: int) -> Fraction | None:  # noqa: E741 - the papers' name
    """Return the largest count divided by the sum of all but the l - 1 largest; None if that sum is 0.

    >>> recursive_ratio([5, 3, 2, 1], 3)
    Fraction(5, 3)
    """
    left = sum(sorted(counts)[: max(0, len(counts) - l + 1)])
    return Fraction(max(counts), left) if left else None


def entropy_reaches(counts: list[int], effective: Fraction) -> bool:
    """Return exactly whether the entropy of the counts is at least the logarithm of a number.

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
    """Return the number of equally frequent values with the entropy of the counts, rounded down to three places."""
    most = Fraction(round(exp(_entropy(counts)) * 1000), 1000)
    return most if entropy_reaches(counts, most) else most - Fraction(1, 1000)


def _entropy(counts: list[int]) -> float:
    n = sum(counts)
    return log(n) - sum(times * log(times) for times in counts) / n
