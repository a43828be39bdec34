"""Composition attack: two releases of the same people, intersected.

A record that one release shows whole is a known record where the other release cuts it apart. An attacker who knows
terms of a person in both releases finds candidates in each, and terms that all of them have. The person is among the
fewer candidates and has what either release reveals; with these terms known, both are asked again, until nothing is
added. All of it holds for every possible original of the two; more may follow from them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from disjoin.analyst.index import SupportIndex, desk_of_clusters
from disjoin.attack.known_terms import Candidates, candidates
from disjoin.attack.possible_records import possible_records
from disjoin.model import Clusters, KmAnonymity, Release, Transactions
from disjoin.model.parameters import require_integer
from disjoin.text import counted

DRAWS = 200  # people of whom some terms are known


@dataclass(frozen=True, slots=True)
class Together:
    """The records that a person in two releases may be, if some terms of the person are known."""

    known: tuple[str, ...]
    first: Candidates
    second: Candidates
    possible: int
    sure: tuple[str, ...]

    @property
    def reveals_more(self) -> bool:
        return len(self.sure) > max(len(self.first.sure), len(self.second.sure))

    @property
    def leaves_fewer(self) -> bool:
        return self.possible < min(self.first.possible, self.second.possible)

    def sentence(self) -> str:
        known = f"Known: {', '.join(self.known)}, of a person who is in both releases."
        if not self.possible:
            return f"{known} No record can have {self.first.them} in both."
        alone = f"(by the first release alone {self.first.possible:,}, by the second {self.second.possible:,})"
        sure = f"Certain of this person: {', '.join(self.sure)}." if self.sure else "Nothing further is certain."
        return f"{known} At most {counted(self.possible, 'record')} could be this person {alone}. {sure}"

    def to_json(self) -> dict[str, Any]:
        both = {"first": self.first, "second": self.second}
        alone = {name: {"possible": each.possible, "sure": list(each.sure)} for name, each in both.items()}
        return {"known": list(self.known), "possible": self.possible, "sure": list(self.sure)} | alone


@dataclass(frozen=True, slots=True)
class Composition:
    """What two releases of the same people reveal together."""

    records: tuple[int, int]  # of the first release, and of the second
    whole: tuple[int, int]  # of these, shown whole
    told: tuple[int, int]  # shown whole by this release only
    k: int
    terms: int  # known, of each person
    draws: int
    fewer: int  # draws with fewer candidates in both together than in either
    below: int  # those of them with fewer than k
    more: int  # draws in which both together make more sure than either
    example: Together | None

    def sentence(self) -> str:
        cut = "No record that one release splits is published whole in the other"
        if told := sum(self.told):
            cut = f"{told:,} records are published whole in one of the releases and split in the other"
        return (
            f"{cut}. In {self.fewer:,} of {self.draws:,} draws of {self.terms} terms of a person, both releases "
            f"together leave fewer candidates than either (fewer than {self.k} in {self.below:,}). In {self.more:,} "
            "draws more terms are certain."
        )

    def to_json(self) -> dict[str, Any]:
        facts = {field.name: getattr(self, field.name) for field in fields(self)}
        sides = {name: list(facts[name]) for name in ("records", "whole", "told")}
        return facts | sides | {"example": self.example.to_json() if self.example else None}


def together(
    first: Release | Clusters | SupportIndex, second: Release | Clusters | SupportIndex, known: object
) -> Together:
    """Return the records that a person in both releases may be, if these terms of the person are known."""
    alone = candidates(first, known), candidates(second, known)
    possible = min(each.possible for each in alone)
    terms, found = set(alone[0].known), {*alone[0].sure, *alone[1].sure}
    while possible and found - terms:
        terms |= found
        again = candidates(first, sorted(terms)), candidates(second, sorted(terms))
        possible = min(possible, *(each.possible for each in again))
        found = {*again[0].sure, *again[1].sure}
    sure = sorted(terms - set(alone[0].known)) if possible else []
    return Together(alone[0].known, alone[0], alone[1], possible, tuple(sure))


def composition(
    first: Release | Clusters,
    second: Release | Clusters,
    original: Transactions | None = None,
    *,
    terms: int | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Composition:
    """Return what two releases of the same people reveal together. People are drawn from the original, or from possible
    records of the first release, and `terms` of each (the smaller m) are known."""
    desks = [
        desk_of_clusters(each, "attack", "two releases are compared by clusters, and one") for each in (first, second)
    ]
    guarantees = [desk.guarantee for desk in desks if isinstance(desk.guarantee, KmAnonymity)]
    k = min((each.k for each in guarantees), default=2)
    usual = min((each.m for each in guarantees), default=2)
    known = require_integer("terms", usual if terms is None else terms, 1, "an attacker knows something.")
    require_integer("draws", draws, 1, "it is the number of people to draw.")
    one, other = (whole_records(desk.published) for desk in desks)
    people = _drawn(desks[0], original, known, draws, np.random.default_rng(seed))
    found = [together(desks[0], desks[1], person) for person in people]
    fewer = [each for each in found if each.leaves_fewer]
    below = [each for each in fewer if 0 < each.possible < k]
    more = [each for each in found if each.reveals_more and each.possible]
    records = desks[0].published.n_records, desks[1].published.n_records
    whole, told = (one.total(), other.total()), ((one - other).total(), (other - one).total())
    draws, example = len(found), next(iter(below + more), None)
    return Composition(records, whole, told, k, known, draws, len(fewer), len(below), len(more), example)


def whole_records(published: Clusters) -> Counter[tuple[str, ...]]:
    """Return the records that leaves show as they are: one chunk, no term chunk, nothing shared with others."""
    alone = (published.parents < 0) & ~published.is_joint
    alone &= (published.term_chunks.lengths == 0) & (published.nodes.lengths == 1)
    found: Counter[tuple[str, ...]] = Counter()
    for leaf in np.flatnonzero(alone).tolist():
        [chunk] = published.chunks_of(leaf)
        for terms, count in chunk:
            found[terms] += count
    return found


def _drawn(
    desk: SupportIndex, original: Transactions | None, known: int, draws: int, chance: np.random.Generator
) -> list[list[str]]:
    """Return known terms of people; people who have fewer are left out."""
    if original is None:
        rows, names = possible_records(desk.published, draws), desk.published.vocabulary.to_pylist()
    else:
        records = chance.integers(len(original), size=draws)
        rows, names = original.records.take(records), original.vocabulary.to_pylist()
    lists = (rows[row] for row in range(len(rows)))
    return [[names[int(term)] for term in chance.permutation(terms)[:known]] for terms in lists if terms.size >= known]
