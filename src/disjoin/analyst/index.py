"""Inverted index of a release: a posting list per term, built once."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.as_clusters import ItemNames, Sets, as_clusters, item_names, records_as_clusters, require_sets
from disjoin.errors import InvalidParameter, described
from disjoin.jit.decision import numbers_in, prepare
from disjoin.jit.kernel import inner, kernel
from disjoin.model import Clusters, GeneralizedItems, Groups, Guarantee, KmAnonymity, Mixed, MixedAnonymity, Release
from disjoin.model.published import Published
from disjoin.model.ragged import Ints32, Ints64, are_below, offsets_of

# Clusters that can be counted on: offsets that fit, parents before children, sizes that add up.
#
# A release has been inspected; bare clusters may hold anything, and compiled loops trust their arrays.


def require_form(published: Clusters) -> None:
    """Raise `InvalidParameter` unless the arrays describe a forest (whether it is anonymous is not asked)."""
    finding = _offsets_finding(published) or _tree_finding(published) or _content_finding(published)
    if finding:
        raise InvalidParameter(f"{finding}: these are not sound clusters. Ask disjoin.verify what is wrong.")


def _offsets_finding(published: Clusters) -> str | None:
    nodes = published.parents.size
    fits = published.sizes.size == nodes and are_nested(published)
    return None if fits else "the offsets do not fit"


def are_nested(published: Clusters) -> bool:
    """Tell whether the offsets of clusters cut nodes into chunks, these into subrecords, and these into items."""
    nodes, rows = published.parents.size, published.counts.size
    return (
        published.term_chunks.cuts(nodes, published.term_items.size)
        and published.nodes.cuts(nodes, len(published.chunks))
        and published.chunks.cuts(len(published.chunks), rows)
        and published.subrecords.cuts(rows, published.items.size)
    )


def _tree_finding(published: Clusters) -> str | None:
    parents, sizes = published.parents, published.sizes
    if (parents >= np.arange(parents.size)).any() or (parents < -1).any():
        return "a cluster comes before its parent"
    if (sizes < 1).any():
        return "a cluster has no records"
    below = np.zeros_like(sizes)
    np.add.at(below, parents[parents >= 0], sizes[parents >= 0])
    joint = published.is_joint
    if (below[joint] != sizes[joint]).any():
        return "a joint cluster is not as large as its children"
    return "a joint cluster has a term chunk" if published.term_chunks.lengths[joint].any() else None


def _content_finding(published: Clusters) -> str | None:
    n_terms = len(published.vocabulary)
    if not (are_below(published.items, n_terms) and are_below(published.term_items, n_terms)):
        return "a term has no name"
    return "a subrecord stands for no record" if (published.counts < 1).any() else None


def require_once(starts: Ints64, listed: NDArray[Any], finding: str) -> None:
    """Raise if a term's list (they ascend, and `starts` cuts them) has the same number twice."""
    same = listed[1:] == listed[:-1]
    same[starts[(starts > 0) & (starts < listed.size)] - 1] = False
    if same.any():
        raise InvalidParameter(f"{finding}: these are not sound clusters. Ask disjoin.verify what is wrong.")


# Where in a published forest every term is: posting lists in pre-order, made once and asked many times.
#
# Nodes are known by their place in pre-order, so that what lies below a node is a range of places. Every term has
# entries, ascending by place; an entry leads to a holding (the term in a chunk, with its subrecords) or to a term
# chunk.

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any


IN_TERM_CHUNK = -1

# Rows of the tables of an index. They are tables because handing a loop many arrays costs more than its work.
PLACE, LAST, PARENT, ROOT, ABOVE, DEPTH = range(6)  # what `lay_out` returns: PLACE is by node, the others by place
SIZE, SPARE, FORCED, MIXED = PLACE, ABOVE, DEPTH, 6  # nodes: together with LAST, PARENT and ROOT, all by place
WHERE, HOLDING, ENCLOSING = range(3)  # entries
CHUNK, SUPPORT, ROWS = range(3)  # holdings


