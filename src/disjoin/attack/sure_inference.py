"""Inference with certainty: up to m known terms that reveal a further term (section G.1).

k^m-anonymity hides who a record belongs to, not what all candidates have in common. A further term is sure when every
possible original gives it to every record with the known ones: because all records of each cluster in question have it,
or because it is in every published subrecord that has them. How many records are concerned is counted in the original;
the release alone proves some, as a record shows itself in pieces, and possible records show about how many there are:
all of them, each weighed by its chance, or, where terms are too many for that, some that are drawn.

In the search, leaves that may have a record with all known terms are visited one after the other, and of the terms that
are asked for only those stay that each of them gives to all such records; mostly none is left after a few leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from disjoin.analyst.index import IN_TERM_CHUNK, PostingIndex, SupportIndex, desk_of_clusters, had_by_all, seek
from disjoin.analyst.supports import Met, next_row
from disjoin.attack.possible_records import (
    Sampled,
    Weighed,
    by_content,
    chance_of_any,
    original_rows,
    possible_records,
    records_at_least,
    shown_rows,
    wilson,
)
from disjoin.errors import InvalidParameter
from disjoin.jit.decision import prepare
from disjoin.jit.kernel import inner, kernel
from disjoin.model import Clusters, KmAnonymity, Release, Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged
from disjoin.text import some_percent

NOWHERE = -1
LARGEST = 2**62
MOST_SETS = 4_000_000  # sets of known terms that are looked at; of more, rows at equal distances are
LOOKS = 2000  # sets of one record; of more, some at equal distances
DRAWN, MOST_SETS_OF_DRAWN = 500, 10_000  # possible records that are drawn, and sets of known terms tried in them
MOST_SETS_OF_KNOWN = 10_000  # sets of terms of a release that are all tried, so that possible records can be weighed
MOST_KNOWN = 4  # known terms: one more than m = 3; of larger sets, those that are looked at would be too few
POSSIBLE = "possible records drawn by chance"
INTERPRETED = 40e-6  # seconds per set of known terms

Inference = tuple[tuple[str, ...], str]  # known terms, and what they reveal


@dataclass(frozen=True, slots=True)
class SureInference:
    """The number of records for which up to `known` terms reveal another with certainty."""

    records: int  # for which it was asked
    looked_at: int  # records of the original; of the release alone, possible records that are drawn
    found: int  # that many of those are concerned
    at_least: int  # that many of all records for certain
    known: int
    is_exact: bool  # counted in the original
    example: Inference | None
    weighed: float | None = None  # the share of all possible records by their chances, if these could be weighed

    @property
    def is_sampled(self) -> bool:
        """Whether only some records were examined, or possible records were drawn instead of weighed."""
        return self.weighed is None and (not self.is_exact or self.looked_at < self.records)

    @property
    def share(self) -> float:
        """The share of all records that are concerned."""
        return self.weighed if self.weighed is not None else self.found / self.looked_at if self.looked_at else 0.0

    @property
    def concerned(self) -> int:
        """The number of concerned records; an estimate unless all were examined."""
        return round(self.share * self.records)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share, if the examined records are a random sample."""
        return wilson(self.found, self.looked_at) if self.is_sampled and self.looked_at else (self.share, self.share)

    def sentence(self) -> str:
        least = f"{self.at_least / max(1, self.records):.1%} of the records" if self.at_least else "none"
        proven = f"The release alone proves it for {least}."
        known = "1 known term" if self.known == 1 else f"{self.known} known terms"
        reveal = f"{known} {'reveals' if self.known == 1 else 'reveal'} a further term with certainty"
        if self.weighed is not None and not self.weighed:
            return f"In no possible record, {known} can reveal a further term with certainty."
        if self.weighed is not None:
            of = "over all possible records, by their chances"
            return f"For about {some_percent(self.weighed)} of the records, {reveal} ({of}). {proven}"
        if not self.is_sampled:
            return f"For {self.share:.1%} of the records, {reveal}."
        low, high = self.interval
        looked = f"{self.looked_at:,} records of the original" if self.is_exact else f"{self.looked_at:,} {POSSIBLE}"
        if self.found:
            said = f"For about {self.share:.1%} of the records, {reveal} ({low:.1%} to {high:.1%}; {looked})."
        else:
            said = f"No record was found for which {reveal} (at most {high:.1%}; {looked})."
        return said if self.is_exact else f"{said} {proven}"

    def example_in_words(self) -> str:
        """Return one inference as an example; empty without one."""
        if not self.example:
            return ""
        return f"For example, every candidate with {' and '.join(self.example[0])} also has {self.example[1]}."

    def to_json(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "concerned": self.concerned,
            "looked_at": self.looked_at,
            "found": self.found,
            "interval": [round(each, 6) for each in self.interval],
            "at_least": self.at_least,
            "share": round(self.share, 6),
            "known": self.known,
            "exact": self.is_exact,
            "sampled": self.is_sampled,
            "weighed": self.weighed is not None,
            "example": {"known": list(self.example[0]), "tells": self.example[1]} if self.example else None,
        }


