"""Slow, obvious twins of packing: which frequent terms of one cluster share a chunk. Standard library only.

Chunks are lists of terms, in the order in which the chunks were begun.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from oracle.disassociation import is_km_anonymous


class Cluster:
    """Records of one cluster, with what is asked of its chunks."""

    def __init__(self, records, k, m, hidden=()):
        self.records, self.k, self.m = records, k, m
        counts = Counter(t for record in records for t in set(record))
        self.terms = sorted((t for t in counts if counts[t] >= k and t not in hidden), key=lambda t: (-counts[t], t))
        self.pairs = Counter(frozenset(pair) for record in records for pair in combinations(sorted(set(record)), 2))

    def takes(self, chunk, term):
        return is_km_anonymous(self.records, [*chunk, term], self.k, self.m)

    def takes_pairs(self, chunk, term):
        return is_km_anonymous(self.records, [*chunk, term], self.k, 2)

    def shared(self, chunk, term):
        return sum(self.pairs[frozenset([term, other])] for other in chunk if other != term)

    def mass(self, chunks):
        return sum(self.pairs[frozenset(pair)] for chunk in chunks for pair in combinations(chunk, 2))


def first_fit(cluster, _tries=0):
    chunks = []
    for term in cluster.terms:
        put_into_first(cluster, chunks, term)
    return chunks


def put_into_first(cluster, chunks, term):
    for chunk in chunks:
        if cluster.takes(chunk, term):
            chunk.append(term)
            return
    chunks.append([term])


def pair_gain(cluster, tries=6):
    chunks, left = [], list(cluster.terms)
    while heavy := [pair for pair in combinations(left, 2) if cluster.pairs[frozenset(pair)] >= cluster.k]:
        chunk = list(max(heavy, key=lambda pair: cluster.pairs[frozenset(pair)]))  # of equal ones the first
        left = [t for t in left if t not in chunk]
        while more := [t for t in left if cluster.shared(chunk, t) and cluster.takes(chunk, t)]:
            chunk.append(max(more, key=lambda t, chunk=chunk: cluster.shared(chunk, t)))
            left.remove(chunk[-1])
        chunks.append(chunk)
    for term in left:
        best = best_of(cluster, chunks, term, 0, tries)
        if best is None:
            put_into_first(cluster, chunks, term)
        else:
            best.append(term)
    return chunks


def best_of(cluster, chunks, term, least, tries):
    """The first of the chunks with which the term shares most, if that is more than `least` and they take it.

    Chunks that take no pair of it do not count; of the others, as many as `tries` are tried.
    """
    possible = [c for c in chunks if term not in c and cluster.shared(c, term) > least and cluster.takes_pairs(c, term)]
    possible.sort(key=lambda chunk: -cluster.shared(chunk, term))
    return next((chunk for chunk in possible[:tries] if cluster.takes(chunk, term)), None)


def with_moves(cluster, chunks, enough=200, tries=6):
    """Move terms until a sweep adds no more than one in `enough`."""
    while True:
        before = cluster.mass(chunks)
        for term in cluster.terms:
            [home] = [chunk for chunk in chunks if term in chunk]
            best = best_of(cluster, chunks, term, cluster.shared(home, term), tries)
            if best is not None:
                home.remove(term)
                best.append(term)
        mass = cluster.mass(chunks)
        if (mass - before) * enough <= mass:
            return [chunk for chunk in chunks if chunk]
