"""U4, U5, T13, T14: people in every class, counted in the original or in a population."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import KAnonymity, Table, Verdict
from disjoin.model.ragged import Flags, Ints64
from disjoin.text import counted
from disjoin.verify.inspection import Finding
from disjoin.verify.source import value_as_read, words_of
from disjoin.verify.table.assignment import Kinds, Outcome, bundles, columns_to_compare, fitting_pairs
from disjoin.verify.table.classes import LISTED, Classes, combined, distinct, listed
from disjoin.verify.table.original import Comparison, Spans, is_in_the_same_order, spans_of

MOST_PAIRS = 50_000_000  # pairs of a class and a fitting row, without a map of rows to classes


def check_people(comparison: Comparison, guarantee: KAnonymity, parts: Ints64 | None) -> Outcome:
    """U4 and U5; exactly with the published row of each original row, otherwise from rows that fit one class only."""
    assert guarantee.person is not None, "needs a guarantee about people"
    if guarantee.person not in comparison.original.schema.names:
        message = f"the original has no column {guarantee.person!r}, which identifies people."
        return Outcome([Finding("U4", message)], ("U4",), "the people are not known")
    classes = Classes.of(comparison.published, guarantee.quasi)
    if parts is None and is_in_the_same_order(comparison):
        parts = np.arange(len(comparison.original))
    if parts is None:
        return _by_what_fits(comparison, guarantee, classes)
    sources = np.flatnonzero(parts >= 0)
    members = Members.of(classes.of_row[parts[sources]], sources, comparison.original, guarantee)
    findings = check_number(classes, guarantee.k, members)
    invariants = ["U4"]
    if guarantee.is_about_sensitive:
        invariants.append("U5")
        for name in guarantee.sensitive:
            findings += check_holders(comparison.original, classes, guarantee, members, name)
    return Outcome(findings, tuple(invariants), "the rows are known")


class Members(NamedTuple):
    """The rows of the original in each class, and their people."""

    classes: Ints64  # (members,)
    rows: Ints64  # (members,) rows of the original
    people: Ints64  # (members,)
    n_people: int

    @classmethod
    def of(cls, classes: Ints64, rows: Ints64, original: Table, guarantee: KAnonymity) -> Members:
        assert guarantee.person is not None, "needs a guarantee about people"
        people = original.codes_of(guarantee.person).astype(np.int64)
        return cls(classes, rows, people[rows], len(original.values_of(guarantee.person)))

    def people_of(self, n_classes: int) -> Ints64:
        pairs = np.unique(self.classes * self.n_people + self.people)
        return np.bincount(pairs // self.n_people, minlength=n_classes)


def check_number(classes: Classes, k: int, members: Members) -> list[Finding]:
    """U4: the rows of every class belong to at least k different people."""
    people = members.people_of(len(classes))

    def words(number: int) -> str:
        return f"its rows belong to {_people(people[number])}, but at least {k} are needed."

    return classes.findings("U4", np.flatnonzero(people < k), words, "classes have too few people")


def check_holders(
    original: Table, classes: Classes, guarantee: KAnonymity, members: Members, name: str
) -> list[Finding]:
    """U5: at most a share alpha of a class's people have the same value, and at least l - 1 do not have it."""
    people = members.people_of(len(classes))
    words = words_of((value or "" for value in original.values_of(name).to_pylist()), value_as_read)
    values = words[original.codes_of(name)][members.rows]
    held, _ = distinct((members.classes * (1 + int(values.max(initial=0)))) + values)
    pairs, first = np.unique(held * members.n_people + members.people, return_index=True)
    holders = np.bincount(pairs // members.n_people)
    where = np.zeros(holders.size, dtype=np.int64)
    where[pairs // members.n_people] = members.classes[first]
    wrong = np.flatnonzero(_too_many(holders, people[where], guarantee))
    findings = []
    for entry in wrong[:LISTED]:
        number = int(where[entry])
        most = _allowed(int(people[number]), guarantee)
        message = f"{holders[entry]} of its {_people(people[number])} have the same {name}, but at most {most} may."
        findings.append(classes.finding("U5", message, number))
    return listed(findings, wrong.size, f"values of {name} belong to too many people of a class")


def _too_many(holders: Ints64, people: Ints64, guarantee: KAnonymity) -> Flags:
    sizes, which = np.unique(people, return_inverse=True)
    most = np.array([_allowed(size, guarantee) for size in sizes.tolist()], dtype=np.int64)
    return np.asarray(holders > most[which.ravel()], dtype=np.bool_)


def _allowed(people: int, guarantee: KAnonymity) -> int:
    alpha = guarantee.alpha
    share = people if alpha is None else people * alpha.numerator // alpha.denominator
    return min(share, people - (guarantee.l - 1))


def _by_what_fits(comparison: Comparison, guarantee: KAnonymity, classes: Classes) -> Outcome:
    """Count the people of all rows that fit a class, and of those that fit no other one.

    Too few of the former break U4, enough of the latter satisfy it. Otherwise, and always for U5, the result is open.
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
    findings = check_number(classes, guarantee.k, Members.of(*every, comparison.original, guarantee))
    if findings:
        return Outcome(findings, ("U4",), "too few people fit a class")
    alone = np.bincount(kinds, minlength=sources.counts.size)[kinds] == 1
    sure = _rows_of_kinds(places[alone], kinds[alone], kind_of_row, sources.counts)
    people = Members.of(*sure, comparison.original, guarantee).people_of(len(classes))
    is_kept = bool((people >= guarantee.k).all()) and not guarantee.is_about_sensitive
    return Outcome([], ("U4",) if is_kept else (), "" if is_kept else "rows fit several classes")


def _rows_of_kinds(places: Ints64, kinds: Ints64, kind_of_row: Ints64, counts: Ints64) -> tuple[Ints64, Ints64]:
    rows = np.argsort(kind_of_row, kind="stable")
    starts = np.cumsum(counts) - counts
    lengths = counts[kinds]
    inside = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(places, lengths), rows[np.repeat(starts[kinds], lengths) + inside]


def _people(count: int) -> str:
    return counted(int(count), "person", "different people")


# People outside the table (T13, T14). A class includes every row of the population whose values it includes. The
# probability that a person is in the table is the sum, over all classes that include them, of rows per included person.


class Asked(NamedTuple):
    """The requirements on a population; None if there are none."""

    k_map: int | None = None
    presence: tuple[Fraction, Fraction] | None = None


def with_population(
    verdict: Verdict, table: Table, quasi: tuple[str, ...], population: Table, asked: Asked | None = None
) -> Verdict:
    """Return the verdict with T13 and T14, as far as guaranteed or requested, and the strongest values that hold."""
    asked = _with_guarantee(asked or Asked(), verdict.guarantee)
    missing = [name for name in quasi if name not in population.schema.names]
    if missing:
        raise InvalidParameter(f"the population has no column {missing[0]!r}, a quasi-identifier. Add it.")
    classes = Classes.of(table, quasi)
    included, presence = beside(classes, population)
    least, most = min(presence), max(presence)
    findings, checked = [], []
    if asked.k_map is not None:
        checked.append("T13")
        few, needed = np.flatnonzero(included < asked.k_map), f"but at least {asked.k_map} are needed."
        findings += classes.findings(
            "T13",
            few,
            lambda number: f"it includes {included[number]} people of the population, {needed}",
            "classes include too few people",
        )
    if asked.presence is not None:
        checked.append("T14")
        findings += _too_sure(least, most, asked.presence)
    facts: dict[str, Any] = {
        "people": len(population),
        "k_map": int(included.min()),
        "presence": [list(share.as_integer_ratio()) for share in (least, most)],
    }
    return replace(
        verdict,
        violations=(*verdict.violations, *(finding.violation() for finding in findings)),
        checked=(*verdict.checked, *checked),
        facts={**verdict.facts, "population": facts},
    )


def _with_guarantee(asked: Asked, guarantee: object) -> Asked:
    if not isinstance(guarantee, KAnonymity):
        return asked
    k_map = max(filter(None, (asked.k_map, guarantee.k_map)), default=None)
    both = [limits for limits in (asked.presence, guarantee.presence) if limits is not None]
    presence = (max(low for low, _ in both), min(high for _, high in both)) if both else None
    return Asked(k_map, presence)


def beside(classes: Classes, population: Table) -> tuple[Ints64, list[Fraction]]:
    """Return how many people each class includes, and for each kind of person their share in the table."""
    table, names = classes.table, classes.columns
    pairs = [(population.codes_of(name), len(population.values_of(name))) for name in names]
    kinds, firsts = distinct(combined(pairs, len(population)))
    people = np.bincount(kinds, minlength=firsts.size)
    inside = []
    for name in names:
        mine, theirs = spans_of(name, table, population)
        codes = theirs.of(population.codes_of(name)[firsts])
        inside.append((mine.of(table.codes_of(name)[classes.rows]), codes))
    included, shares = np.zeros(len(classes), dtype=np.int64), [Fraction(0)] * firsts.size
    for number, (rows, fits) in enumerate(zip(classes.sizes.tolist(), _starting_inside(inside), strict=True)):
        for mine, theirs in inside:
            fits = fits[(mine.first[number] <= theirs.first[fits]) & (theirs.last[fits] <= mine.last[number])]
        included[number] = people[fits].sum()
        if included[number]:
            share = Fraction(rows, int(included[number]))
            for kind in fits.tolist():
                shares[kind] += share
    return included, [min(share, Fraction(1)) for share in shares]


def _starting_inside(inside: list[tuple[Spans, Spans]]) -> Iterator[Ints64]:
    """Yield for every class the kinds that start inside its span, in the column with the fewest."""
    found = []
    for mine, theirs in inside:
        order = np.argsort(theirs.first)
        starts = theirs.first[order]
        found.append((order, np.searchsorted(starts, mine.first, "left"), np.searchsorted(starts, mine.last, "right")))
    for number in range(inside[0][0].first.size):
        order, low, high = min(found, key=lambda column: column[2][number] - column[1][number])
        yield order[low[number] : high[number]]


def _too_sure(least: Fraction, most: Fraction, allowed: tuple[Fraction, Fraction]) -> list[Finding]:
    findings = []
    if least < allowed[0]:
        words = f"people may be in the table with probability {float(least):.4g}, not at least {float(allowed[0]):g}."
        findings.append(Finding("T14", words))
    if most > allowed[1]:
        words = f"people may be in the table with probability {float(most):.4g}, not at most {float(allowed[1]):g}."
        findings.append(Finding("T14", words))
    return findings
