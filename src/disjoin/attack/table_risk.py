"""Uniqueness in a raw table: known columns that single out a row (prosecutor risk) or a person.

Also how diverse the sensitive values of classes are, and how far from those of the whole table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np

from disjoin.arrays.row_classes import class_sizes, counted_keys, counted_values, numbered, row_keys
from disjoin.errors import InvalidParameter, require_kind
from disjoin.model.column_roles import TableForm, TableRoles, roles_of
from disjoin.model.intervals import number_from
from disjoin.model.k_anonymity import column_names
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Ints32, Ints64
from disjoin.model.spelling import first_alike, folded, folded_value
from disjoin.model.table import Table
from disjoin.progress import Progress, silent

MOST_CELLS = 1 << 24  # classes times values, up to which the ordered distance is computed


@dataclass(frozen=True, slots=True)
class Exposure:
    """What the values of some columns reveal: the number of unique rows, and of classes."""

    columns: tuple[str, ...]
    rows: int
    unique_rows: int
    classes: int
    smallest: int  # rows of the smallest class

    @property
    def unique_share(self) -> Fraction:
        return Fraction(self.unique_rows, self.rows)

    @property
    def mean_risk(self) -> Fraction:
        """The mean chance to guess the right row of a class: classes / rows."""
        return Fraction(self.classes, self.rows)


@dataclass(frozen=True, slots=True)
class ColumnCloseness:
    """The strictest limits that all classes meet; None if no limit holds."""

    t: Fraction  # t-closeness, equal distance
    t_ordered: Fraction | None  # t-closeness, ordered distance; None if some values are no numbers
    t_hierarchical: Fraction | None  # t-closeness in the column's hierarchy; None if it has none that has all values
    beta: Fraction  # basic beta-likeness
    delta: float | None  # delta-disclosure holds for every larger one; None if a class lacks a value
    c: Fraction | None  # recursive (c,2)-diversity holds for every larger one; None if a class has one value only


@dataclass(frozen=True, slots=True)
class Diversity:
    """What classes reveal about a sensitive column, unchanged."""

    column: str
    l: int  # the largest l of distinct l-diversity  # noqa: E741 - the papers' name
    entropy_l: float  # the largest l of entropy l-diversity
    alpha: Fraction  # the largest share of a class that has the same value
    closeness: ColumnCloseness  # compared to the whole table


@dataclass(frozen=True, slots=True)
class PeopleExposure:
    """What the values of some columns reveal: `alone` people have a row there that no other person has."""

    columns: tuple[str, ...]
    people: int
    alone: int
    fewest: int  # people of the class that has the fewest

    @property
    def alone_share(self) -> Fraction:
        return Fraction(self.alone, self.people)


@dataclass(frozen=True, slots=True)
class PeopleRisk:
    """The risk of people, not rows; `column` identifies the person of a row."""

    column: str
    whole: PeopleExposure
    known: tuple[PeopleExposure, ...]  # for the sets of columns that were asked for

    @property
    def k(self) -> int:
        """The largest k such that every class has rows of k different people."""
        return self.whole.fewest


@dataclass(frozen=True, slots=True, eq=False)
class TableRisk:
    """The risk of a raw table; `whole` is for an attacker who knows all quasi-identifiers."""

    columns: int
    whole: Exposure
    sizes: Ints64 = field(repr=False)  # (classes,), ascending
    known: tuple[Exposure, ...]  # for every set of up to `largest` columns, the worst first
    without: tuple[Exposure, ...]  # all quasi-identifiers but one, in their order; none if there is only one
    diversity: tuple[Diversity, ...]  # of every sensitive column
    people: PeopleRisk | None = None  # if a column identifies people; `known` as above, in that order

    @property
    def k(self) -> int:
        """The largest k for which the table is k-anonymous."""
        return self.whole.smallest

    def share_above(self, threshold: Fraction) -> Fraction:
        """The share of rows whose risk, 1 / rows of their class, is above a threshold."""
        exposed = self.sizes[self.sizes * threshold.numerator < threshold.denominator]
        return Fraction(int(exposed.sum()), self.whole.rows)


def table_risk(
    table: Table,
    quasi: Iterable[str] | str,
    sensitive: Iterable[str] | str = (),
    largest: int = 3,
    progress: Progress = silent,
    person: str | None = None,
) -> TableRisk:
    """Return how many rows the columns `quasi` single out, all together and in sets of up to `largest`.

    Exact. For `sensitive` columns, the diversity of every class is measured, where all of `quasi` is known. If
    `person` is the column that identifies people (`people_column` finds it), people are counted next to rows.

    >>> table = Table.from_columns({"age": ["7", "7", "8"], "sex": ["m", "f", "f"]})
    >>> [(found.columns, found.unique_rows) for found in table_risk(table, ["age", "sex"]).known]
    [(('age', 'sex'), 3), (('age',), 1), (('sex',), 1)]
    """
    require_kind(table, Table, "a Table", "Read one with disjoin.read_table.")
    names, secrets = _columns(table, quasi, sensitive)
    largest = min(
        len(names), require_integer("largest", largest, 1, "it is the number of columns that an attacker may know.")
    )
    keys = keys_of(table, names)
    whole = _exposure(table, names)
    known = _known(table, names, largest, whole, progress)
    return TableRisk(
        columns=len(table.schema.columns),
        whole=whole,
        sizes=np.sort(class_sizes(*keys)),
        known=known,
        people=None if person is None else people_risk(table, names, person, [found.columns for found in known]),
        without=tuple(_exposure(table, [each for each in names if each != name]) for name in names if len(names) > 1),
        diversity=tuple(_diversity(table, keys, name) for name in secrets),
    )


def _columns(
    table: Table, quasi: Iterable[str] | str, sensitive: Iterable[str] | str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names, secrets = column_names("quasi", quasi), column_names("sensitive", sensitive)
    for name in (*names, *secrets):
        table.schema.position(name)  # complains
        if (names + secrets).count(name) > 1:
            raise InvalidParameter(f"a column has one role, {name!r} is named twice.")
    if not names:
        raise InvalidParameter("quasi must name at least one column that an attacker may know.")
    if not len(table):
        raise InvalidParameter("the table is empty.")
    return names, secrets


def keys_of(table: Table, names: Sequence[str]) -> tuple[Ints64, int]:
    """Return keys of the rows, equal for rows that are equal in these columns; and a bound above all."""
    return row_keys([table.codes_of(name) for name in names], [len(table.values_of(name)) for name in names])


def _exposure(table: Table, names: Sequence[str]) -> Exposure:
    sizes = class_sizes(*keys_of(table, names))
    return Exposure(tuple(names), int(sizes.sum()), int((sizes == 1).sum()), int(sizes.size), int(sizes.min()))


def _known(
    table: Table, names: tuple[str, ...], largest: int, whole: Exposure, progress: Progress
) -> tuple[Exposure, ...]:
    """Return what every set of up to `largest` columns reveals. Sorted by unique rows, then by risk; of equal ones
    the fewest columns first, then in their order."""
    found: list[Exposure] = []
    total = sum(comb(len(names), size) for size in range(1, largest + 1))
    for size in range(1, largest + 1):
        for columns in combinations(names, size):
            progress("examining", len(found), total)
            found.append(whole if columns == names else _exposure(table, columns))
    progress("examining", total, total)
    return tuple(sorted(found, key=lambda one: (-one.unique_rows, -one.classes)))  # stable


def _diversity(table: Table, keys: tuple[Ints64, int], name: str) -> Diversity:
    """Return the least diversity of a column over all classes; spellings of a value count as one value."""
    words = first_alike(table.values_of(name).to_pylist(), folded_value)[table.codes_of(name)]
    classes, counts = counted_values(*keys, words, len(table.values_of(name)))
    number = int(classes[-1]) + 1
    sizes = np.bincount(classes, counts, number).astype(np.int64)
    # entropy = ln(size) - (sum of n ln n) / size, over the values of a class
    entropies = np.log(sizes) - np.bincount(classes, counts * np.log(counts), number) / sizes
    return Diversity(
        column=name,
        l=int(np.bincount(classes, minlength=number).min()),
        entropy_l=max(1.0, float(np.exp(entropies.min()))),  # less is how floats add up
        alpha=_largest(counts, sizes[classes]),
        closeness=closeness_of(table, name, numbered(*keys)[0], words),
    )


def closeness_of(table: Table, name: str, classes: Ints64, words: Ints32) -> ColumnCloseness:
    """Return the limits of a column whose values, in one spelling each, are `words`; `classes` are from 0."""
    values, codes = np.unique(words, return_inverse=True)
    found, counts = np.unique(classes * values.size + codes.ravel(), return_counts=True)
    owners, places = np.divmod(found, values.size)
    sizes, totals, rows = np.bincount(classes), np.bincount(codes.ravel()), classes.size
    expected = totals[places] * sizes[owners]  # of an entry, in rows times rows
    gaps = counts * rows - expected
    apart = np.bincount(owners, np.abs(gaps) - expected, sizes.size).astype(np.int64) + sizes * rows
    most = np.zeros(sizes.size, dtype=np.int64)
    np.maximum.at(most, owners, counts)
    has_room = sizes.size * values.size <= MOST_CELLS
    texts = [table.values_of(name)[int(value)].as_py() for value in values]

    def all_gaps() -> Ints64:
        """Return (classes, values), also for values that a class lacks."""
        dense = np.zeros((sizes.size, values.size), dtype=np.int64)
        dense[owners, places] = counts
        return dense * rows - totals * sizes[:, None]

    return ColumnCloseness(
        t=_largest(apart, 2 * sizes * rows),
        t_ordered=_moved(all_gaps, sizes, texts) if has_room else None,
        t_hierarchical=_climbed(table, name, all_gaps, sizes, texts) if has_room else None,
        beta=_largest(gaps, expected),
        delta=None if found.size < sizes.size * values.size else float(np.abs(np.log1p(gaps / expected)).max()),
        c=None if (sizes == most).any() else _largest(most, sizes - most),
    )


def _largest(tops: Ints64, bottoms: Ints64) -> Fraction:
    """Return the largest quotient, exactly: floats only choose which ones are compared."""
    shares = tops / bottoms
    near = np.flatnonzero(shares >= shares.max() - 1e-9 * abs(shares.max()))
    pairs = {*zip(tops[near].tolist(), bottoms[near].tolist(), strict=True)}
    return max(Fraction(top, bottom) for top, bottom in pairs)


def _moved(all_gaps: Callable[[], Ints64], sizes: Ints64, texts: list[str]) -> Fraction | None:
    """Return the largest ordered distance; gaps are in rows times rows."""
    read = [number_from(folded(text)) for text in texts]
    numbers = [number for number in read if number is not None]
    if len(numbers) < len(read):
        return None
    if len(numbers) < 2:
        return Fraction(0)
    far = np.cumsum(all_gaps()[:, sorted(range(len(numbers)), key=numbers.__getitem__)], axis=1)
    return _largest(np.abs(far).sum(axis=1), (len(numbers) - 1) * sizes * int(sizes.sum()))


def _climbed(
    table: Table, name: str, all_gaps: Callable[[], Ints64], sizes: Ints64, texts: list[str]
) -> Fraction | None:
    """Return the largest distance in the column's hierarchy: half a step per level, node and share that leaves it."""
    if name not in table.hierarchies:
        return None
    tree = table.hierarchies[name].with_missing()
    leaves = {text: leaf for leaf, text in enumerate(tree.names.slice(0, tree.n_leaves).to_pylist())}
    if any(text not in leaves for text in texts):
        return None
    gaps, way, height, before = all_gaps(), np.zeros(sizes.size, dtype=np.int64), 0, len(texts) + 1
    for nodes in tree.paths()[[leaves[text] for text in texts]].T:
        names = np.unique(nodes)
        if 1 < names.size < before:  # a level of the tree of values that occur
            height, before = height + 1, names.size
            for node in names:
                way += np.abs(gaps[:, nodes == node].sum(axis=1))
    return _largest(way, 2 * max(1, height) * sizes * int(sizes.sum()))


