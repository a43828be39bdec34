"""The attacker who knows a little of a person, in releases that are not plain clusters.

In groups (CAHD) whole records are found, and the question is which secret items they are linked to; in generalised
records those are found that what is known became; in mixed data values of columns are known besides. All of it holds
for every possible original, but for chances, which take the records of a group for equally likely. Of noisy records no
attack shows anything: `beliefs` says how far they can move what somebody believes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disjoin.analyst.as_clusters import with_mark
from disjoin.analyst.index import Desk
from disjoin.analyst.people_supports import EVERYBODY, MARK, conditions_in, matches_of
from disjoin.attack.known_terms import Candidates, ClusterCandidates, candidates, known_from
from disjoin.errors import InvalidParameter
from disjoin.model import GeneralizedItems, Groups, KmAnonymity, Mixed, MixedAnonymity, PrivacyDegree, Release
from disjoin.model.differential_privacy import DifferentialPrivacy
from disjoin.model.ragged import Flags, Ints64, Ragged

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
            "learned": [{"term": term, "chance": round(chance, 6)} for term, chance in self.learned],
        }


def findings(release: Release, known: object) -> Findings:
    """Return what these known terms of a person lead to in groups, generalised records or mixed data.

    In mixed data a known value of a column is written column=value.
    """
    terms, published, promise = known_from(known), release.published, release.guarantee
    if isinstance(published, Groups) and isinstance(promise, PrivacyDegree):
        return _in_groups(published, promise, terms)
    if isinstance(published, GeneralizedItems) and isinstance(promise, KmAnonymity):
        return _in_items(published, promise, terms)
    if isinstance(published, Mixed) and isinstance(promise, MixedAnonymity):
        return _in_mixed(published, promise, terms)
    raise InvalidParameter(f"no known terms are looked for in {published.in_words}: no attack on them shows anything.")


def _holding(rows: Ragged, items: Iterable[int]) -> Flags:
    """Tell of every row whether it has all items."""
    wanted = sorted(set(items))
    hits = np.isin(rows.items, wanted)
    found: Flags = np.bincount(rows.owners()[hits], minlength=len(rows)) == len(wanted)
    return found


def _in_groups(published: Groups, promise: PrivacyDegree, known: tuple[str, ...]) -> Findings:
    names = published.vocabulary.to_pylist()
    secret = {names[item] for item in np.flatnonzero(published.is_sensitive).tolist()}
    numbers = {name: number for number, name in enumerate(names)}
    if any(term not in numbers for term in known):
        return _nobody(known, f"the release has no record with {_them(known)}")
    plain, hidden = [t for t in known if t not in secret], [t for t in known if t in secret]
    has_plain = _holding(published.records, [numbers[term] for term in plain])
    owners = published.groups.owners()
    found = np.bincount(owners[has_plain], published.counts[has_plain], minlength=len(published)).astype(np.int64)
    parts = [_group(published, int(group), found, has_plain, owners, plain, hidden) for group in np.flatnonzero(found)]
    parts = [part for part in parts if part.at_most]
    if not parts:
        return _nobody(known, f"the release has no record with {_them(known)}")
    least, most = sum(part.at_least for part in parts), sum(part.at_most for part in parts)
    learned, highest = _chances(published, parts, hidden)
    is_kept = highest * promise.p <= 1 + 1e-12
    where = "1 group" if len(parts) == 1 else f"{len(parts):,} groups"
    chance = "no secret item" if not learned else f"a secret item with a chance of at most {highest:.1%}"
    sentence = f"{_who(known)} finds {_many(least, most, 'record')} in {where}, and links {_it(most)} to {chance}."
    if hidden:
        verdict = f"Beyond the promise: nothing is promised to stop somebody who knows a secret item ({hidden[0]})."
    elif is_kept:
        verdict = f"Every secret item has a chance of at most 1 in {promise.p}: the promise is kept."
    else:
        verdict = f"A secret item has a chance above 1 in {promise.p}: the promise is broken."
    shared = tuple(sorted(set.intersection(*(set(part.shared) for part in parts))))
    return Findings(known, least, most, not hidden, is_kept, sentence, verdict, tuple(parts), shared, learned)


def _group(
    published: Groups,
    group: int,
    found: Ints64,
    has_plain: Flags,
    owners: Ints64,
    plain: Sequence[str],
    hidden: Sequence[str],
) -> ClusterCandidates:
    """Return the records of a group that may have everything that is known, and which ordinary items all of them have.

    That is told if no secret item is known: which records have one, the release does not say.
    """
    size, secrets, n = int(published.sizes[group]), published.sensitive_of(group), int(found[group])
    listed = [secrets.get(term, 0) for term in hidden]
    rows = np.flatnonzero(has_plain & (owners == group))
    sets = [set(published.records[int(row)].tolist()) for row in rows]
    shared = {published.vocabulary[item].as_py() for item in set.intersection(*sets)} - set(plain)
    least = max(0, n + sum(listed) - len(listed) * size)
    return ClusterCandidates(group, size, least, min([n, *listed]), tuple(sorted(shared)))


def _chances(
    published: Groups, parts: list[ClusterCandidates], hidden: Sequence[str]
) -> tuple[tuple[tuple[str, float], ...], float]:
    """Return the chance of every secret item, all candidates being equally likely, and the highest in any one group."""
    whole = sum(part.at_most for part in parts)
    sums: dict[str, float] = {}
    highest = 0.0
    for part in parts:
        for term, count in published.sensitive_of(part.cluster).items():
            if term not in hidden:
                sums[term] = sums.get(term, 0.0) + part.at_most / whole * count / part.size
                highest = max(highest, count / part.size)
    return tuple(sorted(sums.items(), key=lambda each: (-each[1], each[0]))[:MOST_LEARNED]), highest


def _in_items(published: GeneralizedItems, promise: KmAnonymity, known: tuple[str, ...]) -> Findings:
    mapping, bag = published.mapping, published.records
    names = bag.vocabulary.to_pylist()
    numbers = {name: number for number, name in enumerate(names)}
    images = sorted({mapping.get(term, term) for term in known})
    if any(image not in numbers for image in images):
        return _nobody(known, f"no record has what {_them(known)} became")
    is_found = _holding(bag.sets, [numbers[image] for image in images])
    n = int(bag.counts[is_found].sum())
    if not n:
        return _nobody(known, f"no record has what {_them(known)} became")
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
    sentence = f"{_who(known)}{became} finds {_many(n, n, 'candidate')}, {sure}."
    verdict = _about_crowds(promise.k, n, len(known), "terms", is_kept=is_kept, within=within)
    return Findings(known, n, n, within, is_kept, sentence, verdict, (), shared, learned)


def _in_mixed(published: Mixed, promise: MixedAnonymity, known: tuple[str, ...]) -> Findings:
    values, terms = conditions_in(published, list(known))
    matches = matches_of(published, values)
    if any(term not in set(published.vocabulary.to_pylist()) for term in terms) or not matches.possibly.any():
        return _nobody(known, f"no possible original has a person with {_them(known)}")
    possible = _marked(published, promise, matches.possibly, terms)
    surely = _marked(published, promise, matches.surely, terms) if matches.surely.any() else None
    least = {part.cluster: part.at_least for part in surely.clusters} if surely else {}
    parts = tuple(
        replace(
            part,
            at_least=least.get(part.cluster, 0),
            shared=tuple(term for term in part.shared if term not in (MARK, EVERYBODY)),
        )
        for part in possible.clusters
    )
    if not parts:
        return _nobody(known, f"no possible original has a person with {_them(known)}")
    low, high = sum(part.at_least for part in parts), sum(part.at_most for part in parts)
    within, is_kept = len(terms) <= promise.m and values.keys() <= set(promise.quasi), high >= promise.k
    shared = tuple(sorted(set.intersection(*(set(part.shared) for part in parts))))
    where = "1 cluster" if len(parts) == 1 else f"{len(parts):,} clusters"
    learns = f"and learns for sure: {', '.join(shared)}" if shared else "and learns nothing for sure"
    sentence = f"{_who(known)} finds {_many(low, high, 'candidate')} in {where}, {learns}."
    verdict = _about_crowds(promise.k, high, len(known), "things", is_kept=is_kept, within=within)
    return Findings(known, low, high, within, is_kept, sentence, verdict, parts, shared)


def _marked(published: Mixed, promise: MixedAnonymity, marked: Ints64, terms: list[str]) -> Candidates:
    desk = Desk(with_mark(published, MARK, marked, EVERYBODY), promise.of_terms, is_inspected=True)
    return candidates(desk, [MARK, *terms])


def _about_crowds(k: int, most: int, known: int, what: str, *, is_kept: bool, within: bool) -> str:
    if not within:
        return (
            f"Beyond the promise: nothing is promised to stop somebody who knows {known} {what}. "
            f"{most:,} {'record' if most == 1 else 'records'} may fit."
        )
    return (
        f"At least {k:,} candidates: the promise is kept." if is_kept else f"Fewer than {k:,}: the promise is broken."
    )


def _nobody(known: tuple[str, ...], why: str) -> Findings:
    words = "Nobody in the release can have all of that: there is nothing to find."
    return Findings(known, 0, 0, True, True, f"{_who(known)} finds nobody: {why}.", words)


def _who(known: tuple[str, ...]) -> str:
    return f"Somebody who knows {', '.join(known)}"


def _them(known: tuple[str, ...]) -> str:
    return "it" if len(known) == 1 else "all of them"


def _it(records: int) -> str:
    return "it" if records == 1 else "them"


def _many(least: int, most: int, noun: str) -> str:
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
