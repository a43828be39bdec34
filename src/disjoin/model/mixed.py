"""Mixed records: columns and a set of terms per person, raw and published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.model.clusters import Clusters
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.published import Published, Violation
from disjoin.model.ragged import Bag, Ints64, Ragged, frozen
from disjoin.model.table import Role, Table
from disjoin.model.transactions import Intake, Transactions


@dataclass(frozen=True, slots=True)
class PeopleIntake:
    """A reader's notes on mixed data; for the data owner, never for a release."""

    rows_of_terms: int = 0  # rows of the file of terms, if there is one
    rows_of_people: int = 0
    without_terms: int = 0  # people
    without_row: int = 0  # ids with terms but without a row: left out
    id_column: str = ""
    unread: tuple[str, ...] = ()  # columns that no option names
    ids: pa.Array | None = field(default=None, repr=False, compare=False)  # for the ledger
    terms_column: str = ""
    tables: tuple[Table, ...] = field(default=(), repr=False, compare=False)  # with all columns


@dataclass(frozen=True, slots=True, eq=False)
class MixedRecords:
    """People: row `i` of `table` has the columns of the person with the terms `records[i]`, possibly none.

    >>> people = MixedRecords.from_people({"sex": ["f", "m"]}, [{"flu"}, set()])
    >>> len(people), people.without_terms
    (2, 1)
    """

    table: Table
    records: Transactions
    intake: PeopleIntake = PeopleIntake()

    def __post_init__(self) -> None:
        if len(self.table) != len(self.records):
            found = f"{len(self.table):,} rows and {len(self.records):,} sets"
            raise InvalidParameter(f"every person needs one row and one set of terms: found {found}.")

    @classmethod
    def from_people(cls, columns: Mapping[str, Any], terms: Iterable[Iterable[str]]) -> MixedRecords:
        """Build from columns and sets in the same order; a set may be empty."""
        sets = [sorted(set(each)) for each in terms]
        vocabulary = sorted({term for each in sets for term in each})
        rank = {term: number for number, term in enumerate(vocabulary)}
        rows = Ragged.from_lists([[rank[term] for term in each] for each in sets])
        records = Transactions(rows.offsets, rows.items, pa.array(vocabulary, pa.string()), intake=Intake("memory"))
        return cls(Table.from_columns(columns), records)

    def __repr__(self) -> str:
        return f"MixedRecords({len(self):,} people, {self.records.n_terms:,} terms)"  # never the data

    def __len__(self) -> int:
        return len(self.table)

    def with_hierarchies(self, hierarchies: Mapping[str, Hierarchy]) -> MixedRecords:
        return replace(self, table=self.table.with_hierarchies({**self.table.hierarchies, **hierarchies}))

    def with_categories(self, hierarchy: Hierarchy | None) -> MixedRecords:
        return replace(self, records=self.records.with_hierarchy(hierarchy))

    @property
    def without_terms(self) -> int:
        return int((np.diff(self.records.offsets) == 0).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Mixed(Published):
    """Published clusters of terms, and for every leaf the rows of its people.

    Entry `e`: `people.counts[e]` people of cluster `leaves[e]` have the published values of row `e` of `rows` and, of
    the terms that are published with rows in that cluster, exactly those of `people`. Other terms are in `clusters`
    only.
    """

    form: ClassVar[str] = "mixed"
    in_words: ClassVar[str] = "clusters with rows of people"
    inspection: ClassVar[str] = "disjoin.verify.mixed.inspection"

    clusters: Clusters
    leaves: Ints64  # (entries,) the cluster of each
    rows: Table  # (entries,) quasi-identifiers and sensitive columns
    people: Bag  # (entries,) the terms published with rows, and the number of people
    anomalies: tuple[Violation, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "leaves", frozen(self.leaves, np.int64))
        if not self.leaves.size == len(self.rows) == len(self.people) == len(self.people.sets):
            found = f"{len(self.rows):,} rows, {self.leaves.size:,} clusters and {len(self.people):,} counts"
            raise InvalidParameter(f"every row needs a cluster and a count: found {found}.")

    def __repr__(self) -> str:
        return f"Mixed({len(self.clusters):,} clusters, {self.n_records:,} people, {len(self.vocabulary):,} terms)"

    def __len__(self) -> int:
        return len(self.clusters)

    @property
    def n_records(self) -> int:
        return self.clusters.n_records

    @property
    def vocabulary(self) -> pa.StringArray:
        names = {*self.clusters.vocabulary.to_pylist(), *self.people.vocabulary.to_pylist()} - {None}
        return pa.array(sorted(names), pa.string())

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.rows.schema.with_role(Role.QUASI_IDENTIFIER)

    @property
    def hierarchies(self) -> Mapping[str, Hierarchy]:
        return self.rows.hierarchies

    @property
    def extent(self) -> dict[str, int]:
        columns = len(self.rows.schema.columns)
        return {"records": self.n_records, "terms": len(self.vocabulary), "columns": columns}
