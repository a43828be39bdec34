"""Minimality attack: an attacker who knows the algorithm (section G.3).

VERPART puts a term into the term chunk because fewer than k records of the leaf have it, and opens a chunk for a term
because every chunk before refused it. Where just one term of a chunk came before another that it refused, the two are
together in 1 to k - 1 records: a *witness pair*. The order in which terms came follows from their supports, which are
published. Only what is sure counts: a chunk with several terms may have refused because of any of them, a single term
of a term chunk may be one that Lemma 2 moved there, and sensitive terms are there anyway.

With these bounds, some pairs of terms surely have fewer than k candidates in all clusters together, though k are
promised to anyone who does not know the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from disjoin.attack.backward_bounds import Bounds, Company, new_tallies, pairs_below
from disjoin.attack.elimination import promised
from disjoin.errors import InvalidParameter
from disjoin.jit.decision import prepare
from disjoin.model import Clusters, KmAnonymity, Release, Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, Spans, offsets_of

METHOD, PAPERS = "disassociation", "horpart"  # of releases whose leaves VERPART has cut
IN_TERM_CHUNK = -1
INTERPRETED = 1.8e-6  # seconds per pair of terms of a leaf
NOT_DEFINED = (
    "what rules tell is worked out for VERPART: for releases of the clustering horpart, without cover_aware and slack."
)


@dataclass(frozen=True, slots=True)
class Minimality:
    """What the rules of VERPART tell: bounds in leaves, and pairs that surely have fewer than k candidates."""

    k: int
    records: int
    rare_terms: int  # terms of term chunks that surely fewer than k records of their leaf have, leaf by leaf
    witness_pairs: int  # pairs of terms that surely 1 to k - 1 records of their leaf have, leaf by leaf
    pairs: int  # pairs that surely occur, and surely in fewer than k records
    at_least: int  # records that have such a pair for certain
    example: tuple[str, str, int] | None  # such a pair, and how many records have it at most
    occurring: int | None = None  # pairs that the original has
    told: int | None = None  # those of them that surely have fewer than k candidates
    concerned: int | None = None  # records of the original with one of these

    def sentence(self) -> str:
        """Say it in words."""
        if not (self.pairs if self.told is None else self.told):
            return f"The rules of the program show no pair of terms that surely has fewer than {self.k} candidates."
        if self.concerned is not None:
            of_pairs = (self.told or 0) / max(1, self.occurring or 0)
            of_records = self.concerned / max(1, self.records)
            what = f"for {of_pairs:.1%} of the pairs of terms that occur; {of_records:.1%} of the records have one"
        else:
            what = f"for {self.pairs:,} pairs of terms that surely occur; at least {self.at_least:,} records have one"
        return f"Somebody who runs the program backwards finds fewer than {self.k} candidates {what}."

    def example_in_words(self) -> str:
        """Name one pair; nothing if there is none."""
        if not self.example:
            return ""
        first, second, most = self.example
        records = "one record has" if most == 1 else f"1 to {most} records have"
        return f"For example, {records} both {first} and {second}."

    def to_json(self) -> dict[str, Any]:
        """Return plain facts; those of the original only if it was there."""
        names = ("k", "records", "rare_terms", "witness_pairs", "pairs", "at_least")
        facts: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.concerned is not None:
            facts |= {name: getattr(self, name) for name in ("occurring", "told", "concerned")}
        example = self.example
        return facts | {"example": {"pair": list(example[:2]), "at_most": example[2]} if example else None}


def is_defined(source: Release | Clusters) -> bool:
    """Tell whether VERPART alone has cut the leaves: of a release it is stated, of bare clusters the caller must know.

    Where covers are not allowed, or records may be known, terms are apart for other reasons too.
    """
    if not isinstance(source, Release):
        return isinstance(source, Clusters)
    stated = source.parameters
    is_plain = "cover_aware" not in stated and "slack" not in stated
    return source.method == METHOD and stated.get("clustering", PAPERS) == PAPERS and is_plain


def minimality(
    source: Release | Clusters, original: Transactions | None = None, *, k: int | None = None, m: int | None = None
) -> Minimality:
    """Say what the rules of VERPART tell about pairs of terms; with the original, how many records that concerns."""
    if not is_defined(source):
        raise InvalidParameter(NOT_DEFINED)
    published, k, m = promised(source, k, m)
    stated = source.guarantee if isinstance(source, Release) else None
    secret = set(stated.sensitive) if isinstance(stated, KmAnonymity) else set()
    is_secret = np.array([term in secret for term in published.vocabulary.to_pylist()], np.bool_)
    bounds, rare = leaf_bounds(published, k, m, is_secret)
    rows = _renamed(published, original)
    tallies = new_tallies(len(published.vocabulary), bounds.sizes.size, len(rows))
    prepare(INTERPRETED * float((np.diff(bounds.offsets).astype(np.float64) ** 2).sum()))
    company = Company(rows.offsets, rows.items, *_lists(rows, len(published.vocabulary)))
    found = pairs_below(bounds, company, k, tallies)
    names, (first, second, most) = published.vocabulary, tallies.example.tolist()
    example = (names[first].as_py(), names[second].as_py(), most) if first >= 0 else None
    witnesses = int(bounds.partners.size)
    at_least = int(tallies.leaves.sum())
    alone = Minimality(k, published.n_records, rare, witnesses, int(found[0]), at_least, example)
    if original is None:
        return alone
    of_original = (int(found[1]), int(found[2]), int(tallies.records.sum()))
    return Minimality(k, len(original), rare, witnesses, int(found[0]), at_least, example, *of_original)


def _renamed(published: Clusters, original: Transactions | None) -> Ragged:
    """Return the records of the original in the numbers of the release; what is not published is left out."""
    if original is None:
        return Ragged(np.zeros(1, np.int64), np.empty(0, np.int32))
    numbers = {term: number for number, term in enumerate(published.vocabulary.to_pylist())}
    items = np.array([numbers.get(term, -1) for term in original.vocabulary.to_pylist()], np.int32)[original.items]
    lengths = Spans(original.offsets).sums((items >= 0).astype(np.int64))
    return Ragged(offsets_of(lengths), items[items >= 0])


def _lists(rows: Ragged, n_terms: int) -> tuple[Ints64, Ints32]:
    lists = rows.transposed(n_terms)
    return lists.offsets, lists.items.astype(np.int32)


@dataclass(slots=True)
class _Entry:
    """A term of a leaf: in which chunk it is (or in the term chunk), and in how many records at least and at most."""

    term: int
    chunk: int
    low: int
    high: int


def leaf_bounds(published: Clusters, k: int, m: int, is_secret: Flags) -> tuple[Bounds, int]:
    """Return what is known of every term in every leaf, with witness pairs; and how many rare terms rules tell."""
    entries: list[_Entry] = []
    offsets, partners, rare_terms = [0], list[list[int]](), 0
    leaves = np.flatnonzero(~published.is_joint).tolist()
    spare = []
    shared = {joint: list(_own(published, joint)) for joint in np.flatnonzero(published.is_joint).tolist()}
    for leaf in leaves:
        own = list(_own(published, leaf))
        rare, n_sure = _rare(published, leaf, k, m, is_secret)
        rare_terms += n_sure
        held = {
            each.term: each for each in (*_above(published, leaf, shared), *own, *rare)
        }  # what is lower comes later
        ordered = [held[term] for term in sorted(held)]
        places = {each.term: len(entries) + place for place, each in enumerate(ordered)}
        entries += ordered
        partners += [[] for _ in ordered]
        for a, b in witness_pairs(own) if m > 1 else ():
            partners[places[min(a, b)]].append(places[max(a, b)])
        offsets.append(len(entries))
        alone = published.parents[leaf] < 0 and not rare
        size = int(published.sizes[leaf])
        spare.append(max(0, _parts(published, leaf) - size) if alone else size)
    told = Ragged.from_lists(partners)
    columns = np.array([(e.term, e.chunk, e.low, e.high) for e in entries], np.int64).reshape(-1, 4)
    return _bounds(published, columns, np.array(offsets), np.array(leaves, np.int64), spare, told), rare_terms


def _bounds(
    published: Clusters, columns: Ints64, offsets: Ints64, leaves: Ints64, spare: list[int], told: Ragged
) -> Bounds:
    n_terms = len(published.vocabulary)
    order = np.argsort(columns[:, 0], kind="stable")
    return Bounds(
        offsets=offsets,
        terms=columns[:, 0].copy(),
        chunks=columns[:, 1].copy(),
        low=columns[:, 2].copy(),
        high=columns[:, 3].copy(),
        sizes=published.sizes[leaves],
        spare=np.array(spare, np.int64),
        partner_offsets=told.offsets,
        partners=told.items.astype(np.int64),
        by_term=order,
        term_offsets=offsets_of(np.bincount(columns[:, 0], minlength=n_terms)),
        leaf_of=np.repeat(np.arange(leaves.size), np.diff(offsets)),
        subrecord_offsets=published.subrecord_offsets,
        item_offsets=published.item_offsets,
        items=published.items,
        counts=published.counts,
    )


def _chunks(published: Clusters, node: int) -> range:
    return range(int(published.chunk_offsets[node]), int(published.chunk_offsets[node + 1]))


def _own(published: Clusters, node: int) -> Iterator[_Entry]:
    """Give the terms of the chunks of a node, with their supports."""
    for chunk in _chunks(published, node):
        first, last = int(published.subrecord_offsets[chunk]), int(published.subrecord_offsets[chunk + 1])
        begin, end = int(published.item_offsets[first]), int(published.item_offsets[last])
        weights = np.repeat(published.counts[first:last], np.diff(published.item_offsets[first : last + 1]))
        terms, places = np.unique(published.items[begin:end], return_inverse=True)
        supports = np.bincount(places, weights=weights).astype(np.int64)
        for term, support in zip(terms.tolist(), supports.tolist(), strict=True):
            yield _Entry(term, chunk, support, support)


def _parts(published: Clusters, leaf: int) -> int:
    chunks = _chunks(published, leaf)
    first, last = published.subrecord_offsets[chunks.start], published.subrecord_offsets[chunks.stop]
    return int(published.counts[first:last].sum())


def _rare(published: Clusters, leaf: int, k: int, m: int, is_secret: Flags) -> tuple[list[_Entry], int]:
    """Give the terms of a term chunk; below k, unless they are sensitive, or Lemma 2 may have moved the only one."""
    terms, size = published.term_chunks[leaf].tolist(), int(published.sizes[leaf])
    chunks = len(_chunks(published, leaf))
    has_moved_none = len(terms) > 1 or _parts(published, leaf) >= size + k * (max(1, min(m, chunks + 1)) - 1)
    sure = [has_moved_none and not is_secret[term] for term in terms]
    most = [min(size, k - 1) if each else size for each in sure]
    return [_Entry(t, IN_TERM_CHUNK, 1, high) for t, high in zip(terms, most, strict=True)], sum(sure)


def _above(published: Clusters, leaf: int, shared: dict[int, list[_Entry]]) -> list[_Entry]:
    """Give the terms of shared chunks above, the highest first: any number of records of the leaf may have them."""
    found: list[_Entry] = []
    node, size = int(published.parents[leaf]), int(published.sizes[leaf])
    while node >= 0:
        found = [_Entry(e.term, e.chunk, 0, min(size, e.high)) for e in shared[node]] + found
        node = int(published.parents[node])
    return found


def witness_pairs(own: list[_Entry]) -> list[tuple[int, int]]:
    """Return (a, b) where b was refused by a chunk in which only a had come before.

    Terms came by support, most frequent first, then in the order of the vocabulary; chunks were opened by their first.
    """
    chunks: dict[int, list[tuple[int, int]]] = {}
    for entry in own:
        chunks.setdefault(entry.chunk, []).append((-entry.high, entry.term))
    opened = sorted(sorted(chunk) for chunk in chunks.values())
    found = []
    for place, chunk in enumerate(opened):
        first, second = next(pairwise([*chunk, (1, 0)]))
        for later in opened[place + 1 :]:
            found += [(first[1], b[1]) for b in later if first < b < second]
    return found