def sure_inference(
    source: Release | Clusters | SupportIndex,
    original: Transactions | None = None,
    *,
    known: int | None = None,
    most_sets: int = MOST_SETS,
) -> SureInference:
    """Count the records of which up to `known` terms (default: m) reveal another with certainty. If there are more than
    `most_sets` sets of known terms, only records at equal distances are looked at."""
    desk = desk_of_clusters(source, "attack", "certain inference is about clusters, and this release")
    if desk.index.is_mixed.any():
        raise InvalidParameter("certain inference is counted in proven releases only: REFINE must be in mode safe.")
    guaranteed = desk.guarantee.m if isinstance(desk.guarantee, KmAnonymity) else 2
    search = _Search(desk, min(MOST_KNOWN, known or guaranteed))
    if original is not None:
        return search.of_original(original, most_sets)
    return replace(search.of_possible(), at_least=search.of_release())


def expected_share(published: Clusters, guarantee: KmAnonymity, *, shared: bool = True) -> Sampled | Weighed | None:
    """Return the share of records for which `sure_inference`, without the original, finds that up to m known terms
    reveal another; None if not proven. The verifier has accepted the clusters, so they are not checked again."""
    desk = SupportIndex(published, is_inspected=True)
    if desk.index.is_mixed.any():
        return None
    found = _Search(desk, min(MOST_KNOWN, guarantee.m)).of_possible()
    if not found.is_sampled:
        return Weighed(found.share)
    return Sampled(found.share, found.looked_at, found.found, found.interval)


