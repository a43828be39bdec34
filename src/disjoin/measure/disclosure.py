"""Disclosure measures: exposed records, universal terms, inference with certainty."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.attack.exposed_sets import MOST_STEPS, Chunks, chunks_of, exposed_subrecords, one_chunk
from disjoin.attack.simulated import HALF, SURE_ENOUGH, simulate
from disjoin.attack.sure_inference import MOST_KNOWN, expected_share, sure_inference
from disjoin.errors import InvalidParameter
from disjoin.jit.kernel import kernel
from disjoin.measure.definition import Finding, Measure, measure, share_of
from disjoin.measure.evidence import Evidence
from disjoin.measure.evidence_items import ItemEvidence
from disjoin.measure.mass import levels_from_the_deepest, occurrences_inside
from disjoin.model.clusters import Clusters
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.ragged import Ints64

TITLE = "Records exposed by m + 1 terms of a chunk"
NO_GUARANTEE = "The guarantee states no number of known terms (m)."
TOO_MANY_STEPS = f"Looking for rare sets of {{more}} terms in the chunks would take more than {MOST_STEPS:,} steps."


def exposed_share(published: Clusters, k: int, m: int, *, shared: bool = True) -> Fraction | None:
    """Return an upper bound of the share of records with m + 1 terms in a chunk that fewer than k records have there.
    Exact for clusters with one chunk; None if that takes too many steps, which only the published content decides."""
    found = exposed_subrecords(chunks_of(published), len(published.vocabulary), k, m + 1)
    if found is None:
        return None
    by_node, row = [], 0
    for trees in published.in_ranges():
        counts = np.where(found[row : row + trees.counts.size], trees.counts, 0)
        by_node.append(trees.nodes.over(trees.chunks).sums(counts))
        row += trees.counts.size
    exposed: Ints64 = np.concatenate(by_node)
    if not shared:
        exposed[published.is_joint] = 0
    exposed = np.minimum(exposed, published.sizes)
    for level in levels_from_the_deepest(published.parents):
        above = np.unique(published.parents[level])
        np.add.at(exposed, published.parents[level], exposed[level])
        exposed[above] = np.minimum(exposed[above], published.sizes[above])
    return share_of(int(exposed[published.parents < 0].sum()), published.n_records, 0)


def exposed_records(published: Clusters, guarantee: KmAnonymity, *, shared: bool = True) -> float | None:
    """Return the share of `exposed_share` as a float; None if that takes too many steps."""
    share = exposed_share(published, guarantee.k, guarantee.m, shared=shared)
    return None if share is None else float(share)


EXPOSED_RECORDS = Measure(
    name="exposed_records",
    title=TITLE,
    sign="≤",
    meaning=(
        "Up to this share of the records has fewer than {k} candidates, if an attacker knows {more} terms of one chunk."
    ),
    needs_original=False,
    compute=exposed_records,
    not_computed=TOO_MANY_STEPS,
)
_OF_ITEMS = "This share of the records has fewer than k candidates for an attacker who knows m + 1 published terms."


@measure(
    TITLE,
    "exposed_records",
    forms=(Clusters.form, GeneralizedItems.form),
    wordings={GeneralizedItems.form: ("Records exposed by m + 1 terms", _OF_ITEMS)},
)
def exposed_records_shown(evidence: Evidence | ItemEvidence) -> Finding:
    """Up to this share of the records has fewer than k candidates, if an attacker knows m + 1 terms of one chunk."""
    k, m = evidence.k, evidence.m
    if m is None:
        return Finding(None, (NO_GUARANTEE,))
    if isinstance(evidence, Evidence):
        share = exposed_share(evidence.published, k, m)
    else:
        records = evidence.published.records
        exposed = exposed_subrecords(one_chunk(records), len(records.vocabulary), k, m + 1)
        share = None if exposed is None else share_of(int(records.counts[exposed].sum()), records.n_records, 0)
    notes = () if share is not None else (TOO_MANY_STEPS.format(more=m + 1),)
    return Finding(share, notes, {"k": k, "terms_known": m + 1})


@kernel
def count_universal(chunks, sizes, supports, found):
    """Count the terms of chunks, and those of their cluster's size (rows of `found`); `supports` end as zeros."""
    item_offsets, items, counts = chunks.item_offsets, chunks.items, chunks.counts
    for chunk in range(chunks.subrecord_offsets.size - 1):
        first, last = chunks.subrecord_offsets[chunk], chunks.subrecord_offsets[chunk + 1]
        for s in range(first, last):
            for p in range(item_offsets[s], item_offsets[s + 1]):
                supports[items[p]] += counts[s]
        for p in range(item_offsets[first], item_offsets[last]):
            if supports[items[p]] > 0:
                found[0, chunk] += 1
                if supports[items[p]] == sizes[chunk]:
                    found[1, chunk] += 1
            supports[items[p]] = 0


