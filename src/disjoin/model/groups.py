"""Groups, published by CAHD: records without sensitive items, and counts of these per group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter, kind_of, require_kind
from disjoin.model.published import FlatArrays, Violation
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, Spans, offsets_of, used_by

_OFFSETS = ("record_offsets", "item_offsets", "sensitive_offsets")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Groups(FlatArrays):
    """Published groups in flat arrays; without record ids, source order or links from records to sensitive items.

    Group `g` has the distinct records `record_offsets[g]:record_offsets[g + 1]`; record `r` has the ordinary items
    `items[item_offsets[r]:item_offsets[r + 1]]` (possibly none) and counts `counts[r]` records. Its sensitive items
    are `sensitive_items[sensitive_offsets[g]:sensitive_offsets[g + 1]]`, each in `sensitive_counts` of its records.
    Items are positions in `vocabulary`, the published terms in code-point order.

    >>> groups = Groups.from_nested([{"records": [[["tea"], 2], [[], 1]], "sensitive": {"pills": 1}}])
    >>> groups.n_records, groups.sensitive_terms()
    (3, ('pills',))
    """

    form: ClassVar[str] = "groups"
    in_words: ClassVar[str] = "groups"
    inspection: ClassVar[str] = "disjoin.verify.groups.inspection"
    wide: ClassVar[tuple[str, ...]] = ("sizes", *_OFFSETS, "counts", "sensitive_counts")
    narrow: ClassVar[tuple[str, ...]] = ("items", "sensitive_items")

    vocabulary: pa.StringArray  # (terms,)
    sizes: Ints64  # (groups,)
    record_offsets: Ints64  # (groups + 1,)
    item_offsets: Ints64  # (records + 1,)
    items: Ints32
    counts: Ints64  # (records,)
    sensitive_offsets: Ints64  # (groups + 1,)
    sensitive_items: Ints32
    sensitive_counts: Ints64
    anomalies: tuple[Violation, ...] = field(default=(), compare=False)

    @property
    def n_records(self) -> int:
        return int(self.sizes.sum())

    @property
    def groups(self) -> Spans:
        """The distinct records of every group."""
        return Spans(self.record_offsets)

    @property
    def records(self) -> Ragged:
        """The ordinary items of every distinct record."""
        return Ragged(self.item_offsets, self.items)

    @property
    def secrets(self) -> Ragged:
        """The sensitive items of every group."""
        return Ragged(self.sensitive_offsets, self.sensitive_items)

    @property
    def is_sensitive(self) -> Flags:
        """Whether a group lists each term as sensitive."""
        return used_by(len(self.vocabulary), self.sensitive_items)

    def sensitive_terms(self) -> tuple[str, ...]:
        return self.terms_of(np.flatnonzero(self.is_sensitive).astype(np.int32))

    def records_of(self, group: int) -> list[tuple[tuple[str, ...], int]]:
        rows = range(int(self.record_offsets[group]), int(self.record_offsets[group + 1]))
        return [(self.terms_of(self.records[r]), int(self.counts[r])) for r in rows]

    def sensitive_of(self, group: int) -> dict[str, int]:
        first, last = int(self.sensitive_offsets[group]), int(self.sensitive_offsets[group + 1])
        names = self.terms_of(self.sensitive_items[first:last])
        return dict(zip(names, self.sensitive_counts[first:last].tolist(), strict=True))

    @classmethod
    def from_nested(cls, groups: Iterable[dict[str, Any]]) -> Groups:
        """Build from `{"records": [[terms, count], ...], "sensitive": {term: count}}` each, with or without `size`."""
        require_kind(groups, Iterable, "a list of groups")
        given = list(groups)
        for group in given:
            if not isinstance(group, Mapping) or not {"records", "sensitive"} <= group.keys():
                raise InvalidParameter(f"a group must be a dict with records and sensitive, found {kind_of(group)}.")
        records = [(list(terms), count) for group in given for terms, count in group["records"]]
        sizes = [group.get("size", sum(count for _, count in group["records"])) for group in given]
        secrets = [pair for group in given for pair in group["sensitive"].items()]
        vocabulary = sorted({term for terms, _ in records for term in terms} | {term for term, _ in secrets})
        rank = {term: position for position, term in enumerate(vocabulary)}
        return cls(
            vocabulary=pa.array(vocabulary, pa.string()),
            sizes=np.array(sizes, dtype=np.int64),
            record_offsets=offsets_of([len(group["records"]) for group in given]),
            item_offsets=offsets_of([len(terms) for terms, _ in records]),
            items=np.array([rank[term] for terms, _ in records for term in terms], dtype=np.int32),
            counts=np.array([count for _, count in records], dtype=np.int64),
            sensitive_offsets=offsets_of([len(group["sensitive"]) for group in given]),
            sensitive_items=np.array([rank[term] for term, _ in secrets], dtype=np.int32),
            sensitive_counts=np.array([count for _, count in secrets], dtype=np.int64),
        )

    def to_nested(self) -> list[dict[str, Any]]:
        return [
            {
                "size": int(self.sizes[group]),
                "records": [[list(terms), count] for terms, count in self.records_of(group)],
                "sensitive": self.sensitive_of(group),
            }
            for group in range(len(self))
        ]
