"""What one known term more than is promised tells: how many records can be found among fewer than k."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.attack.exposed_sets import MOST_STEPS, chunks_of, exposed_subrecords, one_chunk
from disjoin.measure.evidence import Evidence
from disjoin.measure.item_evidence import ItemEvidence
from disjoin.measure.mass import levels_from_the_deepest
from disjoin.measure.record import Finding, Measure, Wording
from disjoin.model.bag import Bag
from disjoin.model.clusters import Clusters
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.guarantee import KmAnonymity
from disjoin.model.ragged import Ints64

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
    direction="lower",
    least=0.0,
    largest=1.0,
    sign="≤",
    meaning="Anyone who knows {more} terms of one chunk may find up to this share of the records among fewer than {k}.",
    unit="share",
    page="exposed_records",
    needs_original=False,
    compute=exposed_records,
    not_computed=TOO_MANY_STEPS,
)

EXPOSED_RECORDS_SHOWN = Measure(
    name="exposed_records",
    title=TITLE,
    direction="lower",
    least=0,
    largest=1,
    unit="share",
    meaning="Anyone who knows m + 1 terms of one chunk may find up to this share of the records among fewer than k.",
    page="exposed_records",
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