class PostingIndex(NamedTuple):
    """The published form, turned round: from terms to places."""

    # (7, nodes) by place. SIZE: records. LAST: the last place below. PARENT: -1 for a root. ROOT. SPARE: subrecords
    # beyond one per record, where nothing else fills a record; a large number elsewhere. FORCED: at least that many
    # records have a term of the term chunk. MIXED: 1 if a term of the tree stands both in a node and below it.
    nodes: NDArray[np.int64]
    starts: Ints64  # (terms + 1,) the entries of a term
    # (3, entries) WHERE: the place. HOLDING: or IN_TERM_CHUNK. ENCLOSING: the nearest entry of the same term above, -1
    # for none; this row is there only if some tree is mixed.
    entries: NDArray[np.int32]
    # (3, holdings + 1) CHUNK. SUPPORT: records of the chunk that have the term. ROWS: where its subrecords start.
    holdings: NDArray[np.int64]
    rows: Ints64  # the subrecords of a holding, ascending
    counts: Ints64  # (subrecords,)
    item_offsets: Ints64  # (subrecords + 1,)
    items: Ints32
    slots: Ints64  # (subrecords,) records that may have it, for shared chunks of mixed trees; else empty


@inner
def seek(places, start, end, place):
    """Return the first position of the ascending places[start:end] that is not before `place`; near ones are cheap."""
    if start >= end or places[start] >= place:
        return start
    step = 1
    while start + step < end and places[start + step] < place:
        start += step
        step *= 2
    end = min(end, start + step + 1)
    while start < end:
        middle = (start + end) // 2
        if places[middle] < place:
            start = middle + 1
        else:
            end = middle
    return start


@inner
def may_take(leaf, joint, row, index):
    """Tell whether a shared subrecord of `joint` may go to a leaf: no node between has one of its terms."""
    places = index.entries[WHERE]
    for i in range(index.item_offsets[row], index.item_offsets[row + 1]):
        term = index.items[i]
        start = index.starts[term]
        e = seek(places, start, index.starts[term + 1], leaf + 1) - 1
        while e >= start and index.nodes[LAST, places[e]] < leaf:
            e = index.entries[ENCLOSING, e]
        if e >= start and places[e] > joint:
            return False
    return True


@kernel
def count_slots(owners, index, at, slots):
    """Count for the subrecords of shared chunks (`owners`: the joint's place, or -1) the records that may have them.

    A node below the joint that has one of the terms keeps everything below it from the subrecord.
    """
    places, sizes, last = index.entries[WHERE], index.nodes[SIZE], index.nodes[LAST]
    for row in range(owners.size):
        joint = owners[row]
        if joint < 0:
            continue
        first, n = index.item_offsets[row], index.item_offsets[row + 1] - index.item_offsets[row]
        for j in range(n):
            term = index.items[first + j]
            at[j] = seek(places, index.starts[term], index.starts[term + 1], joint + 1)
        free = sizes[joint]
        covered = joint
        while True:
            nearest = last[joint] + 1
            for j in range(n):
                end = index.starts[index.items[first + j] + 1]
                at[j] = seek(places, at[j], end, covered + 1)
                if at[j] < end and places[at[j]] < nearest:
                    nearest = places[at[j]]
            if nearest > last[joint]:
                break
            free -= sizes[nearest]
            covered = last[nearest]
        slots[row] = free


# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any


UNBOUNDED = 2**40
RARE = ("once", "half")
_AT_ONCE = 1 << 18  # entries, where each takes several numbers
INTERPRETED = 10e-6  # seconds per number of a release, to make the index and ask it a few questions


