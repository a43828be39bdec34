"""Generalised items, published by Apriori generalisation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pyarrow as pa

from disjoin.model.hierarchy import Hierarchy
from disjoin.model.published import PublishedRecords, Violation
from disjoin.model.ragged import Bag, strings


@dataclass(frozen=True, slots=True, eq=False)
class GeneralizedItems(PublishedRecords):
    """Records of nodes of a hierarchy of terms, and the published node of every term.

    `terms[i]` is published as `images[i]`. A method lists every leaf of the hierarchy there, in code-point order, even
    if no record has it, so that the list does not reveal which terms occur.

    >>> tree = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]])
    >>> mapping = {"tea": "drink", "milk": "drink", "rye": "rye"}
    >>> GeneralizedItems.from_mapping([(["drink"], 2)], mapping, tree).extent
    {'records': 2, 'terms': 1}
    """

    form: ClassVar[str] = "items"
    in_words: ClassVar[str] = "generalised items"
    inspection: ClassVar[str] = "disjoin.verify.items.inspection"

    records: Bag
    terms: pa.StringArray  # (leaves,)
    images: pa.StringArray  # (leaves,)
    hierarchy: Hierarchy
    anomalies: tuple[Violation, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", strings(self.terms))
        object.__setattr__(self, "images", strings(self.images))

    def __repr__(self) -> str:
        return f"GeneralizedItems({self.n_records:,} records, {len(self.records.vocabulary):,} of {len(self.terms):,})"

    @property
    def mapping(self) -> dict[str, str]:
        return dict(zip(self.terms.to_pylist(), self.images.to_pylist(), strict=True))

    @classmethod
    def from_mapping(
        cls, records: Sequence[tuple[Sequence[str], int]], mapping: Mapping[str, str], hierarchy: Hierarchy
    ) -> GeneralizedItems:
        """Build from generalised records with their counts, and a mapping in any order."""
        terms = sorted(mapping)
        return cls(Bag.from_rows(records), strings(terms), strings([mapping[term] for term in terms]), hierarchy)
