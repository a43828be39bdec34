"""Overlap of data with earlier releases: how much, what chance explains, and what it means in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from disjoin.ledger.store import Fingerprints, Hashes, LedgerEntry
from disjoin.methods import METHODS
from disjoin.text import counted, printable

Kind = Literal["same", "update", "part", "numbers"]


@dataclass(frozen=True, slots=True)
class Overlap:
    """What data have in common with an earlier release: `ids` of `of_ids` (None if one of the two has none), and
    `records` of `of_records` with the same content, of which chance explains at most `by_chance`."""

    release: LedgerEntry
    kind: Kind
    ids: int | None
    of_ids: int | None
    records: int
    of_records: int
    by_chance: int

    def __str__(self) -> str:
        return f"{name_of(self.release)}: {counts_of(self)}."


def overlap_of(new: Fingerprints, old: Fingerprints, release: LedgerEntry) -> Overlap | None:
    """Compare data with an earlier release; None if chance explains what is common. Any id in common counts."""
    shared = shared_records(new.contents, old.contents)
    common = (
        (int(np.intersect1d(here, there, assume_unique=True).size), int(here.size), int(there.size))
        for here in new.ids
        for there in old.ids
    )
    ids, of_ids, of_old = max(common, default=(0, 0, 0))  # of the two columns that agree most
    if not ids and not shared.is_telling:
        return None
    return Overlap(
        release=release,
        kind=_kind(shared, ids, of_old, old.contents.size),
        ids=ids if of_ids else None,
        of_ids=of_ids or None,
        records=shared.records,
        of_records=int(new.contents.size),
        by_chance=round(shared.by_chance),
    )


def _kind(shared: Shared, ids: int, of_old_ids: int, old_records: int) -> Kind:
    """Return what it looks like: the same data, a later state, a part; or ids that only number what is in each file."""
    if shared.is_same:
        return "same"
    if ids and not shared.is_telling:
        return "numbers"
    is_most = 2 * ids >= of_old_ids if ids else 2 * shared.records >= old_records
    return "update" if is_most else "part"


_DEVIATIONS = 3  # beyond the expected number, before chance is ruled out


class Shared(NamedTuple):
    """How many records two sets have in common, and how many they would have by chance."""

    records: int
    by_chance: float
    deviation: float
    is_same: bool

    @property
    def is_telling(self) -> bool:
        return self.is_same or self.records > self.by_chance + _DEVIATIONS * self.deviation


def shared_records(left: Hashes, right: Hashes) -> Shared:
    """Compare the records of two sets; equal ones count as often as both sets have them.
    Chance is the expected number if all records are assigned at random to two sets of the same sizes. {milk}, which
    thousands have, is no evidence; a long record that occurs once in both is, if hardly any occurs twice in one.

    >>> milk, rare = np.full(1000, 1, np.uint64), np.arange(100, 200, dtype=np.uint64)
    >>> shared_records(milk, milk[:900]).is_telling, shared_records(rare, rare[:60]).is_telling
    (False, True)
    """
    both, places = np.unique(np.concatenate([left, right]), return_inverse=True)
    a, b = (np.bincount(part, minlength=both.size) for part in (places[: left.size], places[left.size :]))
    totals, kinds = np.unique(a + b, return_counts=True)
    share = left.size / max(1, left.size + right.size)
    moments = [_least_of_parts(int(total), share) for total in totals]
    mean = sum(kind * mean for kind, (mean, _) in zip(kinds.tolist(), moments, strict=True))
    variance = sum(kind * spread for kind, (_, spread) in zip(kinds.tolist(), moments, strict=True))
    common = int(np.minimum(a, b).sum())
    return Shared(common, float(mean), float(variance) ** 0.5, left.size == right.size == common > 0)


def _least_of_parts(total: int, share: float) -> tuple[float, float]:
    """Return mean and variance of the smaller part, if each of `total` falls to the left with the chance `share`."""
    if total < 2 or not 0 < share < 1:
        return 0.0, 0.0
    heads = np.arange(total + 1)
    factorials = np.cumsum(np.log(np.maximum(heads, 1)))  # their logarithms
    ways = factorials[-1] - factorials - factorials[::-1]
    chances = np.exp(ways + heads * np.log(share) + heads[::-1] * np.log1p(-share))
    least = np.minimum(heads, total - heads)
    mean = float(chances @ least)
    return mean, float(chances @ (least - mean) ** 2)


_SHOWN = ("k", "m", "p", "l", "alpha", "entropy_l", "c", "t", "beta", "delta", "epsilon", "clustering", "algorithm")
_NOT_COVERED = "No guarantee covers that."
_FOLLOWS = f"what each release hides may follow from both together. {_NOT_COVERED}"
_MEANING = {
    "same": f"An attacker who has both can compare them: the same records are protected in two ways, and {_FOLLOWS}",
    "update": (
        "An attacker who has both can subtract one from the other: the difference shows new and changed records, often "
        f"whole, and the same settings do not help. {_NOT_COVERED}"
    ),
    "part": f"An attacker who has both can look for these people in the two: {_FOLLOWS}",
    "numbers": (
        f"If these ids identify people, an attacker who has both can look for them in the two: {_FOLLOWS} If every "
        "file numbers its records anew, the ids identify nobody, and you can publish again."
    ),
}
_ATTACKED = "disassociation"
_SHOWN_BY = "`disjoin attack` shows some of what two such releases reveal together."
_BUDGET = "The budgets add up: for a person in all of them, the guarantee is only {budget} = {total} ({sum})."


def settings_in_words(parameters: Mapping[str, Any]) -> str:
    """Return the most important settings in words.

    >>> settings_in_words({"k": 5, "m": 2, "refine": True, "clustering": "core"})
    'k = 5, m = 2, clustering = core'
    """
    return ", ".join(f"{name} = {printable(parameters[name])}" for name in _SHOWN if name in parameters)


def name_of(entry: LedgerEntry) -> str:
    what, where = ("Release", "in") if entry.finished else ("Unfinished run", "to be written to")
    place = "" if entry.place is None else f"{where} {printable(entry.place)}"
    known = [entry.made[:10], entry.method, settings_in_words(entry.parameters), place]
    return f"{what} {entry.number} ({', '.join(filter(None, known))})"


def counts_of(overlap: Overlap) -> str:
    same = f"{overlap.records:,} of {counted(overlap.of_records, 'record')}"
    if overlap.ids:
        ids = f"{overlap.ids:,} of {counted(overlap.of_ids or 0, 'id')}"
        return f"{ids} are in it, {same} with the same content as there"
    if overlap.kind == "same":
        return f"all {counted(overlap.of_records, 'record')} are in it, and no others"
    return f"{same} have the same content as one in it (by chance, about {overlap.by_chance:,} at most)"


def meanings_of(overlaps: Sequence[Overlap], method: str, parameters: Mapping[str, Any]) -> list[str]:
    budget = _budget_of(method)
    noisy = [overlap for overlap in overlaps if budget and overlap.release.method == method]
    said = [_MEANING[overlap.kind] for overlap in overlaps if overlap not in noisy]
    if budget and noisy:
        spent = [Fraction(str(each[budget])) for each in (*(o.release.parameters for o in noisy), parameters)]
        said.append(_BUDGET.format(budget=budget, total=sum(spent), sum=" + ".join(map(str, spent))))
    return list(dict.fromkeys(said))


def refusal(overlaps: Sequence[Overlap], ledger: Path, method: str, parameters: Mapping[str, Any]) -> str:
    lines = [
        f"the ledger {printable(ledger)} contains an earlier release of this data, or of a part. Nothing was written."
    ]
    for overlap in overlaps:
        lines.append(str(overlap))
        lines += _about_the_run(overlap, method, parameters)
    lines += meanings_of(overlaps, method, parameters)
    if method == _ATTACKED and any(each.release.method == method for each in overlaps):
        lines.append(_SHOWN_BY)
    numbers, it = " ".join(str(overlap.release.number) for overlap in overlaps), "it" if len(overlaps) == 1 else "them"
    forget = f"disjoin ledger forget {numbers}, in {printable(ledger.parent)}"
    lines.append(
        f"Publish only people who are not in {it}; or, if nobody else has received {it}, delete {it}, remove {it} from "
        f"the ledger ({forget}) and publish all anew."
    )
    return "\n".join(lines)


def _budget_of(method: str) -> str | None:
    """Return the setting of a method that adds up over releases, if it has one."""
    known = METHODS.listed.get(method)
    return None if known is None else known.budget


def _about_the_run(overlap: Overlap, method: str, parameters: Mapping[str, Any]) -> list[str]:
    entry = overlap.release
    if not entry.finished:
        return ["It is still running, or was stopped: check whether it wrote a release before you continue."]
    is_repeated = (entry.method, entry.parameters) == (method, dict(parameters))
    if overlap.kind == "same" and is_repeated and not _budget_of(method):
        return ["The settings are the same, too: if you need no other release, use that one."]
    return []