@dataclass(frozen=True, eq=False)
class SupportIndex:
    """What the questions of an analyst need of published data; `guarantee` is what it promises, if that is known.

    Everything lies on it as the clusters that it is to a receiver; `noun` says what was published, and `names` what
    names of generalised records mean.
    """

    published: Clusters
    guarantee: Guarantee | None = None
    noun: type[Published] = Clusters
    names: ItemNames | None = None
    is_inspected: bool = False  # of a release: the inspector has looked at every array, and nothing is checked again
    index: PostingIndex = field(init=False, repr=False)
    depth: int = field(init=False)  # joints above the deepest leaf
    places: Ints64 = field(init=False, repr=False)  # (nodes,) the place of every node in pre-order

    def __post_init__(self) -> None:
        prepare(INTERPRETED * numbers_in(self.published))
        index, depth, places = _index_of(self.published, is_inspected=self.is_inspected)
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "depth", depth)
        object.__setattr__(self, "places", places)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of every published term."""
        return {term: number for number, term in enumerate(self.published.vocabulary.to_pylist())}

    def with_index(self, index: PostingIndex) -> SupportIndex:
        """Return the same with another index of the same terms: for a question that counts some records only."""
        other = copy(self)
        object.__setattr__(other, "index", index)
        return other

    @property
    def n_terms(self) -> int:
        """How many terms are published."""
        return len(self.published.vocabulary)

    def once(self, rare: str) -> float:
        """Return in how many records a term of a term chunk is expected: 1 (`once`) or k/2 (`half`)."""
        if not isinstance(rare, str) or rare not in RARE:
            raise InvalidParameter(f"rare must be 'once' or 'half', got {described(rare)}.")
        if rare == "once":
            return 1.0
        if self.noun is not Clusters:
            raise InvalidParameter(f"rare is about term chunks, which {self.noun.in_words} do not have. Leave it out.")
        if not isinstance(self.guarantee, KmAnonymity):
            raise InvalidParameter("rare='half' means k/2 records, and bare clusters state no k. Ask a release.")
        return self.guarantee.k / 2


# The index is made of what a release says and is worth keeping as long as the release itself, not longer.
_DESKS: WeakKeyDictionary[Release, SupportIndex] = WeakKeyDictionary()


def desk_of(source: Release | Sets | SupportIndex) -> SupportIndex:
    """Return the index of a release, built when it is first asked for; bare data gets a new one each time."""
    if isinstance(source, SupportIndex):
        return source
    if isinstance(source, Sets):
        return _new_desk(source, None, is_inspected=False)
    if not isinstance(source, Release):
        raise InvalidParameter(f"expected a release, got {type(source).__name__}. Load one with disjoin.load.")
    desk = _DESKS.get(source)
    if desk is None and isinstance(source.published, Mixed):
        from disjoin.analyst.as_clusters import with_values

        assert isinstance(source.guarantee, MixedAnonymity), "mixed data has its own promise"
        desk = _DESKS[source] = SupportIndex(
            with_values(source.published), source.guarantee.of_terms, is_inspected=True
        )
    if desk is None:
        desk = _DESKS[source] = _new_desk(require_sets(source.published, "this"), source.guarantee, is_inspected=True)
    return desk


def desk_of_clusters(source: Release | Sets | SupportIndex, what: str) -> SupportIndex:
    """Return the index unless it is of groups; `what` names the work that is not done with them."""
    published = source.published if isinstance(source, Release) else source
    if isinstance(published, Groups) or (isinstance(published, SupportIndex) and published.noun is Groups):
        raise InvalidParameter(
            f"{what} works with clusters, and this release has groups: ask support for itemsets with sensitive items, "
            "and mine the records, whose ordinary items are all there, with any tool (reconstruct writes them)."
        )
    return desk_of(source)


def _new_desk(published: Sets, guarantee: Guarantee | None, *, is_inspected: bool) -> SupportIndex:
    names = item_names(published) if isinstance(published, GeneralizedItems) else None
    if isinstance(published, Clusters):
        clusters = published
    elif isinstance(published, Groups):
        clusters = as_clusters(published, is_inspected=is_inspected)
    else:
        clusters = records_as_clusters(published.records)
    return SupportIndex(clusters, guarantee, type(published), names, is_inspected)


def _index_of(published: Clusters, *, is_inspected: bool) -> tuple[PostingIndex, int, Ints64]:
    if not is_inspected:
        require_form(published)
    subrecords = published.chunks.sums(published.counts)  # (chunks,)
    own = published.nodes.sums(subrecords)  # (nodes,)
    table = lay_out(published.parents, own)
    depth, places = int(table[DEPTH].max(initial=0)), table[PLACE].copy()
    walk = np.empty(len(published), dtype=np.int64)  # the nodes in pre-order
    walk[places] = np.arange(len(published))
    starts, entries, holdings, rows = _postings(published, walk, is_inspected=is_inspected)
    nodes = np.empty((7, len(published)), dtype=np.int64)
    nodes[[LAST, PARENT, ROOT]] = table[[LAST, PARENT, ROOT]]
    nodes[SIZE] = published.sizes[walk]
    nodes[SPARE] = _spare(published, own)[walk]
    nodes[FORCED] = _forced(published, own, walk, table[ABOVE])
    nodes[MIXED] = _mixed(starts, entries[WHERE], nodes)
    index = PostingIndex(
        nodes=nodes,
        starts=starts,
        entries=entries,
        holdings=holdings,
        rows=rows,
        counts=published.counts,
        item_offsets=published.item_offsets,
        items=published.items,
        slots=np.empty(0, dtype=np.int64),
    )
    return (_with_slots(index, published, places) if nodes[MIXED].any() else index), depth, places


def _postings(
    published: Clusters, walk: Ints64, *, is_inspected: bool
) -> tuple[Ints64, NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """List for every term its entries and holdings, ascending by place, and the rows of the holdings."""
    n_terms = len(published.vocabulary)
    forest = (
        published.chunk_offsets,
        published.subrecord_offsets,
        published.item_offsets,
        published.items,
        published.term_offsets,
        published.term_items,
    )
    tallies = np.zeros((3, n_terms), dtype=np.int64)
    count_entries(forest, walk, tallies, np.full(n_terms, -1, dtype=np.int64))
    starts, held, ends = (offsets_of(tally) for tally in tallies)
    assert starts[-1] < 2**31, "places and holdings are numbered in 32 bits"
    entries = published.room((2, int(starts[-1])), np.int32)
    holdings = published.room((3, int(held[-1]) + 1), np.int64)
    holdings[ROWS, -1] = ends[-1]
    rows = published.room((int(ends[-1]),), np.int64)
    free = np.array([starts[:-1], held[:-1], ends[:-1]])
    latest = np.full(n_terms, -1, dtype=np.int64)
    fill_entries(forest, walk, published.counts, free, latest, entries, holdings, rows)
    if not is_inspected:
        require_once(starts, entries[WHERE], "a cluster holds the same term twice")
        require_once(ends, rows, "a subrecord holds the same term twice")
    return starts, entries, holdings, rows


def _mixed(starts: Ints64, places: NDArray[np.int32], nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell for every place whether its tree has a term both in a node and below it.

    Subtrees are nested or disjoint, so if any two entries of a term are nested, two neighbours in its list are.
    """
    mixed = np.zeros(nodes.shape[1], dtype=np.bool_)
    for first in range(0, places.size - 1, _AT_ONCE):
        last = min(first + _AT_ONCE, places.size - 1)
        nested = nodes[LAST, places[first:last]] >= places[first + 1 : last + 1]
        nested[starts[slice(*np.searchsorted(starts, (first + 1, last + 1)))] - first - 1] = False  # of another term
        mixed[nodes[ROOT, places[first:last][nested]]] = True
    whole: NDArray[np.bool_] = mixed[nodes[ROOT]]
    return whole


