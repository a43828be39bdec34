"""Dossier of noisy records: what is revealed before and after, an example attack, what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disjoin.attack.uniqueness import uniqueness
from disjoin.forms.dossier import BEFORE, MOST_KNOWN, DossierParts, Revealed, numbers
from disjoin.forms.noisy.facts import certainty, epsilon_of
from disjoin.model import Release, Transactions
from disjoin.model.release import Report
from disjoin.text import counted, percent


def revealed(release: Release, original: Transactions, report: Report) -> Revealed:
    before = uniqueness(original, MOST_KNOWN)
    epsilon = epsilon_of(release.guarantee.to_json())
    most = certainty(epsilon)
    rows = (
        (BEFORE.format("records", "terms"), tuple(percent(each.share) for each in before)),
        ("After: certainty that a record was in the data, if it was 50% before", tuple(most for _ in before)),
    )
    weak = f"Epsilon {float(epsilon):g} is a weak guarantee: 50% certainty can become {most}."
    return Revealed(
        "known terms of a record",
        numbers(MOST_KNOWN, MOST_KNOWN),
        rows,
        ("The second row is an upper bound. It holds for an attacker who knows all other records.",),
        (f"An attacker who is 50% certain that a record was in the data becomes at most {most} certain.",),
        (weak,) if epsilon > 2 else (),
        f"a change from 50% to {most} certainty is acceptable, and no further noisy release of these data follows",
    )


def kept(report: Report, costs: Mapping[str, Any]) -> tuple[str, ...]:
    facts = report.statistics
    return (
        f"The release has {counted(report.counts['records'], 'record')}.",
        f"{counted(facts['rows'], 'different set')} of terms stand out from the noise.",
        f"{percent(facts['single_terms']['share'])} of the records have a single term.",
    )


DOSSIER = DossierParts(revealed, lambda release, original: None, kept)
