"""Dossier of generalised items: what is revealed before and after, an example attack, what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disjoin.attack.exposed_sets import exposed_subrecords, one_chunk
from disjoin.attack.uniqueness import uniqueness
from disjoin.forms.dossier import (
    AFTER,
    BEFORE,
    CAUTION,
    CERTAIN,
    DossierParts,
    Revealed,
    attacked,
    inference,
    more_known,
    numbers,
    pair_attack,
    rarest_first,
    sampled,
    shown,
)
from disjoin.model import GeneralizedItems, KmAnonymity, Release, Transactions
from disjoin.model.release import Report
from disjoin.text import counted, percent


def revealed(release: Release, original: Transactions, report: Report) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, KmAnonymity), "generalised items are published under k^m-anonymity"
    k, m = guarantee.k, guarantee.m
    alone = uniqueness(original, m + 1)
    known: list[tuple[list[str], list[str]]] = [([], terms) for terms in rarest_first(original, sampled(len(original)))]
    _, certain = attacked(release, known, range(1, m + 2), k)
    below = _below_k(release, k, m + 1)
    rows = (
        (BEFORE.format("records", "terms"), tuple(percent(each.share) for each in alone)),
        (AFTER.format("records", k), tuple(map(shown, below))),
        (CERTAIN.format("records", "term or category"), tuple(map(percent, certain))),
    )
    notes = (f"The last row attacks {counted(len(known), 'record')} by their rarest terms; the others are exact.",)
    beyond = below[m] or 0.0
    remains = (
        inference(certain[m - 1], counted(m, "term")).replace("further term", "further term or category"),
        more_known(beyond, m + 1, m, k)
        if below[m] is not None
        else f"What {m + 1} known terms reveal was not counted.",
    )
    cautions = [f"{m + 1} known terms leave fewer than {k} candidates for {percent(beyond)}."]
    return Revealed(
        "known terms of a record",
        numbers(m + 1, m),
        rows,
        notes,
        remains,
        tuple(cautions if beyond > CAUTION else ()),
        f"an attacker can know at most {counted(m, 'term')} of a record",
    )


def _below_k(release: Release, k: int, most: int) -> list[float | None]:
    """Return for 1 to `most` known terms the share of records with as many that fewer than k generalised ones have."""
    published = release.published
    assert isinstance(published, GeneralizedItems), "other forms have other candidates"
    bag, n_terms = published.records, len(published.records.vocabulary)
    supports = bag.sets.supports(bag.counts, n_terms)
    is_below = bag.sets.sums(supports[bag.sets.items] < k) > 0
    found: list[float | None] = []
    for width in range(1, most + 1):
        exposed = None if width > 1 and found[-1] is None else is_below
        if width > 1 and exposed is not None:
            exposed = exposed_subrecords(one_chunk(bag), n_terms, k, width)
        if exposed is not None:
            is_below = is_below | exposed
        share = int(bag.counts[is_below].sum()) / max(1, bag.n_records)
        found.append(None if exposed is None else share)
    return found


def kept(report: Report, costs: Mapping[str, Any]) -> tuple[str, ...]:
    published, share = report.statistics["published"], report.statistics["occurrences"]["share"]
    by_name = published["in_records"] - published["categories_in_records"]
    return (
        f"{percent(1 - share)} of the term occurrences are published as themselves.",
        f"The others are published as {counted(published['categories_in_records'], 'category', 'categories')}.",
        f"{counted(by_name, 'term')} can still be analysed by name.",
    )


DOSSIER = DossierParts(revealed, pair_attack, kept)
