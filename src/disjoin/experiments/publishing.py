"""What experiments measure of a release: named measures beside the original, masses and seconds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from disjoin.experiments.experiment import Measured
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import papers
from disjoin.model.guarantee import KmAnonymity
from disjoin.pipeline import drafted
from disjoin.trials.cost import seconds_spent
from disjoin.trials.measuring import measured

if TYPE_CHECKING:
    from disjoin.measure.evaluation import EvaluationRow
    from disjoin.model import Clusters, Draft, Transactions


def published(data: Transactions, **parameters: Any) -> tuple[Disassociation, Draft[Clusters]]:
    """Publish without the inspector, whose verdict no measure depends on; with the papers' clusters, if not told."""
    method = Disassociation(**{"clustering": papers()} | parameters)
    return method, drafted(data, method)


def seconds_of(data: Transactions, times: int, **parameters: Any) -> Measured:
    """Return the median, least and largest seconds of publishing, after one run that does not count."""
    return seconds_spent(lambda: published(data, **parameters), times)


def masses_of(data: Transactions, method: Disassociation, draft: Draft[Clusters]) -> Measured:
    """Return what chunks show: exact shares of occurrences and pairs, and what they expose beyond the promise."""
    from disjoin.measure import exact_pair_mass, exact_term_mass, exposed_records, universal_terms

    clusters = draft.published
    return {
        "term mass": exact_term_mass(clusters, data),
        "pair mass": exact_pair_mass(clusters, data),
        "exposed records": exposed_records(clusters, KmAnonymity(method.k, method.m)),
        "universal terms": universal_terms(clusters),
    }


def losses_of(data: Transactions, names: Iterable[str], **parameters: Any) -> Measured:
    """Publish, and return measures of `disjoin.measure.EVALUATIONS` by name."""
    return evaluation_of(data, *published(data, **parameters), names)


def evaluation_of(data: Transactions, method: Disassociation, draft: Draft[Clusters], names: Iterable[str]) -> Measured:
    """Return measures of a draft by name."""
    return {row.name: row.value for row in evaluation_rows(data, method, draft, names)}


def evaluation_rows(
    data: Transactions,
    method: Disassociation,
    draft: Draft[Clusters],
    names: Iterable[str],
    *,
    reconstructions: int = 1,
    seed: int = 0,
) -> tuple[EvaluationRow, ...]:
    """Return measures of a draft with all that is known about them."""
    from disjoin.measure.settings import Settings

    return measured(
        draft.published,
        data,
        names,
        k=method.k,
        m=method.m,
        suppressed_records=draft.suppressed_records,
        strategy=method.strategy,
        settings=Settings(seed=seed, reconstructions=reconstructions),
    )
