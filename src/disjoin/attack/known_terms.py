"""Attacker who knows terms of a person in clusters: candidate records, and what they have in common.

`possible` and `certain` hold for every possible original (section A.7): they are the most and the fewest records with
the known terms that any of them has. A term is sure if every possible original gives it to every record with the known
terms. Both are exact unless a joint cluster repeats a term of a cluster below it (the papers' REFINE); then bounds stay
bounds, and a sure term stays sure, but some may be missed. The guarantee is about `possible`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disjoin.analyst.index import SupportIndex, desk_of_clusters, had_by_all
from disjoin.analyst.supports import conditions_in, itemsets_from
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, GeneralizedItems, Groups, KmAnonymity, Mixed, Release, Transactions
from disjoin.model.parameters import OTHER, threshold_in
from disjoin.model.published import Published
from disjoin.model.ragged import Flags, Ints64, Ragged, Spans, offsets_of, runs
from disjoin.text import counted


@dataclass(frozen=True, slots=True)
class PartCandidates:
    """The candidates in one cluster or group, or in the clusters that were joined below one."""

    cluster: int
    size: int
    certain: int
    possible: int
    shared: tuple[str, ...]  # what all of them have, next to the known terms


@dataclass(frozen=True, slots=True)
class Candidates:
    """The records that could be a person, given some knowledge, and the guaranteed number."""

    known: tuple[str, ...]
    possible: int  # records that could be this person
    certain: int  # records that have what is known in every possible original
    guaranteed: int | None = None  # at least that many are possible, or none; None: no number is guaranteed
    is_kept: bool = True  # the guarantee holds for this attacker, or does not cover what is known
    within_guarantee: bool = True  # the guarantee covers what is known
    note: str = ""  # further sentences
    parts: tuple[PartCandidates, ...] = ()  # the clusters or groups where the records are
    in_parts: int = 0  # how many of these there are; more than are listed if only some were asked for
    sure: tuple[str, ...] = ()  # what all candidates have, in every possible original
    learned: tuple[tuple[str, float], ...] = ()  # what they may have, with the chance, the likeliest first

    @classmethod
    def among(cls, known: tuple[str, ...], possible: int, certain: int, k: int | None, covered: bool) -> Candidates:
        """Return candidates; if the knowledge is `covered`, at least k or none are guaranteed."""
        return cls(known, possible, certain, k, not covered or not possible or k is None or possible >= k, covered)

    @property
    def them(self) -> str:
        return "it" if len(self.known) == 1 else "all of them"

    @property
    def verdict(self) -> str:
        """Whether the guarantee holds for this attacker, in one sentence."""
        if not self.within_guarantee:
            return "The guarantee does not cover an attacker who knows this."
        return "The guarantee holds." if self.is_kept else "The guarantee does not hold."

    def sentence(self) -> str:
        """Return the number of candidates, the guarantee and what is certain, in words."""
        known = f"Known: {', '.join(self.known)}."
        if not self.possible:
            return f"{known} No record of this release can have {self.them}."
        guarantee = "" if self.guaranteed is None else f" (guaranteed: at least {self.guaranteed:,})"
        guarantee = guarantee if self.within_guarantee else " (not guaranteed)"
        how_many = f"{counted(self.possible, 'record')} could be this person{guarantee}."
        sure = f"Certain of this person: {', '.join(self.sure)}." if self.sure else "Nothing further is certain."
        return " ".join(filter(None, (known, how_many, self._how_certain(), self.note, sure)))

    def _how_certain(self) -> str:
        if not self.certain:
            return "For none of them is it certain." if self.possible > 1 else "It is not certain."
        if self.certain == self.possible:
            all_of_them = "For all of them it is certain that they match."
            return all_of_them if self.possible > 1 else "It is certain that it matches."
        return f"For {self.certain:,} of them it is certain that they match."

    def to_json(self) -> dict[str, Any]:
        """Return plain facts, and the sentences."""
        names = ("possible", "certain", "guaranteed", "is_kept", "within_guarantee", "in_parts")
        return {
            "known": list(self.known),
            **{name: getattr(self, name) for name in names},
            "sentence": self.sentence(),
            "verdict": self.verdict,
            "parts": [asdict(each) | {"shared": list(each.shared)} for each in self.parts],
            "sure": list(self.sure),
            "learned": [{"term": term, "chance": round(chance, 6)} for term, chance in self.learned],
        }


def candidates(source: Release | Clusters | SupportIndex, known: object, *, most: int | None = None) -> Candidates:
    """Return the records that could be a person of whom these terms are known.

    In tables and mixed data a known value of a column is written column=value. All clusters or groups with candidates
    are listed, or the `most` that have the most candidates.

    >>> from disjoin.model import Clusters
    >>> chunk = {"subrecords": [[["tea"], 1], [["jam", "tea"], 2]]}
    >>> leaf = {"size": 3, "record_chunks": [chunk], "term_chunk": ["hiv"]}
    >>> found = candidates(Clusters.from_nested([leaf]), ["jam"])
    >>> found.certain, found.possible, found.sure
    (2, 2, ('tea',))
    """
    terms = known_from(known)
    threshold = None if isinstance(source, Clusters) else threshold_in(source.guarantee)
    if isinstance(source, Clusters) or threshold is None or not (rare := _not_shown(source.published, terms)):
        return _of_shown(source, terms, most)
    shown = tuple(term for term in terms if term not in rare)
    if threshold.rare == OTHER and OTHER not in shown and not _not_shown(source.published, (OTHER,)):
        shown += (OTHER,)  # what rare terms are published as
    found = _of_shown(source, shown, most) if shown else Candidates((), int(source.published.extent["records"]), 0)
    few = f"The release shows no term of fewer than {threshold.people:,} people: {', '.join(rare)} may be such a term."
    parts = tuple(replace(part, certain=0) for part in found.parts)
    return replace(found, known=terms, certain=0, parts=parts, note=f"{found.note} {few}".lstrip())


def _not_shown(published: Published, terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms that are not published; values of columns are no terms."""
    if isinstance(published, Mixed):
        terms = conditions_in(published.rows, terms)[1]
    if isinstance(published, GeneralizedItems):
        shown = {*published.mapping, *published.records.vocabulary.to_pylist()}
    elif isinstance(published, Clusters | Groups | Mixed):
        shown = set(published.vocabulary.to_pylist())
    else:
        return ()
    return tuple(term for term in terms if term not in shown)


