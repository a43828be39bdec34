"""What generalisation publishes: a table whose quasi-identifiers say less, in rows that share them with others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from disjoin.model.published import Published
from disjoin.model.table import Role, Table
from disjoin.model.verdict import Violation


@dataclass(frozen=True, slots=True, eq=False)
class Generalized(Published):
    """A published table; holds no identifier, no source order and nothing of the original but what it publishes.

    Quasi-identifiers hold names of nodes of their hierarchies (`table.hierarchies`), or numbers and intervals
    (`disjoin.model.intervals`) where a column has no hierarchy. Other columns are as they were. Nothing else is
    promised: it is the inspector's work to say whether classes are large enough, values belong to their hierarchies and
    rows are in order. `anomalies` are what a reader saw in a file and the table cannot express.

    >>> Generalized(Table.from_columns({"age": ["[20, 29]"] * 2}, {"age": Role.QUASI_IDENTIFIER})).extent
    {'records': 2, 'columns': 1}
    """

    form: ClassVar[str] = "table"
    in_words: ClassVar[str] = "a table"
    inspection: ClassVar[str] = "disjoin.verify.table"

    table: Table
    anomalies: tuple[Violation, ...] = ()

    def __repr__(self) -> str:
        return f"Generalized({self.n_records:,} rows, {len(self.table.schema.columns)} columns)"

    def __len__(self) -> int:
        return len(self.table)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Generalized) and self.table == other.table

    def __hash__(self) -> int:
        return hash(self.table)

    @property
    def n_records(self) -> int:
        """How many rows there are."""
        return len(self.table)

    @property
    def quasi(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return self.table.schema.with_role(Role.QUASI_IDENTIFIER)

    @property
    def extent(self) -> dict[str, int]:
        """How much there is of it, in a few numbers for everybody."""
        return {"records": self.n_records, "columns": len(self.table.schema.columns)}