def people_column(table: Table, named: Iterable[str] = (), roles: TableRoles | None = None) -> str | None:
    """Return the column that identifies people who have several rows, found by values; those `named` have other roles.

    >>> ids = [str(1000 + row // 3) for row in range(60)]
    >>> table = Table.from_columns({"c1": ids, "c2": [str(20 + int(id) % 40) for id in ids]})
    >>> people_column(table), people_column(table, ["c1"])
    ('c1', None)
    """
    found = roles_of(table) if roles is None else roles
    is_clear = found.form is TableForm.LONG and found.is_grouped
    return found.person if is_clear and found.person not in set(named) else None


def people_risk(table: Table, quasi: Sequence[str], person: str, known: Iterable[tuple[str, ...]] = ()) -> PeopleRisk:
    """Return how many people the columns `quasi`, and each set of columns in `known`, single out.

    >>> table = Table.from_columns({"id": ["1", "1", "2"], "age": ["7", "7", "9"]})
    >>> people_risk(table, ["age"], "id").whole
    PeopleExposure(columns=('age',), people=2, alone=2, fewest=1)
    """
    if person in quasi:
        raise InvalidParameter(f"a column has one role, {person!r} is named as person and as quasi-identifier.")
    table.schema.position(person)  # complains
    whole = _people_exposure(table, tuple(quasi), person)
    return PeopleRisk(person, whole, tuple(_people_exposure(table, columns, person) for columns in known))


def _people_exposure(table: Table, columns: tuple[str, ...], person: str) -> PeopleExposure:
    classes, n_classes = numbered(*keys_of(table, columns))
    width = len(table.values_of(person))
    pairs, _ = counted_keys(classes * width + table.codes_of(person), n_classes * width)
    people: Ints64 = np.bincount(pairs // width, minlength=n_classes)
    alone = np.unique(pairs[people[pairs // width] == 1] % width)
    return PeopleExposure(columns, int(np.unique(pairs % width).size), int(alone.size), int(people.min()))
