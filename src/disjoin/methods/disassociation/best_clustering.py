"""The clustering `auto`: publish in each way, and keep the best of those that show no more than the papers' way.

What a way shows is measured by attacks with one term more than is promised: the harm of attacks that are played through
(H), and for how many records the known terms surely tell another. The best is what estimates the pairs of frequent
terms with the least error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation.choices import CLUSTERINGS, papers, stated_clusterings
from disjoin.methods.disassociation.clustering import Task
from disjoin.model import Clusters, Draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from disjoin.methods.disassociation import Disassociation

DIGITS = 9  # of an error that count: what a sum of floats loses is less
DRAWS, MOST_SETS = 6000, 1_000_000  # attacks that are played through; sets of known terms that are looked at
DRAWS_PER_RECORD = 10  # of small data there is no more to see


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to publish, with what it costs and what it shows."""

    name: str
    draft: Draft[Clusters]
    error: float
    harmed: float
    sure: float

    def shows_more_than(self, other: Candidate) -> bool:
        """Tell whether attacks find more here."""
        return self.harmed > other.harmed or self.sure > other.sure

    def to_json(self) -> dict[str, Any]:
        """Return what it was judged by, for the steward."""
        return {"weighted_pair_error": self.error, "harmed_records": self.harmed, "sure_inference": self.sure}


def best_draft(task: Task, publish: Callable[..., Draft[Clusters]]) -> Draft[Clusters]:
    """Return the best draft of those that show no more than the papers'; of equal ones, the first of `CLUSTERINGS`.

    What it was chosen from is for the steward only: it compares with the original. The parameters of the draft are
    those of the chosen clustering, so that nothing else in the release tells how it was chosen.
    """
    found, refusals = [], []
    for name in (papers(), *stated_clusterings()):
        try:
            found.append(_judged(name, _published(replace(task, method=_with(task.method, name)), publish), task))
        except GuaranteeUnreachable as failure:
            refusals.append(failure)
    if not found:
        raise refusals[0]
    best = _best(found)
    judged = {each.name: each.to_json() for each in found}
    return replace(best.draft, private={**best.draft.private, "clustering": best.name, "clusterings": judged})


def _published(task: Task, publish: Callable[..., Draft[Clusters]]) -> Draft[Clusters]:
    """Publish with a clustering; one that tries others says itself what it took."""
    way = task.method.way
    if way.tries_others:
        draft: Draft[Clusters] = way.load()(task, publish)
        return draft
    return replace(publish(task), parameters=task.method.parameters())


def _best(found: list[Candidate]) -> Candidate:
    paper = next((each for each in found if each.name == papers()), None)
    allowed = [each for each in found if paper is None or not each.shows_more_than(paper)]
    return min(allowed, key=lambda each: each.error)


def _judged(name: str, draft: Draft[Clusters], task: Task) -> Candidate:
    from disjoin.attack.simulated import simulate  # here, as only `auto` needs them
    from disjoin.attack.sure_inference import sure_inference
    from disjoin.measure.weighted_pair_error import weighted_pair_error

    known, k = task.method.m + 1, task.method.k
    clusters, data = draft.published, task.data
    error = round(weighted_pair_error(clusters, data), DIGITS)
    draws = min(DRAWS, DRAWS_PER_RECORD * len(data))
    harmed = simulate(clusters, data, terms=known, draws=draws, k=k).share
    if task.method.refine_mode == "paper":  # what is sure is known of proven releases only
        return Candidate(name, draft, error, harmed, 0.0)
    sure = sure_inference(clusters, data, known=known, most_sets=MOST_SETS).share
    return Candidate(name, draft, error, harmed, sure)


def _with(method: Disassociation, clustering: str) -> Disassociation:
    """Return the method with a clustering, without the settings that this one has no use for."""
    if not CLUSTERINGS[clustering].splits:
        return replace(method, clustering=clustering, max_cluster_size=None, ties="lex")
    return replace(method, clustering=clustering)
