"""Disclosure measures: exposed records, universal terms, inference with certainty."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.attack.exposed_sets import MOST_STEPS, Chunks, chunks_of, exposed_subrecords, one_chunk
from disjoin.attack.simulated import HALF, SURE_ENOUGH, simulate
from disjoin.attack.sure_inference import MOST_KNOWN, expected_share, sure_inference
from disjoin.errors import InvalidParameter
from disjoin.jit.kernel import kernel
from disjoin.measure.definition import Finding, Measure, Wording, whatever_is_guaranteed
from disjoin.measure.evidence import Evidence
from disjoin.measure.evidence_items import ItemEvidence
from disjoin.measure.mass import levels_from_the_deepest, occurrences_inside
from disjoin.model.clusters import Clusters
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.guarantee import KmAnonymity
from disjoin.model.ragged import Bag, Ints64

TITLE = "Records exposed by one more term"
NO_GUARANTEE = "Nobody said how many terms are promised to be no clue (m)."
TOO_MANY_STEPS = f"Looking for rare sets of {{more}} terms in the chunks would take more than {MOST_STEPS:,} steps."


def exposed_share(published: Clusters, k: int, m: int, *, shared: bool = True) -> Fraction | None:
    """Return an upper bound of the share of records with m + 1 terms in a chunk that fewer than k records have there.

    Exact for clusters with one chunk. A cluster has at most as many such records as its chunks show together, and no
    more than there are; a joint cluster those of the clusters in it and of its shared chunks. None if that takes too
    many steps, which is a matter of the published content alone.
    """
    exposed = _exposed_by_node(published, k, m)
    if exposed is None:
        return None
    if not shared:
        exposed[published.is_joint] = 0
    exposed = np.minimum(exposed, published.sizes)
    for level in levels_from_the_deepest(published.parents):
        above = np.unique(published.parents[level])
        np.add.at(exposed, published.parents[level], exposed[level])
        exposed[above] = np.minimum(exposed[above], published.sizes[above])
    return _share(int(exposed[published.parents < 0].sum()), published.n_records)


def _exposed_by_node(published: Clusters, k: int, m: int) -> Ints64 | None:
    """Sum how many records the exposed subrecords of every node stand for, chunk by chunk."""
    exposed = exposed_subrecords(chunks_of(published), len(published.vocabulary), k, m + 1)
    if exposed is None:
        return None
    by_node, row = [], 0
    for trees in published.in_ranges():
        rows = slice(row, row + trees.counts.size)
        by_node.append(trees.nodes.over(trees.chunks).sums(np.where(exposed[rows], trees.counts, 0)))
        row = rows.stop
    return np.concatenate(by_node)


def exposed_share_of_rows(records: Bag, k: int, m: int) -> Fraction | None:
    """Return the share of the records with m + 1 terms that fewer than k records have; None after too many steps."""
    exposed = exposed_subrecords(one_chunk(records), len(records.vocabulary), k, m + 1)
    if exposed is None:
        return None
    return _share(int(records.counts[exposed].sum()), records.n_records)


def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)


def exposed_records(published: Clusters, guarantee: KmAnonymity, *, shared: bool = True) -> float | None:
    """Return at most how many of the records have m + 1 terms in one chunk that fewer than k records have there.

    None if that takes too many steps.
    """
    share = exposed_share(published, guarantee.k, guarantee.m, shared=shared)
    return None if share is None else float(share)


def _found(evidence: Evidence | ItemEvidence) -> Finding:
    k, m = evidence.k, evidence.m
    if m is None:
        return Finding(None, (NO_GUARANTEE,))
    details = {"k": k, "terms_known": m + 1}
    if isinstance(evidence, ItemEvidence):
        share = exposed_share_of_rows(evidence.published.records, k, m)
    else:
        share = exposed_share(evidence.published, k, m)
    return Finding(share, () if share is not None else (TOO_MANY_STEPS.format(more=m + 1),), details)


EXPOSED_RECORDS = Measure(
    name="exposed_records",
    title=TITLE,
    sign="≤",
    meaning="Anyone who knows {more} terms of one chunk may find up to this share of the records among fewer than {k}.",
    needs_original=False,
    compute=exposed_records,
    not_computed=TOO_MANY_STEPS,
)

EXPOSED_RECORDS_SHOWN = Measure(
    name="exposed_records",
    title=TITLE,
    meaning="Anyone who knows m + 1 terms of one chunk may find up to this share of the records among fewer than k.",
    compute=_found,
    forms=(Clusters.form, GeneralizedItems.form),
    wordings=(
        Wording(
            GeneralizedItems.form,
            TITLE,
            "Anyone who knows m + 1 published terms finds this share of the records among fewer than k.",
        ),
    ),
)


# Terms of chunks that as many records have as the cluster has.

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any


@kernel
def count_universal(chunks, sizes, supports, found):
    """Count the terms of every chunk (row 0 of `found`), and those whose support is the size of its cluster (row 1).

    `supports` are zero before and after.
    """
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
    """Return how many terms each chunk has, and how many of them are in all records of its cluster: two rows.

    `sizes` (chunks,) are those of the clusters.
    """
    found = np.zeros((2, sizes.size), np.int64)
    count_universal(chunks, sizes, np.zeros(n_terms, np.int64), found)
    return found


TITLE_UNIVERSAL_TERMS = "Universal terms"


def universal_occurrences(published: Clusters) -> int:
    """Count the occurrences in record chunks of terms that all records of the cluster have."""
    return sum(map(_universal_in, published.in_ranges()))


def _universal_in(published: Clusters) -> int:
    owners = published.nodes.owners()  # (chunks,)
    sizes = published.sizes[owners]
    terms = widths_and_universal(chunks_of(published), len(published.vocabulary), sizes)[1]
    return int((terms * sizes)[~published.is_joint[owners]].sum())


def universal_share(published: Clusters) -> Fraction:
    """Return the universal occurrences / all in record chunks; 0 if there are none."""
    whole = occurrences_inside(published, shared=False)
    return Fraction(universal_occurrences(published), whole) if whole else Fraction(0)


def universal_terms(published: Clusters, *, shared: bool = True) -> float:
    """Return the share of the occurrences in record chunks whose term all records of the cluster have.

    Shared chunks make no difference: their terms are those of term chunks, which were rare in their clusters.
    """
    return float(universal_share(published))


def _found_universal_terms(evidence: Evidence) -> Finding:
    published = evidence.published
    details = {"universal": universal_occurrences(published)}
    details["in_record_chunks"] = occurrences_inside(published, shared=False)
    return Finding(universal_share(published), (), details)


UNIVERSAL_TERMS = Measure(
    name="universal_terms",
    title=TITLE_UNIVERSAL_TERMS,
    meaning="This share of the term occurrences in record chunks are of terms that all records of the cluster have.",
    needs_original=False,
    compute=whatever_is_guaranteed(universal_terms),
    counts_shared=False,
)

UNIVERSAL_TERMS_SHOWN = Measure(
    name="universal_terms",
    title=TITLE_UNIVERSAL_TERMS,
    meaning="This share of the term occurrences in record chunks are of terms that all records of the cluster have.",
    compute=_found_universal_terms,
)


# What attackers find, as measures: sure inference, from the release alone and with the original, and harm by draws.

SURE, HARM = "Records with a sure inference", "Records harmed by one more term (H)"
UNPROVEN = "What is sure is computed for proven releases only."


def _sure(evidence: Evidence) -> Finding:
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
        return Finding(None, ("Nobody said how many terms are promised to be no clue (m).",))
    settings = {"terms": evidence.m + 1, "seed": evidence.settings.seed, "k": evidence.k}
    found = simulate(evidence.published, evidence.original, **settings)
    return Finding(found.share, (found.sentence(),), found.to_json())


SURE_INFERENCE = Measure(
    name="sure_inference",
    title=SURE,
    sign="≈",
    meaning="For about this share of the records, some {m} of their terms surely tell another one.",
    needs_original=False,
    compute=expected_share,
    counts_shared=False,
    not_computed=UNPROVEN,
)

SURE_INFERENCE_SHOWN = Measure(
    name="sure_inference",
    title=SURE,
    meaning="For this share of the records, up to m known terms surely tell another.",
    compute=_sure,
)

HARMED_RECORDS = Measure(
    name="harmed_records",
    title=HARM,
    meaning=(
        "Anyone who knows m + 1 random terms of a record finds it among fewer than k "
        f"(at least {HALF:.0%} of the expected candidates), or learns a further term with {SURE_ENOUGH:.0%} confidence "
        "that the other records do not give, for this share of the records."
    ),
    compute=_harm,
)
