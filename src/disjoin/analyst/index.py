"""Inverted index of a release: a posting list per term, built once."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.as_clusters import ItemNames, Sets, as_clusters, item_names, sets_of
from disjoin.errors import InvalidParameter, described
from disjoin.jit.decision import numbers_in, prepare
from disjoin.jit.kernel import inner, kernel
from disjoin.model import Clusters, GeneralizedItems, Groups, Guarantee, KmAnonymity, Release
from disjoin.model.published import Published
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, are_below, offsets_of

IN_TERM_CHUNK = -1
UNBOUNDED = 2**40
RARE = ("once", "half")
INTERPRETED = 10e-6  # seconds per number of a release, to make the index and ask it a few questions
_AT_ONCE = 1 << 18  # entries, where each takes several numbers
_UNSOUND = "these are not sound clusters. Ask disjoin.verify what is wrong."


# Sound clusters: offsets that fit, parents before children, sizes that add up.
# A release has been verified; bare clusters may hold anything, and compiled loops trust their arrays.


def require_form(published: Clusters) -> None:
    """Raise `InvalidParameter` unless the arrays describe a forest (whether it is anonymous is not asked)."""
    finding = form_finding(published)
    if finding is None:
        below, is_child = np.zeros_like(published.sizes), published.parents >= 0
        np.add.at(below, published.parents[is_child], published.sizes[is_child])
        is_wrong = published.is_joint & (below != published.sizes)
        finding = "a joint cluster is not as large as its children" if is_wrong.any() else None
    if finding:
        raise InvalidParameter(f"{finding}: {_UNSOUND}")


def form_finding(published: Clusters) -> str | None:
    """Return why an offset or number leads nowhere, or None; compiled loops do not look."""
    nodes, rows, n_terms = published.parents.size, published.counts.size, len(published.vocabulary)
    if not (
        published.sizes.size == nodes
        and published.term_chunks.cuts(nodes, published.term_items.size)
        and published.nodes.cuts(nodes, len(published.chunks))
        and published.chunks.cuts(len(published.chunks), rows)
        and published.subrecords.cuts(rows, published.items.size)
    ):
        return "the offsets do not fit"
    if (published.parents >= np.arange(nodes)).any() or (published.parents < -1).any():
        return "a cluster comes before its parent"
    if (published.sizes < 1).any():
        return "a cluster has no records"
    if published.term_chunks.lengths[published.is_joint].any():
        return "a joint cluster has a term chunk"
    if not (are_below(published.items, n_terms) and are_below(published.term_items, n_terms)):
        return "a term has no name"
    return "a subrecord has a count below 1" if (published.counts < 1).any() else None


def require_once(starts: Ints64, listed: NDArray[Any], finding: str) -> None:
    if Ragged(starts, listed).have_repeats():
        raise InvalidParameter(f"{finding}: {_UNSOUND}")


class Holdings(NamedTuple):
    """A term in a chunk, with its subrecords. It is a tuple of its own because every array slows down a call."""

    chunks: Ints64  # (holdings + 1,) the last has no meaning: IN_TERM_CHUNK leads there
    supports: Ints64  # (holdings + 1,) records of the chunk that have the term
    first_rows: Ints64  # (holdings + 1,) where its subrecords start
    rows: Ints64  # the subrecords of a holding, ascending
    counts: Ints64  # (subrecords,)


class PostingIndex(NamedTuple):
    """From terms to nodes, which are known by their place in pre-order: what is below a node is a range of places.
    Every term has entries, ascending by place; an entry leads to a holding or to a term chunk."""

    sizes: Ints64  # (nodes,) records; here and below by place
    last: Ints64  # (nodes,) the last place below
    parents: Ints64  # (nodes,) -1 for a root
    roots: Ints64  # (nodes,)
    spare: Ints64  # (nodes,) subrecords beyond one per record where nothing else fills a record, UNBOUNDED elsewhere
    forced: Ints64  # (nodes,) at least that many records have a term of the term chunk
    is_mixed: Flags  # (nodes,) a term of the tree is both in a node and below it
    starts: Ints64  # (terms + 1,) the entries of a term
    places: Ints32  # (entries,)
    held: Ints32  # (entries,) the holding, or IN_TERM_CHUNK
    enclosing: Ints32  # (entries,) the nearest entry of the term above, -1 for none; empty if no tree is mixed
    holdings: Holdings
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
    """Report whether a shared subrecord of `joint` may go to a leaf: no node between has one of its terms."""
    for i in range(index.item_offsets[row], index.item_offsets[row + 1]):
        term = index.items[i]
        start = index.starts[term]
        e = seek(index.places, start, index.starts[term + 1], leaf + 1) - 1
        while e >= start and index.last[index.places[e]] < leaf:
            e = index.enclosing[e]
        if e >= start and index.places[e] > joint:
            return False
    return True


@kernel
def count_slots(owners, index, at, slots):
    """Count for the subrecords of shared chunks (`owners`: the joint's place, or -1) the records that may have them. A
    node below the joint that has one of the terms keeps everything below it from the subrecord."""
    places, sizes, last = index.places, index.sizes, index.last
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


class SupportIndex:
    """What the questions of an analyst need of published data, with its guarantee, if that is known. All forms are
    indexed as clusters; `noun` is the type of what was published, and `names` what names of generalised records mean.
    Data that was verified, as every release was, is not checked again."""

    def __init__(
        self,
        published: Clusters,
        guarantee: Guarantee | None = None,
        noun: type[Published] = Clusters,
        names: ItemNames | None = None,
        *,
        is_inspected: bool = False,
    ) -> None:
        self.published, self.guarantee, self.noun, self.names = published, guarantee, noun, names
        prepare(INTERPRETED * numbers_in(published))
        self.index, self.depth, self.places = _index_of(published, is_inspected=is_inspected)

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self.published.vocabulary.to_pylist())}

    @property
    def n_terms(self) -> int:
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


# An index is kept as long as its release.
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
    if desk is None:
        desk = _DESKS[source] = _new_desk(*sets_of(source, "this"), is_inspected=True)
    return desk


def desk_of_clusters(source: Release | Sets | SupportIndex, what: str, only: str = "") -> SupportIndex:
    """Return the index unless it is of groups; `what` names the work that is not done with them. `only` begins the
    sentence that refuses everything but clusters."""
    published = source.published if isinstance(source, Release) else source
    if isinstance(published, Groups) or (isinstance(published, SupportIndex) and published.noun is Groups):
        raise InvalidParameter(
            f"{what} works with clusters, and this release has groups: ask support for itemsets with sensitive items, "
            "and mine the records, whose ordinary items are all there, with any tool (reconstruct writes them)."
        )
    desk = desk_of(source)
    if only and desk.noun is not Clusters:
        raise InvalidParameter(f"{only} has {desk.noun.in_words}.")
    return desk


def _new_desk(published: Sets, guarantee: Guarantee | None, *, is_inspected: bool) -> SupportIndex:
    names = item_names(published) if isinstance(published, GeneralizedItems) else None
    clusters = as_clusters(published, is_inspected=is_inspected)
    return SupportIndex(clusters, guarantee, type(published), names, is_inspected=is_inspected)


def _index_of(published: Clusters, *, is_inspected: bool) -> tuple[PostingIndex, int, Ints64]:
    """Return the index, how many joints are above the deepest leaf, and the place of every node in pre-order."""
    if not is_inspected:
        require_form(published)
    own = published.nodes.over(published.chunks).sums(published.counts)  # (nodes,) subrecords
    places, last, parents, roots, above, depths = lay_out(published.parents, own)
    walk = np.empty(len(published), dtype=np.int64)  # the nodes in pre-order
    walk[places] = np.arange(len(published))
    starts, places_of, held, holdings = _postings(published, walk, is_inspected=is_inspected)
    rare_terms = published.term_chunks.lengths
    # Nothing but subrecords fills the records of leaves outside joints without a term chunk.
    alone = (published.parents < 0) & ~published.is_joint & (rare_terms == 0)
    # A term of a term chunk is in one record at least; if it is the only one, in all that nothing else can fill.
    forced = np.where(rare_terms[walk] == 1, np.maximum(1, (published.sizes - own)[walk] - above), 1)
    index = PostingIndex(
        published.sizes[walk],
        last,
        parents,
        roots,
        np.where(alone, own - published.sizes, UNBOUNDED)[walk],
        forced,
        _mixed(starts, places_of, last, roots),
        starts,
        places_of,
        held,
        np.empty(0, dtype=np.int32),
        holdings,
        published.item_offsets,
        published.items,
        np.empty(0, dtype=np.int64),
    )
    index = _with_slots(index, published, places) if index.is_mixed.any() else index
    return index, int(depths.max(initial=0)), places


def _postings(published: Clusters, walk: Ints64, *, is_inspected: bool) -> tuple[Ints64, Ints32, Ints32, Holdings]:
    """Return starts, places and holdings of entries, and the holdings."""
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
    starts, first_held, ends = (offsets_of(tally) for tally in tallies)
    assert starts[-1] < 2**31, "places and holdings are numbered in 32 bits"
    places, held = (published.room((int(starts[-1]),), np.int32) for _ in range(2))
    chunks, supports, first_rows = (published.room((int(first_held[-1]) + 1,), np.int64) for _ in range(3))
    rows = published.room((int(ends[-1]),), np.int64)
    first_rows[-1] = ends[-1]
    free = np.array([starts[:-1], first_held[:-1], ends[:-1]])
    latest = np.full(n_terms, -1, dtype=np.int64)
    fill_entries(forest, walk, published.counts, free, latest, (places, held, chunks, supports, first_rows, rows))
    if not is_inspected:
        require_once(starts, places, "a cluster holds the same term twice")
        require_once(ends, rows, "a subrecord holds the same term twice")
    return starts, places, held, Holdings(chunks, supports, first_rows, rows, published.counts)


def _mixed(starts: Ints64, places: Ints32, last_below: Ints64, roots: Ints64) -> Flags:
    """Report for every place whether its tree has a term both in a node and below it. Subtrees are nested or disjoint,
    so if any two entries of a term are nested, two neighbours in its list are."""
    mixed = np.zeros(roots.size, dtype=np.bool_)
    for first in range(0, places.size - 1, _AT_ONCE):
        last = min(first + _AT_ONCE, places.size - 1)
        nested = last_below[places[first:last]] >= places[first + 1 : last + 1]
        nested[starts[slice(*np.searchsorted(starts, (first + 1, last + 1)))] - first - 1] = False  # of another term
        mixed[roots[places[first:last][nested]]] = True
    return mixed[roots]


def _with_slots(index: PostingIndex, published: Clusters, places: Ints64) -> PostingIndex:
    """Add what mixed trees need: the entries that enclose others, and who may have a shared subrecord."""
    index = index._replace(enclosing=np.full(index.places.size, -1, dtype=np.int32))
    find_enclosing(index.starts, index.places, index.enclosing, index.last)
    owners = places[published.nodes.over(published.chunks).owners()]
    shared = (index.last[owners] > owners) & index.is_mixed[owners]
    slots = np.zeros(owners.size, dtype=np.int64)
    count_slots(np.where(shared, owners, -1), index, np.empty(published.subrecords.longest, dtype=np.int64), slots)
    return index._replace(slots=slots)


def had_by_all(index: PostingIndex) -> Ragged:
    """Return for every place the terms that all its records have: one chunk shows each for that many."""
    found: list[tuple[Ints32, Ints32]] = [(np.empty(0, np.int32), np.empty(0, np.int32))]
    for first in range(0, index.places.size, _AT_ONCE):
        held, at = (array[first : first + _AT_ONCE] for array in (index.held, index.places))
        chosen = np.flatnonzero((held >= 0) & (index.holdings.supports[held] == index.sizes[at]))
        terms = np.searchsorted(index.starts, first + chosen, "right") - 1
        found.append((at[chosen], terms.astype(np.int32)))
    places, items = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.argsort(places, kind="stable")
    return Ragged(offsets_of(np.bincount(places, minlength=index.sizes.size)), items[order])


@kernel
def lay_out(parents, own):
    """Return by node its place in pre-order; and by place last below, parent, root, sum of `own` above, depth. A parent
    comes before its children; children keep their order. `own` is by node."""
    n = parents.size
    places, last, up, roots = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    sums, depths = np.zeros(n, np.int64), np.zeros(n, np.int64)
    below, free = np.ones(n, np.int64), np.zeros(n, np.int64)
    for v in range(n - 1, -1, -1):
        if parents[v] >= 0:
            below[parents[v]] += below[v]
    first = 0
    for v in range(n):
        above = parents[v]
        place = first if above < 0 else free[above]
        places[v] = place
        free[v] = place + 1
        last[place] = place + below[v] - 1
        if above < 0:
            first += below[v]
            up[place] = -1
            roots[place] = place
        else:
            joint = places[above]
            free[above] += below[v]
            up[place] = joint
            roots[place] = roots[joint]
            sums[place] = sums[joint] + own[above]
            depths[place] = depths[joint] + 1
    return places, last, up, roots, sums, depths


@kernel
def count_entries(forest, walk, tallies, latest):
    """Count the entries, holdings and subrecords of every term into three rows of `tallies`, 0 at first. `forest` is
    (chunk offsets, subrecord offsets, item offsets, items, term offsets, term items); `latest` is -1."""
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
def fill_entries(forest, walk, counts, free, latest, lists):
    """List the entries and holdings counted before; `free` has for every term where its next entry, holding and row
    go, `latest` is -1 again."""
    chunk_offsets, subrecord_offsets, item_offsets, items, term_offsets, term_items = forest
    places, held, chunks, supports, first_rows, rows = lists
    for place in range(walk.size):
        v = walk[place]
        for c in range(chunk_offsets[v], chunk_offsets[v + 1]):
            for s in range(subrecord_offsets[c], subrecord_offsets[c + 1]):
                for i in range(item_offsets[s], item_offsets[s + 1]):
                    term = items[i]
                    if latest[term] != c:
                        latest[term] = c
                        places[free[0, term]] = place
                        held[free[0, term]] = free[1, term]
                        chunks[free[1, term]] = c
                        first_rows[free[1, term]] = free[2, term]
                        free[0, term] += 1
                        free[1, term] += 1
                    rows[free[2, term]] = s
                    supports[free[1, term] - 1] += counts[s]
                    free[2, term] += 1
        for i in range(term_offsets[v], term_offsets[v + 1]):
            term = term_items[i]
            places[free[0, term]] = place
            held[free[0, term]] = IN_TERM_CHUNK
            free[0, term] += 1


@kernel
def find_enclosing(starts, places, enclosing, last):
    """Note for every entry the nearest entry of its term whose node lies above."""
    for term in range(starts.size - 1):
        for e in range(starts[term], starts[term + 1]):
            f = e - 1 if e > starts[term] else -1
            while f >= 0 and last[places[f]] < places[e]:
                f = enclosing[f]
            enclosing[e] = f
