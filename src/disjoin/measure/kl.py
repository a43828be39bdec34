"""KL divergence of queries about sensitive items, and their exact error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.as_clusters import holders_listed
from disjoin.errors import InvalidParameter
from disjoin.measure.definition import Finding, Settings, measure
from disjoin.measure.evidence import ADVICE
from disjoin.measure.evidence_groups import GroupEvidence
from disjoin.model.groups import Groups
from disjoin.model.ragged import Ints64
from disjoin.model.transactions import Transactions

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def divergence_about(evidence: GroupEvidence, item: int) -> Callable[[Ints64], float]:
    """Return the function from ordinary items to the divergence of the query about a sensitive item and these."""
    published, holders = evidence.published, evidence.records_with[item]
    chances = published.groups.spread(holders_listed(published, item) / published.sizes) * published.counts
    rows = np.flatnonzero(chances)  # published records that may have the item
    row_places, record_places = np.full(chances.size, -1), np.full(len(evidence.original), -1)  # among all in cells
    row_places[rows], record_places[holders] = np.arange(rows.size), rows.size + np.arange(holders.size)

    def divergence(ordinary: Ints64) -> float:
        """Return sum Act ln(Act / Est) over the non-empty cells, split item by item, so never more than records."""
        cells, n_cells = np.zeros(rows.size + holders.size, dtype=np.int64), 1
        for term in ordinary.tolist():
            places = np.concatenate((row_places[evidence.rows_with[term]], record_places[evidence.records_with[term]]))
            places = places[places >= 0]
            left, entered = np.unique(cells[places], return_inverse=True)
            cells[places] = n_cells + entered
            n_cells += left.size
        estimated = np.bincount(cells[: rows.size], chances[rows], n_cells).astype(np.float64)
        actual = np.bincount(cells[rows.size :], minlength=n_cells)
        filled = np.flatnonzero(actual)
        expected = estimated[filled]
        if (expected <= 0).any():
            raise InvalidParameter(
                f"a record of the original has a sensitive item that its group does not have: {ADVICE}"
            )
        found = float((actual[filled] * np.log(actual[filled] / expected)).sum() / actual.sum())
        return max(0.0, found)  # never below 0, but for rounding

    return divergence


def kl_divergence(published: Groups, original: Transactions, sensitive: str, ordinary: Sequence[str]) -> float:
    """Return the KL divergence of one query, in nats: over the cells that the ordinary items cut records into, the true
    share of the sensitive item's occurrences against the share estimated from groups.

    >>> groups = Groups.from_nested([{"records": [[["tea"], 1], [["jam"], 1]], "sensitive": {"pills": 1}}])
    >>> round(kl_divergence(groups, Transactions.from_sets([{"tea", "pills"}, {"jam"}]), "pills", ["tea"]), 4)
    0.6931
    """
    evidence = GroupEvidence(original, published)
    [item] = _numbers(evidence, [sensitive], evidence.sensitive, "sensitive")
    items = _numbers(evidence, ordinary, evidence.ordinary, "ordinary")
    return divergence_about(evidence, item)(np.array(sorted(set(items)), dtype=np.int64))


def mean_kl(
    published: Groups, original: Transactions, r: int, queries: int, seed: int, sensitive: Sequence[str] | None = None
) -> float:
    """Return the mean divergence of random queries about `sensitive` items (default: all), for experiments."""
    evidence = GroupEvidence(original, published, settings=Settings(seed=seed, r=r, queries=queries))
    asked = None if sensitive is None else _numbers(evidence, sensitive, evidence.sensitive, "sensitive")
    found = divergences(evidence, asked)
    if not found.size:
        raise InvalidParameter("expected at least one sensitive item, found none to ask about.")
    return float(found.mean())


def divergences(evidence: GroupEvidence, sensitive: Sequence[int] | None = None) -> NDArray[np.float64]:
    """Return divergences of random queries; `default_rng(seed)` draws a sensitive item, then up to r ordinary ones."""
    settings, ordinary = evidence.settings, evidence.ordinary
    among = evidence.sensitive if sensitive is None else sensitive
    random, size = np.random.default_rng(settings.seed), min(settings.r, ordinary.size)
    queries = [
        (int(among[int(random.integers(len(among)))]), random.choice(ordinary, size, replace=False))
        for _ in range(settings.queries if len(among) else 0)
    ]
    found = np.zeros(len(queries))
    for item in {item for item, _ in queries}:  # one after the other: each needs a number per record
        divergence = divergence_about(evidence, item)
        for number in (number for number, query in enumerate(queries) if query[0] == item):
            found[number] = divergence(queries[number][1])
    return found


def _numbers(evidence: GroupEvidence, names: Sequence[str], among: Ints64, kind: str) -> list[int]:
    known = {evidence.original.vocabulary[item].as_py(): item for item in among.tolist()}
    stranger = next((name for name in names if name not in known), None)
    if stranger is not None:
        raise InvalidParameter(f"expected {kind} items of the release, {stranger!r} is none.")
    return [known[name] for name in names]


@measure("Divergence of sensitive items (KL)", "kl", largest=None, unit="nats", forms=(Groups.form,))
def mean_divergence(evidence: GroupEvidence) -> Finding:
    """The published distribution of sensitive items over ordinary ones diverges from the true one by this many nats."""
    settings, there = evidence.settings, evidence.ordinary.size
    found = divergences(evidence)
    details: dict[str, object] = {"r": min(settings.r, there), "queries": found.size}
    if not found.size:
        return Finding(None, ("There are no sensitive items to ask about.",), details)
    notes = (f"There are {there:,} ordinary items only: queries have all of them.",) if there < settings.r else ()
    details |= {"median": float(np.median(found)), "largest": float(found.max())}
    return Finding(float(found.mean()), notes, details)


CELLS_AT_ONCE = 4_000_000  # pairs
ROUNDING = 1e-9  # records


@measure("Error of pairs with a sensitive item", largest=None, forms=(Groups.form,))
def association_error(evidence: GroupEvidence) -> Finding:
    """Estimated counts of pairs of a sensitive and an ordinary item differ by this share of the sum of true counts.

    That is sum |estimate - support| / sum support.
    """
    wrong, whole = 0.0, 0
    for estimated, true in _blocks(evidence):
        differences = np.abs((estimated - true).data)
        wrong += float(differences[differences > ROUNDING].sum())  # less is how floats add up, not an error
        whole += int(true.sum())
    details = {"pairs": evidence.sensitive.size * evidence.ordinary.size, "support": whole, "error": round(wrong, 6)}
    if not whole:
        return Finding(0.0, ("No record has a sensitive item and an ordinary one.",), details)
    return Finding(wrong / whole, (), details)


def _blocks(evidence: GroupEvidence) -> Iterator[tuple[csr_array, csr_array]]:
    """Yield estimated and true supports, (some sensitive items, terms) each; sensitive terms have none."""
    from scipy.sparse import csr_array

    published, original, n_terms = evidence.published, evidence.original, evidence.original.n_terms
    rows, groups = published.counts.size, len(published)
    have = csr_array((np.ones(published.items.size), published.items, published.item_offsets), shape=(rows, n_terms))
    stand_for = csr_array((published.counts.astype(float), np.arange(rows), published.record_offsets), (groups, rows))
    shares = published.sensitive_counts / published.secrets.spread(published.sizes)
    listed = csr_array((shares, published.sensitive_items, published.sensitive_offsets), shape=(groups, n_terms))
    in_groups, having = stand_for @ have, listed.T.tocsr()[evidence.sensitive]
    ordinary = np.where(published.is_sensitive[original.items], 0, 1)
    records = csr_array((ordinary, original.items, original.offsets), shape=(len(original), n_terms))
    lists = evidence.records_with.take(evidence.sensitive)
    ones = np.ones(lists.items.size, dtype=np.int64)
    holders = csr_array((ones, lists.items, lists.offsets), shape=(len(lists), len(original)))
    step = max(1, CELLS_AT_ONCE // max(1, evidence.ordinary.size))
    for first in range(0, evidence.sensitive.size, step):
        block = slice(first, first + step)
        yield having[block] @ in_groups, holders[block] @ records
