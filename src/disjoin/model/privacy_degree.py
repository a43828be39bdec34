"""The guarantee of CAHD: a limit on the records of a group that have the same sensitive item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from disjoin.model.parameters import MinPeople, StoredGuarantee, require_integer, sensitive_terms, settle, stated


@dataclass(frozen=True, slots=True)
class PrivacyDegree(StoredGuarantee):
    """In every group, at most one record in `p` has the same sensitive item.

    Correlation between ordinary and sensitive items is not hidden: an attacker who learns it from the release
    (`disjoin.attack.definetti`) can distinguish likely holders. `sensitive` are items that must be treated as
    sensitive; the release lists the others. At least `min_people` have each published item.

    >>> PrivacyDegree(10).to_json()
    {'type': 'privacy-degree', 'p': 10}
    """

    kind: ClassVar[str] = "privacy-degree"

    p: int
    sensitive: tuple[str, ...] = ()
    min_people: MinPeople | None = None

    def __post_init__(self) -> None:
        why = "with p = 1 all records of a group may have the same sensitive item."
        settle(self, p=require_integer("p", self.p, 2, why), sensitive=sensitive_terms(self.sensitive))

    def sentence(self) -> str:
        words = (
            f"In every group at most 1 in {self.p} records has the same sensitive item, and the release does not list "
            "which. Correlation with ordinary items is not hidden: an attacker who learns it from the release, or who "
            "knows the algorithm, can link a record to a sensitive item with a higher probability."
        )
        return words + (self.min_people.sentence("items") if self.min_people else "")

    def to_json(self) -> dict[str, Any]:
        return {"type": self.kind, "p": self.p, **stated(self, "sensitive", "min_people")}
