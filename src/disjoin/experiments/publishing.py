"""What experiments measure of a release: named measures beside the original, masses, pairs and seconds."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from disjoin.engines.local import Local
from disjoin.experiments.experiment import Measured
from disjoin.methods.disassociation import Disassociation

if TYPE_CHECKING:
    from disjoin.measure.evaluation import EvaluationRow
    from disjoin.model import Clusters, Draft, Transactions

TOP_PAIRS = 300  # terms whose pairs the weighted error looks at


def published(data: Transactions, **parameters: Any) -> tuple[Disassociation, Draft[Clusters]]:
    """Publish without the inspector, whose verdict no measure depends on."""
    method = Disassociation(**parameters)
    return method, method.publish(data, Local())


def seconds_of(data: Transactions, times: int, **parameters: Any) -> Measured:
    """Return the median, least and largest seconds of publishing, after one run that does not count."""
    return seconds_spent(lambda: published(data, **parameters), times)


def seconds_spent(work: Callable[[], object], times: int) -> Measured:
    """Return the median, least and largest seconds of some work, after one run that does not count.

    Processor seconds, of all threads together, depend less on what else the machine does. The load average tells how
    many processes wanted a core meanwhile, this one among them.
    """
    laps, worked = [], []
    for _ in range(times + 1):
        start, before = time.perf_counter(), time.process_time()
        work()
        laps.append(time.perf_counter() - start)
        worked.append(time.process_time() - before)
    counted = laps[1:]
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    noise: Measured = {"least seconds": min(counted), "most seconds": max(counted), "load average": load}
    median = statistics.median
    return {"seconds": median(counted), "processor seconds": median(worked[1:]), **noise}


def weighted_pair_error(clusters: Clusters, data: Transactions) -> float:
    """Return sum |estimate - support| / sum support over all pairs of the most frequent terms.

    The estimates are those of `release.pairs`: no reconstruction is drawn. Nothing may have been suppressed.
    """
    import numpy as np
    from scipy.sparse import csr_array

    from disjoin.analyst.index import desk_of
    from disjoin.analyst.pairs import expected_pairs

    top = np.sort(np.argsort(-data.supports(), kind="stable")[:TOP_PAIRS])
    wanted = np.zeros(data.n_terms, np.bool_)
    wanted[top] = True
    ones = np.ones(data.items.size)
    records = csr_array((ones, data.items, data.offsets), shape=(len(data), data.n_terms))[:, top]
    guessed = expected_pairs(desk_of(clusters), wanted, 1.0)[top][:, top].toarray()
    above = np.triu_indices(top.size, 1)
    true = (records.T @ records).toarray()[above]
    return float(np.abs(guessed[above] - true).sum() / true.sum()) if true.sum() else 0.0


def masses_of(clusters: Clusters, data: Transactions) -> Measured:
    """Return the exact shares of occurrences and of pairs that chunks show."""
    from disjoin.measure import exact_pair_mass, exact_term_mass

    return {"term mass": exact_term_mass(clusters, data), "pair mass": exact_pair_mass(clusters, data)}


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
    from disjoin.measure import EVALUATIONS, Evidence
    from disjoin.measure.evaluation import evaluated
    from disjoin.measure.evidence import Settings

    evidence = Evidence(
        original=data,
        published=draft.published,
        k=method.k,
        suppressed_records=draft.suppressed_records,
        strategy=method.strategy,
        settings=Settings(seed=seed, reconstructions=reconstructions),
    )
    return evaluated(evidence, [EVALUATIONS[name] for name in names]).rows
