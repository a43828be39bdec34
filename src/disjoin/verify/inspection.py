"""Records `Inspection` (how a form is verified) and `Invariant` (what is checked; docs/reference/invariants.md)."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

import pyarrow as pa

from disjoin.model import AnyGuarantee, MixedRecords, Published, Table, Transactions, Verdict, Violation
from disjoin.model.published import nouns
from disjoin.model.ragged import Ints64

SHOWN = 5  # terms in an example
ORDER_WARNING = "the order may reveal which parts belong together."


class Finding(NamedTuple):
    """A violation and its place; `node` and `chunk` are -1 if it concerns more than one. `part` names the node.

    >>> str(Finding("V2", "7 subrecords in 5 records.", node=12, chunk=0).violation())
    'V2 at cluster 12, chunk 0: 7 subrecords in 5 records.'
    """

    invariant: str
    message: str
    node: int = -1
    chunk: int = -1  # counted inside the node, from 0
    example: tuple[str, ...] = ()
    part: str = "cluster"

    def violation(self) -> Violation:
        place = "the release" if self.node < 0 else f"{self.part} {self.node}"
        if self.chunk >= 0:
            place += f", chunk {self.chunk}"
        return Violation(self.invariant, place, self.message, self.example)


def examples(names: pa.StringArray, items: Iterable[int]) -> tuple[str, ...]:
    return tuple(names[int(item)].as_py() or "" for item in islice(items, SHOWN))


Part = TypeVar("Part")


def at_once(work: Callable[[Part], None], parts: Sequence[Part], threads: int) -> None:
    """Run `work(part)` for every part, up to `threads` in parallel; parts write to separate places.

    >>> done = []
    >>> at_once(done.append, [1, 2], 1)
    >>> done
    [1, 2]
    """
    if threads == 1 or len(parts) < 2:
        for part in parts:
            work(part)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    try:
        for waiting in [pool.submit(work, part) for part in parts]:
            waiting.result()
    finally:  # after Ctrl-C, waiting parts are not started
        pool.shutdown(wait=False, cancel_futures=True)


Original = Transactions | Table | MixedRecords
Clock = Callable[[], float]  # seconds from any start


@dataclass(frozen=True, slots=True)
class Known:
    """The original and where its records are published, as far as the caller knows."""

    original: Original | None = None
    part_of_record: Ints64 | None = None  # (records,) the leaf, group or published row of each, -1 for a suppressed one
    suppressed_records: int = 0
    exact: bool | None = None  # whether to try all possible originals
    stated: AnyGuarantee | None = None  # the release's own statement, if it may be less than the guarantee to check
    threads: int = 1  # number of threads; the findings do not depend on it
    clock: Clock = time.monotonic  # limits checks that would take too long


class Invariant(NamedTuple):
    """A check's name and sentence, the tables it needs, and what a breach breaks: guarantee, proof or fit."""

    name: str
    sentence: str
    needs: Literal["release", "original"] = "release"
    breaks: Literal["guarantee", "proof", "fit"] = "guarantee"

    def in_words(self, guarantee: Mapping[str, Any]) -> str:
        """Return the sentence filled in for this guarantee.

        >>> least = Invariant("V6", "Every cluster has at least {least}.")
        >>> least.in_words({"k": 5, "m": 2})
        'Every cluster has at least 5.'
        >>> least.in_words({"k": 5, "m": 2, "l": 8})
        'Every cluster has at least 8.'
        >>> Invariant("V13", "It holds for {also}.").in_words({})
        'It holds for another k and m.'
        """
        k, m = guarantee.get("k", "k"), guarantee.get("m", "m")
        least = max(k, guarantee.get("l", 1)) if isinstance(k, int) else k
        named = ("p", "l", "alpha", "entropy_l", "c", "t", "beta", "delta", "suppress", "slack", "cover_aware")
        others = {name: guarantee.get(name, name) for name in (*named, "min_people")}
        also = " and for ".join(f"k = {each['k']} and m = {each['m']}" for each in guarantee.get("also", ()))
        return self.sentence.format(k=k, m=m, least=least, also=also or "another k and m", **others)


def invariants_of(form: str) -> tuple[Invariant, ...]:
    """Return the invariants of a form, or of a `threshold` or the `files` of any, in the order of `invariants.csv`."""
    text = files("disjoin.verify").joinpath("invariants.csv").read_text(encoding="utf-8")
    table: list[Any] = list(csv.reader(text.splitlines()))
    return tuple(Invariant(*row[1:]) for row in table if row[0] == form)


THRESHOLD = invariants_of("threshold")  # of any form whose guarantee has one
(FILES,) = invariants_of("files")  # of any folder


class Inspection(NamedTuple):
    """What can be guaranteed of a form, the type of its original, the function that verifies it, and its checks."""

    guarantees: tuple[type[Any], ...]
    original: type[Original]
    inspect: Callable[[Any, Any, Known], Verdict]
    invariants: tuple[Invariant, ...]  # in the order of reports
    public_facts: tuple[str, ...] = ()  # facts of a verdict that reveal nothing about the original
    unseen: Callable[[Verdict], list[str]] = lambda verdict: []  # sentences on what a verdict does not cover


def verdict_of(
    published: Any, guarantee: Any, findings: Iterable[Finding], checked: Iterable[str], facts: dict[str, Any]
) -> Verdict:
    violations = (*published.anomalies, *(finding.violation() for finding in findings))
    return Verdict(guarantee, violations, tuple(checked), facts)


def keep(findings: Iterable[Finding], *invariants: str) -> bool:
    return not any(finding.invariant in invariants for finding in findings)


def inspection_of(noun: Published | type[Published]) -> Inspection:
    found: Inspection = import_module(noun.inspection).INSPECTION
    return found


def inspections() -> list[Inspection]:
    return [inspection_of(noun) for noun in nouns()]


def all_invariants() -> dict[str, Invariant]:
    return {each.name: each for found in inspections() for each in found.invariants} | {FILES.name: FILES}
