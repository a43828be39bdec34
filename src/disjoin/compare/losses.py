"""What was lost, by the same measures for whatever was published."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from disjoin.compare.conditions import Conditions
from disjoin.errors import InvalidParameter
from disjoin.measure import EVALUATIONS, Evidence, ItemEvidence, NoisyEvidence
from disjoin.measure.evaluation import EvaluationRow, evaluated
from disjoin.model import Clusters, GeneralizedItems, NoisyRecords, Published, Transactions

MEASURED = ("tkd", "tkd_ml2", "re", "tlost")  # of EVALUATIONS
PRESENT = "re_present"  # re over the pairs that the original has; a pair that is in neither counts as right in re
LOSSES = ("tkd", "tkd_ml2", "re", PRESENT, "tlost")
# By form of published data: what the measures look at. All of them find the same terms frequent and use one hierarchy.
EVIDENCE: dict[str, Callable[..., Any]] = {
    Clusters.form: Evidence,
    GeneralizedItems.form: ItemEvidence,
    NoisyRecords.form: NoisyEvidence,
}


def losses_of(
    published: Published, data: Transactions, conditions: Conditions, suppressed_records: int = 0
) -> tuple[EvaluationRow, ...]:
    """Return the measures of `MEASURED` with their notes; raises for a form that they are not about."""
    if published.form not in EVIDENCE:
        raise InvalidParameter(
            f"what it publishes ({published.form}) cannot be compared: {', '.join(MEASURED)} are taken of "
            f"{', '.join(EVIDENCE)}."
        )
    more = {"suppressed_records": suppressed_records} if suppressed_records else {}
    evidence = EVIDENCE[published.form](
        original=data,
        published=published,
        k=conditions.k,
        hierarchy=conditions.hierarchy,
        settings=conditions.settings,
        **more,
    )
    return evaluated(evidence, [EVALUATIONS[name] for name in MEASURED]).rows


def values_of(rows: Iterable[EvaluationRow]) -> dict[str, float | None]:
    """Return the values by name, in the order of `LOSSES`."""
    found: dict[str, float | None] = {}
    for row in rows:
        found[row.name] = row.value
        if row.name == "re":
            found[PRESENT] = row.details.get("error_of_pairs_in_original")
    return found
