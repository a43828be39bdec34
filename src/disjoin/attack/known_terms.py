"""The attacker who knows some terms of a person: in which clusters the person can be, among how many, sharing what.

All of it holds for every possible original (section A.7), so nothing here is a guess: `at_least` and `at_most` are what
the possible originals with the fewest and the most such records have, and a term is sure if every possible original
gives it to every record with the known terms. Exact unless a joint cluster repeats a term of a cluster below it (the
papers' REFINE); then bounds stay bounds, and a sure term stays sure, but some may be missed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.analyst.index import Desk, desk_of_clusters
from disjoin.analyst.supports import itemsets_from
from disjoin.attack.whereabouts import FoundClusters, whereabouts_of
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Release, Transactions


@dataclass(frozen=True, slots=True)
class ClusterCandidates:
    """The candidates in one cluster, or in the clusters that were joined below one."""

    cluster: int
    size: int
    at_least: int
    at_most: int
    shared: tuple[str, ...]  # what all of them have, beside the known terms

    def to_json(self) -> dict[str, Any]:
        """Return plain facts."""
        return {
            "cluster": self.cluster,
            "size": self.size,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "shared": list(self.shared),
        }


@dataclass(frozen=True, slots=True)
class Candidates:
    """The records that a person may be, if some of their terms are known."""

    known: tuple[str, ...]
    at_least: int
    at_most: int
    within_promise: bool  # the release promises something to whoever knows that many terms
    clusters: tuple[ClusterCandidates, ...]
    sure: tuple[str, ...]  # what all candidates have, in every possible original
    in_clusters: int = 0  # in how many clusters they are, more than are named if only some were asked for

    @property
    def them(self) -> str:
        """The known terms, when they were named already."""
        return "it" if len(self.known) == 1 else "all of them"

    def sentence(self) -> str:
        """Say it in words."""
        who = f"Somebody who knows {', '.join(self.known)}"
        if not self.at_most:
            return f"{who} finds nobody: no possible original has a record with {self.them}."
        many = str(self.at_most) if self.at_least == self.at_most else f"{self.at_least:,} to {self.at_most:,}"
        where = "one cluster" if self.in_clusters == 1 else f"{self.in_clusters:,} clusters"
        noun = "candidate" if self.at_most == 1 else "candidates"
        learns = f"and learns for sure: {', '.join(self.sure)}" if self.sure else "and learns nothing for sure"
        return f"{who} finds {many} {noun} in {where}, {learns}."

    def to_json(self) -> dict[str, Any]:
        """Return plain facts; in how many clusters candidates are, only where not all of these are named."""
        facts = {
            "known": list(self.known),
            "at_least": self.at_least,
            "at_most": self.at_most,
            "within_promise": self.within_promise,
            "clusters": [each.to_json() for each in self.clusters],
            "sure": list(self.sure),
        }
        return facts | ({"in_clusters": self.in_clusters} if self.in_clusters > len(self.clusters) else {})


def candidates(source: Release | Clusters | Desk, known: object, *, most: int | None = None) -> Candidates:
    """Return the records that a person may be, if these terms of theirs are known.

    Of the clusters in which they are, all are named, or the `most` that have the most candidates.

    >>> from disjoin.model import Clusters
    >>> chunk = {"subrecords": [[["tea"], 1], [["jam", "tea"], 2]]}
    >>> leaf = {"size": 3, "record_chunks": [chunk], "term_chunk": ["hiv"]}
    >>> found = candidates(Clusters.from_nested([leaf]), ["jam"])
    >>> found.at_least, found.at_most, found.sure
    (2, 2, ('tea',))
    """
    desk = desk_of_clusters(source, "attack")
    if desk.noun is not Clusters:
        raise InvalidParameter(f"candidates are looked for in clusters, and this release has {desk.noun.in_words}.")
    terms = known_from(known)
    numbers = [desk.numbers.get(term, -1) for term in terms]
    limit = desk.guarantee.most_known if isinstance(desk.guarantee, KmAnonymity) else 0
    if -1 in numbers:
        return Candidates(terms, 0, 0, len(terms) <= limit, (), ())
    found = whereabouts_of(desk).clusters_with(numbers)
    return Candidates(
        terms,
        int(found.at_least.sum()),
        int(found.at_most.sum()),
        len(terms) <= limit,
        named(found, desk.published.vocabulary, most),
        sure_in(found, desk.published.vocabulary),
        found.nodes.size,
    )


def named(found: FoundClusters, vocabulary: pa.StringArray, most: int | None) -> tuple[ClusterCandidates, ...]:
    """Return the clusters in words, or those with the most candidates if there are more than `most`."""
    if most is not None and found.nodes.size > most:
        found = found.take(np.sort(np.argsort(-found.at_most, kind="stable")[:most]))
    names = vocabulary.take(pa.array(found.shared.items)).to_pylist()
    offsets = found.shared.offsets.tolist()
    rows = zip(*(column.tolist() for column in found[:4]), strict=True)
    return tuple(
        ClusterCandidates(node, size, low, high, tuple(sorted(names[first:last])))
        for (node, size, low, high), first, last in zip(rows, offsets, offsets[1:], strict=False)
    )


def sure_in(found: FoundClusters, vocabulary: pa.StringArray) -> tuple[str, ...]:
    """Return what all candidates of all clusters have."""
    everywhere = np.flatnonzero(np.bincount(found.shared.items) == max(1, found.nodes.size))
    return tuple(sorted(vocabulary.take(pa.array(everywhere)).to_pylist()))


def true_records(original: Transactions, known: tuple[str, ...]) -> int:
    """Return how many records of the original have all of the known terms.

    >>> true_records(Transactions.from_sets([["jam", "tea"], ["tea"], ["jam", "gin", "tea"]]), ("jam", "tea"))
    2
    """
    numbers = pc.index_in(pa.array(known, original.vocabulary.type), value_set=original.vocabulary)
    if numbers.null_count:
        return 0
    is_known = np.zeros(original.n_terms, np.bool_)
    is_known[numbers.to_numpy()] = True
    owners = original.records.owners()[is_known[original.items]]
    return int((np.bincount(owners, minlength=len(original)) == len(known)).sum())


def known_from(known: object) -> tuple[str, ...]:
    """Return known terms as they were given: one, or several."""
    listed = itemsets_from([known if isinstance(known, str) or not isinstance(known, Iterable) else list(known)])
    if not listed[0]:
        raise InvalidParameter("expected at least one known term, got none.")
    return tuple(listed[0])
