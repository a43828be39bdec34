"""Minimality attack: an attacker who knows the algorithm (section G.3).

VERPART puts a term into the term chunk because fewer than k records of the leaf have it, and opens a chunk for a term
because all chunks before refused it. Where just one term of a chunk came before another that it refused, the two are
together in 1 to k - 1 records: a *witness pair*. The order in which terms came follows from their supports, which are
published. Only certain conclusions count: a chunk with several terms may have refused because of any of them, a single
term of a term chunk may be one that Lemma 2 moved there, and sensitive terms are always there.

With these bounds, some pairs of terms certainly have fewer than k candidates in all clusters together, though k are
guaranteed against an attacker who does not know the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from disjoin.attack.elimination import guaranteed
from disjoin.attack.exposed_sets import Chunks, chunks_of
from disjoin.attack.possible_records import original_rows, rows_by_chunk, way_up
from disjoin.errors import InvalidParameter
from disjoin.jit.decision import prepare
from disjoin.jit.kernel import inner, kernel
from disjoin.model import Clusters, KmAnonymity, Release, Transactions
from disjoin.model.ragged import Flags, Ints64, Ragged, offsets_of

METHOD, PAPERS = "disassociation", "horpart"  # of releases whose leaves VERPART has cut
IN_TERM_CHUNK = -1
INTERPRETED = 1.8e-6  # seconds per pair of terms of a leaf
NOT_DEFINED = "this attack is defined for clusterings by frequent terms (horpart), without cover_aware and slack."


@dataclass(frozen=True, slots=True)
class Minimality:
    """What the rules of VERPART reveal: bounds in leaves, and pairs that certainly have fewer than k candidates."""

    k: int
    records: int
    rare_terms: int  # terms of term chunks that certainly fewer than k records of their leaf have, leaf by leaf
    witness_pairs: int  # pairs of terms that certainly 1 to k - 1 records of their leaf have, leaf by leaf
    pairs: int  # pairs that certainly occur, in fewer than k records
    at_least: int  # records that have such a pair for certain
    example: tuple[str, str, int] | None  # such a pair, and how many records have it at most
    occurring: int | None = None  # pairs that the original has
    told: int | None = None  # those of them that certainly have fewer than k candidates
    concerned: int | None = None  # records of the original with one of these

    def sentence(self) -> str:
        if not (self.pairs if self.told is None else self.told):
            return (
                f"The rules of the algorithm reveal no pair of terms that certainly has fewer than {self.k} candidates."
            )
        if self.concerned is not None:
            of_pairs = (self.told or 0) / max(1, self.occurring or 0)
            of_records = self.concerned / max(1, self.records)
            what = f"for {of_pairs:.1%} of the pairs of terms that occur; {of_records:.1%} of the records have one"
        else:
            what = (
                f"for {self.pairs:,} pairs of terms that certainly occur; at least {self.at_least:,} records have one"
            )
        return f"An attacker who knows the algorithm finds fewer than {self.k} candidates {what}."

    def example_in_words(self) -> str:
        """Return one pair as an example; empty without one."""
        if not self.example:
            return ""
        first, second, most = self.example
        records = "one record has" if most == 1 else f"1 to {most} records have"
        return f"For example, {records} both {first} and {second}."

    def to_json(self) -> dict[str, Any]:
        """Return plain facts; those of the original only if it was there."""
        names = ["k", "records", "rare_terms", "witness_pairs", "pairs", "at_least"]
        names += ["occurring", "told", "concerned"] if self.concerned is not None else []
        example = {"pair": list(self.example[:2]), "at_most": self.example[2]} if self.example else None
        return {name: getattr(self, name) for name in names} | {"example": example}


def is_defined(source: Release | Clusters) -> bool:
    """Report whether VERPART alone has cut the leaves: a release states it, of bare clusters the caller must know.
    Limits on association rules and known records separate terms for other reasons."""
    if not isinstance(source, Release):
        return isinstance(source, Clusters)
    stated = source.parameters
    is_plain = "cover_aware" not in stated and "slack" not in stated
    return source.method == METHOD and stated.get("clustering", PAPERS) == PAPERS and is_plain


def minimality(
    source: Release | Clusters, original: Transactions | None = None, *, k: int | None = None, m: int | None = None
) -> Minimality:
    """Return what the rules of VERPART reveal of pairs of terms; with the original, how many records that concerns."""
    if not is_defined(source):
        raise InvalidParameter(NOT_DEFINED)
    published, k, m = guaranteed(source, k, m)
    stated = source.guarantee if isinstance(source, Release) else None
    secret = set(stated.sensitive) if isinstance(stated, KmAnonymity) else set()
    names = published.vocabulary
    bounds, rare = leaf_bounds(published, k, m, np.array([term in secret for term in names.to_pylist()], np.bool_))
    prepare(INTERPRETED * float((np.diff(bounds.offsets).astype(np.float64) ** 2).sum()))
    rows = Ragged.from_lists([]) if original is None else original_rows(names, original)
    holders = rows.transposed(len(names))
    least, most, touched = np.zeros((3, len(names)), np.int64)
    is_touched, in_leaves, in_records = (np.zeros(n, np.bool_) for n in (len(names), bounds.sizes.size, len(rows)))
    sums = PairSums(least, most, touched, is_touched, in_leaves, in_records, np.full(3, -1, np.int64))
    found = pairs_below(bounds, (rows.offsets, rows.items, holders.offsets, holders.items), k, sums)
    first, second, at_most = sums.example.tolist()
    example = (names[first].as_py(), names[second].as_py(), at_most) if first >= 0 else None
    pairs, at_least = int(found[0]), int(sums.leaves.sum())
    alone = Minimality(k, published.n_records, rare, int(bounds.partners.size), pairs, at_least, example)
    if original is None:
        return alone
    occurring, told, concerned = int(found[1]), int(found[2]), int(sums.records.sum())
    return replace(alone, records=len(original), occurring=occurring, told=told, concerned=concerned)


class _Entry(NamedTuple):
    """A term of a leaf: in which chunk it is (or in the term chunk), and in how many records at least and at most."""

    term: int
    chunk: int
    low: int
    high: int


class Bounds(NamedTuple):
    """What is known of every term in every leaf, leaf after leaf, terms ascending: an entry each. `low` and `high`
    bound the records of the leaf with the term. Entries of one chunk have its number; those of term chunks a negative
    one. `partners` of an entry are the later ones that it is a witness pair with."""

    offsets: Ints64  # (leaves + 1,)
    terms: Ints64  # (entries,)
    chunks: Ints64  # (entries,)
    low: Ints64  # (entries,)
    high: Ints64  # (entries,)
    sizes: Ints64  # (leaves,)
    spare: Ints64  # (leaves,) in how many records terms of different chunks can be together, at most
    partner_offsets: Ints64  # (entries + 1,)
    partners: Ints64
    by_term: Ints64  # (entries,) grouped by term
    term_offsets: Ints64  # (terms + 1,)
    leaf_of: Ints64  # (entries,)
    release: Chunks


def leaf_bounds(published: Clusters, k: int, m: int, is_secret: Flags) -> tuple[Bounds, int]:
    """Return what is known of every term in every leaf, with witness pairs; and how many terms are certainly rare."""
    entries: list[_Entry] = []
    offsets, partners, rare_terms, spare = [0], list[list[int]](), 0, list[int]()
    leaves = np.flatnonzero(~published.is_joint)
    of_joints = {joint: list(_own(published, joint)) for joint in np.flatnonzero(published.is_joint).tolist()}
    for leaf in leaves.tolist():
        size, own = int(published.sizes[leaf]), list(_own(published, leaf))
        subrecords = sum(int(published.counts[rows.start : rows.stop].sum()) for rows in rows_by_chunk(published, leaf))
        rare, n_sure = _rare(published, leaf, subrecords, k, m, is_secret)
        rare_terms += n_sure
        above = list(way_up(published, leaf))[1:]
        held = {e.term: _Entry(e.term, e.chunk, 0, min(size, e.high)) for a in above[::-1] for e in of_joints[a]}
        held |= {each.term: each for each in (*own, *rare)}  # what is lower comes later
        places = {term: len(entries) + place for place, term in enumerate(sorted(held))}
        entries += [held[term] for term in sorted(held)]
        partners += [[] for _ in held]
        for a, b in witness_pairs(own) if m > 1 else ():
            partners[places[min(a, b)]].append(places[max(a, b)])
        offsets.append(len(entries))
        spare.append(size if above or rare else max(0, subrecords - size))
    told = Ragged.from_lists(partners)
    columns = np.fromiter(chain.from_iterable(entries), np.int64, 4 * len(entries)).reshape(-1, 4).T.copy()
    terms, chunks, low, high = columns
    bounds = Bounds(
        np.array(offsets),
        terms,
        chunks,
        low,
        high,
        published.sizes[leaves],
        np.array(spare, np.int64),
        told.offsets,
        told.items.astype(np.int64),
        np.argsort(terms, kind="stable"),
        offsets_of(np.bincount(terms, minlength=len(published.vocabulary))),
        np.repeat(np.arange(leaves.size), np.diff(offsets)),
        chunks_of(published),
    )
    return bounds, rare_terms


def _own(published: Clusters, node: int) -> Iterator[_Entry]:
    """Yield the terms of the chunks of a node, with their supports."""
    first_chunk = int(published.chunk_offsets[node])
    for chunk, rows in enumerate(rows_by_chunk(published, node), start=first_chunk):
        ends = published.item_offsets[rows.start : rows.stop + 1]
        weights = np.repeat(published.counts[rows.start : rows.stop], np.diff(ends))
        terms, places = np.unique(published.items[ends[0] : ends[-1]], return_inverse=True)
        supports = np.bincount(places, weights).astype(np.int64)
        for term, support in zip(terms.tolist(), supports.tolist(), strict=True):
            yield _Entry(term, chunk, support, support)


def _rare(
    published: Clusters, leaf: int, subrecords: int, k: int, m: int, is_secret: Flags
) -> tuple[list[_Entry], int]:
    """Return the terms of a term chunk (below k, unless sensitive or perhaps moved by Lemma 2), and how many are."""
    terms, size = published.term_chunks[leaf].tolist(), int(published.sizes[leaf])
    chunks = len(rows_by_chunk(published, leaf))
    has_moved_none = len(terms) > 1 or subrecords >= size + k * (max(1, min(m, chunks + 1)) - 1)
    sure = [has_moved_none and not is_secret[term] for term in terms]
    most = [min(size, k - 1) if each else size for each in sure]
    return [_Entry(t, IN_TERM_CHUNK, 1, high) for t, high in zip(terms, most, strict=True)], sum(sure)


def witness_pairs(own: list[_Entry]) -> list[tuple[int, int]]:
    """Return (a, b) where b was refused by a chunk in which only a had come before. Terms came by support, most
    frequent first, then in the order of the vocabulary; chunks were opened by their first."""
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


class PairSums(NamedTuple):
    """Room for sums, and what is marked."""

    least: Ints64  # (terms,)
    most: Ints64  # (terms,)
    touched: Ints64  # (terms,)
    is_touched: Flags  # (terms,)
    leaves: Flags  # (leaves,) those in which a pair certainly occurs that fewer than k records have
    records: Flags  # (records of the original,) those with a pair that has fewer than k candidates
    example: Ints64  # (3,) a pair, and in how many records it is at most


@inner
def add(term, low, high, sums, touched):
    """Add the bounds of a pair in a leaf; return how many terms have been touched."""
    if not sums.is_touched[term]:
        sums.is_touched[term] = True
        sums.touched[touched] = term
        touched += 1
    sums.least[term] += low
    sums.most[term] += high
    return touched


@inner
def apart(entry, other, bounds):
    """Bound the records of a leaf with two terms that are not in one chunk."""
    leaf = bounds.leaf_of[entry]
    high = min(bounds.high[entry], bounds.high[other], bounds.spare[leaf])
    low = max(0, bounds.low[entry] + bounds.low[other] - bounds.sizes[leaf])
    return low, high


@inner
def add_leaf(entry, k, bounds, sums, touched):
    """Add the bounds of an entry with all later ones of its leaf: in the subrecords of its chunk, and elsewhere."""
    chunk, x, release = bounds.chunks[entry], bounds.terms[entry], bounds.release
    if chunk >= 0:
        for row in range(release.subrecord_offsets[chunk], release.subrecord_offsets[chunk + 1]):
            place, last = release.item_offsets[row], release.item_offsets[row + 1]
            while place < last and release.items[place] != x:
                place += 1
            for i in range(place + 1, last):
                low = release.counts[row] if bounds.low[entry] > 0 else 0  # shared chunks do not show in which leaf
                touched = add(release.items[i], low, release.counts[row], sums, touched)
    for other in range(entry + 1, bounds.offsets[bounds.leaf_of[entry] + 1]):
        if chunk < 0 or bounds.chunks[other] != chunk:
            low, high = apart(entry, other, bounds)
            touched = add(bounds.terms[other], low, high, sums, touched)
    for i in range(bounds.partner_offsets[entry], bounds.partner_offsets[entry + 1]):
        low, high = apart(entry, bounds.partners[i], bounds)
        term = bounds.terms[bounds.partners[i]]
        sums.least[term] += max(0, 1 - low)
        sums.most[term] -= max(0, high - (k - 1))
    return touched


@inner
def mark_leaves(entry, k, bounds, sums):
    """Mark the leaf of an entry if it certainly has a pair with it that fewer than k records have."""
    leaf = bounds.leaf_of[entry]
    for other in range(entry + 1, bounds.offsets[leaf + 1]):
        term = bounds.terms[other]
        if sums.least[term] > 0 and sums.most[term] < k:
            low, _ = apart(entry, other, bounds)
            for i in range(bounds.partner_offsets[entry], bounds.partner_offsets[entry + 1]):
                if bounds.partners[i] == other:
                    low = 1
            if low > 0:
                sums.leaves[leaf] = True


@inner
def look_at_original(x, k, company, sums, seen):
    """Count the later terms that records with x have, and those with fewer than k candidates; mark their records."""
    offsets, items, holder_offsets, holders = company
    occurring = told = 0
    for i in range(holder_offsets[x], holder_offsets[x + 1]):
        record = holders[i]
        for p in range(offsets[record], offsets[record + 1]):
            y = items[p]
            if y > x:
                is_told = sums.most[y] < k
                if seen[y] != x:
                    seen[y] = x
                    occurring += 1
                    told += is_told
                if is_told:
                    sums.records[record] = True
    return occurring, told


@kernel
def pairs_below(bounds, company, k, sums):
    """Return how many pairs certainly occur, in fewer than k records; how many the original has; and how many of these
    certainly have fewer than k candidates. `company` has the records of the original (offsets, items), and for every
    term the records that have it (offsets, records)."""
    found = np.zeros(3, np.int64)
    n_terms = bounds.term_offsets.size - 1
    seen = np.full(n_terms, -1, np.int64)
    for x in range(n_terms):
        touched = 0
        for p in range(bounds.term_offsets[x], bounds.term_offsets[x + 1]):
            touched = add_leaf(bounds.by_term[p], k, bounds, sums, touched)
        some = False
        for i in range(touched):
            y = sums.touched[i]
            if sums.least[y] > 0 and sums.most[y] < k:
                found[0] += 1
                some = True
                if sums.example[0] < 0:
                    sums.example[0], sums.example[1], sums.example[2] = x, y, sums.most[y]
        if some:
            for p in range(bounds.term_offsets[x], bounds.term_offsets[x + 1]):
                mark_leaves(bounds.by_term[p], k, bounds, sums)
        occurring, told = look_at_original(x, k, company, sums, seen)
        found[1] += occurring
        found[2] += told
        for i in range(touched):
            y = sums.touched[i]
            sums.least[y] = sums.most[y] = 0
            sums.is_touched[y] = False
    return found
