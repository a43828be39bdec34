"""Choice of a clustering: publish with several, measure what they keep and reveal, and return the best draft.

`auto` takes the least error on pairs of frequent terms among clusterings that keep as many pairs as the papers' and
reveal no more, by attacks with m + 1 known terms. `pruned` and `bounded` take the greatest pair mass less weighted
pair error. The chosen draft is published without a second run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

from disjoin.analyst.index import desk_of_clusters
from disjoin.attack.simulated import draws_for, draws_of, played
from disjoin.attack.sure_inference import sure_inference
from disjoin.errors import GuaranteeUnreachable
from disjoin.measure.mass import exact_pair_mass
from disjoin.measure.pairs import pairs_of, weighted_pair_error
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.bounded import (
    MANY,
    PRICES,
    PRICES_AT_M,
    CoreAndScale,
    bounded_clusters,
    core_and_scale,
)
from disjoin.methods.disassociation.choices import BOUNDED, CLUSTERINGS, candidates, papers
from disjoin.methods.disassociation.clustering import Clustered, Task
from disjoin.methods.disassociation.run import disassociate, prepare_loops
from disjoin.model import Clusters, Draft, Transactions

DIGITS = 9  # of an error that count: what a sum of floats loses is less
MOST_SETS = 1_000_000  # sets of known terms that are counted
SIZES = (1_000, 12_000)  # other sizes of clusters next to a core, between HORPART's and a single one

Make = Callable[[], Draft[Clusters]]
Measure = Callable[[Clusters], tuple[float, float]]


def choose_draft(task: Task) -> Draft[Clusters]:
    prepare_loops(task)
    if not task.method.clustering_record.tries_others:
        return disassociate(task)
    return CHOICES[task.method.clustering](task, measured_pairs(task.data))


def measured_pairs(data: Transactions) -> Measure:
    """Return a function for the exact pair mass and the weighted pair error of a draft, which is measured once."""
    pairs = cache(lambda: pairs_of(data))

    @cache
    def measure(published: Clusters) -> tuple[float, float]:
        return exact_pair_mass(published, data), weighted_pair_error(published, data, pairs())

    return measure


@dataclass(frozen=True, slots=True)
class Shown:
    """Results of attacks, as shares of records; if `harmed` is too large, it is partial and `sure` is not measured."""

    harmed: float
    sure: float | None

    def is_above(self, other: Shown) -> bool:
        """Report whether attacks reveal more of this draft."""
        return self.harmed > other.harmed or self.sure is None or self.sure > (other.sure or 0.0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A clustering with its draft, and how much the draft keeps."""

    name: str
    draft: Draft[Clusters]
    error: float
    mass: float


def best_of_all(task: Task, measure: Measure) -> Draft[Clusters]:
    """Return the best draft of those that reveal no more than the papers'; of equal ones, the first (`auto`).
    The comparison is private; the draft has the parameters of its clustering, so the release hides how it was found."""
    found, refusals = [], []
    seen: set[tuple[int, bytes]] = set()
    for name, method in _settings_tried(task):
        try:
            draft = _published(replace(task, method=method), measure, seen)
        except GuaranteeUnreachable as failure:
            refusals.append(failure)
            continue
        if draft is not None:
            mass, error = measure(draft.published)
            found.append(Candidate(name, draft, round(error, DIGITS), round(mass, DIGITS)))
    if not found:
        raise refusals[0]
    best, exposures = chosen_candidate(found, attacks_on(task))
    judged: dict[str, dict[str, Any]] = {}
    for each in found:
        judged[each.name] = {"weighted_pair_error": each.error, "pair_mass": each.mass}
        if exposure := exposures.get(each.name):
            judged[each.name] |= {"harmed_records": exposure.harmed, "sure_inference": exposure.sure}
    return replace(best.draft, private={**best.draft.private, "clustering": best.name, "clusterings": judged})


def _settings_tried(task: Task) -> Iterator[tuple[str, Disassociation]]:
    """Yield the names and settings that are tried, the papers' clustering first; of many records only the fast ones."""
    method, is_large = task.method, len(task.data) > MANY
    for name in (papers(), *candidates()):
        record = CLUSTERINGS[name]
        if not record.splits:
            if not (is_large and record.tries_others):
                yield name, replace(method, clustering=name, max_cluster_size=None, ties="lex")
            continue
        yield name, replace(method, clustering=name)
        if record.has_core and method.max_cluster_size is None and not is_large:
            for size in SIZES:
                if method.min_cluster_size < size <= len(task.data):  # all larger ones are the same
                    yield f"{name} below {size:,}", replace(method, clustering=name, max_cluster_size=size)


