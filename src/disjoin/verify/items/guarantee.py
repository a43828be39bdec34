"""A6: k^m-anonymity of the generalised records."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from disjoin.model import KmAnonymity
from disjoin.model.ragged import Ints32, Ints64, offsets_of
from disjoin.verify.chunks import COSTLY, combinations_in, one_of_twins, undecided
from disjoin.verify.inspection import Finding
from disjoin.verify.rows import Rows


class Rarest(NamedTuple):
    """The least support of any set of up to m terms that occurs, and a shortest set that has it."""

    support: int
    items: Ints32


def check_guarantee(rows: Rows, rarest: Rarest | None, guarantee: KmAnonymity) -> list[Finding]:
    """A6. Needs tidied rows, of which `rarest` was found; nothing else of a promise can be kept by such records."""
    findings = []
    if guarantee.sensitive or guarantee.l > 1:
        message = "sensitive terms are promised what generalised records do not keep: only k and m can be."
        findings.append(Finding("A6", message, example=guarantee.sensitive))
    if rarest is not None and rarest.support < guarantee.k:
        found, _ = _rarer_than(guarantee.k, rows, guarantee.m)
        others = "" if found == 1 else f" Too rare are at least {found:,} combinations."
        message = f"these terms are together in {rarest.support} records, at least {guarantee.k} are needed.{others}"
        findings.append(Finding("A6", message, example=rows.terms(rarest.items)))
    return findings


def rarest_set(rows: Rows, m: int) -> Rarest | None:
    """Return the rarest set of 1 to m terms that occurs in tidied rows; None if there are no terms.

    A search finds the smallest sets below a bound and does not look at what contains them; so the bound is lowered
    until nothing is below it. Every search needs sets that are larger than before: there are at most m of them.
    """
    supports = rows.supports()
    occurring = np.flatnonzero(supports)
    if not occurring.size:
        return None
    least = int(occurring[np.argmin(supports[occurring])])
    rarest = Rarest(int(supports[least]), np.array([least], dtype=np.int32))
    while m > 1 and rarest.support > 1:
        _, rarer = _rarer_than(rarest.support, rows, m)
        if rarer is None:
            break
        rarest = rarer
    return rarest


def _rarer_than(bound: int, rows: Rows, m: int) -> tuple[int, Rarest | None]:
    """Count smallest sets of up to m terms that occur in fewer records than the bound, and return the rarest.

    Where that would take long, one of several terms that are in the same rows stands for all: supports are the same.
    """
    from disjoin.verify.counting.itemsets import search

    if m == 1:
        supports = rows.supports()
        return int(((supports > 0) & (supports < bound)).sum()), None
    if combinations_in(np.diff(rows.offsets), m).sum() > COSTLY:
        rows = _without_twins(rows)
    m = max(2, min(m, int(np.diff(rows.offsets).max(initial=0))))
    room = len(rows) + m * rows.items.size
    suffixes, extensions = np.empty((3, room), dtype=np.int64), np.empty((4, room), dtype=np.int64)
    scratch, frames = np.zeros((3, len(rows.names)), dtype=np.int64), np.empty((4, m), dtype=np.int64)
    worst: Ints64 = np.zeros((3, 1), dtype=np.int64)
    examples = np.zeros((1, m), dtype=np.int32)
    bags = (rows.whole, rows.offsets, rows.items, rows.counts)
    tables = (suffixes, extensions, scratch, frames)
    if not search(np.zeros(1, dtype=np.int64), bags, bound, tables, (worst, examples, np.empty(m, dtype=np.int32))):
        raise undecided(m)
    found, least, length = worst[:, 0].tolist()
    return found, Rarest(least, np.sort(examples[0, :length])) if found else None


def _without_twins(rows: Rows) -> Rows:
    """Return the rows with one only of the terms that are in exactly the same rows."""
    row_of = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
    chosen = one_of_twins(row_of, rows.items, len(rows.names))[rows.items]
    lengths = np.bincount(row_of[chosen], minlength=len(rows))
    return replace(rows, offsets=offsets_of(lengths), items=rows.items[chosen])
