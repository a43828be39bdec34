"""The clustering `auto`: publish in each way, and keep what estimates the pairs of frequent terms best."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation.choices import CLUSTERINGS, settled
from disjoin.methods.disassociation.clustering import Task
from disjoin.model import Clusters, Draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from disjoin.methods.disassociation import Disassociation

DIGITS = 9  # of an error that count: what a sum of floats loses is less


def best_draft(task: Task, publish: Callable[[Task], Draft[Clusters]]) -> Draft[Clusters]:
    """Return the draft with the least weighted pair error; of equal ones, the first in the order of `CLUSTERINGS`.

    What it was chosen from is for the steward only: errors compare with the original. The parameters of the draft are
    those of the chosen clustering, so that nothing in the release tells how it was chosen.
    """
    from disjoin.measure.weighted_pair_error import weighted_pair_error  # here, as only `auto` needs it

    errors: dict[str, float] = {}
    best: Draft[Clusters] | None = None
    chosen, refusal = "", None
    for name in settled():
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
    if not CLUSTERINGS[clustering].splits:
        return replace(method, clustering=clustering, max_cluster_size=None, ties="lex")
    return replace(method, clustering=clustering)