def _of_shown(source: Release | Clusters | SupportIndex, terms: tuple[str, ...], most: int | None) -> Candidates:
    """Return the candidates for terms; one that the release does not show is in no record."""
    if isinstance(source, Release) and not isinstance(source.published, Clusters):
        from disjoin.attack.known_items import candidates_elsewhere

        return candidates_elsewhere(source, terms, most)
    desk = desk_of_clusters(source, "attack", "this attack reads clusters, and this release")
    guarantee = desk.guarantee if isinstance(desk.guarantee, KmAnonymity) else None
    covered = guarantee is not None and len(terms) <= guarantee.most_known
    k = None if guarantee is None else guarantee.k
    numbers = [desk.numbers.get(term, -1) for term in terms]
    if -1 in numbers:
        return Candidates.among(terms, 0, 0, k, covered)
    return in_clusters(whereabouts_of(desk).clusters_with(numbers), desk, terms, k, covered, most)


def in_clusters(
    found: CandidateClusters, desk: SupportIndex, known: tuple[str, ...], k: int | None, covered: bool, most: int | None
) -> Candidates:
    among = Candidates.among(known, int(found.at_most.sum()), int(found.at_least.sum()), k, covered)
    parts, sure = found.named(desk.published.vocabulary, most), found.sure(desk.published.vocabulary)
    return replace(among, note=found.where("cluster"), parts=parts, in_parts=found.nodes.size, sure=sure)


def true_records(original: Transactions, known: tuple[str, ...]) -> int:
    """Return how many records of the original have all of the known terms.

    >>> true_records(Transactions.from_sets([["jam", "tea"], ["tea"], ["jam", "gin", "tea"]]), ("jam", "tea"))
    2
    """
    numbers = pc.index_in(pa.array(known, original.vocabulary.type), value_set=original.vocabulary)
    return 0 if numbers.null_count else int(holding(original.records, numbers.to_pylist()).sum())


def holding(rows: Ragged, items: Collection[int]) -> Flags:
    """Report for every row whether it has all items; no row has an item twice."""
    found: Flags = rows.sums(np.isin(rows.items, [*items])) == len({*items})
    return found


