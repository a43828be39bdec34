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
from disjoin.methods.disassociation.clustering import Clustered, Task
from disjoin.model import Clusters, Draft

if TYPE_CHECKING:
    from collections.abc import Callable

    from disjoin.attack.simulated import Draws
    from disjoin.methods.disassociation import Disassociation

DIGITS = 9  # of an error that count: what a sum of floats loses is less
MOST_SETS = 1_000_000  # sets of known terms that are looked at
SIZES = (1_000, 12_000)  # of clusters beside a core, besides the usual one: between HORPART's and a single one
MANY = 300_000  # beyond that many records just the quick ways are tried: the papers', the core, the usual size


@dataclass(frozen=True, slots=True)
class Shown:
    """What attacks found, as shares of the records.

    Where too many are harmed already, `sure` is not looked for, and `harmed` is what was counted until then.
    """

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
    seen: set[tuple[int, bytes]] = set()
    for name, method in _ways(task):
        try:
            draft = _published(replace(task, method=method), publish, seen)
        except GuaranteeUnreachable as failure:
            refusals.append(failure)
            continue
        if draft is not None:
            found.append(_measured(name, draft, task))
    if not found:
        raise refusals[0]
    best, exposures = _chosen(found, Attacks(task))
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


def _published(
    task: Task, publish: Callable[..., Draft[Clusters]], seen: set[tuple[int, bytes]]
) -> Draft[Clusters] | None:
    """Publish with a clustering; one that tries others states itself which of them it took.

    None for clusters beside a core that were `seen` before: they would be published in the same way again.
    """
    way = task.method.way
    if way.tries_others:
        draft: Draft[Clusters] = way.load()(task, publish)
        return draft
    clustered: Clustered = way.load()(task)
    if way.has_core:
        content = clustered.content()
        if content in seen:
            return None
        seen.add(content)
    return replace(publish(task, clustered), parameters=task.method.parameters())


def _measured(name: str, draft: Draft[Clusters], task: Task) -> Candidate:
    mass, error = task.pairs_kept(draft.published)
    return Candidate(name, draft, round(error, DIGITS), round(mass, DIGITS))


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


@dataclass(slots=True)
class Attacks:
    """Attacks on candidates: the same records are drawn for all, once, and only if anybody is attacked."""

    task: Task
    drawn: Draws | None = None

    def __call__(self, candidate: Candidate, limit: Shown | None) -> Shown:
        """Return what attacks find; beyond the limit of harm they end, and the share is of what was played."""
        from disjoin.analyst.index import desk_of_clusters  # here, as only those who compare need them
        from disjoin.attack.simulated import draws_for, draws_of, played
        from disjoin.attack.sure_inference import sure_inference

        method, data = self.task.method, self.task.data
        draws = draws_for(len(data))
        self.drawn = self.drawn or draws_of(data, method.m + 1, draws)
        desk = desk_of_clusters(candidate.draft.published, "attack")
        enough = None if limit is None else round(limit.harmed * draws)
        harmed = played(desk, data, self.drawn, method.k, enough=enough).share
        if limit is not None and harmed > limit.harmed:
            return Shown(harmed, None)
        if method.refine_mode == "paper":  # what is sure is known of proven releases only
            return Shown(harmed, 0.0)
        return Shown(harmed, sure_inference(desk, data, known=method.m + 1, most_sets=MOST_SETS).share)