class _Search:
    """Finds sets of up to `most` known terms that reveal another with certainty."""

    def __init__(self, desk: SupportIndex, most: int) -> None:
        self.desk, self.most, self.everyone = desk, most, had_by_all(desk.index)
        places = np.arange(desk.index.last.size + 1)
        leaves = np.flatnonzero(desk.index.last == places[:-1])
        leaf_from = np.append(leaves, NOWHERE)[np.searchsorted(leaves, places)].astype(np.int64)
        self.ground = SearchContext(desk.index, self.everyone.offsets, self.everyone.items, leaf_from)

    def of_release(self) -> int:
        """Return how many records are concerned for certain."""
        rows, published = shown_rows(self.desk, self.everyone), self.desk.published
        taken, _ = self._taken(rows.lengths)
        concerned = np.zeros(len(rows), np.int64)
        concerned[taken] = self._search(rows.take(taken))[0] * published.counts[taken]
        return records_at_least(published, published.chunks.sums(concerned))

    def of_original(self, original: Transactions, most_sets: int) -> SureInference:
        rows = original_rows(self.desk.published.vocabulary, original)
        taken, is_sampled = self._taken(rows.lengths, most_sets)
        if is_sampled:
            taken = by_content(rows)[taken]
        is_told, example = self._search(rows.take(taken))
        concerned = int(is_told.sum())
        least = concerned if not is_sampled else round(concerned * len(rows) / max(1, taken.size))
        return SureInference(len(rows), taken.size, concerned, least, self.most, True, example)

    def of_possible(self) -> SureInference:
        """Weigh all possible records, or look at some: as many as are drawn, or as their sets of known terms allow."""
        published, most = self.desk.published, self.most
        told = self._telling_sets()
        share = None if told is None else chance_of_any(published, list(told))
        if told is not None and share is not None:
            example = self._named(*next(iter(told.items()))) if share else None
            return SureInference(published.n_records, 0, 0, 0, most, False, example, share)
        rows = possible_records(published, DRAWN)
        sets = int(self._sets(rows.lengths).sum())
        if sets > MOST_SETS_OF_DRAWN:
            fewer = max(1, len(rows) * MOST_SETS_OF_DRAWN // sets)
            rows = rows.take(np.arange(fewer) * len(rows) // fewer)
        is_told, example = self._search(rows)
        return SureInference(published.n_records, len(rows), int(is_told.sum()), 0, most, False, example)

    def _telling_sets(self) -> dict[tuple[int, ...], int] | None:
        """Return the smallest sets of known terms that reveal another, with what they reveal; None if too many."""
        n_terms = self.desk.n_terms
        if sum(comb(n_terms, n) for n in range(1, self.most + 1)) > MOST_SETS_OF_KNOWN:
            return None
        told: dict[tuple[int, ...], int] = {}
        room = self._room(n_terms)
        for n in range(1, self.most + 1):
            terms = [term for term in range(n_terms) if (term,) not in told]
            sets = [
                each for each in combinations(terms, n) if not any(part in told for part in combinations(each, n - 1))
            ]
            found = np.full(len(sets), NOWHERE, np.int64)
            known, asked = np.zeros(n, np.int64), np.zeros(n_terms, np.int64)
            prepare(INTERPRETED * len(sets))
            told_by(np.array(sets, np.int64).reshape(-1, n), self.ground, room, known, asked, found)
            told |= {sets[place]: int(found[place]) for place in np.flatnonzero(found != NOWHERE).tolist()}
        return told

    def _sets(self, lengths: Ints64) -> Ints64:
        """Return how many sets of known terms are looked at in rows of these lengths."""
        longest = int(lengths.max(initial=0))
        each = [min(LOOKS, comb(length, min(self.most, max(0, length - 1)))) for length in range(longest + 1)]
        return np.array(each)[lengths]

    def _taken(self, lengths: Ints64, most_sets: int = MOST_SETS) -> tuple[Ints64, bool]:
        """Return the rows to look at: all, or some at equal distances if there are too many sets of known terms."""
        step = max(1, -(-int(self._sets(lengths).sum()) // most_sets))
        return np.arange(0, lengths.size, step), step > 1

    def _room(self, asked: int) -> Buffers:
        at, held, group, cursor = np.zeros((4, self.most), np.int64)
        hits, is_sure = np.zeros((2, asked), np.int64)
        return Buffers(at, Met(held, group, cursor), np.full(self.desk.n_terms, NOWHERE, np.int64), hits, is_sure)

    def _search(self, rows: Ragged) -> tuple[Flags, Inference | None]:
        """Report for every row whether known terms reveal another, and return the first such inference."""
        found = np.full((len(rows), self.most + 1), NOWHERE, np.int64)
        prepare(INTERPRETED * int(self._sets(rows.lengths).sum()))
        known, asked, chosen = (np.zeros(size, np.int64) for size in (self.most, rows.longest, self.most))
        room = self._room(rows.longest)
        first_sure(rows.offsets, rows.items, (self.most, LOOKS), self.ground, room, known, asked, chosen, found)
        is_told = found[:, self.most] != NOWHERE
        if not is_told.any():
            return is_told, None
        *terms, reveals = found[is_told.argmax()].tolist()
        return is_told, self._named(tuple(term for term in terms if term != NOWHERE), reveals)

    def _named(self, known: tuple[int, ...], reveals: int) -> Inference:
        names = self.desk.published.vocabulary
        return tuple(names[term].as_py() for term in known), names[reveals].as_py()


class SearchContext(NamedTuple):
    """Where to search: the index, and by place what all records of a node have."""

    postings: PostingIndex
    everyone_offsets: Ints64  # (nodes + 1,)
    everyone: Ints32
    leaf_from: Ints64  # (nodes + 1,) the first leaf from a place on, NOWHERE behind the last


class Buffers(NamedTuple):
    """Preallocated working memory."""

    at: Ints64  # (known terms,) the entry of each in the leaf at hand
    met: Met  # `held`: the holding of each, NOWHERE when it has been looked at
    place_of: Ints64  # (terms,) which of the terms asked for it is, NOWHERE for others; so again afterwards
    hits: Ints64  # (terms asked for,)
    is_sure: Ints64  # (terms asked for,)


@inner
def next_leaf(place, known, n, ground, at):
    """Return the first leaf from a place on that may have all n known terms, with their entries in `at`."""
    places, last = ground.postings.places, ground.postings.last
    place = ground.leaf_from[place]
    agreed, i = 0, 0
    while agreed < n and place != NOWHERE:
        first, end = ground.postings.starts[known[i]], ground.postings.starts[known[i] + 1]
        after = seek(places, max(at[i], first), end, place + 1)
        if after > first and last[places[after - 1]] >= place:
            at[i] = after - 1
            agreed += 1
        elif after == end:
            return NOWHERE
        else:
            at[i] = after
            place = ground.leaf_from[places[after]]
            agreed = 1
        i = i + 1 if i + 1 < n else 0
    return place


@inner
def hold(n, of_entries, at, held):
    """Note the holding of every known term in the leaf at hand; those of the term chunk have none."""
    for i in range(n):
        held[i] = NOWHERE if of_entries[at[i]] == IN_TERM_CHUNK else of_entries[at[i]]


@inner
def gather(a, n, holdings, met):
    """Take the known terms in the chunk of the a-th together, as they are looked at; return how many these are."""
    chunk, many = holdings.chunks[met.held[a]], 0
    for b in range(a, n):
        if met.held[b] >= 0 and holdings.chunks[met.held[b]] == chunk:
            met.group[many] = met.held[b]
            met.cursor[many] = holdings.first_rows[met.held[b]]
            met.held[b] = NOWHERE
            many += 1
    return many


@inner
def look_at_part(a, n, asked, postings, room):
    """Look at the known terms in the chunk of the a-th; return whether a record has them all, and mark what is sure."""
    holdings, item_offsets = postings.holdings, postings.item_offsets
    many = gather(a, n, holdings, room.met)
    rows, alive = 0, asked
    for y in range(asked):
        room.hits[y] = 0
    row = next_row(many, holdings, room.met)
    while row >= 0 and (alive > 0 or rows == 0):
        rows += 1
        alive = 0
        for i in range(item_offsets[row], item_offsets[row + 1]):
            y = room.place_of[postings.items[i]]
            if y >= 0 and room.hits[y] == rows - 1:
                room.hits[y] = rows
                alive += 1
        if alive > 0:
            row = next_row(many, holdings, room.met)
    for y in range(asked):
        if rows > 0 and room.hits[y] == rows:
            room.is_sure[y] = 1
    return rows > 0


@inner
def look_at_leaf(leaf, n, asked, ground, room):
    """Mark the asked terms that all records of a leaf with the known terms have; return whether there can be any."""
    for y in range(asked):
        room.is_sure[y] = 0
    hold(n, ground.postings.held, room.at, room.met.held)
    own_parts = 0
    for a in range(n):
        if room.met.held[a] >= 0:
            own_parts += ground.postings.places[room.at[a]] == leaf
            if not look_at_part(a, n, asked, ground.postings, room):
                return False
    if own_parts > 1 and ground.postings.spare[leaf] < own_parts - 1:
        return False
    place = leaf
    while place >= 0:
        for i in range(ground.everyone_offsets[place], ground.everyone_offsets[place + 1]):
            y = room.place_of[ground.everyone[i]]
            if y >= 0:
                room.is_sure[y] = 1
        place = ground.postings.parents[place]
    return True


@inner
def keep_sure(known, n, asked, many, ground, room):
    """Keep of the first `many` asked terms those that known terms reveal, in front; return how many these are: 0 if no
    record can have the known terms."""
    for i in range(n):
        room.at[i] = 0
    leaf, is_found = next_leaf(0, known, n, ground, room.at), False
    while leaf != NOWHERE and many > 0:
        for y in range(many):
            room.place_of[asked[y]] = y
        possible = look_at_leaf(leaf, n, many, ground, room)
        for y in range(many):
            room.place_of[asked[y]] = NOWHERE
        if possible:
            kept, is_found = 0, True
            for y in range(many):
                if room.is_sure[y] == 1:
                    asked[kept] = asked[y]
                    kept += 1
            many = kept
        leaf = next_leaf(leaf + 1, known, n, ground, room.at)
    return many if is_found else 0


@inner
def sets_of(length, n):
    """Count the sets of n of that many terms, up to 2^62."""
    sets = 1
    for i in range(n):
        if sets > LARGEST // max(1, length - i):
            return LARGEST
        sets = sets * (length - i) // (i + 1)
    return sets


@inner
def choose(rank, length, n, chosen):
    """Choose the set of n of that many terms that comes at this rank, in ascending order."""
    at = 0
    for i in range(n):
        begin_here = sets_of(length - at - 1, n - i - 1)
        while rank >= begin_here:
            rank -= begin_here
            at += 1
            begin_here = sets_of(length - at - 1, n - i - 1)
        chosen[i] = at
        at += 1


@inner
def choose_next(length, n, chosen):
    """Choose the set after the chosen one; there must be one."""
    i = n - 1
    while chosen[i] == length - n + i:
        i -= 1
    chosen[i] += 1
    for j in range(i + 1, n):
        chosen[j] = chosen[j - 1] + 1


@kernel
def first_sure(offsets, items, limits, ground, room, known, asked, chosen, found):
    """Find for every row a set of `most` known terms (or all but one) that reveals another; fewer terms reveal no more.
    `limits` is (most, how many sets of a row are looked at: of more, those at equal distances). Writes into `found`
    (rows, most + 1) the known terms and the one they reveal, NOWHERE where there is none."""
    most, looks = limits
    for row in range(offsets.size - 1):
        first, length = offsets[row], offsets[row + 1] - offsets[row]
        n = min(most, length - 1)
        sets = sets_of(length, n) if n > 0 else 0
        step = 1 + sets // looks
        for rank in range(0, sets, step):
            if rank == 0 or step > 1:
                choose(rank, length, n, chosen)
            else:
                choose_next(length, n, chosen)
            many, c = 0, 0
            for i in range(length):
                if c < n and chosen[c] == i:
                    known[c] = items[first + i]
                    c += 1
                else:
                    asked[many] = items[first + i]
                    many += 1
            if keep_sure(known, n, asked, many, ground, room) > 0:
                for i in range(n):
                    found[row, i] = known[i]
                found[row, most] = asked[0]
                break


@inner
def add(term, known, n, asked, many):
    """Add a term to the first `many` asked ones, unless it is known or among them; return how many these are."""
    for i in range(n):
        if known[i] == term:
            return many
    for y in range(many):
        if asked[y] == term:
            return many
    asked[many] = term
    return many + 1


@inner
def in_one_record(known, n, asked, ground, at, met):
    """List what else one possible record with the known terms has: nothing else can be sure. Return how much it is."""
    for i in range(n):
        at[i] = 0
    leaf = next_leaf(0, known, n, ground, at)
    while leaf != NOWHERE:
        hold(n, ground.postings.held, at, met.held)
        many, row, own_parts = 0, 0, 0
        for a in range(n):
            if row >= 0 and met.held[a] >= 0:
                own_parts += ground.postings.places[at[a]] == leaf
                row = next_row(gather(a, n, ground.postings.holdings, met), ground.postings.holdings, met)
                if row >= 0:
                    for i in range(ground.postings.item_offsets[row], ground.postings.item_offsets[row + 1]):
                        many = add(ground.postings.items[i], known, n, asked, many)
        place = leaf
        while place >= 0:
            for i in range(ground.everyone_offsets[place], ground.everyone_offsets[place + 1]):
                many = add(ground.everyone[i], known, n, asked, many)
            place = ground.postings.parents[place]
        if row >= 0 and (own_parts < 2 or ground.postings.spare[leaf] >= own_parts - 1):
            return many
        leaf = next_leaf(leaf + 1, known, n, ground, at)
    return 0


@kernel
def told_by(sets, ground, room, known, asked, found):
    """Find for every row of known terms one that they reveal; NOWHERE where there is none."""
    for s in range(sets.shape[0]):
        n = sets.shape[1]
        for i in range(n):
            known[i] = sets[s, i]
        many = in_one_record(known, n, asked, ground, room.at, room.met)
        if many > 0 and keep_sure(known, n, asked, many, ground, room) > 0:
            found[s] = asked[0]
