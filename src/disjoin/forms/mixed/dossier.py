"""Dossier of mixed data: what is revealed before and after, an example attack, what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.attack.known_terms import Candidates, candidates
from disjoin.attack.uniqueness import mixed_uniqueness
from disjoin.forms.dossier import (
    AFTER,
    BEFORE,
    CAUTION,
    CERTAIN,
    DossierParts,
    Revealed,
    attacked,
    cluster_known,
    granularity_kept,
    inference,
    kept_bars,
    known_values,
    listed,
    more_known,
    numbers,
    pairs_kept,
    rarest_first,
    sampled,
    terms_without_counts,
)
from disjoin.model import MixedAnonymity, MixedRecords, Release
from disjoin.model.release import Report
from disjoin.text import counted, percent


def revealed(release: Release, original: MixedRecords, report: Report) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, MixedAnonymity), "mixed data has its own guarantee"
    k, m, quasi = guarantee.k, guarantee.m, guarantee.quasi
    alone = mixed_uniqueness(original, quasi, m + 1)
    rows_tried = sampled(len(original))
    known = [
        (known_values(original.table, quasi, row), terms)
        for row, terms in zip(rows_tried, rarest_first(original.records, rows_tried), strict=True)
    ]
    below, certain = attacked(release, known, range(m + 2), k)
    rows = (
        (BEFORE.format("people", "values and terms"), tuple(percent(each / len(original)) for each in alone)),
        (AFTER.format("people", k), tuple(map(percent, below))),
        (CERTAIN.format("people", "term or value"), tuple(map(percent, certain))),
    )
    notes = (
        f"The attacker always knows {listed(quasi)}. The rows after publishing attack "
        f"{counted(len(known), 'person', 'people')} by their rarest terms.",
        *cluster_known(report, "people"),
    )
    who = f"{listed(quasi)} and {counted(m, 'term')}"
    remains = (
        inference(certain[m], who).replace("of the records", "of the people"),
        more_known(below[m + 1], m + 1, m, k, ("person", "people")),
    )
    cautions = [f"{m + 1} known terms leave fewer than {k} candidates for {percent(below[m + 1])}."]
    return Revealed(
        f"known terms, with {listed(quasi)}",
        numbers(m + 1, m, 0),
        rows,
        notes,
        remains,
        tuple(cautions if below[m + 1] > CAUTION else ()),
        f"an attacker can know at most {who} of a person",
    )


def example(release: Release, original: MixedRecords) -> tuple[str, Candidates]:
    """Return an attack on a person with m terms, or the most below."""
    guarantee, records = release.guarantee, original.records
    assert isinstance(guarantee, MixedAnonymity), "mixed data has its own guarantee"
    lengths = np.diff(records.offsets)
    person = int(np.argmax(np.where(lengths >= guarantee.m, -lengths, -(1 << 40))))
    terms = records.vocabulary.take(pa.array(records.records[person][: guarantee.m])).to_pylist()
    known = [*known_values(original.table, guarantee.quasi, person), *terms]
    return f"A person with {counted(int(lengths[person]), 'term')}.", candidates(release, known)


def kept(report: Report, costs: Mapping[str, Any]) -> tuple[str, ...]:
    return granularity_kept(report), pairs_kept(costs), terms_without_counts(report)


DOSSIER = DossierParts(revealed, example, kept, pictures=(0,), chart=kept_bars, has_learned=True)
