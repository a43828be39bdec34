"""What is compared: the columns of the table, in words that fit every method, and how losses are measured."""

from __future__ import annotations

from collections.abc import Iterable

from disjoin.compare.conditions import Conditions
from disjoin.measure.evaluation import EvaluationRow
from disjoin.model import Published, Transactions
from disjoin.trials.measuring import measured
from disjoin.trials.rows import SECONDS, ResultColumn, columns_named

MEASURED = ("tkd", "tkd_ml2", "re", "tlost")  # of EVALUATIONS
PRESENT = "re_present"  # re over the pairs that the original has; a pair that is in neither counts as right in re
LOSSES = ("tkd", "tkd_ml2", "re", PRESENT, "tlost")
COLUMNS: dict[str, ResultColumn] = columns_named(
    ResultColumn(
        "tkd",
        "tKd",
        "share of the most frequent itemsets of the original that are not among as many of what was published",
    ),
    ResultColumn("tkd_ml2", "tKd-ML2", "the same, after every record got the ancestors of its terms in the hierarchy"),
    ResultColumn(
        "re",
        "re",
        "relative error of the supports of pairs of the terms ranked 200-220: 0 is right, 2 is as wrong as can be",
        largest=2,
    ),
    ResultColumn(
        "re_present",
        "re present",
        "the same over the pairs that the original has; in re, one that is in no record of either counts as right",
        largest=2,
    ),
    ResultColumn(
        "tlost",
        "tlost",
        "share of the terms in at least k records whose occurrences what was published does not count",
    ),
    SECONDS,
    ResultColumn(
        "processor_seconds",
        "cpu s",
        "seconds that processors worked meanwhile, all threads together",
        2,
        "cost",
        None,
    ),
    ResultColumn(
        "memory_mb",
        "memory MB",
        "millions of bytes held at most while publishing, beyond those held before, which include the data",
        1,
        "cost",
        None,
    ),
)


def losses_of(
    published: Published, data: Transactions, conditions: Conditions, suppressed_records: int = 0
) -> tuple[EvaluationRow, ...]:
    """Return the measures of `MEASURED` with their notes; raises for a form that they are not about."""
    about = {"k": conditions.k, "hierarchy": conditions.hierarchy, "settings": conditions.settings}
    return measured(published, data, MEASURED, suppressed_records=suppressed_records, **about)


def values_of(rows: Iterable[EvaluationRow]) -> dict[str, float | None]:
    """Return the values by name, in the order of `LOSSES`."""
    found: dict[str, float | None] = {}
    for row in rows:
        found[row.name] = row.value
        if row.name == "re":
            found[PRESENT] = row.details.get("error_of_pairs_in_original")
    return found
