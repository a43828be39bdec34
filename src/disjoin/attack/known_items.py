"""The attacker who knows a little of a person, in releases that are not plain clusters.

In groups (CAHD) whole records are found, and the question is which secret items they are linked to; in generalised
records those are found that what is known became; in mixed data values of columns are known besides. All of it holds
for every possible original, but for chances, which take the records of a group for equally likely. Of noisy records no
attack shows anything: `beliefs` says how far they can move what somebody believes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disjoin.analyst.people_supports import EVERYBODY, MARK, PeopleDesk, conditions_in, matches_of, people_desk
from disjoin.attack.in_common import common_items
from disjoin.attack.known_terms import ClusterCandidates, known_from, named, sure_in
from disjoin.attack.whereabouts import FoundClusters, whereabouts_of
from disjoin.errors import InvalidParameter
from disjoin.model import (
    Generalized,
    GeneralizedItems,
    Groups,
    KAnonymity,
    KmAnonymity,
    Mixed,
    MixedAnonymity,
    PrivacyDegree,
    Release,
)
from disjoin.model.differential_privacy import DifferentialPrivacy
from disjoin.model.ragged import Flags, Ints64, Ragged, Spans

MOST_LEARNED = 12  # terms that are named with their chances
PRIORS = (0.01, 0.1, 0.5, 0.9)


@dataclass(frozen=True, slots=True)
class Findings:
    """What somebody finds who knows a little, and what the promise says about it."""

    known: tuple[str, ...]
    at_least: int
    at_most: int
    within_promise: bool  # something is promised to anyone who knows that much
    is_kept: bool
    sentence: str
    verdict: str
    parts: tuple[ClusterCandidates, ...] = ()  # the groups or clusters where the records are
    shared: tuple[str, ...] = ()  # what all of them also have
    learned: tuple[tuple[str, float], ...] = ()  # what they may have, with the chance, the likeliest first
    in_parts: int = 0  # in how many groups or clusters they are, more than are named if only some were asked for

    def to_json(self) -> dict[str, Any]:
        """Return plain facts."""
        return {
            "known": list(self.known),
            "at_least": self.at_least,
            "at_most": self.at_most,
            "within_promise": self.within_promise,
            "is_kept": self.is_kept,
            "sentence": self.sentence,
            "verdict": self.verdict,
            "parts": [each.to_json() for each in self.parts],
            "shared": list(self.shared),
            "in_parts": self.in_parts,
            "learned": [{"term": term, "chance": round(chance, 6)} for term, chance in self.learned],
        }


def findings(release: Release, known: object, *, most: int | None = None) -> Findings:
    """Return what these known terms of a person lead to in groups, generalised records, tables or mixed data.

    In tables and mixed data a known value of a column is written column=value. All groups or clusters are named in
    which somebody is found, or the `most` that have the most candidates.
    """
    terms, published, promise = known_from(known), release.published, release.guarantee
    if isinstance(published, Groups) and isinstance(promise, PrivacyDegree):
        return _in_groups(published, promise, terms, most)
    if isinstance(published, GeneralizedItems) and isinstance(promise, KmAnonymity):
        return _in_items(published, promise, terms)
    if isinstance(published, Mixed) and isinstance(promise, MixedAnonymity):
        return _in_mixed(release, published, promise, terms, most)
    if isinstance(published, Generalized) and isinstance(promise, KAnonymity):
        from disjoin.attack.known_values import rows_with

        return rows_with(published, promise, terms)
    raise InvalidParameter(f"no known terms are looked for in {published.in_words}: no attack on them shows anything.")


def _holding(rows: Ragged, items: Iterable[int]) -> Flags:
    """Tell of every row whether it has all items."""
    found = np.ones(len(rows), np.bool_)
    for item in set(items):
        hits = np.flatnonzero(rows.items == item)
        has_it = np.zeros(len(rows), np.bool_)
        has_it[np.searchsorted(rows.offsets, hits, side="right") - 1] = True
        found &= has_it
    return found


def _in_groups(published: Groups, promise: PrivacyDegree, known: tuple[str, ...], limit: int | None = None) -> Findings:
    names = published.vocabulary.to_pylist()
    secret = {names[item] for item in np.flatnonzero(published.is_sensitive).tolist()}
    numbers = {name: number for number, name in enumerate(names)}
    if any(term not in numbers for term in known):
        return nobody(known, f"the release has no record with {_them(known)}")
    plain, hidden = [t for t in known if t not in secret], [t for t in known if t in secret]
    unnamed = [numbers[term] for term in hidden]
    found = _found_groups(published, [numbers[term] for term in plain], unnamed)
    if not found.nodes.size:
        return nobody(known, f"the release has no record with {_them(known)}")
    least, most = int(found.at_least.sum()), int(found.at_most.sum())
    learned, highest = _chances(published, found, unnamed)
    is_kept = highest * promise.p <= 1 + 1e-12
    where = "1 group" if found.nodes.size == 1 else f"{found.nodes.size:,} groups"
    chance = "no secret item" if not learned else f"a secret item with a chance of at most {highest:.1%}"
    sentence = f"{who(known)} finds {how_many(least, most, 'record')} in {where}, and links {_it(most)} to {chance}."
    if hidden:
        verdict = f"Beyond the promise: nothing is promised to stop somebody who knows a secret item ({hidden[0]})."
    elif is_kept:
        verdict = f"Every secret item has a chance of at most 1 in {promise.p}: the promise is kept."
    else:
        verdict = f"A secret item has a chance above 1 in {promise.p}: the promise is broken."
    told = Findings(known, least, most, not hidden, is_kept, sentence, verdict)
    parts, shared = named(found, published.vocabulary, limit), sure_in(found, published.vocabulary)
    return replace(told, parts=parts, shared=shared, learned=learned, in_parts=found.nodes.size)


def _found_groups(published: Groups, plain: list[int], hidden: list[int]) -> FoundClusters:
    """Return the groups that may have a record with everything that is known, and what all these records have.

    These are ordinary items: which records have a secret one, the release does not say.
    """
    rows = np.flatnonzero(_holding(published.records, plain))
    owners = np.searchsorted(published.groups.offsets, rows, side="right") - 1
    numbers = np.bincount(owners, minlength=len(published))
    groups = np.flatnonzero(numbers)
    numbers = numbers[groups]
    size = published.sizes[groups]
    known = np.bincount(owners, published.counts[rows], minlength=len(published)).astype(np.int64)[groups]
    listed = np.zeros((len(hidden), len(published)), np.int64)
    for counts, item in zip(listed, hidden, strict=True):
        is_it = published.sensitive_items == item
        counts[published.secrets.owners()[is_it]] = published.sensitive_counts[is_it]
    least = np.maximum(0, known + listed[:, groups].sum(axis=0) - len(hidden) * size)
    most = np.vstack((known, listed[:, groups])).min(axis=0)
    common = common_items(Spans.of(numbers), rows, published.records, len(published.vocabulary), plain)
    there = np.flatnonzero(most)
    return FoundClusters(groups[there], size[there], least[there], most[there], common.take(there))


def _chances(published: Groups, found: FoundClusters, hidden: list[int]) -> tuple[tuple[tuple[str, float], ...], float]:
    """Return the chance of every secret item, all candidates being equally likely, and the highest in any one group."""
    secrets = published.secrets
    places, groups = secrets.places(found.nodes), np.repeat(np.arange(found.nodes.size), secrets.lengths[found.nodes])
    names = published.vocabulary.to_pylist()
    items = published.sensitive_items[places]
    is_open = ~np.isin(items, hidden)
    shares = published.sensitive_counts[places] / found.sizes[groups]
    weights = found.at_most[groups] / found.at_most.sum() * shares
    sums = np.bincount(items[is_open], weights[is_open], minlength=len(names))
    listed = [(names[item], float(sums[item])) for item in np.flatnonzero(sums).tolist()]
    highest = float(shares[is_open].max(initial=0.0))
    return tuple(sorted(listed, key=lambda each: (-each[1], each[0]))[:MOST_LEARNED]), highest


def _in_items(published: GeneralizedItems, promise: KmAnonymity, known: tuple[str, ...]) -> Findings:
    mapping, bag = published.mapping, published.records
    names = bag.vocabulary.to_pylist()
    numbers = {name: number for number, name in enumerate(names)}
    images = sorted({mapping.get(term, term) for term in known})
    if any(image not in numbers for image in images):
        return nobody(known, f"no record has what {_them(known)} became")
    is_found = _holding(bag.sets, [numbers[image] for image in images])
    n = int(bag.counts[is_found].sum())
    if not n:
        return nobody(known, f"no record has what {_them(known)} became")
    rows = bag.sets.take(np.flatnonzero(is_found))
    weights = np.repeat(bag.counts[is_found], rows.lengths)
    supports = np.bincount(rows.items, weights, minlength=len(names))
    others = [(name, supports[number] / n) for name, number in numbers.items() if supports[number]]
    others = [pair for pair in sorted(others, key=lambda each: (-each[1], each[0])) if pair[0] not in images]
    shared = tuple(sorted(name for name, share in others if share == 1))
    learned = tuple((name, float(share)) for name, share in others if share < 1)[:MOST_LEARNED]
    within, is_kept = len(known) <= promise.m, n >= promise.k
    became = "" if set(images) == set(known) else f" (published as {', '.join(images)})"
    sure = f"all of which also have {', '.join(shared)}" if shared else "which have nothing else in common"
    sentence = f"{who(known)}{became} finds {how_many(n, n, 'candidate')}, {sure}."
    verdict = about_crowds(promise.k, n, len(known), "terms", is_kept=is_kept, within=within)
    return Findings(known, n, n, within, is_kept, sentence, verdict, (), shared, learned)


def _in_mixed(
    release: Release, published: Mixed, promise: MixedAnonymity, known: tuple[str, ...], limit: int | None
) -> Findings:
    values, terms = conditions_in(published, list(known))
    matches = matches_of(published, values)
    people = people_desk(release)
    desk = people.desk
    if any(term not in desk.numbers for term in terms) or not matches.possibly.any():
        return nobody(known, f"no possible original has a person with {_them(known)}")
    found, surely = (_matching(people, marked, terms) for marked in (matches.possibly, matches.surely))
    found.at_least[:] = 0
    found.at_least[np.searchsorted(found.nodes, surely.nodes)] = surely.at_least
    if not found.nodes.size:
        return nobody(known, f"no possible original has a person with {_them(known)}")
    low, high = int(found.at_least.sum()), int(found.at_most.sum())
    shared = sure_in(found, desk.published.vocabulary)
    within, is_kept = len(terms) <= promise.m and values.keys() <= set(promise.quasi), high >= promise.k
    where = "1 cluster" if found.nodes.size == 1 else f"{found.nodes.size:,} clusters"
    learns = f"and learns for sure: {', '.join(shared)}" if shared else "and learns nothing for sure"
    sentence = f"{who(known)} finds {how_many(low, high, 'candidate')} in {where}, {learns}."
    verdict = about_crowds(promise.k, high, len(known), "things", is_kept=is_kept, within=within)
    told = Findings(known, low, high, within, is_kept, sentence, verdict)
    parts = named(found, desk.published.vocabulary, limit)
    return replace(told, parts=parts, shared=shared, in_parts=found.nodes.size)


def _matching(people: PeopleDesk, marked: Ints64, terms: list[str]) -> FoundClusters:
    """Return where the people of marked entries are who can have the terms."""
    desk = people.desk
    left_out = np.zeros(desk.published.counts.size, np.bool_)
    left_out[people.first], left_out[people.first + 1] = marked == 0, True
    return whereabouts_of(desk).clusters_with([desk.numbers[term] for term in (EVERYBODY, MARK, *terms)], left_out)


def about_crowds(k: int, most: int, known: int, what: str, *, is_kept: bool, within: bool) -> str:
    """Say what the promise is to somebody who finds that many."""
    if not within:
        return (
            f"Beyond the promise: nothing is promised to stop somebody who knows {known} {what}. "
            f"{most:,} {'record' if most == 1 else 'records'} may fit."
        )
    return (
        f"At least {k:,} candidates: the promise is kept." if is_kept else f"Fewer than {k:,}: the promise is broken."
    )


def nobody(known: tuple[str, ...], why: str) -> Findings:
    """Return that nobody is found."""
    words = "Nobody in the release can have all of that: there is nothing to find."
    return Findings(known, 0, 0, True, True, f"{who(known)} finds nobody: {why}.", words)


def who(known: tuple[str, ...]) -> str:
    """Begin a sentence about somebody who knows something."""
    return f"Somebody who knows {', '.join(known)}"


def _them(known: tuple[str, ...]) -> str:
    return "it" if len(known) == 1 else "all of them"


def _it(records: int) -> str:
    return "it" if records == 1 else "them"


def how_many(least: int, most: int, noun: str) -> str:
    """Return a number, or between which numbers it is."""
    number = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{number} {noun}" if most == 1 else f"{number} {noun}s"


def beliefs(promise: DifferentialPrivacy) -> list[tuple[float, float, float]]:
    """Return what somebody believes of a person before, and between what it lies after any release.

    >>> [(before, round(low, 3), round(high, 3)) for before, low, high in beliefs(DifferentialPrivacy(1))][2]
    (0.5, 0.269, 0.731)
    """
    factor = math.exp(float(promise.epsilon))

    def moved(share: float, by: float) -> float:
        return by * share / (by * share + 1 - share)

    return [(share, moved(share, 1 / factor), moved(share, factor)) for share in PRIORS]