def known_from(known: object) -> tuple[str, ...]:
    """Return known terms as they were given: one, or several."""
    listed = itemsets_from([known if isinstance(known, str) or not isinstance(known, Iterable) else list(known)])
    if not listed[0]:
        raise InvalidParameter("expected at least one known term, got none.")
    return tuple(listed[0])


# Where in a release given terms can be together: leaf by leaf, the fewest and the most records, and what they share.
#
# A term of a leaf is taken from the lowest place on the way up that has it (section A.8). Two rules combine chunks:
# records with terms of several chunks overlap as little, or as much, as there is room for; and a joint cluster adds the
# bounds of what is below it before its own chunks bound them. All leaves are looked at together, because a frequent
# term is in tens of thousands of them; tables here have a row per known term and a column per leaf.

_BITS = 40  # known terms whose sets are written as bits of one number, next to that of a chunk
_MANY = 2**40  # more records than there are


class CandidateClusters(NamedTuple):
    """The clusters, or those joined below one, that may have a record with all known terms; ascending."""

    nodes: Ints64
    sizes: Ints64
    at_least: Ints64
    at_most: Ints64
    shared: Ragged  # the terms that all of these records have as well

    def take(self, order: Ints64) -> CandidateClusters:
        nodes, sizes, at_least, at_most = (column[order] for column in self[:4])
        return CandidateClusters(nodes, sizes, at_least, at_most, self.shared.take(order))

    def where(self, noun: str) -> str:
        """Return a sentence that states in how many clusters or groups the candidates are."""
        are = "It is" if self.at_most.sum() == 1 else "They are"
        return f"{are} in {counted(self.nodes.size, noun)}." if self.nodes.size else ""

    def named(self, vocabulary: pa.StringArray, most: int | None) -> tuple[PartCandidates, ...]:
        """Return the clusters in words, or those with the most candidates if there are more than `most`."""
        if most is not None and self.nodes.size > most:
            return self.take(np.sort(np.argsort(-self.at_most, kind="stable")[:most])).named(vocabulary, None)
        names = vocabulary.take(pa.array(self.shared.items)).to_pylist()
        offsets = self.shared.offsets.tolist()
        rows = zip(*(column.tolist() for column in self[:4]), strict=True)
        return tuple(
            PartCandidates(node, size, certain, possible, tuple(sorted(names[first:last])))
            for (node, size, certain, possible), first, last in zip(rows, offsets, offsets[1:], strict=False)
        )

    def sure(self, vocabulary: pa.StringArray) -> tuple[str, ...]:
        everywhere = np.flatnonzero(np.bincount(self.shared.items) == max(1, self.nodes.size))
        return tuple(sorted(vocabulary.take(pa.array(everywhere)).to_pylist()))


class _KnownParts(NamedTuple):
    """Sets of known terms that are in one chunk each, and which leaves take them from there."""

    places: Ints64  # (parts,) the node
    records: Ints64  # (parts,) that have all of them
    rows: Spans  # (parts,) of the subrecords that have all of them
    subrecords: Ints64
    is_all: Flags  # (parts,) all known terms are there
    of: Ints64  # (known, leaves) the part that a leaf takes a term from, where it is the first of that part; else -1


class _Leaves(NamedTuple):
    """The leaves that may have a record with all known terms."""

    positions: Ints64
    places: Ints64
    low: Ints64
    high: Ints64


