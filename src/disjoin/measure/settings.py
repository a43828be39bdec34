"""How measures look: what a data steward may choose."""

from __future__ import annotations

from dataclasses import dataclass

from disjoin.errors import InvalidParameter, require_kind
from disjoin.model.guarantee import require_integer

MOST_RECONSTRUCTIONS = 10  # no measure looks at more
_WHOLE = {  # the least value, and why it is no less
    "top": (1, "it is the number of itemsets that are compared."),
    "seed": (0, "any other whole number will do."),
    "reconstructions": (1, "supports come from reconstructions."),
    "r": (1, "it is the number of ordinary items of a query."),
    "queries": (1, "the divergence is a mean over queries."),
}


@dataclass(frozen=True)
class Settings:
    """How to look: the itemsets that are compared, the seed of what is drawn, and how many reconstructions are.

    For groups: how many ordinary items a query has (`r`), and how many queries are asked. For tables: the column that
    a classifier would predict (`label`); the first sensitive one, if not given. `k`: in how many records a term must be
    to count as frequent; what the release promises, if not given.
    """

    top: int = 1000
    seed: int = 0
    reconstructions: int = MOST_RECONSTRUCTIONS
    r: int = 4
    queries: int = 100
    label: str | None = None
    k: int | None = None

    def __post_init__(self) -> None:
        for name, (least, why) in _WHOLE.items():
            object.__setattr__(self, name, require_integer(name, getattr(self, name), least, why))
        if self.label is not None:
            require_kind(self.label, str, "the name of a column as label")
        if self.k is not None:
            object.__setattr__(self, "k", require_integer("k", self.k, 1, "terms in that many records are frequent."))
        if self.reconstructions > MOST_RECONSTRUCTIONS:
            raise InvalidParameter(
                f"reconstructions must be {MOST_RECONSTRUCTIONS} or less, got {self.reconstructions}: no measure looks "
                "at more."
            )


DEFAULTS = Settings()
