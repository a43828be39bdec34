"""Attacker who knows terms or values of a person, for all forms but clusters.

In groups (CAHD) whole records are found, and the question is which sensitive items they are linked to. In generalised
records an attacker looks for what the known terms became; in mixed data also for values of columns. Numbers hold for
every possible original; chances take the records of a group for equally likely. No attack on noisy records shows
anything: `beliefs` returns how far they can move what an attacker believes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from disjoin.analyst.as_clusters import bare_records_of, holders_listed
from disjoin.analyst.cell_values import rows_matching
from disjoin.analyst.supports import EVERYBODY, MARK, conditions_in, people_desk, people_matching
from disjoin.attack.known_terms import CandidateClusters, Candidates, common_items, holding, in_clusters, whereabouts_of
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
from disjoin.model.ragged import Ints64, Spans

MOST_LEARNED = 12  # terms that are named with their chances
PRIORS = (0.01, 0.1, 0.5, 0.9)


def candidates_elsewhere(release: Release, known: tuple[str, ...], most: int | None) -> Candidates:
    """Return the candidates in groups, generalised records, tables or mixed data; see `known_terms.candidates`."""
    published, guarantee = release.published, release.guarantee
    if isinstance(published, Groups) and isinstance(guarantee, PrivacyDegree):
        return _in_groups(published, guarantee, known, most)
    if isinstance(published, GeneralizedItems) and isinstance(guarantee, KmAnonymity):
        return _in_items(published, guarantee, known)
    if isinstance(published, Mixed) and isinstance(guarantee, MixedAnonymity):
        return _in_mixed(release, published, guarantee, known, most)
    if isinstance(published, Generalized) and isinstance(guarantee, KAnonymity):
        return _in_table(published, guarantee, known)
    raise InvalidParameter(
        f"known terms find no candidates in {published.in_words}, which are made up from noisy counts."
    )


def _in_groups(published: Groups, guarantee: PrivacyDegree, known: tuple[str, ...], limit: int | None) -> Candidates:
    names = published.vocabulary.to_pylist()
    numbers = {name: number for number, name in enumerate(names)}
    if any(term not in numbers for term in known):
        return Candidates(known, 0, 0)
    terms = [numbers[term] for term in known]
    hidden = [term for term in terms if published.is_sensitive[term]]
    found = _found_groups(published, [term for term in terms if not published.is_sensitive[term]], hidden)
    if not found.nodes.size:
        return Candidates(known, 0, 0, within_guarantee=not hidden)
    learned, highest = _chances(published, found, hidden)
    other = "other sensitive item" if hidden else "sensitive item"
    kept = "" if hidden else f" (guaranteed: at most 1 in {guarantee.p})"
    share = f"Each {other} is in at most {highest:.1%} of a group's records{kept}."
    equal = (
        "Chances assume that all records of a group are equally likely; correlation with ordinary items is not hidden."
    )
    return Candidates(
        known,
        int(found.at_most.sum()),
        int(found.at_least.sum()),
        is_kept=bool(hidden) or highest * guarantee.p <= 1 + 1e-12,
        within_guarantee=not hidden,
        note=f"{found.where('group')} {f'{share} {equal}' if learned else f'No {other} is there.'}",
        parts=found.named(published.vocabulary, limit),
        in_parts=found.nodes.size,
        sure=found.sure(published.vocabulary),
        learned=learned,
    )


def _found_groups(published: Groups, plain: list[int], hidden: list[int]) -> CandidateClusters:
    """Return the groups that may have a record with all that is known, and what all these records have: ordinary items,
    because groups do not show which records have a sensitive one."""
    rows = np.flatnonzero(holding(published.records, plain))
    owners = np.searchsorted(published.groups.offsets, rows, side="right") - 1
    numbers = np.bincount(owners, minlength=len(published))
    groups = np.flatnonzero(numbers)
    size = published.sizes[groups]
    known = np.bincount(owners, published.counts[rows], minlength=len(published)).astype(np.int64)[groups]
    having = np.array([known, *(holders_listed(published, item)[groups] for item in hidden)])
    least, most = np.maximum(0, having.sum(axis=0) - len(hidden) * size), having.min(axis=0)
    others = len(hidden) - 1 + bool(plain)  # secret items next to the first known one
    if others > 0:  # a bare record needs a secret item, so not all are free to have several
        spare = published.secrets.sums(published.sensitive_counts) - bare_records_of(published)
        most = np.minimum(most, spare[groups] // others)
    common = common_items(Spans.of(numbers[groups]), rows, published.records, len(published.vocabulary), plain)
    there = np.flatnonzero(most)
    return CandidateClusters(groups[there], size[there], least[there], most[there], common.take(there))


def _likeliest(shares: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(shares, key=lambda each: (-each[1], each[0]))[:MOST_LEARNED])


def _chances(
    published: Groups, found: CandidateClusters, hidden: list[int]
) -> tuple[tuple[tuple[str, float], ...], float]:
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
    return _likeliest(listed), float(shares[is_open].max(initial=0.0))


def _in_items(published: GeneralizedItems, guarantee: KmAnonymity, known: tuple[str, ...]) -> Candidates:
    mapping, bag = published.mapping, published.records
    names = bag.vocabulary.to_pylist()
    numbers = {name: number for number, name in enumerate(names)}
    images = sorted({mapping.get(term, term) for term in known})
    covered, is_same = len(known) <= guarantee.m, set(images) == set(known)
    is_found = np.zeros(len(bag), np.bool_)
    if all(image in numbers for image in images):
        is_found = holding(bag.sets, [numbers[image] for image in images])
    possible = int(bag.counts[is_found].sum())
    among = Candidates.among(known, possible, possible if is_same else 0, guarantee.k, covered)
    if not possible:
        return among
    supports = bag.sets.take(np.flatnonzero(is_found)).supports(bag.counts[is_found], len(names))
    shares = {name: supports[number] / possible for name, number in numbers.items() if name not in images}
    return replace(
        among,
        note="" if is_same else f"Published as {', '.join(images)}.",
        sure=tuple(sorted(name for name, share in shares.items() if share == 1)),
        learned=_likeliest((name, float(share)) for name, share in shares.items() if 0 < share < 1),
    )


def _in_mixed(
    release: Release, published: Mixed, guarantee: MixedAnonymity, known: tuple[str, ...], limit: int | None
) -> Candidates:
    values, terms = conditions_in(published.rows, known)
    covered = len(terms) <= guarantee.m and values.keys() <= set(guarantee.quasi)
    matches, people = people_matching(published, values), people_desk(release)
    desk = people.desk
    if any(term not in desk.numbers for term in terms) or not matches.possibly.any():
        return Candidates.among(known, 0, 0, guarantee.k, covered)

    def matching(marked: Ints64) -> CandidateClusters:
        """Return where the people of marked entries are who can have the terms."""
        left_out = np.zeros(desk.published.counts.size, np.bool_)
        left_out[people.first], left_out[people.first + 1] = marked == 0, True
        return whereabouts_of(desk).clusters_with([desk.numbers[term] for term in (EVERYBODY, MARK, *terms)], left_out)

    found, certain = matching(matches.possibly), matching(matches.certainly)
    found.at_least[:] = 0
    found.at_least[np.searchsorted(found.nodes, certain.nodes)] = certain.at_least
    return in_clusters(found, desk, known, guarantee.k, covered, limit)


def _in_table(published: Generalized, guarantee: KAnonymity, known: tuple[str, ...]) -> Candidates:
    """Return the rows that could be a person of whom values are known, each written column=value. A row is a candidate
    if its cells may contain what is known (`disjoin.analyst.cell_values`). Shares of sensitive values take the
    candidates for equally likely."""
    table = published.table
    values, others = conditions_in(table, known)
    if others:
        columns = ", ".join(table.schema.names)
        raise InvalidParameter(f"expected a known value per column, such as age=34, of {columns}; found {others[0]!r}.")
    rare = None if guarantee.min_people is None else guarantee.min_people.rare
    possibly, certainly, _ = rows_matching(table, values, rare)
    possible, covered = int(possibly.sum()), values.keys() <= set(guarantee.quasi)
    learned = []  # the values of sensitive columns among these rows, with their shares
    for name in guarantee.sensitive:
        counts, cells = np.bincount(table.codes_of(name)[possibly]), table.values_of(name)
        shares = counts / max(1, counts.sum())
        learned += [(f"{name}={cells[int(code)].as_py()}", float(shares[code])) for code in np.flatnonzero(counts)]
    return replace(
        Candidates.among(known, possible, int(certainly.sum()), guarantee.k, covered),
        sure=tuple(text for text, share in learned if share == 1 and text not in known),
        learned=_likeliest(learned),
    )


def beliefs(guarantee: DifferentialPrivacy) -> list[tuple[float, float, float]]:
    """Return what an attacker believes of a person before a release, and the range of that belief afterwards.

    >>> [(before, round(low, 3), round(high, 3)) for before, low, high in beliefs(DifferentialPrivacy(1))][2]
    (0.5, 0.269, 0.731)
    """
    factor = math.exp(float(guarantee.epsilon))

    def moved(share: float, by: float) -> float:
        return by * share / (by * share + 1 - share)

    return [(share, moved(share, 1 / factor), moved(share, factor)) for share in PRIORS]