def _published(task: Task, measure: Measure, seen: set[tuple[int, bytes]]) -> Draft[Clusters] | None:
    """Publish with a clustering; None for clusters next to a core that were `seen`, because the draft is the same."""
    record = task.method.clustering_record
    if record.tries_others:
        return CHOICES[task.method.clustering](task, measure)
    clustered: Clustered = record.load()(task)
    if record.has_core:
        content = clustered.content()
        if content in seen:
            return None
        seen.add(content)
    return replace(disassociate(task, clustered), parameters=task.method.parameters())


def chosen_candidate(
    found: list[Candidate], attack: Callable[[Candidate, Shown | None], Shown]
) -> tuple[Candidate, dict[str, Shown]]:
    """Return the best candidate, and results of attacks if any were needed; these may stop above the papers' ones."""
    paper = next((each for each in found if each.name == papers()), None)
    if paper is None:
        return min(found, key=lambda each: each.error), {}
    better = [each for each in found if each.error < paper.error and each.mass >= paper.mass]
    if not better:
        return paper, {}
    limit = attack(paper, None)
    exposures = {paper.name: limit}
    for each in sorted(better, key=lambda each: each.error):
        exposures[each.name] = attack(each, limit)
        if not exposures[each.name].is_above(limit):
            return each, exposures
    return paper, exposures


def attacks_on(task: Task) -> Callable[[Candidate, Shown | None], Shown]:
    """Return the attack on a candidate: the same records for all; it ends when more than the limit are harmed."""
    method, data, draws = task.method, task.data, draws_for(len(task.data))
    drawn = cache(lambda: draws_of(data, method.m + 1, draws))

    def attack(candidate: Candidate, limit: Shown | None) -> Shown:
        desk = desk_of_clusters(candidate.draft.published, "attack")
        enough = None if limit is None else round(limit.harmed * draws)
        harmed = played(desk, data, drawn(), method.k, enough=enough).share
        if limit is not None and harmed > limit.harmed:
            return Shown(harmed, None)
        if method.refine_mode == "paper":  # certainty is known of proven releases only
            return Shown(harmed, 0.0)
        return Shown(harmed, sure_inference(desk, data, known=method.m + 1, most_sets=MOST_SETS).share)

    return attack


def best_bounded(task: Task, measure: Measure) -> Draft[Clusters]:
    """Return the best draft of those whose chunks are tested at m + 1, and of HORPART's for m (`bounded`)."""

    def as_in_the_paper() -> Draft[Clusters]:
        method = replace(task.method, clustering=papers(), max_exposed=Fraction(0))
        return replace(disassociate(replace(task, method=method)), parameters=method.parameters())

    one_more = replace(task, method=replace(task.method, m=task.method.m + 1, max_exposed=Fraction(0)))
    share = float(task.method.max_exposed)
    trees = _trees(task, one_more, share, PRICES if len(task.data) <= MANY else PRICES[:1])
    return _best_score([*trees, (papers(), as_in_the_paper)], measure)


def best_pruned(task: Task, measure: Measure) -> Draft[Clusters]:
    """Return the better of the drafts at two prices; chunks are tested at m, as in other clusterings (`pruned`)."""
    return _best_score(_trees(task, task, 0.0, PRICES_AT_M if len(task.data) <= MANY else PRICES[:1]), measure)


CHOICES = {"auto": best_of_all, "pruned": best_pruned, BOUNDED: best_bounded}


def _trees(task: Task, tested: Task, share: float, prices: Sequence[float | None]) -> list[tuple[str, Make]]:
    """Return the names of trees by these prices, and how to make them; chunks are tested at the m of `tested`."""
    shared: list[CoreAndScale] = []  # the core is peeled once, by the first that needs it

    def tree(price: float | None) -> Draft[Clusters]:
        if not shared:
            shared.append(core_and_scale(tested))
        draft = disassociate(tested, bounded_clusters(tested, price, share, shared[0]))
        return replace(draft, parameters=task.method.parameters())

    name = task.method.clustering
    names = [name if price is None else f"{name} with a large leaf ({price:g})" for price in prices]
    return [(each, partial(tree, price)) for each, price in zip(names, prices, strict=True)]


def _best_score(tried: list[tuple[str, Make]], measure: Measure) -> Draft[Clusters]:
    """Return the draft with the greatest pair mass less weighted pair error (private); of equal ones, the first."""
    drafts: dict[str, Draft[Clusters]] = {}
    scores: dict[str, float] = {}
    refusals: dict[str, GuaranteeUnreachable] = {}
    for name, make in tried:
        try:
            drafts[name] = make()
        except GuaranteeUnreachable as failure:
            refusals[name] = failure
            continue
        mass, error = measure(drafts[name].published)
        scores[name] = round(mass - error, DIGITS)
    if not drafts:
        raise refusals[name]  # of `bounded` the one about the m that was asked for
    chosen = max(scores, key=lambda name: scores[name])
    given_up = {"given_up": {name: str(failure) for name, failure in refusals.items()}} if refusals else {}
    private = {**drafts[chosen].private, "clustering": chosen, "pair_scores": scores, **given_up}
    return replace(drafts[chosen], private=private)
