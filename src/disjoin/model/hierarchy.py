"""Hierarchy: a generalisation tree of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from disjoin.errors import InvalidParameter, require_kind
from disjoin.model.hierarchy_rows import nodes_of
from disjoin.model.ragged import Ints32, Spans, frozen, strings
from disjoin.text import counted

# Names that stand at several levels of a hierarchy for different things, told apart by their level.
#
# Catalogues do that: there is the item detergent, and the category detergent, which has softener too. Where every row
# has a name for every level, as in files of ARX, the level says which one is meant. What is published is a name alone,
# so each must mean one node: the item keeps its name, and the category becomes `detergent (level 1)`.

Rows = Sequence[Sequence[str]]


def told_apart(rows: Rows) -> tuple[Rows, tuple[str, ...]]:
    """Return the rows with one name per node, and the names that were made up; rows of different lengths as they are.

    A leaf keeps its name, and so does the root, unless a leaf has it. A name that is merely repeated upwards, with the
    same leaves below it, stays one node.

    >>> told_apart([["detergent", "detergent", "*"], ["softener", "detergent", "*"]])
    ([['detergent', 'detergent (level 1)', '*'], ['softener', 'detergent (level 1)', '*']], ('detergent (level 1)',))
    """
    if len({*map(len, rows)}) != 1:
        return rows, ()
    levels = [{*level} for level in zip(*rows, strict=True)]
    repeated = {name for name, times in Counter(name for level in levels for name in level).items() if times > 1}
    taken = set().union(*levels)
    renamed: dict[tuple[int, str], str] = {}
    for name, below in _places(rows, repeated).items():
        nodes = _nodes(below)
        is_root_kept = nodes[-1][-1] == len(levels) - 1 and nodes[0][0] > 0
        for node in nodes[:-1] if is_root_kept else nodes[1:]:
            new = _free(f"{name} (level {node[0]})", taken)
            taken.add(new)
            renamed |= {(level, name): new for level in node}
    if not renamed:
        return rows, ()
    told = [[renamed.get(cell, cell[1]) for cell in enumerate(row)] for row in rows]
    return told, tuple(sorted({*renamed.values()}))


def told_apart_words(names: Sequence[str]) -> str:
    """Say which names were made up.

    >>> told_apart_words(("detergent (level 1)",))
    "a name stands at two levels for different things: the upper one is called 'detergent (level 1)'"
    """
    if len(names) == 1:
        return f"a name stands at two levels for different things: the upper one is called {names[0]!r}"
    upper = counted(len(names), "node")
    return f"names stand at several levels for different things: {upper} got the level added, such as {names[0]!r}"


def _places(rows: Rows, names: set[str]) -> dict[str, dict[int, list[int]]]:
    """Return for each of the names, by level, the rows that have it there."""
    found: dict[str, dict[int, list[int]]] = {name: {} for name in sorted(names)}
    for place, row in enumerate(rows):
        for level, name in enumerate(row):
            if name in found:
                found[name].setdefault(level, []).append(place)
    return found


def _nodes(below: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Return the levels of a name, those together that follow each other and have the same rows below them."""
    nodes: list[list[int]] = []
    for level in sorted(below):
        if nodes and level == nodes[-1][-1] + 1 and below[level] == below[level - 1]:
            nodes[-1].append(level)
        else:
            nodes.append([level])
    return nodes


