"""Dossier of groups: what is revealed before and after, an example attack, what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from disjoin.attack.definetti import definetti
from disjoin.attack.uniqueness import uniqueness
from disjoin.errors import InvalidParameter
from disjoin.forms.dossier import BEFORE, MOST_KNOWN, DossierParts, Revealed, numbers, pair_attack
from disjoin.model import Groups, PrivacyDegree, Release, Transactions
from disjoin.model.ragged import offsets_of
from disjoin.model.release import Report
from disjoin.text import counted, percent


def revealed(release: Release, original: Transactions, report: Report) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, PrivacyDegree), "groups are published with a privacy degree"
    before = uniqueness(original, MOST_KNOWN)
    published = release.published
    assert isinstance(published, Groups), "other forms have no groups"
    secret = {name for name, yes in zip(published.vocabulary.to_pylist(), published.is_sensitive, strict=True) if yes}
    is_secret = np.array([name in secret for name in original.vocabulary.to_pylist()], np.bool_)
    ordinary = original.records.where(~is_secret[original.items])
    ordinary = ordinary.take(np.flatnonzero(ordinary.lengths))
    plain = Transactions(offsets_of(ordinary.lengths), ordinary.items, original.vocabulary)
    after = uniqueness(plain, MOST_KNOWN) if len(plain) else ()
    worst = max((e["largest_share"]["rounded"] for e in report.statistics["sensitive_items"]), default=0.0)
    counts = [each.unique_records / len(original) for each in after] or [0.0] * len(before)
    rows = (
        (BEFORE.format("records", "items"), tuple(percent(each.share) for each in before)),
        ("After: records that the known ordinary items single out", tuple(map(percent, counts))),
        (
            f"After: largest chance of one sensitive item (guaranteed: at most 1 in {guarantee.p})",
            tuple(percent(worst) for _ in before),
        ),
    )
    remains = ["Ordinary items are published unchanged, so they can single out a record. Sensitive items are hidden."]
    with suppress(InvalidParameter):  # no group lists a sensitive item
        remains.append(definetti(release, original).sentence())
    return Revealed(
        "known ordinary items of a record",
        numbers(MOST_KNOWN, MOST_KNOWN),
        rows,
        ("The chance takes all records of a group as equally likely.",),
        tuple(remains),
        (),
        "only the listed sensitive items are secret, ordinary items may identify a record, and correlation may reveal "
        "likely holders of a sensitive item",
    )


def kept(report: Report, costs: Mapping[str, Any]) -> tuple[str, ...]:
    facts, sizes = report.statistics, report.statistics["group_sizes"]
    return (
        "All ordinary items are published unchanged, record by record.",
        f"{counted(len(facts['sensitive_items']), 'sensitive item')} are published as counts of groups.",
        f"{counted(sizes['number'], 'group')} have {sizes['least']:,} to {sizes['largest']:,} records.",
    )


DOSSIER = DossierParts(revealed, pair_attack, kept)
