"""What is the same for all who take part in a comparison: what they are asked for, and how losses are measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from disjoin.files.hierarchies import hierarchy_from
from disjoin.measure.evaluation import EvaluationRow
from disjoin.measure.record import Settings
from disjoin.methods.apriori.run import hierarchy_for
from disjoin.model import Clusters, DifferentialPrivacy, Hierarchy, KmAnonymity, Published, Transactions
from disjoin.model.guarantee import require_integer
from disjoin.trials.measuring import measured
from disjoin.trials.rows import SECONDS, ResultColumn, columns_named

USUAL_FAN_OUT = 10


@dataclass(frozen=True, slots=True)
class Conditions:
    """What methods are asked for, and how they are measured; a method takes of it what it knows.

    `hierarchy` is of the terms, for methods that generalise them and for the measure that looks at ancestors.
    `epsilon` is for methods that add noise. With a `seed` noise is drawn from it, so that a run can be repeated: that
    is for experiments, and nothing that was drawn from a seed may be published. `top` itemsets are compared.
    """

    hierarchy: Hierarchy = field(repr=False)
    k: int = 5
    m: int = 2
    fan_out: int = USUAL_FAN_OUT
    epsilon: Any = "1"  # whatever DifferentialPrivacy takes
    seed: int | None = None
    top: int = 1000
    threads: int = 0
    tree_from: str = "given"  # where the hierarchy is from, in words

    def __post_init__(self) -> None:
        guarantee = KmAnonymity(self.k, self.m)
        object.__setattr__(self, "k", guarantee.k)
        object.__setattr__(self, "m", guarantee.m)
        why = "it is how many nodes of a hierarchy have the same parent."
        object.__setattr__(self, "fan_out", require_integer("fan_out", self.fan_out, 2, why))
        object.__setattr__(self, "epsilon", DifferentialPrivacy(self.epsilon).epsilon)
        if self.seed is not None:
            object.__setattr__(self, "seed", require_integer("seed", self.seed, 0, "any other whole number will do."))
        object.__setattr__(self, "top", self.settings.top)

    @property
    def settings(self) -> Settings:
        """How measures are taken: of one reconstruction, always the same."""
        return Settings(top=self.top, reconstructions=1, k=self.k)

    def to_json(self) -> dict[str, Any]:
        """Return the conditions as plain JSON, without the hierarchy."""
        return {
            "k": self.k,
            "m": self.m,
            "fan_out": self.fan_out,
            "epsilon": str(self.epsilon),
            "seed": self.seed,
            "top": self.top,
        }


def conditions_for(
    data: Transactions, hierarchy: Hierarchy | str | Path | None = None, *, fan_out: int = USUAL_FAN_OUT, **rest: Any
) -> Conditions:
    """Return the conditions for these data, with the hierarchy (itself or as a file) checked, or one that is built."""
    tree = hierarchy_for(data, hierarchy_from(hierarchy), fan_out)
    if hierarchy is None:
        tree_from = f"built over the sorted terms with a fan-out of {fan_out}"
    else:
        tree_from = "given" if isinstance(hierarchy, Hierarchy) else f"read from {Path(hierarchy).name}"
    return Conditions(tree, fan_out=fan_out, tree_from=tree_from, **rest)


MEASURED = ("tkd", "tkd_ml2", "re", "tlost")  # of EVALUATIONS
PRESENT = "re_present"  # re over the pairs that the original has; a pair that is in neither counts as right in re
ATTACKED = ("harmed_records", "sure_inference")  # of EVALUATIONS, too: attacks on clusters
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
    ResultColumn(
        "harmed_records",
        "H",
        "share of the records that somebody finds, or learns a term of, who knows m + 1 random terms of them; clusters",
    ),
    ResultColumn(
        "sure_inference",
        "sure",
        "share of the records of which some m known terms surely tell another; clusters only",
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
    """Return the measures of `MEASURED` with their notes, of clusters those of `ATTACKED` as well.

    Raises for a form that they are not about.
    """
    about: dict[str, Any] = {"k": conditions.k, "hierarchy": conditions.hierarchy, "settings": conditions.settings}
    names: tuple[str, ...] = MEASURED
    if isinstance(published, Clusters):
        names, about["m"] = (*MEASURED, *ATTACKED), conditions.m
    return measured(published, data, names, suppressed_records=suppressed_records, **about)


def values_of(rows: Iterable[EvaluationRow]) -> dict[str, float | None]:
    """Return the values by name; what is asked of clusters only is None for other forms."""
    found: dict[str, float | None] = dict.fromkeys(ATTACKED)
    for row in rows:
        found[row.name] = row.value
        if row.name == "re":
            found[PRESENT] = row.details.get("error_of_pairs_in_original")
    return found