def _spare(published: Clusters, own: Ints64) -> Ints64:
    """Count the subrecords beyond one per record where nothing else fills a record: leaves outside joints, no terms."""
    alone = (published.parents < 0) & ~published.is_joint & (published.term_chunks.lengths == 0)
    return np.where(alone, own - published.sizes, UNBOUNDED)


def _forced(published: Clusters, own: Ints64, walk: Ints64, above: Ints64) -> Ints64:
    """Count how many records need the single term of a term chunk because nothing else can fill them; at least 1."""
    single = published.term_chunks.lengths[walk] == 1
    return np.where(single, np.maximum(1, (published.sizes - own)[walk] - above), 1)


def _with_slots(index: PostingIndex, published: Clusters, places: Ints64) -> PostingIndex:
    """Add what mixed trees need: the entries that enclose others, and who may have a shared subrecord."""
    entries = np.concatenate((index.entries, np.full((1, index.entries.shape[1]), -1, dtype=np.int32)))
    find_enclosing(index.starts, entries, index.nodes)
    index = index._replace(entries=entries)
    owners = places[published.nodes.over(published.chunks).owners()]
    shared = (index.nodes[LAST, owners] > owners) & (index.nodes[MIXED, owners] == 1)
    slots = np.zeros(owners.size, dtype=np.int64)
    longest = published.subrecords.longest
    count_slots(np.where(shared, owners, -1), index, np.empty(longest, dtype=np.int64), slots)
    return index._replace(slots=slots)


