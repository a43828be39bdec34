"""What is the same for all who take part in a comparison."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from disjoin.measure.settings import Settings
from disjoin.methods.apriori.run import hierarchy_for
from disjoin.model import DifferentialPrivacy, Hierarchy, KmAnonymity, Transactions
from disjoin.model.guarantee import require_integer

USUAL_FAN_OUT = 10


@dataclass(frozen=True, slots=True)
class Conditions:
    """What methods are asked for, and how they are measured; a method takes of it what it knows.

    `hierarchy` is of the terms, for who generalises them and for the measure that looks at ancestors. `epsilon` is for
    who adds noise. With a `seed` noise is drawn from it, so that a run can be had again: that is for experiments, and
    nothing that was drawn so may be published. `top` itemsets are compared.
    """

    hierarchy: Hierarchy = field(repr=False)
    k: int = 5
    m: int = 2
    fan_out: int = USUAL_FAN_OUT
    epsilon: Any = "1"  # whatever DifferentialPrivacy takes
    seed: int | None = None
    top: int = 1000
    threads: int = 0

    def __post_init__(self) -> None:
        promise = KmAnonymity(self.k, self.m)
        object.__setattr__(self, "k", promise.k)
        object.__setattr__(self, "m", promise.m)
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


def conditions_for(data: Transactions, hierarchy: Hierarchy | None = None, **rest: Any) -> Conditions:
    """Return the conditions for these data, with the hierarchy checked, or built over their terms if none is given."""
    return Conditions(hierarchy_for(data, hierarchy, rest.get("fan_out", USUAL_FAN_OUT)), **rest)
