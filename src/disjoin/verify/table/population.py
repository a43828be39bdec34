"""T13, T14: k-map and delta-presence with a population.

A class includes every row of the population whose values its own include. Classes may include one another's people, so
how likely a person is in the table is the sum, over all classes that include them, of its rows per person included;
1 where that is more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import KAnonymity, Table, Verdict
from disjoin.model.ragged import Ints64
from disjoin.verify.inspection import Finding
from disjoin.verify.table.classes import Classes, combined, distinct
from disjoin.verify.table.shape import of_classes
from disjoin.verify.table.spans import Spans, spans_of


class Asked(NamedTuple):
    """What is asked beside a population; None where nothing is."""

    k_map: int | None = None
    presence: tuple[Fraction, Fraction] | None = None


class Beside(NamedTuple):
    """How many people each class includes, and by kind of person which share of them is in the table."""

    included: Ints64  # (classes,)
    presence: list[Fraction]  # (kinds of people,)


def with_population(
    verdict: Verdict, table: Table, quasi: tuple[str, ...], population: Table, asked: Asked | None = None
) -> Verdict:
    """Return the verdict with T13 and T14, as far as they are promised or asked for, and what is kept at best."""
    asked = _with_promise(asked or Asked(), verdict.guarantee)
    missing = [name for name in quasi if name not in population.schema.names]
    if missing:
        raise InvalidParameter(f"the population has no column {missing[0]!r}, which somebody may know. Add it.")
    classes = Classes.of(table, quasi)
    found = beside(table, classes, population)
    least, most = min(found.presence), max(found.presence)
    findings, checked = [], []
    if asked.k_map is not None:
        checked.append("T13")
        findings += _too_few(table, classes, found.included, asked.k_map)
    if asked.presence is not None:
        checked.append("T14")
        findings += _too_sure(least, most, asked.presence)
    facts: dict[str, Any] = {
        "people": len(population),
        "k_map": int(found.included.min()),
        "presence": [[share.numerator, share.denominator] for share in (least, most)],
    }
    return replace(
        verdict,
        violations=(*verdict.violations, *(finding.violation() for finding in findings)),
        checked=(*verdict.checked, *checked),
        facts={**verdict.facts, "population": facts},
    )


def _with_promise(asked: Asked, guarantee: object) -> Asked:
    """Return what is asked and what is promised, whichever is stricter."""
    if not isinstance(guarantee, KAnonymity):
        return asked
    k_map = max(filter(None, (asked.k_map, guarantee.k_map)), default=None)
    both = [limits for limits in (asked.presence, guarantee.presence) if limits is not None]
    presence = (max(low for low, _ in both), min(high for _, high in both)) if both else None
    return Asked(k_map, presence)


def beside(table: Table, classes: Classes, population: Table) -> Beside:
    """Count the people that every class includes, and add up how likely each is in the table."""
    names = classes.columns
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
    return Beside(included, [min(share, Fraction(1)) for share in shares])


def _starting_inside(inside: list[tuple[Spans, Spans]]) -> Iterator[Ints64]:
    """Yield for every class the kinds that start inside its span, in the column with the fewest; others are outside."""
    found = []
    for mine, theirs in inside:
        order = np.argsort(theirs.first)
        starts = theirs.first[order]
        found.append((order, np.searchsorted(starts, mine.first, "left"), np.searchsorted(starts, mine.last, "right")))
    for number in range(inside[0][0].first.size):
        order, low, high = min(found, key=lambda column: column[2][number] - column[1][number])
        yield order[low[number] : high[number]]


def _too_few(table: Table, classes: Classes, included: Ints64, least: int) -> list[Finding]:
    def words(number: int) -> str:
        return f"it includes {included[number]} people of the population, at least {least} are needed."

    return of_classes("T13", table, classes, np.flatnonzero(included < least), words, "classes include too few people")


def _too_sure(least: Fraction, most: Fraction, allowed: tuple[Fraction, Fraction]) -> list[Finding]:
    findings = []
    if least < allowed[0]:
        words = f"of some people at most {float(least):.4g} are in the table, at least {float(allowed[0]):g} must be."
        findings.append(Finding("T14", words))
    if most > allowed[1]:
        words = f"of some people {float(most):.4g} are in the table, at most {float(allowed[1]):g} may be."
        findings.append(Finding("T14", words))
    return findings
