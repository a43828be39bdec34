"""Who has a group's sensitive item? What guessing by likeness, length or place gives, with the original at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from disjoin.errors import InvalidParameter, require_kind
from disjoin.model.groups import Groups
from disjoin.model.published import Draft
from disjoin.model.transactions import Transactions

Record = tuple[tuple[int, ...], tuple[int, ...]]  # ordinary items, sensitive items
Guess = Callable[[Sequence[Record]], list[int]]  # of the records of a group in published order: the best guesses


@dataclass(frozen=True, slots=True)
class GroupGuess:
    """How often a way to guess is right.

    `cases` counts each sensitive item of each group. `right` is the share of them in which the guessed record of the
    group has the item, `random` the share for a record taken at random. Of equally good guesses one is taken at random.
    """

    name: str
    cases: int
    right: float
    random: float


def group_guesses(draft: Draft[Groups], original: Transactions) -> tuple[GroupGuess, ...]:
    """Return what each way to guess gives for the groups of a draft, which knows where every record went.

    Groups with a record that has no ordinary item are left out: nothing is promised to such records. None are
    returned if no other group has a sensitive item.
    """
    require_kind(original, Transactions, "Transactions", "Read records with disjoin.read.")
    if draft.part_of_record is None or draft.part_of_record.size != len(original):
        raise InvalidParameter("expected the records that the draft was made from, found another number of them.")
    cases = random = 0.0
    right = dict.fromkeys(GUESSES, 0.0)
    for records in _groups(draft, original):
        holders = Counter(item for _, sensitive in records for item in sensitive)
        cases += len(holders)
        random += sum(holders.values()) / len(records)
        for name, guess in GUESSES.items():
            best = guess(records)
            right[name] += sum(len(records[place][1]) for place in best) / len(best)
    return tuple(GroupGuess(name, int(cases), right[name] / cases, random / cases) for name in GUESSES if cases)


def _groups(draft: Draft[Groups], original: Transactions) -> Iterator[list[Record]]:
    """Go through the groups that have a sensitive item and no record without ordinary ones, sorted as published."""
    marked = original.with_sensitive(draft.sensitive)
    assert marked.sensitive is not None and draft.part_of_record is not None, "both are there, see above"
    order = np.argsort(draft.part_of_record, kind="stable")
    for members in np.split(order, np.cumsum(np.bincount(draft.part_of_record))[:-1]):
        records = []
        for member in members.tolist():
            items, is_secret = marked[member], marked.sensitive[marked[member]]
            records.append((tuple(items[~is_secret].tolist()), tuple(items[is_secret].tolist())))
        if any(sensitive for _, sensitive in records) and all(ordinary for ordinary, _ in records):
            yield sorted(records)


def _in_common(records: Sequence[Record]) -> list[int]:
    """Count for every record the items in common with the others, over all of them."""
    counts = Counter(item for ordinary, _ in records for item in ordinary)
    return [sum(counts[item] - 1 for item in ordinary) for ordinary, _ in records]


def _places_of(values: Sequence[int], wanted: int) -> list[int]:
    return [place for place, value in enumerate(values) if value == wanted]


def _most_alike(records: Sequence[Record]) -> list[int]:
    common = _in_common(records)
    return _places_of(common, max(common))


def _least_alike(records: Sequence[Record]) -> list[int]:
    common = _in_common(records)
    return _places_of(common, min(common))


def _longest(records: Sequence[Record]) -> list[int]:
    lengths = [len(ordinary) for ordinary, _ in records]
    return _places_of(lengths, max(lengths))


def _same_as(records: Sequence[Record], place: int) -> list[int]:
    """Return all records that cannot be told from the one at a place, as it is published with a count."""
    return [other for other, (ordinary, _) in enumerate(records) if ordinary == records[place][0]]


GUESSES: dict[str, Guess] = {
    "most alike": _most_alike,
    "least alike": _least_alike,
    "longest": _longest,
    "first": lambda records: _same_as(records, 0),
    "middle": lambda records: _same_as(records, len(records) // 2),
    "last": lambda records: _same_as(records, len(records) - 1),
}
