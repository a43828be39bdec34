"""U4, U5: people in every class, counted in the original."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.model import KAnonymity, Table
from disjoin.model.ragged import Flags, Ints64
from disjoin.text import counted
from disjoin.verify.inspection import Finding
from disjoin.verify.source import value_as_read, words_of
from disjoin.verify.table.assignment import Kinds, Outcome, bundles, columns_to_compare, fitting_pairs
from disjoin.verify.table.classes import Classes, distinct
from disjoin.verify.table.original import Comparison, is_in_the_same_order
from disjoin.verify.table.shape import LISTED, listed, of_class, of_classes

MOST_PAIRS = 50_000_000  # of a class and a row that fits it, when nobody says which row is in which class


def check_people(comparison: Comparison, guarantee: KAnonymity, parts: Ints64 | None) -> Outcome:
    """U4 and U5; exactly with the published row of each original row, else as far as rows fit one class only."""
    assert guarantee.person is not None, "asked only where people are promised"
    if guarantee.person not in comparison.original.schema.names:
        message = f"the original has no column {guarantee.person!r}, which says whose a row is."
        return Outcome([Finding("U4", message)], ("U4",), "the people are not known")
    classes = Classes.of(comparison.published, guarantee.quasi)
    if parts is None and is_in_the_same_order(comparison):
        parts = np.arange(len(comparison.original))
    if parts is None:
        return _by_what_fits(comparison, guarantee, classes)
    sources = np.flatnonzero(parts >= 0)
    members = Members.of(classes.of_row[parts[sources]], sources, comparison.original, guarantee)
    findings = check_number(comparison.published, classes, guarantee.k, members)
    invariants = ["U4"]
    if guarantee.is_about_sensitive:
        invariants.append("U5")
        for name in guarantee.sensitive:
            findings += check_holders(comparison, classes, guarantee, members, name)
    return Outcome(findings, tuple(invariants), "the rows are known")


class Members(NamedTuple):
    """Which rows of the original are in which class, and whose they are."""

    classes: Ints64  # (members,)
    rows: Ints64  # (members,) of the original
    people: Ints64  # (members,)
    n_people: int

    @classmethod
    def of(cls, classes: Ints64, rows: Ints64, original: Table, guarantee: KAnonymity) -> Members:
        assert guarantee.person is not None, "asked only where people are promised"
        people = original.codes_of(guarantee.person).astype(np.int64)
        return cls(classes, rows, people[rows], len(original.values_of(guarantee.person)))

    def people_of(self, n_classes: int) -> Ints64:
        pairs = np.unique(self.classes * self.n_people + self.people)
        return np.bincount(pairs // self.n_people, minlength=n_classes)


def check_number(table: Table, classes: Classes, k: int, members: Members) -> list[Finding]:
    """U4: the rows of every class belong to at least k different people."""
    people = members.people_of(len(classes))

    def words(number: int) -> str:
        return f"its rows belong to {_people(people[number])}, at least {k} are needed."

    return of_classes("U4", table, classes, np.flatnonzero(people < k), words, "classes have too few people")


def check_holders(
    comparison: Comparison, classes: Classes, guarantee: KAnonymity, members: Members, name: str
) -> list[Finding]:
    """U5: no value is had by more than alpha of a class's people, and of each value l - 1 of them are without it."""
    people = members.people_of(len(classes))
    words = words_of((value or "" for value in comparison.original.values_of(name).to_pylist()), value_as_read)
    values = words[comparison.original.codes_of(name)][members.rows]
    held, _ = distinct((members.classes * (1 + int(values.max(initial=0)))) + values)
    pairs, first = np.unique(held * members.n_people + members.people, return_index=True)
    holders = np.bincount(pairs // members.n_people)
    where = np.zeros(holders.size, dtype=np.int64)
    where[pairs // members.n_people] = members.classes[first]
    wrong = np.flatnonzero(_too_many(holders, people[where], guarantee))
    findings = []
    for entry in wrong[:LISTED]:
        number = int(where[entry])
        message = (
            f"{holders[entry]} of its {_people(people[number])} have the same {name}, "
            f"at most {_allowed(int(people[number]), guarantee)} may."
        )
        findings.append(of_class("U5", message, comparison.published, classes, number))
    return listed(findings, wrong.size, f"values of {name} are had by too many people of a class")


def _too_many(holders: Ints64, people: Ints64, guarantee: KAnonymity) -> Flags:
    sizes, which = np.unique(people, return_inverse=True)
    most = np.array([_allowed(size, guarantee) for size in sizes.tolist()], dtype=np.int64)
    return np.asarray(holders > most[which.ravel()], dtype=np.bool_)


def _allowed(people: int, guarantee: KAnonymity) -> int:
    """Return how many of that many people may have the same value."""
    alpha = guarantee.alpha
    share = people if alpha is None else people * alpha.numerator // alpha.denominator
    return min(share, people - (guarantee.l - 1))


def _by_what_fits(comparison: Comparison, guarantee: KAnonymity, classes: Classes) -> Outcome:
    """Count the people of all rows that fit a class, and of those that fit no other one.

    Too few of the former break U4. Enough of the latter in every class keep it. Between the two nothing is decided, and
    U5 never is: who else is in a class changes the shares.
    """
    mine, theirs = bundles(comparison)
    by = columns_to_compare(comparison)
    ours, sources = Kinds.of(comparison.published, by, mine), Kinds.of(comparison.original, by, theirs)
    edges = fitting_pairs(comparison, ours, sources)
    if isinstance(edges, str):
        return Outcome([], (), edges)
    targets = classes.of_row[ours.rows[edges[0]]]
    places, kinds = np.unique(np.stack([targets, edges[1]]), axis=1)
    if int(sources.counts[kinds].sum()) > MOST_PAIRS:
        return Outcome([], (), "too many rows fit several classes")
    kind_of_row, _ = Kinds.numbered(comparison.original, by, theirs)
    every = _rows_of_kinds(places, kinds, kind_of_row, sources.counts)
    findings = check_number(
        comparison.published, classes, guarantee.k, Members.of(*every, comparison.original, guarantee)
    )
    if findings:
        return Outcome(findings, ("U4",), "too few people fit a class")
    alone = np.bincount(kinds, minlength=sources.counts.size)[kinds] == 1
    sure = _rows_of_kinds(places[alone], kinds[alone], kind_of_row, sources.counts)
    people = Members.of(*sure, comparison.original, guarantee).people_of(len(classes))
    is_kept = bool((people >= guarantee.k).all()) and not guarantee.is_about_sensitive
    return Outcome([], ("U4",) if is_kept else (), "" if is_kept else "rows fit several classes")


def _rows_of_kinds(places: Ints64, kinds: Ints64, kind_of_row: Ints64, counts: Ints64) -> tuple[Ints64, Ints64]:
    """Return every class together with every row of the kinds that fit it."""
    rows = np.argsort(kind_of_row, kind="stable")
    starts = np.cumsum(counts) - counts
    lengths = counts[kinds]
    inside = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(places, lengths), rows[np.repeat(starts[kinds], lengths) + inside]


def _people(count: int) -> str:
    return counted(int(count), "person", "different people")
