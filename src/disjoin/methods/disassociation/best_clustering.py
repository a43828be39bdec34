"""The clustering `auto`: publish in several ways, and keep the best that shows no more than the papers' way.

The best estimates the pairs of frequent terms with the least error, and keeps at least as many pairs. What a way shows
is measured by attacks with one term more than is promised: the harm of attacks that are played through (H), and for how
many records the known terms surely tell another. The ways are attacked in the order of their errors, until one stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation.choices import CLUSTERINGS, candidates, papers
from disjoin.methods.disassociation.clustering import Task
from disjoin.model import Clusters, Draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from disjoin.methods.disassociation import Disassociation

DIGITS = 9  # of an error that count: what a sum of floats loses is less
DRAWS, MOST_SETS = 6000, 1_000_000  # attacks that are played through; sets of known terms that are looked at
DRAWS_PER_RECORD = 10  # of small data there is no more to see
SIZES = (1_000, 12_000)  # of clusters beside a core, besides the usual one: between HORPART's and a single one
MANY = 300_000  # beyond that many records just the quick ways are tried: the papers', the core, the usual size


@dataclass(frozen=True, slots=True)
class Shown:
    """What attacks found, as shares of the records; `sure` is not looked for where too many are harmed already."""

    harmed: float
    sure: float | None

    def is_above(self, other: Shown) -> bool:
        """Tell whether attacks find more here."""
        return self.harmed > other.harmed or self.sure is None or self.sure > (other.sure or 0.0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to publish, and what it keeps."""

    name: str
    draft: Draft[Clusters]
    error: float
    mass: float

    def keeps_more_than(self, other: Candidate) -> bool:
        """Tell whether its estimates are better and no fewer pairs are shown."""
        return self.error < other.error and self.mass >= other.mass

    def to_json(self, exposure: Shown | None) -> dict[str, Any]:
        """Return what it was judged by, for the steward; what was not attacked has no exposure."""
        found: dict[str, Any] = {"weighted_pair_error": self.error, "pair_mass": self.mass}
        return found | ({"harmed_records": exposure.harmed, "sure_inference": exposure.sure} if exposure else {})


def best_draft(task: Task, publish: Callable[..., Draft[Clusters]]) -> Draft[Clusters]:
    """Return the best draft of those that show no more than the papers'; of equal ones, the first.

    What it was chosen from is for the steward only: it compares with the original. The parameters of the draft are
    those of the chosen clustering, so that nothing else in the release tells how it was chosen.
    """
    found, refusals = [], []
    for name, method in _ways(task):
        try:
            found.append(_measured(name, _published(replace(task, method=method), publish), task))
        except GuaranteeUnreachable as failure:
            refusals.append(failure)
    if not found:
        raise refusals[0]
    best, exposures = _chosen(found, lambda each, limit: _attacked(each.draft.published, task, limit))
    judged = {each.name: each.to_json(exposures.get(each.name)) for each in found}
    return replace(best.draft, private={**best.draft.private, "clustering": best.name, "clusterings": judged})


def _ways(task: Task) -> Iterator[tuple[str, Disassociation]]:
    """Give the names of what is tried, the papers' way first, and the settings."""
    method, is_large = task.method, len(task.data) > MANY
    for name in (papers(), *candidates()):
        way = CLUSTERINGS[name]
        if not way.splits:
            if not (is_large and way.tries_others):
                yield name, replace(method, clustering=name, max_cluster_size=None, ties="lex")
            continue
        yield name, replace(method, clustering=name)
        if way.has_core and method.max_cluster_size is None and not is_large:
            for size in SIZES:
                if method.least < size <= len(task.data):  # all larger ones are the same
                    yield f"{name} below {size:,}", replace(method, clustering=name, max_cluster_size=size)


def _published(task: Task, publish: Callable[..., Draft[Clusters]]) -> Draft[Clusters]:
    """Publish with a clustering; one that tries others says itself what it took."""
    way = task.method.way
    if way.tries_others:
        draft: Draft[Clusters] = way.load()(task, publish)
        return draft
    return replace(publish(task), parameters=task.method.parameters())


def _measured(name: str, draft: Draft[Clusters], task: Task) -> Candidate:
    from disjoin.measure.mass import exact_pair_mass  # here, as only `auto` needs them
    from disjoin.measure.weighted_pair_error import weighted_pair_error

    clusters, data = draft.published, task.data
    mass = round(exact_pair_mass(clusters, data), DIGITS)
    return Candidate(name, draft, round(weighted_pair_error(clusters, data), DIGITS), mass)


def _chosen(
    found: list[Candidate], attack: Callable[[Candidate, Shown | None], Shown]
) -> tuple[Candidate, dict[str, Shown]]:
    """Return the best candidate, and what attacks found, as far as there were any.

    An attack is told what the papers' way shows: with more than that, it may stop.
    """
    paper = next((each for each in found if each.name == papers()), None)
    if paper is None:
        return min(found, key=lambda each: each.error), {}
    better = sorted((each for each in found if each.keeps_more_than(paper)), key=lambda each: each.error)
    if not better:
        return paper, {}
    limit = attack(paper, None)
    exposures = {paper.name: limit}
    for each in better:
        exposures[each.name] = attack(each, limit)
        if not exposures[each.name].is_above(limit):
            return each, exposures
    return paper, exposures


def _attacked(clusters: Clusters, task: Task, limit: Shown | None) -> Shown:
    from disjoin.attack.simulated import simulate
    from disjoin.attack.sure_inference import sure_inference

    known, data = task.method.m + 1, task.data
    draws = min(DRAWS, DRAWS_PER_RECORD * len(data))
    harmed = simulate(clusters, data, terms=known, draws=draws, k=task.method.k).share
    if limit is not None and harmed > limit.harmed:
        return Shown(harmed, None)
    if task.method.refine_mode == "paper":  # what is sure is known of proven releases only
        return Shown(harmed, 0.0)
    return Shown(harmed, sure_inference(clusters, data, known=known, most_sets=MOST_SETS).share)
