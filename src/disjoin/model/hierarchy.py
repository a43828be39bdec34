"""A generalisation tree: values, what they generalise to, and so on up to one root."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from disjoin.errors import InvalidParameter, UnreadableInput, kind_of, require_kind
from disjoin.model.arrays import Ints32, frozen, strings


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """A tree with all its leaves at level 0 and its root at level `height`.

    Nodes are numbered level by level, the leaves first, and by name in a level; so a parent has a higher number than
    its children and the root the highest. `parents[node]` is one level higher; the root's is -1. A leaf that is nearer
    to the root in its source is repeated upwards: several nodes, one below the other, with the leaf's name.

    >>> tree = Hierarchy.from_rows([["cat", "pet", "*"], ["dog", "pet", "*"], ["cow", "farm", "*"]])
    >>> [tree.names[node].as_py() for node in tree.lift(tree.encode(["dog", "cow"]), 1)]
    ['pet', 'farm']
    """

    names: pa.StringArray  # (nodes,)
    parents: Ints32  # (nodes,), -1 for the root
    levels: Ints32 = field(init=False, repr=False)  # (nodes,)
    leaf_counts: Ints32 = field(init=False, repr=False)  # (nodes,), leaves under each node; 1 for a leaf

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", strings(self.names))
        object.__setattr__(self, "parents", frozen(self.parents, np.int32))
        _require_tree(self.parents, len(self.names))
        object.__setattr__(self, "levels", frozen(_levels(self.parents), np.int32))
        object.__setattr__(self, "leaf_counts", frozen(_leaf_counts(self.parents, self.levels), np.int32))

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[str]], lines: Sequence[int] | None = None) -> Hierarchy:
        """Build from one row a leaf: the leaf, its parent and so on to the root, which ends every row.

        A shorter row repeats its leaf upwards. A name may be repeated in neighbouring cells of a row. `lines` are the
        numbers of the rows in their file, which errors name; without them rows are counted from 1.
        """
        table = [_row(row, number) for number, row in enumerate(_collection(rows, "rows of names"), start=1)]
        numbers = range(1, len(table) + 1) if lines is None else lines
        _require_rows(table, numbers)
        deepest = max(map(len, table))
        table = [(row[0],) * (deepest - len(row)) + row for row in table]
        above = _parents_by_name(table, numbers)
        _require_one_meaning(table, numbers)
        order = {node: number for number, node in enumerate(sorted(above))}
        parents = [-1 if parent is None else order[level + 1, parent] for (level, _), parent in sorted(above.items())]
        return cls(pa.array([name for _, name in order], pa.string()), np.array(parents, dtype=np.int32))

    def __repr__(self) -> str:
        return f"Hierarchy({self.n_leaves:,} leaves, height {self.height})"  # its leaves are values of the data

    def __len__(self) -> int:
        return int(self.parents.size)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Hierarchy)
            and self.names.equals(other.names)
            and np.array_equal(self.parents, other.parents)
        )

    def __hash__(self) -> int:
        return hash((len(self), self.height))

    @property
    def height(self) -> int:
        """The level of the root: how many steps of generalisation there are."""
        return int(self.levels[-1])

    @property
    def root(self) -> int:
        """The node above all others."""
        return len(self) - 1

    @property
    def n_leaves(self) -> int:
        """How many leaves there are; they are the nodes from 0."""
        return int(self.leaf_counts[-1])

    def with_missing(self, missing: str = "?") -> Hierarchy:
        """Return the tree with a leaf for missing values, directly under the root; as it is if it has that leaf.

        >>> Hierarchy.from_rows([["cat", "pet", "*"]]).with_missing().rows()
        [('?', '?', '*'), ('cat', 'pet', '*')]
        """
        if missing in self.names.slice(0, self.n_leaves).to_pylist():
            return self
        return Hierarchy.from_rows([*self.rows(), (missing, self.names[self.root].as_py())])

    def encode(self, values: Sequence[str] | pa.Array) -> Ints32:
        """Return the leaf of each value; a value without a leaf is an error."""
        import pyarrow.compute as pc  # here, as it is slow to import

        is_text = isinstance(values, pa.Array) and pa.types.is_string(values.type)
        wanted = strings(values if is_text else [_name(value) for value in _collection(values, "values")])
        leaves = pc.index_in(wanted, value_set=self.names.slice(0, self.n_leaves))
        if leaves.null_count:
            first = leaves.is_null().index(True).as_py()
            raise InvalidParameter(
                f"every value needs a leaf in the hierarchy, value {first} (from 0) has none; add a row for it."
            )
        return frozen(leaves.to_numpy(), np.int32)

    def lift(self, leaves: ArrayLike, levels: ArrayLike) -> Ints32:
        """Return what the leaves generalise to at the given levels (one for all, or one each): 0 the leaf itself."""
        nodes, targets = np.broadcast_arrays(np.asarray(leaves, dtype=np.int32), np.asarray(levels, dtype=np.int32))
        if nodes.size and not 0 <= nodes.min() <= nodes.max() < self.n_leaves:
            raise InvalidParameter(f"leaves must be in 0..{self.n_leaves - 1}, found {nodes.min()}..{nodes.max()}.")
        if targets.size and not 0 <= targets.min() <= targets.max() <= self.height:
            raise InvalidParameter(f"levels must be in 0..{self.height}, found {targets.min()}..{targets.max()}.")
        return self._raised(nodes, targets)

    def common_ancestor(self, left: ArrayLike, right: ArrayLike) -> Ints32:
        """Return the lowest node above, or equal to, both nodes; for arrays, pair by pair."""
        one, other = np.broadcast_arrays(np.asarray(left, dtype=np.int32), np.asarray(right, dtype=np.int32))
        level = np.maximum(self.levels[one], self.levels[other])
        one, other = self._raised(one, level), self._raised(other, level)
        while np.any(apart := one != other):
            one = np.where(apart, self.parents[one], one)
            other = np.where(apart, self.parents[other], other)
        return one

    def rows(self) -> list[tuple[str, ...]]:
        """Return one row a leaf, from the leaf to the root: what `from_rows` reads."""
        names = self.names.to_pylist()
        paths = [self.lift(np.arange(self.n_leaves), level) for level in range(self.height + 1)]
        return [tuple(names[node] for node in path) for path in zip(*paths, strict=True)]

    def _raised(self, nodes: Ints32, levels: Ints32) -> Ints32:
        while np.any(below := self.levels[nodes] < levels):
            nodes = np.where(below, self.parents[nodes], nodes)
        return nodes


def _collection(given: Any, what: str) -> Iterable[Any]:
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        return given.to_pylist()  # type: ignore[no-any-return]
    require_kind(given, Iterable, f"a list of {what}")
    return given  # type: ignore[no-any-return]


def _row(given: Any, number: int) -> tuple[str, ...]:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InvalidParameter(f"row {number} of the hierarchy must be a list of names, got {kind_of(given)}.")
    return tuple(_name(name) for name in given)


def _name(given: Any) -> str:
    require_kind(given, str, "a name that is a string")
    return str(given)


def _require_tree(parents: Ints32, names: int) -> None:
    if parents.size != names or names == 0:
        raise InvalidParameter(f"a hierarchy needs a name for every node, found {names} for {parents.size} nodes.")
    numbers = np.arange(names)
    if parents[-1] != -1 or np.any(parents[:-1] <= numbers[:-1]) or np.any(parents >= names):
        raise InvalidParameter("the last node must be the only root, with parent -1, and parents must follow children.")
    levels = _levels(parents)
    if np.any(np.diff(levels) < 0) or np.any(levels[:-1] + 1 != levels[parents[:-1]]):
        raise InvalidParameter("nodes must be numbered level by level, with all leaves at level 0.")


def _levels(parents: Ints32) -> Ints32:
    """Count the steps from the nearest leaf below."""
    levels = np.zeros(parents.size, dtype=np.int32)
    for node, parent in enumerate(parents[:-1].tolist()):  # a parent comes after its children
        levels[parent] = levels[node] + 1
    return levels


def _leaf_counts(parents: Ints32, levels: Ints32) -> Ints32:
    counts: Ints32 = (levels == 0).astype(np.int32)
    for node, parent in enumerate(parents[:-1].tolist()):
        counts[parent] += counts[node]
    return counts


def _require_rows(table: list[tuple[str, ...]], numbers: Sequence[int]) -> None:
    """Check what can be said of the rows as they were written."""
    if not table:
        raise UnreadableInput("a hierarchy needs at least one row, found none.")
    leaves: dict[str, int] = {}
    for number, row in zip(numbers, table, strict=True):
        _require_row(row, number)
        if row[0] in leaves:
            raise UnreadableInput(
                f"the rows {leaves[row[0]]} and {number} have the same leaf; keep one of them.", line=number
            )
        leaves[row[0]] = number
        if row[-1] != table[0][-1]:
            raise UnreadableInput(
                f"all rows must end with the same root, and row {number} ends with another name than row {numbers[0]}; "
                "add a common root, such as '*', and leave out a header.",
                line=number,
            )
    for number, row in zip(numbers, table, strict=True):
        for name in row[1:]:
            if leaves.get(name, number) != number:
                raise UnreadableInput(
                    f"the leaf of row {leaves[name]} stands above the leaf of row {number}; rename one.",
                    line=number,
                )


def _require_row(row: tuple[str, ...], number: int) -> None:
    if not row or not all(row):
        raise UnreadableInput(f"row {number} of the hierarchy has an empty name; give every node a name.", line=number)
    if len({*row}) != 1 + sum(name != parent for name, parent in pairwise(row)):
        raise UnreadableInput(
            f"row {number} of the hierarchy goes round in a circle: a name comes back above another.", line=number
        )


def _parents_by_name(table: list[tuple[str, ...]], numbers: Sequence[int]) -> dict[tuple[int, str], str | None]:
    """Return the parent's name of every (level, name)."""
    above: dict[tuple[int, str], str | None] = {}
    for number, row in zip(numbers, table, strict=True):
        for level, (name, parent) in enumerate(pairwise((*row, None))):
            assert name is not None, "only the root has nothing above it"
            if above.setdefault((level, name), parent) != parent:
                raise UnreadableInput(
                    f"name {level + 1} of row {number} has another parent in a row before; a node has one parent only.",
                    line=number,
                )
    return above


def _require_one_meaning(table: list[tuple[str, ...]], numbers: Sequence[int]) -> None:
    """Check that a name at several levels is one node repeated upwards: otherwise it would mean different leaves."""
    levels: dict[str, set[int]] = {}
    for level, name in {(level, name) for row in table for level, name in enumerate(row)}:
        levels.setdefault(name, set()).add(level)
    several = {name for name, found in levels.items() if len(found) > 1}
    for number, row in zip(numbers, table, strict=True):
        for name in several.intersection(row):
            # In every row that has the name at one level it is at the same levels, or its leaves would differ.
            if {level for level, other in enumerate(row) if other == name} != levels[name]:
                raise UnreadableInput(
                    f"name {row.index(name) + 1} of row {number} stands for different leaves at different levels; give "
                    "the nodes different names.",
                    line=number,
                )
