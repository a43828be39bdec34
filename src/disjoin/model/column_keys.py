"""Columns that may number people or events although values repeat (several rows per person), for `column_roles`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disjoin.model.column_facts import NEVER_KEYS, ColumnFacts, ValueShape
from disjoin.model.ragged import Ints64
from disjoin.model.value_shapes import OF_ANYTHING

GROUP_ROWS = 20_000  # rows, of whole groups, in which dependencies are measured
KEY = 2  # from this number of points a column is a key
LIKELY = 4  # from this number of points that is likely
_WORDLIKE = (ValueShape.WORDS, ValueShape.CODE, ValueShape.INTEGER)


class Dependencies:
    """How far one column determines another: 1 - (extra pairs) / (extra pairs with the other column shuffled).

    Only groups of two or more rows count. The result is at most the share of groups with one value, plus .1.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], float] = {}
        self._rows: dict[str, Ints64] = {}
        self._random = np.random.default_rng(0)  # the same file always gets the same roles

    def __call__(self, one: ColumnFacts, other: ColumnFacts) -> float:
        key = (one.name, other.name)
        if key not in self._known:
            self._known[key] = self._measured(one, other)
        return self._known[key]

    def _rows_of(self, one: ColumnFacts) -> Ints64:
        if one.name not in self._rows:
            order = self._random.permutation(np.flatnonzero(one.counts >= 2))
            many = int(np.searchsorted(np.cumsum(one.counts[order]), GROUP_ROWS)) + 1
            is_chosen = np.zeros(one.distinct + 1, bool)  # the last entry is for blanks
            is_chosen[order[:many]] = True
            self._rows[one.name] = np.flatnonzero(is_chosen[one.codes])
        return self._rows[one.name]

    def _measured(self, one: ColumnFacts, other: ColumnFacts) -> float:
        rows = self._rows_of(one)
        rows = rows[other.codes[rows] >= 0]
        if rows.size < 20:
            return 0.0
        groups, values = one.codes[rows].astype(np.int64), other.codes[rows].astype(np.int64)
        width = other.distinct + 1
        pairs = np.unique(groups * width + values)
        sizes = np.unique(pairs // width, return_counts=True)[1]
        by_chance = np.unique(groups * width + self._random.permutation(values)).size - sizes.size
        if by_chance < 8:
            return 0.0
        return float(min(1 - (pairs.size - sizes.size) / by_chance, np.mean(sizes == 1) + 0.1))


@dataclass(slots=True)
class Key:
    """The points of a column for being a key, and the strongest reason."""

    points: int = 0
    why: str = ""
    weight: int = 0  # the points of that reason
    within: str = ""  # the column within whose values this one counts 1, 2, 3 ...
    agreeing: int = 0  # independent columns that are the same in all rows of one value

    def add(self, points: int, why: str = "", weight: int | None = None) -> None:
        """Add points; the reason with the greatest weight (by default its points) remains, the first among equals."""
        self.points += points
        weight = points if weight is None else weight
        if why and weight > self.weight:
            self.why, self.weight = why, weight


def quoted(name: str) -> str:
    return f"`{name}`"


def keys_of(columns: Sequence[ColumnFacts], depend: Dependencies) -> dict[str, Key]:
    live = [column for column in columns if column.distinct >= 2]
    keys = {column.name: _key(column, live, depend) for column in live}
    many = {column.name: column.distinct for column in live}
    for name, key in keys.items():
        if key.within and not (keys[key.within].points >= KEY and many[key.within] > many[name]):
            keys[key.within].points = 0  # a site; more keys than numbers mean people with a wave or day in each row
    return keys


def are_times(column: ColumnFacts, columns: Sequence[ColumnFacts], keys: dict[str, Key]) -> bool:
    """Return whether a key is more likely seconds since 1970, because another column is a key."""
    if column.integers is None or not column.integers.is_epoch or column.ratio < 0.5 or "person" in column.hints:
        return False
    others = [other for other in columns if other is not column and not (other.integers and other.integers.is_epoch)]
    return any(keys[other.name].points >= KEY for other in others if other.name in keys)


def _key(column: ColumnFacts, live: Sequence[ColumnFacts], depend: Dependencies) -> Key:
    key = Key()
    if column.shape in NEVER_KEYS:
        return key
    if column.direct:
        key.add(5, f"its values look like {column.direct}")
    if "person" in column.hints and "place" not in column.hints and column.distinct >= 10:
        key.add(2, "its header names people, and it has many different values", weight=1)
    facts = column.integers
    are_ages = facts is not None and facts.low > 1 and facts.high <= 120  # row numbers begin with 0 or 1
    is_dense = facts is not None and facts.is_dense and not are_ages
    if column.ratio >= 0.95 and column.given >= 10 and (column.is_id_like or is_dense):
        key.add(4, "nearly every row has a different value")
        return key
    if column.ratio >= 0.3 and column.is_id_like and column.distinct >= 20:
        key.add(2, f"it has {column.distinct:,} different values in {column.given:,} rows", weight=1)
    within = numbered_within(column, live)
    if within is not None:
        key.within, key.weight = within.name, 0
        key.add(4, f"it counts 1, 2, 3 ... within {quoted(within.name)}; together they differ in every row")
    elif column.repeats and column.distinct >= 8:
        _add_structure(key, column, live, depend)
    return key


def _add_structure(key: Key, column: ColumnFacts, live: Sequence[ColumnFacts], depend: Dependencies) -> None:
    """Add the points of a column whose values repeat: columns constant within a value, and the distribution."""
    agreeing, facts = _agreeing(column, live, depend), column.integers
    key.agreeing = len(agreeing)
    names = " and ".join(quoted(other.name) for other in agreeing[:3])
    is_taxonomy = column.are_labels and len(agreeing) < 2
    if agreeing and not is_taxonomy:
        key.add(4 if len(agreeing) >= 2 else 2, f"rows of one value agree in {names}")
    if column.is_contiguous and not is_taxonomy:
        key.add(2, "rows of one value follow each other")
    is_measured = facts is not None and facts.unevenness > 0.2 and not facts.zeros and facts.digits < 6
    if column.is_id_like and not (is_measured and key.points < KEY):
        if column.distinct >= 20 or key.points >= KEY or (column.is_even and column.shape is ValueShape.CODE):
            key.add(2, "its values are numbered codes")
    elif facts is not None and facts.is_dense and column.distinct > 120:
        key.add(1)
    if not column.direct:
        key.points -= (column.head > 0.35) + 2 * column.is_icd + 2 * bool(column.hints & {"thing", "place"})
        key.points -= 3 * (len(agreeing) < 2 and column.is_dominated)


def _agreeing(column: ColumnFacts, live: Sequence[ColumnFacts], depend: Dependencies) -> list[ColumnFacts]:
    """Return the columns that a column determines; of a chain such as postcode, town, state only one."""
    smaller = [other for other in live if other is not column and other.distinct < 0.8 * column.distinct]
    below = [other for other in smaller if other.shape is not ValueShape.LIST and depend(column, other) >= 0.9]
    return [
        other
        for other in below
        if not any(finer.distinct > other.distinct and depend(finer, other) >= 0.9 for finer in below)
    ]


def numbered_within(column: ColumnFacts, live: Sequence[ColumnFacts]) -> ColumnFacts | None:
    facts = column.integers
    if column.shape is not ValueShape.INTEGER or facts is None or not facts.is_dense:
        return None
    if facts.low > 1 or not 10 <= column.distinct <= 1500:
        return None
    return next((other for other in live if other is not column and _counts_within(column, other)), None)


def _counts_within(column: ColumnFacts, other: ColumnFacts) -> bool:
    is_small = other.integers is not None and other.integers.is_dense and other.integers.high <= 130
    if other.shape not in _WORDLIKE or (is_small and other.distinct >= 10):
        return False
    if not 2 <= other.distinct <= column.codes.size / 8 or np.median(other.counts) < 8:
        return False
    both = (other.codes >= 0) & (column.codes >= 0)
    pairs = other.codes[both].astype(np.int64) * (column.distinct + 1) + column.codes[both]
    return bool(np.unique(pairs).size >= 0.99 * pairs.size)


def person_among(columns: Sequence[ColumnFacts], keys: dict[str, Key], depend: Dependencies) -> list[ColumnFacts]:
    """Return the candidates for the person's column: the best first, then those within two points.

    The person is the coarsest repeating key that other keys belong to; without one, the best unique key.
    """
    found = [column for column in columns if column.name in keys and keys[column.name].points >= KEY]
    scored = [(_person_points(column, found, keys, depend), column) for column in found]
    ranked = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    return [column for points, column in ranked if points >= ranked[0][0] - 2]


def _person_points(
    column: ColumnFacts, found: Sequence[ColumnFacts], keys: dict[str, Key], depend: Dependencies
) -> int:
    key = keys[column.name]
    is_person = column.direct or key.agreeing or column.is_contiguous
    is_place_only = "place" in column.hints and column.repeats and not is_person
    if any(other.name == key.within for other in found) or is_place_only:
        return 0  # a wave or day of people whom the other column identifies, or their place
    points = key.points + ("person" in column.hints) - ("event" in column.hints)
    if not column.repeats:
        return points + 6 * (bool(column.direct) and column.direct not in OF_ANYTHING)
    finer = [other for other in found if other.distinct > 1.1 * column.distinct and other.repeats]
    coarser = [other for other in found if column.distinct > 1.1 * other.distinct and not other.is_icd]
    owners = [
        other
        for other in coarser
        if keys[other.name].points >= (2 if other.shape is ValueShape.CODE else 3) and depend(column, other) >= 0.95
    ]
    is_part = any(other.shape is ValueShape.CODE and other.distinct >= 0.2 * column.distinct for other in owners)
    points += 3 * any(depend(other, column) >= 0.95 for other in finer) - 4 * bool(owners) - 20 * is_part
    if points < 4 and any(other.ratio >= 0.95 for other in found):
        return 0
    return points + 2 * (not column.is_rare_words)


def is_grouped(person: ColumnFacts, key: Key) -> bool:
    """Return whether rows belong together, whatever the header: they agree in a column, or are adjacent."""
    hinted = 2 * ("person" in person.hints) - 2 * bool(person.hints & {"thing", "place"})
    is_one = person.direct or (_belongs(person, key) and key.points - hinted >= LIKELY)
    return person.repeats and not key.within and bool(is_one)


def _belongs(person: ColumnFacts, key: Key) -> bool:
    return bool(person.direct or key.agreeing or person.is_even or person.is_contiguous)


def is_long(person: ColumnFacts, key: Key, columns: Sequence[ColumnFacts]) -> bool:
    """Return whether a person has several rows: they belong together, or there are terms next to them."""
    if not person.repeats or key.within:
        return False
    if _belongs(person, key):
        return True
    shapes = (ValueShape.WORDS, ValueShape.CODE, ValueShape.TEXT)
    others = [other for other in columns if other is not person and other.distinct >= 10]
    return not person.is_rare_words and any(other.shape in shapes or other.is_id_like for other in others)
