"""The clustering `auto`: publish in each way, and keep what estimates the pairs of frequent terms best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation.clustering import CLUSTERINGS, Task
from disjoin.methods.disassociation.pair_estimate import expected_pairs, true_pairs
from disjoin.model import Clusters, Draft, Transactions
from disjoin.model.arrays import Ints32

if TYPE_CHECKING:
    from collections.abc import Callable

    from disjoin.methods.disassociation import Disassociation

TOP_TERMS = 300
DIGITS = 9  # of an error that count: what a sum of floats loses is less


def best_draft(task: Task, publish: Callable[[Task], Draft[Clusters]]) -> Draft[Clusters]:
    """Return the draft with the least weighted pair error; of equal ones, the first in the order of `CLUSTERINGS`.

    What it was chosen from is for the steward only: errors compare with the original. The parameters of the draft are
    those of the chosen clustering, so that nothing in the release tells how it was chosen.
    """
    errors: dict[str, float] = {}
    best: Draft[Clusters] | None = None
    chosen, refusal = "", None
    for name in CLUSTERINGS:
        candidate = _with(task.method, name)
        try:
            draft = publish(replace(task, method=candidate))
        except GuaranteeUnreachable as failure:
            refusal = refusal or failure
            continue
        errors[name] = round(weighted_pair_error(draft.published, task.data), DIGITS)
        if best is None or errors[name] < errors[chosen]:
            best, chosen = replace(draft, parameters=candidate.parameters()), name
    if best is None:
        assert refusal is not None, "each candidate is published or refused"
        raise refusal
    return replace(best, private={**best.private, "clustering": chosen, "weighted_pair_errors": errors})


def _with(method: Disassociation, clustering: str) -> Disassociation:
    """Return the method with a clustering, without the settings that this one has no use for."""
    if clustering == "core":
        return replace(method, clustering=clustering, max_cluster_size=None, ties="lex")
    return replace(method, clustering=clustering)


def weighted_pair_error(published: Clusters, data: Transactions) -> float:
    """Return sum |estimate - support| / sum support over all pairs of the most frequent terms (0 without pairs)."""
    top = np.sort(np.argsort(-data.supports(), kind="stable")[:TOP_TERMS])
    column = np.full(data.n_terms, -1, np.int32)
    column[top] = np.arange(top.size, dtype=np.int32)
    true = true_pairs(data, column, top.size)
    guessed = expected_pairs(published, _columns_in(published, data, column), top.size)
    total = float(true.sum())
    return float(np.abs(guessed - true).sum()) / total if total else 0.0


def _columns_in(published: Clusters, data: Transactions, column: Ints32) -> Ints32:
    """Return the columns of the published terms, which may be fewer than those of the data."""
    if len(published.vocabulary) == data.n_terms:
        return column
    from pyarrow import compute

    found: Ints32 = column[compute.index_in(published.vocabulary, value_set=data.vocabulary).to_numpy()]
    return found