class CandidateSearch:
    """Finds the leaves in which given terms can be together, and what is certain there."""

    def __init__(self, desk: SupportIndex) -> None:
        self.index, self.n_terms = desk.index, desk.n_terms
        self.leaves = np.flatnonzero(self.index.last == np.arange(self.index.last.size))  # their places
        self.nodes = np.empty(desk.places.size, np.int64)  # the node at each place
        self.nodes[desk.places] = np.arange(desk.places.size)
        self.content = Ragged(self.index.item_offsets, self.index.items)
        self.depths, places = np.zeros(self.nodes.size, np.int64), self.index.parents  # joint clusters above a place
        while (places >= 0).any():
            self.depths += places >= 0
            places = np.where(places >= 0, self.index.parents[places], -1)
        self.sure = self._sure_of_leaves(desk)  # what every record of a leaf has

    def _sure_of_leaves(self, desk: SupportIndex) -> Ragged:
        """Return what is in every record of a leaf: what all records of a node on the way up have, and a lone one."""
        everyone = had_by_all(self.index)
        owners, items, places = [], [], self.leaves
        while (places >= 0).any():
            is_there = np.flatnonzero(places >= 0)
            taken = everyone.take(places[is_there])
            owners.append(taken.spread(is_there))
            items.append(taken.items)
            places = np.where(places >= 0, self.index.parents[places], -1)
        alone = np.flatnonzero(self.index.sizes[self.leaves] == 1)
        taken = desk.published.term_chunks.take(self.nodes[self.leaves[alone]])
        return unions([*owners, taken.spread(alone)], [*items, taken.items], self.leaves.size, self.n_terms)

    def clusters_with(self, terms: list[int], left_out: Flags | None = None) -> CandidateClusters:
        """Return every root that may have a record with all terms; no record has a subrecord that is left out."""
        where = np.array([self._entries(term) for term in terms])
        positions = np.flatnonzero((where >= 0).all(axis=0))
        entries, places = where[:, positions], self.leaves[positions]
        parts = self._parts(entries, left_out)
        leaves = _Leaves(positions, places, *self._bounded(entries, places, parts))
        low, high = np.zeros((2, self.nodes.size), np.int64)  # by place; added up to the roots
        low[places], high[places] = leaves.low, leaves.high
        is_mixed = self.index.is_mixed[places]
        self._climb(parts, places[~is_mixed], low, high)
        if is_mixed.any():
            chosen = _Leaves(*(column[is_mixed] for column in leaves))
            self._add_mixed(parts._replace(of=parts.of[:, is_mixed]), chosen, low, high)
        roots = np.unique(self.index.roots[places])
        roots = roots[high[roots] > 0]
        shared = self._shared(parts, leaves, roots, terms)
        found = CandidateClusters(self.nodes[roots], self.index.sizes[roots], low[roots], high[roots], shared)
        return found.take(np.argsort(found.nodes))

    def _entries(self, term: int) -> Ints64:
        """Return for every leaf the lowest entry of a term on its way up, -1 if there is none."""
        where = np.full(self.leaves.size, -1, np.int64)
        first, last = self.index.starts[term], self.index.starts[term + 1]
        places = self.index.places[first:last].astype(np.int64)
        begins = np.searchsorted(self.leaves, places)
        ends = np.searchsorted(self.leaves, self.index.last[places], side="right")
        where[runs(begins, ends)] = np.repeat(np.arange(first, last), ends - begins)  # what is below comes later
        return where

    def _parts(self, entries: Ints64, left_out: Flags | None) -> _KnownParts:
        held = self.index.held[entries].astype(np.int64)  # (known, leaves)
        in_chunk, n = held >= 0, len(held)
        chunks = np.where(in_chunk, self.index.holdings.chunks[held], -1 - np.arange(n)[:, None])
        words = np.int64 if n <= _BITS else object
        sets = np.zeros(chunks.shape, words)  # the known terms that are in the same chunk, as bits
        for other in range(n):
            sets |= (chunks == chunks[other]).astype(words) << other
        powers = np.array([1 << number for number in range(n)], words)
        is_first = in_chunk & ((sets & -sets) == powers[:, None])
        keys = (chunks.astype(words) << n | sets)[is_first]
        _, sample, which = np.unique(keys, return_index=True, return_inverse=True)
        of = np.full(chunks.shape, -1, np.int64)
        of[is_first] = which
        leaf_of = np.nonzero(is_first)[1][sample]
        chosen = sets[is_first][sample]
        rows, subrecords = self._rows(chosen, held[:, leaf_of], left_out)
        where = self.index.places[entries][is_first][sample].astype(np.int64)
        records = rows.sums(self.index.holdings.counts[subrecords])
        return _KnownParts(where, records, rows, subrecords, chosen == (1 << n) - 1, of)

    def _rows(self, sets: NDArray[Any], holdings: Ints64, left_out: Flags | None) -> tuple[Spans, Ints64]:
        """Return the subrecords that have all known terms of each part."""
        starts = self.index.holdings.first_rows
        rows = of = np.zeros(0, np.int64)
        for number, held in enumerate(holdings):
            has_it = ((sets >> number) & 1).astype(np.bool_)
            begins, ends = starts[held[has_it]], starts[held[has_it] + 1]
            more = self.index.holdings.rows[runs(begins, ends)]
            owners = np.repeat(np.flatnonzero(has_it), ends - begins)
            is_in = np.zeros(self.index.holdings.counts.size, np.bool_)
            is_in[more] = True
            kept = ~has_it[of] | is_in[rows]
            begun = ((sets & ((1 << number) - 1)) == 0)[owners]  # by this term
            rows, of = np.concatenate((rows[kept], more[begun])), np.concatenate((of[kept], owners[begun]))
        if left_out is not None:
            rows, of = rows[~left_out[rows]], of[~left_out[rows]]
        order = np.argsort(of, kind="stable")
        return Spans.of(np.bincount(of, minlength=sets.size)), rows[order]

    def _bounded(self, entries: Ints64, places: Ints64, parts: _KnownParts) -> tuple[Ints64, Ints64]:
        """Bound the records of leaves that have the known terms which they hold themselves."""
        rare = (self.index.held[entries] < 0).sum(axis=0)
        is_own = (parts.of >= 0) & (np.append(parts.places, -1)[parts.of] == places)
        supports = np.append(parts.records, _MANY)[parts.of]
        size, own = self.index.sizes[places], is_own.sum(axis=0)
        high = np.minimum(size, supports.min(axis=0))
        several = own > 1
        high[several] = np.minimum(high[several], self.index.spare[places[several]] // (own[several] - 1))
        sums = np.where(is_own, supports, 0).sum(axis=0)
        overlap = np.where(own > 0, np.maximum(0, sums - (own - 1) * size), size)
        lone = (rare == 1) & (own == 0)
        forced = np.where(lone, self.index.forced[places], (overlap == size) & ((rare == 1) | (size == 1)))
        return np.where(rare == 0, overlap, forced), high

    def _climb(self, parts: _KnownParts, places: Ints64, low: Ints64, high: Ints64) -> None:
        """Add bounds up to the roots; the chunks of a joint cluster bound the sum of what is below it."""
        joint = self.index.last[parts.places] > parts.places
        held_by = parts.places[joint]
        least = np.full(low.size, _MANY)
        np.minimum.at(least, held_by, parts.records[joint])
        held, number = np.zeros((2, low.size), np.int64)
        np.add.at(held, held_by, parts.records[joint])
        np.add.at(number, held_by, 1)
        for depth in range(int(self.depths[places].max(initial=0)), -1, -1):
            here = places[self.depths[places] == depth]
            bound = here[number[here] > 0]
            low[bound] = np.maximum(0, low[bound] + held[bound] - number[bound] * self.index.sizes[bound])
            high[bound] = np.minimum(high[bound], least[bound])
            if depth:
                above = self.index.parents[here]
                np.add.at(low, above, low[here])
                np.add.at(high, above, high[here])
                places = np.concatenate((places[self.depths[places] < depth], np.unique(above)))

    def _add_mixed(self, parts: _KnownParts, leaves: _Leaves, low: Ints64, high: Ints64) -> None:
        """Bound trees in which leaves may take a term from different places: alike leaves together."""
        roots = self.index.roots[leaves.places]
        low[leaves.places] = high[leaves.places] = 0
        low[roots] = high[roots] = 0
        is_above = (parts.of >= 0) & (np.append(parts.places, -1)[parts.of] != leaves.places)
        above = np.sort(np.where(is_above, parts.of, -1), axis=0)
        apart = ~is_above.any(axis=0)
        np.add.at(low, roots[apart], leaves.low[apart])
        whole = (is_above & np.append(parts.is_all, False)[parts.of]).any(axis=0)  # each shared chunk once
        _, sample = np.unique(above[-1][whole], return_index=True)
        np.add.at(low, roots[whole][sample], parts.records[above[-1][whole][sample]])
        alike, which = np.unique(np.vstack((roots, above)), axis=1, return_inverse=True)
        sums = np.bincount(which.reshape(-1), leaves.high, minlength=alike.shape[1]).astype(np.int64)
        most = np.minimum(sums, np.append(parts.records, _MANY)[alike[1:]].min(axis=0))
        np.add.at(high, alike[0], most)

    def _shared(self, parts: _KnownParts, leaves: _Leaves, roots: Ints64, known: list[int]) -> Ragged:
        """Return what every record with the known terms has for sure, root by root."""
        rank = np.full(self.nodes.size, -1, np.int64)
        rank[roots] = np.arange(roots.size)
        root_of = rank[self.index.roots[leaves.places]]
        chosen = np.flatnonzero((leaves.high > 0) & (root_of >= 0))
        common = common_items(parts.rows, parts.subrecords, self.content, self.n_terms, known)
        taken = self.sure.take(leaves.positions[chosen])
        owners, items = [taken.owners()], [taken.items]
        for of in parts.of[:, chosen]:
            has_part = np.flatnonzero(of >= 0)
            taken = common.take(of[has_part])
            owners.append(taken.spread(has_part))
            items.append(taken.items)
        of_leaves = unions(owners, items, chosen.size, self.n_terms)
        keys = of_leaves.spread(root_of[chosen]) * self.n_terms + of_leaves.items
        keys, counts = np.unique(keys, return_counts=True)
        of, found = np.divmod(keys, self.n_terms)
        all_have = (counts == np.bincount(root_of[chosen], minlength=roots.size)[of]) & ~np.isin(found, known)
        return _grouped(keys[all_have], roots.size, self.n_terms)


# A search is kept as long as its index.
_OPEN: WeakKeyDictionary[SupportIndex, CandidateSearch] = WeakKeyDictionary()


def whereabouts_of(desk: SupportIndex) -> CandidateSearch:
    if desk not in _OPEN:
        _OPEN[desk] = CandidateSearch(desk)
    return _OPEN[desk]


# What rows have in common, for many sets of rows at once: pairs of a set and an item, sorted, instead of a loop.

_LOOKS = 3  # rows of every set that are looked at before all of them are


def unions(owners: Sequence[Ints64], items: Sequence[NDArray[Any]], n_owners: int, n_items: int) -> Ragged:
    """Return all items of every owner, each once and ascending; owners and items go together, list by list.

    >>> unions([np.array([1, 0]), np.array([1])], [np.array([5, 2]), np.array([5])], 2, 9).to_lists()
    [[2], [5]]
    """
    return _grouped(np.unique(np.concatenate(owners) * n_items + np.concatenate(items)), n_owners, n_items)


def common_items(sets: Spans, rows: Ints64, content: Ragged, n_items: int, known: Sequence[int] = ()) -> Ragged:
    """Return the items that all rows of a set have, for every set of rows; ascending, none of a set without rows.

    What is known already, and therefore in all of them, is not looked for. An item that is in all rows is in the first;
    few outlive two or three more rows, and only these are looked for in all.

    >>> content = Ragged.from_lists([[1, 2, 4], [2, 4], [3], [2, 5]])
    >>> common_items(Spans.of([2, 1, 3]), np.array([0, 1, 2, 0, 1, 3]), content, 6).to_lists()
    [[2, 4], [3], [2]]
    """

    def keys_of(rows: Ints64, owners: Ints64) -> Ints64:
        """Return a number for every owner and item of its row."""
        taken = content.take(rows)
        return taken.spread(owners) * n_items + taken.items

    lengths = sets.lengths
    alive = np.flatnonzero(lengths)
    keys = keys_of(rows[sets.offsets[alive]], alive)
    keys = keys[~np.isin(keys % n_items, known)]
    for look in range(1, _LOOKS + 1):
        alive = np.unique(keys // n_items)
        place = sets.offsets[alive] + (lengths[alive] - 1) * look // _LOOKS
        keys = keys[np.isin(keys, keys_of(rows[place], alive), assume_unique=True)]
    owners = keys // n_items
    more = np.unique(owners[lengths[owners] > _LOOKS + 1])
    if more.size:
        seen = keys_of(rows[sets.places(more)], np.repeat(more, lengths[more]))
        at = np.minimum(np.searchsorted(keys, seen), keys.size - 1)
        times = np.bincount(at[keys[at] == seen], minlength=keys.size)
        keys = keys[(times == lengths[owners]) | (lengths[owners] <= _LOOKS + 1)]
    return _grouped(keys, len(sets), n_items)


def _grouped(keys: Ints64, n_owners: int, n_items: int) -> Ragged:
    owners, items = np.divmod(keys, n_items)
    return Ragged(offsets_of(np.bincount(owners, minlength=n_owners)), items.astype(np.int32))
