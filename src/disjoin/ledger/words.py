"""What the ledger says: which release, how much of it is in the data, what that means, what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import Any

from disjoin.escaping import legible
from disjoin.files.wording import counted
from disjoin.ledger.overlap import Overlap
from disjoin.ledger.store import LedgerEntry
from disjoin.methods import METHODS

_SHOWN = ("k", "m", "p", "l", "alpha", "entropy_l", "c", "t", "beta", "delta", "epsilon", "clustering", "algorithm")
_NOT_COVERED = "No promise covers that."
_FOLLOWS = f"what each of the two hides may follow from both together. {_NOT_COVERED}"
_MEANING = {
    "same": f"Anyone who has both can compare them: the same records are hidden in two ways, and {_FOLLOWS}",
    "update": (
        "Anyone who has both can subtract one from the other: what is new or has changed stands out, often as whole "
        f"records, and the same settings do not help. {_NOT_COVERED}"
    ),
    "part": f"Anyone who has both can look for these people in the two: {_FOLLOWS}",
    "numbers": (
        f"If these ids name people, anyone who has both can look for them in the two: {_FOLLOWS} If every file numbers "
        "its records anew, the ids say nothing, and --again is right."
    ),
}
_ATTACKED = "disassociation"
_SHOWN_BY = "To see some of what two such releases tell together: disjoin attack ONE --with OTHER."
_BUDGET = "Noise adds up: to anyone who is in all of them, they promise no more than {budget} = {total} ({sum})."


def settings_in_words(parameters: Mapping[str, Any]) -> str:
    """Return the settings that people ask for first.

    >>> settings_in_words({"k": 5, "m": 2, "refine": True, "clustering": "core"})
    'k = 5, m = 2, clustering = core'
    """
    return ", ".join(f"{name} = {legible(parameters[name])}" for name in _SHOWN if name in parameters)


def name_of(entry: LedgerEntry) -> str:
    """Return a release as people know it: number, date, method, settings, place."""
    what, where = ("Release", "in") if entry.finished else ("Unfinished run", "to be written to")
    place = "" if entry.place is None else f"{where} {legible(entry.place)}"
    known = [entry.made[:10], entry.method, settings_in_words(entry.parameters), place]
    return f"{what} {entry.number} ({', '.join(filter(None, known))})"


def sentence_of(overlap: Overlap) -> str:
    """Say how much of the data is in which release."""
    return f"{name_of(overlap.release)}: {counts_of(overlap)}."


def counts_of(overlap: Overlap) -> str:
    """Say how much of the data is in the release."""
    same = f"{overlap.records:,} of {counted(overlap.of_records, 'record')}"
    if overlap.ids:
        ids = f"{overlap.ids:,} of {counted(overlap.of_ids or 0, 'id')}"
        return f"{ids} are in it, {same} with the same content as there"
    if overlap.kind == "same":
        return f"all {counted(overlap.of_records, 'record')} are in it, and no others"
    return f"{same} have the same content as one in it, which chance explains for about {overlap.by_chance:,} at most"


def meanings_of(overlaps: Sequence[Overlap], method: str, parameters: Mapping[str, Any]) -> list[str]:
    """Say what it means that there will be another release, without saying anything twice."""
    budget = _budget_of(method)
    noisy = [overlap for overlap in overlaps if budget and overlap.release.method == method]
    said = [_MEANING[overlap.kind] for overlap in overlaps if overlap not in noisy]
    if budget and noisy:
        spent = [Fraction(str(each[budget])) for each in (*(o.release.parameters for o in noisy), parameters)]
        said.append(_BUDGET.format(budget=budget, total=sum(spent), sum=" + ".join(map(str, spent))))
    return list(dict.fromkeys(said))


def refusal(overlaps: Sequence[Overlap], ledger: Path, method: str, parameters: Mapping[str, Any]) -> str:
    """Return the message that stops a second release."""
    lines = [f"the ledger {legible(ledger)} knows this data, or a part of it, from before. Nothing was written."]
    for overlap in overlaps:
        lines.append(sentence_of(overlap))
        lines += _about_the_run(overlap, method, parameters)
    lines += meanings_of(overlaps, method, parameters)
    if method == _ATTACKED and any(each.release.method == method for each in overlaps):
        lines.append(_SHOWN_BY)
    lines.append(_way_out(overlaps, ledger))
    return "\n".join(lines)


def _budget_of(method: str) -> str | None:
    """Return the setting of a method that adds up over releases, if it has one."""
    known = METHODS.listed.get(method)
    return None if known is None else known.budget


def _about_the_run(overlap: Overlap, method: str, parameters: Mapping[str, Any]) -> list[str]:
    entry = overlap.release
    if not entry.finished:
        return ["It is still at work, or was stopped: look whether a release is there before you go on."]
    if (
        overlap.kind == "same"
        and not _budget_of(method)
        and (entry.method, entry.parameters) == (method, dict(parameters))
    ):
        return ["The settings are the same, too: if you need no other release, use that one."]
    return []


def _way_out(overlaps: Sequence[Overlap], ledger: Path) -> str:
    numbers = " ".join(str(overlap.release.number) for overlap in overlaps)
    forget = f"disjoin ledger forget {numbers} --ledger {quote(legible(ledger.parent))}"
    it = "it" if len(overlaps) == 1 else "them"
    return (
        f"Publish only people who are not in {it}; or, if nobody else has had {it}, delete {it}, let the ledger forget "
        f"{it} ({forget}) and publish all anew; or publish all the same with --again, which the ledger will remember."
    )