def _free(wanted: str, taken: set[str]) -> str:
    """Return a name that nothing else has."""
    while wanted in taken:
        wanted += "'"
    return wanted


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
    told_apart: tuple[str, ...] = field(default=(), repr=False)  # names made up for labels at several levels
    levels: Ints32 = field(init=False, repr=False)  # (nodes,)
    leaf_counts: Ints32 = field(init=False, repr=False)  # (nodes,), leaves under each node; 1 for a leaf

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", strings(self.names))
        object.__setattr__(self, "parents", frozen(self.parents, np.int32))
        _require_one_root(self.parents, len(self.names))
        bounds = _level_bounds(self.parents)
        levels = Spans(np.array(bounds)).owners()
        object.__setattr__(self, "levels", frozen(levels, np.int32))
        object.__setattr__(self, "leaf_counts", frozen(_leaf_counts(self.parents, bounds), np.int32))

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[str]], lines: Sequence[int] | None = None) -> Hierarchy:
        """Build from one row per leaf: the leaf, its parent and so on to the root, which ends every row.

        A shorter row repeats its leaf upwards. A name may be repeated in neighbouring cells of a row. `lines` are the
        numbers of the rows in their file, which errors name; without them rows are counted from 1.
        """
        return cls(*nodes_of(_collection(rows, "rows of names"), lines))

    @classmethod
    def by_levels(cls, rows: Iterable[Sequence[str]], lines: Sequence[int] | None = None) -> Hierarchy:
        """Build as `from_rows` does, but tell nodes of the same name apart by their level, if all rows are as long.

        >>> tree = Hierarchy.by_levels([["detergent", "detergent", "*"], ["softener", "detergent", "*"]])
        >>> tree.rows()[0], tree.told_apart
        (('detergent', 'detergent (level 1)', '*'), ('detergent (level 1)',))
        """
        told, made_up = told_apart(list(_collection(rows, "rows of names")))
        return cls(*nodes_of(told, lines), made_up)

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
        longer = Hierarchy.from_rows([*self.rows(), (missing, self.names[self.root].as_py())])
        return Hierarchy(longer.names, longer.parents, self.told_apart)

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
        """Return one row per leaf, from the leaf to the root: what `from_rows` reads."""
        names = self.names.to_pylist()
        return [tuple([names[node] for node in path.tolist()]) for path in self.paths()]

    def paths(self) -> Ints32:
        """Return the nodes from every leaf to the root, one row per leaf."""
        nodes = np.empty((self.height + 1, self.n_leaves), dtype=np.int32)
        nodes[0] = np.arange(self.n_leaves)
        for level in range(self.height):
            nodes[level + 1] = self.parents[nodes[level]]
        return nodes.T

    def _raised(self, nodes: Ints32, levels: Ints32) -> Ints32:
        while np.any(below := self.levels[nodes] < levels):
            nodes = np.where(below, self.parents[nodes], nodes)
        return nodes


def _collection(given: Any, what: str) -> Iterable[Any]:
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        return given.to_pylist()  # type: ignore[no-any-return]
    require_kind(given, Iterable, f"a list of {what}")
    return given  # type: ignore[no-any-return]


def _name(given: Any) -> str:
    require_kind(given, str, "a name that is a string")
    return str(given)


def _require_one_root(parents: Ints32, names: int) -> None:
    if parents.size != names or names == 0:
        raise InvalidParameter(f"a hierarchy needs a name for every node, found {names} for {parents.size} nodes.")
    numbers = np.arange(names)
    if parents[-1] != -1 or np.any(parents[:-1] <= numbers[:-1]) or np.any(parents >= names):
        raise InvalidParameter("the last node must be the only root, with parent -1, and parents must follow children.")


def _level_bounds(parents: Ints32) -> list[int]:
    """Return the first node of every level, and the number of nodes; raise if the levels are not one after another."""
    is_leaf = np.ones(parents.size, dtype=np.bool_)
    is_leaf[parents[:-1]] = False
    bounds = [0, int(is_leaf.sum())]
    in_order = bool(is_leaf[: bounds[1]].all())
    while in_order and bounds[-1] < parents.size:
        above = parents[bounds[-2] : bounds[-1]]
        in_order = int(above.min()) >= bounds[-1]
        bounds.append(int(above.max()) + 1)
    if not in_order or bounds[-1] - bounds[-2] > 1:  # the root is alone on its level
        raise InvalidParameter("nodes must be numbered level by level, with all leaves at level 0.")
    return bounds


def _leaf_counts(parents: Ints32, bounds: list[int]) -> Ints32:
    counts = np.ones(parents.size, dtype=np.int32)
    for first, last, end in zip(bounds, bounds[1:], bounds[2:], strict=False):
        counts[last:end] = np.bincount(parents[first:last] - last, weights=counts[first:last], minlength=end - last)
    return counts