def widths_and_universal(chunks: Chunks, n_terms: int, sizes: Ints64) -> Ints64:
    """Return two rows: the number of terms of each chunk, and of those in all records of its cluster."""
    found = np.zeros((2, sizes.size), np.int64)
    count_universal(chunks, sizes, np.zeros(n_terms, np.int64), found)
    return found


def universal_occurrences(published: Clusters) -> int:
    found = 0
    for trees in published.in_ranges():
        owners = trees.nodes.owners()  # (chunks,)
        sizes = trees.sizes[owners]
        terms = widths_and_universal(chunks_of(trees), len(trees.vocabulary), sizes)[1]
        found += int((terms * sizes)[~trees.is_joint[owners]].sum())
    return found


def universal_terms(published: Clusters) -> float:
    """Return the share of occurrences in record chunks whose term is in all records of the cluster."""
    return float(share_of(universal_occurrences(published), occurrences_inside(published, shared=False), 0))


@measure("Occurrences of terms that a whole cluster has", "universal_terms")
def universal_terms_shown(evidence: Evidence) -> Finding:
    """This share of the term occurrences in record chunks are of terms that all records of the cluster have."""
    published = evidence.published
    universal, whole = universal_occurrences(published), occurrences_inside(published, shared=False)
    return Finding(share_of(universal, whole, 0), (), {"universal": universal, "in_record_chunks": whole})


UNIVERSAL_TERMS = Measure(
    name="universal_terms",
    title="Occurrences of terms that a whole cluster has",
    meaning="This share of the term occurrences in record chunks are of terms that all records of the cluster have.",
    needs_original=False,
    compute=lambda published, _: universal_terms(published),
    counts_shared=False,
)


SURE_INFERENCE = Measure(
    name="sure_inference",
    title="Records with a certain inference",
    sign="≈",
    meaning="For about this share of the records, {m} known terms reveal a further term with certainty (inference).",
    needs_original=False,
    compute=expected_share,
    counts_shared=False,
    not_computed="Inference with certainty is computed for proven releases only.",
)


@measure("Records with a certain inference", "sure_inference")
def sure_inference_shown(evidence: Evidence) -> Finding:
    """For this share of the records, up to m known terms reveal a further term with certainty (inference)."""
    try:
        found = sure_inference(evidence.published, evidence.original, known=evidence.m)
    except InvalidParameter as refusal:
        return Finding(None, (str(refusal),))
    notes = [found.sentence()]
    details: dict[str, float] = {"terms_known": found.known, "sampled": found.is_sampled}
    if found.known < MOST_KNOWN:  # what is asked of clusterings that are compared
        more = sure_inference(evidence.published, evidence.original, known=found.known + 1)
        notes.append(f"With one more known term: {more.sentence()}")
        details["with_one_more"] = round(more.share, 6)
    return Finding(found.share, tuple(notes), details)


def _harm(evidence: Evidence) -> Finding:
    if evidence.m is None:
        return Finding(None, (NO_GUARANTEE,))
    settings = {"terms": evidence.m + 1, "seed": evidence.settings.seed, "k": evidence.k}
    found = simulate(evidence.published, evidence.original, **settings)
    return Finding(found.share, (found.sentence(),), found.to_json())


HARMED_RECORDS = Measure(
    name="harmed_records",
    title="Records found or inferred with m + 1 random terms (H)",
    meaning=(
        "For this share of the records, an attacker who knows m + 1 random terms finds fewer than k candidates (at "
        f"least {HALF:.0%} of the expected ones), or learns a further term with {SURE_ENOUGH:.0%} confidence that the "
        "other records do not imply."
    ),
    compute=_harm,
)
