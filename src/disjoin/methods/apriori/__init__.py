"""Apriori generalisation: terms are generalised, each the same way in all records, until no set of up to m terms is
rare. Every record is kept. PROOF.md, next to this file, proves the guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from disjoin.errors import InvalidParameter
from disjoin.methods.contract import Engine, Method
from disjoin.methods.min_people import (
    MIN_PEOPLE_HELP,
    RARE_ITEMS_HELP,
    kept_of,
    stored_threshold,
    threshold_of,
    with_enough_people,
)
from disjoin.methods.settings import LazyEntry, by_name, check_settings, contradictions_of, setting
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.parameters import LEAVE_OUT, OTHER, threshold_in
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.model import AnyGuarantee, Draft, GeneralizedItems, Hierarchy, Transactions


ALGORITHMS = by_name(  # the order in which rare sets are repaired: a function of m that returns the sizes of each round
    LazyEntry("apriori", "single terms first, then pairs and so on", "disjoin.methods.apriori.run:size_by_size"),
    LazyEntry("direct", "sets of all sizes at once", "disjoin.methods.apriori.run:all_sizes"),
)
DEFAULT_FAN_OUT = 10


@dataclass(frozen=True, slots=True)
class Apriori(Method):
    """Publish records with generalised terms: an attacker who knows `m` terms of a record finds `k` candidates."""

    name: ClassVar[str] = "apriori"
    help: ClassVar[str] = """
    Publish the records of FILE (- for standard input) with k^m-anonymity, by generalising rare terms.

    An attacker who knows up to M terms of a record finds at least K candidates. A hierarchy states what terms
    generalise to: tea to drinks, drinks to food. Where fewer than K records have up to M terms together, the least
    costly of these terms are generalised in all records. The release is written only if an independent verifier
    accepts it.
    """

    k: int = setting(5, "an attacker who knows up to m terms finds at least K candidates", flag="-k", least=2)
    m: int = setting(2, "how many terms of a record an attacker may know", flag="-m", least=1)
    hierarchy: Hierarchy | None = setting(
        None, "what terms generalise to: a file with one row per term, from the term to the root"
    )
    fan_out: int | None = setting(
        None,
        f"without a hierarchy: group terms by name, that many per group (default: {DEFAULT_FAN_OUT})",
        least=2,
        why="a group has at least two members.",
    )
    algorithm: str = setting(
        "apriori",
        "the order of repairs: single terms first, then pairs and so on, or all sizes at once",
        choices=ALGORITHMS,
    )
    min_people: int | None = setting(None, MIN_PEOPLE_HELP, least=2, why="with 1, nothing is left out.")
    rare: str = setting(LEAVE_OUT, RARE_ITEMS_HELP, choices=(LEAVE_OUT, OTHER))

    def __post_init__(self) -> None:
        check_settings(self)
        threshold_of(self)
        guarantee = KmAnonymity(self.k, self.m)
        object.__setattr__(self, "k", guarantee.k)
        object.__setattr__(self, "m", guarantee.m)
        if self.hierarchy is not None:
            from disjoin.model import Hierarchy  # imported late: a hierarchy needs the array libraries

            if not isinstance(self.hierarchy, Hierarchy):
                raise InvalidParameter(f"hierarchy must be a Hierarchy, got {type(self.hierarchy).__name__}.")
        if self.fan_out is not None and self.hierarchy is not None:
            raise InvalidParameter("give a hierarchy, or a fan-out to build one with, not both.")

    def prepared(self, data: Transactions) -> Transactions:
        return data

    def warnings(self, data: Transactions) -> list[str]:
        from disjoin.methods.apriori.run import require_records  # imported late: it loads compiled code
        from disjoin.model.hierarchy import told_apart_words

        kept = kept_of(self, data).data
        require_records(self.k, kept)
        self._hierarchy_for(kept)
        notes = []
        if self.hierarchy is None:
            notes.append(
                "no hierarchy is given, so terms are grouped by their names only, and the release lists every term "
                "that occurs. Give a hierarchy in which terms with similar meanings are close to each other."
            )
        elif self.hierarchy.told_apart:
            notes.append(f"in the hierarchy, {told_apart_words(self.hierarchy.told_apart)}.")
        if data.sensitive is not None and data.sensitive.any():
            notes.append("sensitive terms are treated like all other terms: this method does not hide them.")
        return notes

    def claim(self, draft: Draft[GeneralizedItems]) -> KmAnonymity:
        return KmAnonymity(self.k, self.m, min_people=threshold_of(self))

    def parameters(self) -> Mapping[str, Any]:
        """Return the parameters as stored in a release; the hierarchy is in the tables."""
        return {"k": self.k, "m": self.m, "algorithm": self.algorithm} | stored_threshold(self)

    @classmethod
    def contradictions(cls, guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
        left_out = suppressed if threshold_in(guarantee) is None else 0
        found = contradictions_of(cls, guarantee, KmAnonymity, stated, ("k", "m"), left_out)
        if isinstance(guarantee, KmAnonymity) and guarantee != KmAnonymity(
            guarantee.k, guarantee.m, min_people=guarantee.min_people
        ):
            found.append("the guarantee names sensitive terms or proofs, but this method's guarantee has none")
        return found

    @with_enough_people
    def publish(self, data: Transactions, engine: Engine, progress: Progress = silent) -> Draft[GeneralizedItems]:
        from disjoin.methods.apriori.run import generalize_items, require_records  # late: it loads compiled code

        require_records(self.k, data)
        return generalize_items(self, data, self._hierarchy_for(data), progress)

    def _hierarchy_for(self, data: Transactions) -> Hierarchy:
        """Return the hierarchy. With a threshold of people, it has only the remaining terms, because it is public."""
        from disjoin.methods.apriori.run import hierarchy_for, with_these_leaves

        if self.hierarchy is not None and self.min_people is not None:
            return hierarchy_for(data, with_these_leaves(self.hierarchy, data), 0)
        fan_out = DEFAULT_FAN_OUT if self.fan_out is None else self.fan_out
        return hierarchy_for(data, self.hierarchy, fan_out)
