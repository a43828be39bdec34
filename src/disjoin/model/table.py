"""Table: one row per person, one value per column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter, described, kind_of, require_installed, require_kind
from disjoin.model.card import NO_VALUES, card
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.ragged import Ints32, frozen, strings
from disjoin.model.spelling import folded

if TYPE_CHECKING:
    import polars as pl


class Role(Enum):
    """The role of a column for an attacker and for a method."""

    IDENTIFIER = "identifier"  # names a person: never published
    QUASI_IDENTIFIER = "quasi-identifier"  # an attacker may know it: generalised
    SENSITIVE = "sensitive"  # must not be learned about a person
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and role."""

    name: str
    role: Role = Role.OTHER


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table, in their order; names are distinct."""

    columns: tuple[Column, ...]
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)  # of all columns
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "names", tuple(column.name for column in self.columns))
        object.__setattr__(self, "_places", {})
        for place, name in enumerate(self.names):
            if not name:
                raise InvalidParameter("every column needs a name, found an empty one.")
            if name in self._places:
                raise InvalidParameter(f"a column name must occur once, but {name!r} occurs twice; rename one.")
            self._places[name] = place

    def position(self, name: str) -> int:
        """Return the position of the column; the error for an unknown name suggests similar ones, or lists all."""
        if not isinstance(name, str) or name not in self._places:
            meant = [other for other in self.names if isinstance(name, str) and folded(other) == folded(name)]
            advice = f"did you mean {' or '.join(map(repr, meant))}?" if meant else ""
            advice = advice or f"the columns are {', '.join(map(repr, self.names))}."
            raise InvalidParameter(f"there is no column {described(name)}; {advice}")
        return self._places[name]

    def with_role(self, role: Role) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.role is role)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows as int32 codes, column by column.

    A code is the position of its value in the column's `values`, which are distinct and in code-point order. Not all
    values need occur, but no cell is missing. `hierarchies` of some columns may lack leaves for values. `population`
    has a row per person of the population of these rows, if that is known.

    >>> table = Table.from_columns({"sex": ["m", "f", "m"]}, {"sex": Role.QUASI_IDENTIFIER})
    >>> len(table), table.codes_of("sex").tolist(), table.values_of("sex").to_pylist()
    (3, [1, 0, 1], ['f', 'm'])
    """

    schema: Schema
    codes: tuple[Ints32, ...]  # a (rows,) for each column
    values: tuple[pa.StringArray, ...]  # a (distinct values,) for each column
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)  # by column
    population: Table | None = None
    findings: list[Any] = field(default_factory=list, init=False, repr=False)  # of column_roles, computed on first use

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", tuple(frozen(codes, np.int32) for codes in self.codes))
        object.__setattr__(self, "values", tuple(strings(values) for values in self.values))
        if not len(self.schema.columns) == len(self.codes) == len(self.values):
            found = f"{len(self.schema.columns)} columns, {len(self.codes)} of codes, {len(self.values)} of values"
            raise InvalidParameter(f"every column needs codes and values: found {found}.")
        for name, codes, values in zip(self.schema.names, self.codes, self.values, strict=True):
            _require_valid(name, codes, values, len(self))
        for name, tree in self.hierarchies.items():
            self.schema.position(name)  # raises
            if not isinstance(tree, Hierarchy):
                advice = "Make one with Hierarchy.from_rows, or with disjoin.readers.hierarchies.read_hierarchy."
                raise InvalidParameter(f"the hierarchy of {name!r} must be a Hierarchy, got {kind_of(tree)}. {advice}")
        object.__setattr__(self, "hierarchies", MappingProxyType(dict(self.hierarchies)))

    @classmethod
    def from_columns(
        cls, columns: Mapping[str, Sequence[str | int] | pa.Array], roles: Mapping[str, Role] | None = None
    ) -> Table:
        """Encode columns of equal length; a column without a role gets `Role.OTHER`."""
        require_kind(columns, Mapping, "a dict of columns", "For other tables use disjoin.read_table.")
        require_kind({} if roles is None else roles, Mapping, "a dict of roles by column")
        roles = dict(roles or {})
        schema = Schema(tuple(Column(name, roles.pop(name, Role.OTHER)) for name in columns))
        if roles:
            schema.position(next(iter(roles)))  # raises
        encoded = [_encode(name, values) for name, values in columns.items()]
        return cls(schema, tuple(codes for codes, _ in encoded), tuple(values for _, values in encoded))

    def __repr__(self) -> str:
        return f"Table({len(self):,} rows, {len(self.schema.columns):,} columns)"  # never the data: it may be logged

    def _repr_html_(self) -> str:
        numbers = [("rows", f"{len(self):,}"), ("columns", f"{len(self.schema.columns):,}")]
        columns = [f"{column.name}: {column.role.name.lower().replace('_', ' ')}" for column in self.schema.columns]
        return card("Table", NO_VALUES, numbers, notes=columns)

    def __len__(self) -> int:
        return int(self.codes[0].size) if self.codes else 0

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Table)
            and self.schema == other.schema
            and self._parts() == other._parts()
            and dict(self.hierarchies) == dict(other.hierarchies)
        )

    def __hash__(self) -> int:
        return hash((self.schema, len(self)))

    def _parts(self) -> list[Any]:
        return [(codes.tolist(), values.to_pylist()) for codes, values in zip(self.codes, self.values, strict=True)]

    def codes_of(self, name: str) -> Ints32:
        return self.codes[self.schema.position(name)]

    def values_of(self, name: str) -> pa.StringArray:
        """Return the values of a column's codes, in code-point order."""
        return self.values[self.schema.position(name)]

    def column(self, name: str) -> pa.StringArray:
        return self.values_of(name).take(pa.array(self.codes_of(name)))

    def to_arrow(self) -> pa.Table:
        """Return the rows as a pyarrow table of strings."""
        return pa.table({name: self.column(name) for name in self.schema.names})

    def to_pandas(self) -> Any:  # pandas has no types of its own
        """Return the rows as a pandas frame of strings."""
        require_installed("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a polars frame of strings."""
        frame: pl.DataFrame = require_installed("polars").from_arrow(self.to_arrow())
        return frame

    def with_hierarchies(self, hierarchies: Mapping[str, Hierarchy]) -> Table:
        require_kind(hierarchies, Mapping, "a dict of hierarchies by column")
        return replace(self, hierarchies=hierarchies)

    def with_population(self, population: Table) -> Table:
        """Return the same rows with the population that contains them."""
        require_kind(population, Table, "a Table of the population")
        return replace(self, population=population)

    def with_roles(self, roles: Mapping[str, Role]) -> Table:
        """Return the same rows with these columns in these roles; other roles do not change."""
        require_kind(roles, Mapping, "a dict of roles by column")
        columns = list(self.schema.columns)
        for name, role in roles.items():
            columns[self.schema.position(name)] = Column(name, role)
        return replace(self, schema=Schema(tuple(columns)))


def _encode(name: str, values: Sequence[str | int] | pa.Array) -> tuple[Ints32, pa.StringArray]:
    """Return codes, and their values, sorted."""
    coded = _strings(name, values).dictionary_encode()
    order = pc.sort_indices(coded.dictionary).to_numpy()  # by bytes: in UTF-8 that is code-point order
    ranks = np.empty(order.size, dtype=np.int32)
    ranks[order] = np.arange(order.size, dtype=np.int32)
    return ranks[coded.indices.to_numpy(zero_copy_only=False)], coded.dictionary.take(pa.array(order))


def _strings(name: str, values: Sequence[str | int] | pa.Array) -> pa.StringArray:
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
            raise InvalidParameter(f"column {name!r} must be strings, found {values.type}; convert it first.")
        if values.null_count:
            raise InvalidParameter(f"column {name!r} has missing values; give them a name, such as '?'.")
        return strings(values.cast(pa.string()))
    require_kind(values, Iterable, f"a list of values for column {name!r}")
    whole = (int, np.integer)
    for row, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, (str, *whole)):
            raise InvalidParameter(f"column {name!r}, row {row}: a value must be a string, found {kind_of(value)}.")
    return pa.array([str(value) for value in values], pa.string())


def _require_valid(name: str, codes: Ints32, values: pa.StringArray, rows: int) -> None:
    if codes.size != rows:
        raise InvalidParameter(f"all columns must have {rows} rows like the first one, but {name!r} has {codes.size}.")
    if codes.size and not 0 <= codes.min() <= codes.max() < len(values):
        raise InvalidParameter(f"the codes of column {name!r} must be in 0..{len(values) - 1}.")
    listed = values.to_pylist()
    if any(one >= other for one, other in pairwise(listed)):
        raise InvalidParameter(f"the values of column {name!r} must be distinct and in code-point order.")
