"""Groups, published by CAHD: records without sensitive items, and counts of these per group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter, kind_of, require_kind
from disjoin.model.published import Published, Violation
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, Spans, frozen, offsets_of, strings, used_by

_WIDE = ("sizes", "record_offsets", "item_offsets", "counts", "sensitive_offsets", "sensitive_counts")
_NARROW = ("items", "sensitive_items")


@dataclass(frozen=True, slots=True, eq=False)
class Groups(Published):
    """Published groups in flat arrays; holds no record id, no source order and no link from a record to what it hides.

    Group `g` has the distinct records `record_offsets[g]:record_offsets[g + 1]`; record `r` has the ordinary items
    `items[item_offsets[r]:item_offsets[r + 1]]` (none, for a record with sensitive items only) and stands for
    `counts[r]` records. Its sensitive items are `sensitive_items[sensitive_offsets[g]:sensitive_offsets[g + 1]]`, each
    in `sensitive_counts` of its records.

    Items are positions in `vocabulary`, which is in code-point order and holds published terms only. Nothing else is
    promised: it is the inspector's work to say whether sizes add up, whether an item is on both sides, and so on.
    `anomalies` are what a reader saw in a file and these arrays cannot express.

    >>> groups = Groups.from_nested([{"records": [[["tea"], 2], [[], 1]], "sensitive": {"pills": 1}}])
    >>> groups.n_records, groups.sensitive_terms()
    (3, ('pills',))
    """

    form: ClassVar[str] = "groups"
    in_words: ClassVar[str] = "groups"
    inspection: ClassVar[str] = "disjoin.verify.groups.inspection"

    vocabulary: pa.StringArray  # (terms,)
    sizes: Ints64  # (groups,)
    record_offsets: Ints64  # (groups + 1,)
    item_offsets: Ints64  # (records + 1,)
    items: Ints32
    counts: Ints64  # (records,)
    sensitive_offsets: Ints64  # (groups + 1,)
    sensitive_items: Ints32
    sensitive_counts: Ints64
    anomalies: tuple[Violation, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", strings(self.vocabulary))
        for name in _WIDE:
            object.__setattr__(self, name, frozen(getattr(self, name), np.int64))
        for name in _NARROW:
            object.__setattr__(self, name, frozen(getattr(self, name), np.int32))

    def __repr__(self) -> str:
        return f"Groups({len(self):,} groups, {self.n_records:,} records, {len(self.vocabulary):,} terms)"

    def __len__(self) -> int:
        return self.sizes.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Groups) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((len(self), self.items.size, int(self.counts.sum())))

    def _parts(self) -> list[Any]:
        return [self.vocabulary.to_pylist(), *(getattr(self, name).tolist() for name in (*_WIDE, *_NARROW))]

    @property
    def n_records(self) -> int:
        """How many records the groups stand for."""
        return int(self.sizes.sum())

    @property
    def extent(self) -> dict[str, int]:
        """How much there is of it, in a few numbers for everybody."""
        return {"records": self.n_records, "terms": len(self.vocabulary)}

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
        """Tell for every term whether a group lists it as sensitive."""
        return used_by(len(self.vocabulary), self.sensitive_items)

    def sensitive_terms(self) -> tuple[str, ...]:
        """Return the sensitive terms, in order."""
        return tuple(self.vocabulary[int(term)].as_py() for term in np.flatnonzero(self.is_sensitive))

    def records_of(self, group: int) -> list[tuple[tuple[str, ...], int]]:
        """Return the distinct records of a group as (ordinary items, count), for people and tests."""
        rows = range(int(self.record_offsets[group]), int(self.record_offsets[group + 1]))
        return [(self._terms(self.records[r]), int(self.counts[r])) for r in rows]

    def sensitive_of(self, group: int) -> dict[str, int]:
        """Return in how many records of a group each of its sensitive items is."""
        first, last = int(self.sensitive_offsets[group]), int(self.sensitive_offsets[group + 1])
        names = self._terms(self.sensitive_items[first:last])
        return dict(zip(names, self.sensitive_counts[first:last].tolist(), strict=True))

    def _terms(self, items: Ints32) -> tuple[str, ...]:
        return tuple(self.vocabulary[int(item)].as_py() for item in items)

    @classmethod
    def from_nested(cls, groups: Iterable[dict[str, Any]]) -> Groups:
        """Build from `{"records": [[terms, count], ...], "sensitive": {term: count}}` each, in the order given.

        A group may state its `size`; otherwise it is the sum of the counts.
        """
        require_kind(groups, Iterable, "a list of groups")
        given = list(groups)
        for group in given:
            if not isinstance(group, Mapping) or not {"records", "sensitive"} <= group.keys():
                raise InvalidParameter(f"a group must be a dict with records and sensitive, found {kind_of(group)}.")
        records = [(list(terms), count) for group in given for terms, count in group["records"]]
        secrets = [pair for group in given for pair in group["sensitive"].items()]
        vocabulary = sorted({term for terms, _ in records for term in terms} | {term for term, _ in secrets})
        rank = {term: position for position, term in enumerate(vocabulary)}
        return cls(
            vocabulary=pa.array(vocabulary, pa.string()),
            sizes=np.array([_size(group) for group in given], dtype=np.int64),
            record_offsets=offsets_of([len(group["records"]) for group in given]),
            item_offsets=offsets_of([len(terms) for terms, _ in records]),
            items=np.array([rank[term] for terms, _ in records for term in terms], dtype=np.int32),
            counts=np.array([count for _, count in records], dtype=np.int64),
            sensitive_offsets=offsets_of([len(group["sensitive"]) for group in given]),
            sensitive_items=np.array([rank[term] for term, _ in secrets], dtype=np.int32),
            sensitive_counts=np.array([count for _, count in secrets], dtype=np.int64),
        )

    def to_nested(self) -> list[dict[str, Any]]:
        """Return the nested form."""
        return [
            {
                "size": int(self.sizes[group]),
                "records": [[list(terms), count] for terms, count in self.records_of(group)],
                "sensitive": self.sensitive_of(group),
            }
            for group in range(len(self))
        ]


def _size(group: dict[str, Any]) -> int:
    return int(group.get("size", sum(count for _, count in group["records"])))
