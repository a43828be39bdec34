"""What was lost, by the same measures for whatever was published."""

from __future__ import annotations

from collections.abc import Iterable

from disjoin.compare.conditions import Conditions
from disjoin.errors import InvalidParameter
from disjoin.forms.registry import FORMS
from disjoin.measure import EVALUATIONS
from disjoin.measure.evaluation import EvaluationRow, evaluated
from disjoin.model import Published, Transactions

MEASURED = ("tkd", "tkd_ml2", "re", "tlost")  # of EVALUATIONS
PRESENT = "re_present"  # re over the pairs that the original has; a pair that is in neither counts as right in re
LOSSES = ("tkd", "tkd_ml2", "re", PRESENT, "tlost")


def losses_of(
    published: Published, data: Transactions, conditions: Conditions, suppressed_records: int = 0
) -> tuple[EvaluationRow, ...]:
    """Return the measures of `MEASURED` with their notes; raises for a form that they are not about."""
    compared = FORMS[published.form].compared
    if compared is None:
        others = ", ".join(name for name, form in FORMS.items() if form.compared)
        raise InvalidParameter(
            f"what it publishes ({published.form}) cannot be compared: {', '.join(MEASURED)} are taken of {others}."
        )
    more = {"suppressed_records": suppressed_records} if suppressed_records else {}
    evidence = compared()(
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
