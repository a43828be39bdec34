"""l-diversity for sensitive terms: in no leaf has more than one record in l the same sensitive term (spec A.9)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation.horpart import Partition
from disjoin.model import Transactions
from disjoin.model.ragged import Ints32, Ints64, Spans
from disjoin.model.spelling import first_alike

Held = dict[int, Counter[int]]  # cluster -> records by sensitive term, where there are any


def merge_until_diverse(data: Transactions, partition: Partition, l: int) -> Partition:  # noqa: E741
    """Merge neighbouring clusters until in each at most one record in `l` has any one sensitive term.

    Raises GuaranteeUnreachable if a sensitive term is too frequent for any clustering.
    """
    sizes = diverse_sizes(partition.sizes.tolist(), _sensitive_counts(data, partition), data.vocabulary, l)
    return Partition(partition.records, np.array(sizes, np.int64))


def diverse_sizes(sizes: list[int], counts: Held, vocabulary: pa.StringArray, l: int) -> list[int]:  # noqa: E741
    """Return the sizes of clusters after merging neighbours, as in `merge_until_diverse`."""
    _refuse_the_impossible(sum(sizes), counts, vocabulary, l)
    groups: list[tuple[int, Counter[int]]] = []
    size, held = 0, Counter[int]()
    for cluster, cluster_size in enumerate(sizes):
        size, held = size + cluster_size, held + counts.get(cluster, Counter())
        if max(held.values(), default=0) * l <= size:
            groups.append((size, held))
            size, held = 0, Counter[int]()
    while size:  # the last ones did not get there: let clusters before them help
        if max(held.values(), default=0) * l <= size:
            groups.append((size, held))
            break
        before, before_held = groups.pop()
        size, held = size + before, held + before_held
    return [size for size, _ in groups]


def true_association(data: Transactions, partition: Partition) -> Fraction:
    """Return the greatest share of a leaf's records that have one and the same sensitive term."""
    return greatest_share(partition.sizes.tolist(), _sensitive_counts(data, partition))


def greatest_share(sizes: list[int], counts: Held) -> Fraction:
    """Return the greatest share of a cluster's records that have one and the same sensitive term."""
    return max((Fraction(max(held.values()), sizes[c]) for c, held in counts.items()), default=Fraction(0))


def _sensitive_counts(data: Transactions, partition: Partition) -> Held:
    """Count the records of each cluster by sensitive term; spellings of the same term count as the first of them."""
    assert data.sensitive is not None, "only called where terms are sensitive"
    cluster_of = np.full(len(data), -1, np.int64)
    cluster_of[partition.records] = Spans.of(partition.sizes).owners()
    where = np.flatnonzero(data.sensitive[data.items])
    records = np.searchsorted(data.offsets, where, side="right") - 1
    records, terms = _in_one_spelling(data, records, data.items[where])
    counts: Held = {}
    for cluster, term in zip(cluster_of[records].tolist(), terms.tolist(), strict=True):
        if cluster >= 0:
            counts.setdefault(cluster, Counter())[term] += 1
    return counts


def _in_one_spelling(data: Transactions, records: Ints64, terms: Ints32) -> tuple[Ints64, Ints64]:
    """Return the same pairs of a record and a sensitive term, each once, with the first of terms that are alike."""
    assert data.sensitive is not None, "only called where terms are sensitive"
    hidden = np.flatnonzero(data.sensitive)
    first = hidden[first_alike(data.sensitive_terms())]
    pairs = np.unique(records * data.n_terms + first[np.searchsorted(hidden, terms)])
    return pairs // data.n_terms, pairs % data.n_terms


def _refuse_the_impossible(n: int, counts: Held, vocabulary: pa.StringArray, l: int) -> None:  # noqa: E741
    total = sum(counts.values(), Counter[int]())
    worst, support = max(total.items(), key=lambda entry: (entry[1], -entry[0]), default=(-1, 0))
    if support * l > n:
        name = vocabulary[worst].as_py()
        most = n // support
        remedy = f"Lower l to {most} or less" if most >= 2 else "Publish without l"
        raise GuaranteeUnreachable(
            f"the sensitive term {name!r} is in {support} of {n} records, more than one in {l}. "
            f"{remedy}, or do not call the term sensitive."
        )
