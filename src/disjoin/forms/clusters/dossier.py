"""Dossier of clusters: what is revealed before and after, an example attack, what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from disjoin.attack.risk import LOOKED_AT, risk
from disjoin.attack.simulated import SURE_ENOUGH, simulate
from disjoin.attack.sure_inference import MOST_KNOWN, SureInference, sure_inference
from disjoin.errors import InvalidParameter
from disjoin.forms.dossier import (
    AFTER,
    BEFORE,
    CAUTION,
    CERTAIN,
    DossierParts,
    Revealed,
    cluster_known,
    inference,
    kept_bars,
    more_known,
    numbers,
    pair_attack,
    pairs_kept,
    shown,
    terms_without_counts,
)
from disjoin.model import KmAnonymity, Release, Transactions
from disjoin.model.release import Report
from disjoin.text import counted, percent

TOO_MUCH = 0.1  # of the records in `exposed_records`, as in `disjoin.advise.survey`


def revealed(release: Release, original: Transactions, report: Report) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, KmAnonymity), "clusters are published under k^m-anonymity"
    found, k = risk(original, release), guarantee.k
    known = [point.known for point in found.curve]
    inferred = [_certain(release, original, number) for number in known]
    certain = [None if each is None else each.share for each in inferred]
    played = [simulate(release, original, terms=number, draws=LOOKED_AT) for number in known]
    rows = (
        (BEFORE.format("records", "terms"), tuple(percent(point.singled_out) for point in found.curve)),
        (AFTER.format("records", k), tuple(percent(point.afterwards) for point in found.curve)),
        (CERTAIN.format("records", "term"), tuple(map(shown, certain))),
        (
            f"After: records for which a further term has a chance of {SURE_ENOUGH:.0%} or more",
            tuple(percent(each.learned / each.draws) for each in played),
        ),
    )
    looked = "all records" if found.looked_at == found.records else f"{counted(found.looked_at, 'record')}"
    notes = (
        "The first three rows count a record if any such set of its terms has the effect. The last row takes terms at "
        f"random ({played[-1].draws:,} draws). A chance does not count if the other records alone imply it.",
        f"The row with fewer than {k} candidates looks at {looked}, and of long records at the rarest terms.",
        *_sampled(inferred),
        *cluster_known(report, "records"),
    )
    m, last = guarantee.m, known[-1]
    at_m, beyond = certain[m - 1], found.curve[-1].afterwards
    remains = []
    if at_m is not None:
        remains.append(inference(at_m, counted(m, "term")))
    remains.append(more_known(beyond, last, guarantee.most_known, k))
    cautions = []
    if at_m is not None and at_m > CAUTION:
        cautions.append(f"{counted(m, 'known term')} reveal a further term with certainty for {percent(at_m)}.")
    if beyond > CAUTION:
        cautions.append(f"{last} known terms leave fewer than {k} candidates for {percent(beyond)}.")
    cautions += _exposed(report)
    return Revealed(
        "known terms of a record",
        numbers(last, guarantee.most_known),
        rows,
        notes,
        tuple(remains),
        tuple(cautions),
        f"an attacker can know at most {counted(guarantee.most_known, 'term')} of a record",
    )


def _exposed(report: Report) -> list[str]:
    share = report.measures["exposed_records"]["value"]
    if share is None or share <= TOO_MUCH:
        return []
    known, k = report.guarantee["m"] + 1, report.guarantee["k"]
    who = f"An attacker who knows the cluster and {known} terms of one chunk"
    return [f"{who} can find fewer than {k} candidates for up to {percent(share)}."]


def _sampled(inferred: Sequence[SureInference | None]) -> tuple[str, ...]:
    """Return a note if certain inference was counted in some of the records only."""
    least = min((each.looked_at for each in inferred if each is not None and each.is_sampled), default=0)
    return (f"Certain inference is estimated from {least:,} records or more.",) if least else ()


def _certain(release: Release, original: Transactions, known: int) -> SureInference | None:
    """Return for how many records that many known terms reveal another; None if it cannot be counted."""
    if known > MOST_KNOWN:
        return None
    try:
        return sure_inference(release, original, known=known)
    except InvalidParameter:  # REFINE in mode paper
        return None


def kept(report: Report, costs: Mapping[str, Any]) -> tuple[str, ...]:
    shown_exactly = f"{percent(costs['term_mass'])} of the term occurrences are counted exactly (term_mass)."
    return pairs_kept(costs), shown_exactly, terms_without_counts(report)


DOSSIER = DossierParts(revealed, pair_attack, kept, pictures=(2,), chart=kept_bars, has_learned=True)
