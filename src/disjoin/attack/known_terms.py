"""The attacker who knows some terms of a person: which records could be this person, and what all of them have.

`possible` and `certain` hold for every possible original (section A.7): they are the most and the fewest records with
the known terms that any of them has. A term is sure if every possible original gives it to every record with the known
terms. Both are exact unless a joint cluster repeats a term of a cluster below it (the papers' REFINE); then bounds stay
bounds, and a sure term stays sure, but some may be missed. The guarantee is about `possible`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.analyst.index import Desk, desk_of_clusters
from disjoin.analyst.people_supports import conditions_in
from disjoin.analyst.supports import itemsets_from
from disjoin.attack.whereabouts import FoundClusters, whereabouts_of
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, GeneralizedItems, Groups, KmAnonymity, Mixed, Release, Transactions
from disjoin.model.min_people import OTHER, threshold_in
from disjoin.model.published import Published


@dataclass(frozen=True, slots=True)
class PartCandidates:
    """The candidates in one cluster or group, or in the clusters that were joined below one."""

    cluster: int
    size: int
    certain: int
    possible: int
    shared: tuple[str, ...]  # what all of them have, next to the known terms

    def to_json(self) -> dict[str, Any]:
        """Return plain facts."""
        return asdict(self) | {"shared": list(self.shared)}


@dataclass(frozen=True, slots=True)
class Candidates:
    """The records that could be a person of whom something is known, and what the guarantee says about them."""

    known: tuple[str, ...]
    possible: int  # records that could be this person
    certain: int  # records that have what is known in every possible original
    guaranteed: int | None = None  # at least that many are possible, or none; None: no number is guaranteed
    is_kept: bool = True  # the guarantee holds for this attacker, or does not cover what is known
    within_guarantee: bool = True  # the guarantee covers what is known
    note: str = ""  # what else there is to say, in sentences
    parts: tuple[PartCandidates, ...] = ()  # the clusters or groups where the records are
    in_parts: int = 0  # how many of these there are; more than are listed if only some were asked for
    sure: tuple[str, ...] = ()  # what all candidates have, in every possible original
    learned: tuple[tuple[str, float], ...] = ()  # what they may have, with the chance, the likeliest first

    @property
    def them(self) -> str:
        """The known terms, when they were named already."""
        return "it" if len(self.known) == 1 else "all of them"

    @property
    def verdict(self) -> str:
        """What the guarantee says about this attacker, in one sentence."""
        if not self.within_guarantee:
            return "The guarantee does not cover an attacker who knows this."
        return "The guarantee holds." if self.is_kept else "The guarantee does not hold."

    def sentence(self) -> str:
        """Return the number of candidates, the guarantee and what is certain, in words."""
        known = f"Known: {', '.join(self.known)}."
        if not self.possible:
            return f"{known} No record of this release can have {self.them}."
        sure = f"Certain of this person: {', '.join(self.sure)}." if self.sure else "Nothing further is certain."
        said = (known, self._how_many(), self._how_certain(), self.note, sure)
        return " ".join(each for each in said if each)

    def _how_many(self) -> str:
        noun = "record" if self.possible == 1 else "records"
        guarantee = "" if self.guaranteed is None else f" (guaranteed: at least {self.guaranteed:,})"
        if not self.within_guarantee:
            guarantee = " (not guaranteed)"
        return f"{self.possible:,} {noun} could be this person{guarantee}."

    def _how_certain(self) -> str:
        if not self.certain:
            return "For none of them is it certain." if self.possible > 1 else "It is not certain."
        if self.certain == self.possible:
            all_of_them = "For all of them it is certain that they match."
            return all_of_them if self.possible > 1 else "It is certain that it matches."
        return f"For {self.certain:,} of them it is certain that they match."

    def with_rare(self, known: tuple[str, ...], rare: tuple[str, ...], people: int) -> Candidates:
        """Return the same candidates for an attacker who also knows terms that the release need not show."""
        note = f"The release shows no term of fewer than {people:,} people: {', '.join(rare)} may be such a term."
        parts = tuple(replace(part, certain=0) for part in self.parts)
        return replace(self, known=known, certain=0, parts=parts, note=f"{self.note} {note}".lstrip())

    def to_json(self) -> dict[str, Any]:
        """Return plain facts, and the sentences."""
        names = ("possible", "certain", "guaranteed", "is_kept", "within_guarantee", "in_parts")
        return {
            "known": list(self.known),
            **{name: getattr(self, name) for name in names},
            "sentence": self.sentence(),
            "verdict": self.verdict,
            "parts": [each.to_json() for each in self.parts],
            "sure": list(self.sure),
            "learned": [{"term": term, "chance": round(chance, 6)} for term, chance in self.learned],
        }


def candidates(source: Release | Clusters | Desk, known: object, *, most: int | None = None) -> Candidates:
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
    return found.with_rare(terms, rare, threshold.people)


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


def _of_shown(source: Release | Clusters | Desk, terms: tuple[str, ...], most: int | None) -> Candidates:
    """Return the candidates for terms; one that the release does not show is in no record."""
    if isinstance(source, Release) and not isinstance(source.published, Clusters):
        from disjoin.attack.known_items import candidates_elsewhere

        return candidates_elsewhere(source, terms, most)
    desk = desk_of_clusters(source, "attack")
    if desk.noun is not Clusters:
        raise InvalidParameter(f"candidates are looked for in clusters, and this release has {desk.noun.in_words}.")
    promise = desk.guarantee if isinstance(desk.guarantee, KmAnonymity) else None
    covered = promise is not None and len(terms) <= promise.most_known
    k = promise.k if promise is not None else None
    numbers = [desk.numbers.get(term, -1) for term in terms]
    if -1 in numbers:
        return Candidates(terms, 0, 0, k, within_guarantee=covered)
    found = whereabouts_of(desk).clusters_with(numbers)
    possible = int(found.at_most.sum())
    return Candidates(
        terms,
        possible,
        int(found.at_least.sum()),
        k,
        is_kept=not covered or not possible or k is None or possible >= k,
        within_guarantee=covered,
        note=where(found, "cluster"),
        parts=named(found, desk.published.vocabulary, most),
        in_parts=found.nodes.size,
        sure=sure_in(found, desk.published.vocabulary),
    )


def where(found: FoundClusters, noun: str) -> str:
    """Return a sentence that states in how many clusters or groups the candidates are."""
    parts = found.nodes.size
    are = "It is" if found.at_most.sum() == 1 else "They are"
    return f"{are} in {parts:,} {noun}{'' if parts == 1 else 's'}." if parts else ""


def named(found: FoundClusters, vocabulary: pa.StringArray, most: int | None) -> tuple[PartCandidates, ...]:
    """Return the clusters in words, or those with the most candidates if there are more than `most`."""
    if most is not None and found.nodes.size > most:
        found = found.take(np.sort(np.argsort(-found.at_most, kind="stable")[:most]))
    names = vocabulary.take(pa.array(found.shared.items)).to_pylist()
    offsets = found.shared.offsets.tolist()
    rows = zip(*(column.tolist() for column in found[:4]), strict=True)
    return tuple(
        PartCandidates(node, size, low, high, tuple(sorted(names[first:last])))
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