@kernel
def lay_out(parents, own):
    """Return a table by node: place in pre-order, then by place: last below, parent, root, sum of `own` above, depth.

    A parent comes before its children; children keep their order. `own` is by node.
    """
    n = parents.size
    table = np.zeros((6, n), np.int64)
    below = np.ones(n, np.int64)
    free = np.zeros(n, np.int64)
    for v in range(n - 1, -1, -1):
        if parents[v] >= 0:
            below[parents[v]] += below[v]
    first = 0
    for v in range(n):
        above = parents[v]
        place = first if above < 0 else free[above]
        table[PLACE, v] = place
        free[v] = place + 1
        table[LAST, place] = place + below[v] - 1
        if above < 0:
            first += below[v]
            table[PARENT, place] = -1
            table[ROOT, place] = place
        else:
            up = table[PLACE, above]
            free[above] += below[v]
            table[PARENT, place] = up
            table[ROOT, place] = table[ROOT, up]
            table[ABOVE, place] = table[ABOVE, up] + own[above]
            table[DEPTH, place] = table[DEPTH, up] + 1
    return table


@kernel
def count_entries(forest, walk, tallies, latest):
    """Count the entries, holdings and subrecords of every term into three rows of `tallies`, 0 at first.

    `forest` is (chunk offsets, subrecord offsets, item offsets, items, term offsets, term items); `latest` is -1.
    """
    chunk_offsets, subrecord_offsets, item_offsets, items, _, term_items = forest
    for v in walk:
        for c in range(chunk_offsets[v], chunk_offsets[v + 1]):
            for i in range(item_offsets[subrecord_offsets[c]], item_offsets[subrecord_offsets[c + 1]]):
                term = items[i]
                tallies[2, term] += 1
                if latest[term] != c:
                    latest[term] = c
                    tallies[0, term] += 1
                    tallies[1, term] += 1
    for i in range(term_items.size):
        tallies[0, term_items[i]] += 1


@kernel
def fill_entries(forest, walk, counts, free, latest, entries, holdings, rows):
    """List the entries and holdings counted before; `free` has for every term where its next entry, holding and row
    go, `latest` is -1 again.
    """
    chunk_offsets, subrecord_offsets, item_offsets, items, term_offsets, term_items = forest
    for place in range(walk.size):
        v = walk[place]
        for c in range(chunk_offsets[v], chunk_offsets[v + 1]):
            for s in range(subrecord_offsets[c], subrecord_offsets[c + 1]):
                for i in range(item_offsets[s], item_offsets[s + 1]):
                    term = items[i]
                    if latest[term] != c:
                        latest[term] = c
                        entries[WHERE, free[0, term]] = place
                        entries[HOLDING, free[0, term]] = free[1, term]
                        holdings[CHUNK, free[1, term]] = c
                        holdings[ROWS, free[1, term]] = free[2, term]
                        free[0, term] += 1
                        free[1, term] += 1
                    rows[free[2, term]] = s
                    holdings[SUPPORT, free[1, term] - 1] += counts[s]
                    free[2, term] += 1
        for i in range(term_offsets[v], term_offsets[v + 1]):
            term = term_items[i]
            entries[WHERE, free[0, term]] = place
            entries[HOLDING, free[0, term]] = IN_TERM_CHUNK
            free[0, term] += 1


@kernel
def find_enclosing(starts, entries, nodes):
    """Note for every entry the nearest entry of its term whose node lies above."""
    for term in range(starts.size - 1):
        for e in range(starts[term], starts[term + 1]):
            f = e - 1 if e > starts[term] else -1
            while f >= 0 and nodes[LAST, entries[WHERE, f]] < entries[WHERE, e]:
                f = entries[ENCLOSING, f]
            entries[ENCLOSING, e] = f
