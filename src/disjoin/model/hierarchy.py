"""Hierarchy: a generalisation tree of labels, and the rows that it is read from."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import ArrayLike

from disjoin.errors import InvalidParameter, UnreadableInput, kind_of, require_kind
from disjoin.model.ragged import Ints32, Ints64, Ragged, Spans, frozen, strings
from disjoin.text import counted

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """A tree with all its leaves at level 0 and its root at level `height`.

    Nodes are numbered level by level, the leaves first, and by name in a level; so a parent has a higher number than
    its children and the root the highest. `parents[node]` is one level higher; the root's is -1. A leaf that is closer
    to the root in its source is repeated upwards: several nodes, one below the other, with the leaf's name.

    >>> tree = Hierarchy.from_rows([["cat", "pet", "*"], ["dog", "pet", "*"], ["cow", "farm", "*"]])
    >>> [tree.names[node].as_py() for node in tree.lift(tree.encode(["dog", "cow"]), 1)]
    ['pet', 'farm']
    """

    names: pa.StringArray  # (nodes,)
    parents: Ints32  # (nodes,), -1 for the root
    told_apart: tuple[str, ...] = field(default=(), repr=False)  # new names for labels at several levels
    levels: Ints32 = field(init=False, repr=False)  # (nodes,)
    leaf_counts: Ints32 = field(init=False, repr=False)  # (nodes,), leaves under each node; 1 for a leaf

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", strings(self.names))
        object.__setattr__(self, "parents", frozen(self.parents, np.int32))
        bounds = _level_bounds(self.parents, len(self.names))
        object.__setattr__(self, "levels", frozen(Spans(np.array(bounds)).owners(), np.int32))
        counts = np.ones(self.parents.size, dtype=np.int32)
        for first, last, end in zip(bounds, bounds[1:], bounds[2:], strict=False):
            above = self.parents[first:last] - last
            counts[last:end] = np.bincount(above, weights=counts[first:last], minlength=end - last)
        object.__setattr__(self, "leaf_counts", frozen(counts, np.int32))

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[str]], lines: Sequence[int] | None = None) -> Hierarchy:
        """Build from one row per leaf: the leaf, its parent and so on to the root, which ends every row.

        A shorter row repeats its leaf upwards. A name may be repeated in neighbouring cells of a row. `lines` are the
        numbers of the rows in their file, which errors name; without them rows are counted from 1.
        """
        return cls(*nodes_of(_collection(rows, "rows of names"), lines))

    @classmethod
    def by_levels(cls, rows: Iterable[Sequence[str]], lines: Sequence[int] | None = None) -> Hierarchy:
        """Build as `from_rows` does, but give nodes of one name at several levels new names, if rows are equally long.

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
        """The level of the root: the number of generalisation steps."""
        return int(self.levels[-1])

    @property
    def root(self) -> int:
        return len(self) - 1

    @property
    def n_leaves(self) -> int:
        """The number of leaves, which are the first nodes."""
        return int(self.leaf_counts[-1])

    def with_missing(self, missing: str = "?") -> Hierarchy:
        """Return the tree with a leaf for missing values, directly under the root; unchanged if it has that leaf.

        >>> Hierarchy.from_rows([["cat", "pet", "*"]]).with_missing().rows()
        [('?', '?', '*'), ('cat', 'pet', '*')]
        """
        if missing in self.names.slice(0, self.n_leaves).to_pylist():
            return self
        longer = Hierarchy.from_rows([*self.rows(), (missing, self.names[self.root].as_py())])
        return Hierarchy(longer.names, longer.parents, self.told_apart)

    def encode(self, values: Sequence[str] | pa.Array) -> Ints32:
        """Return the leaf of each value; raise for a value without a leaf."""
        is_text = isinstance(values, pa.Array) and pa.types.is_string(values.type)
        if not is_text:
            values = [*_collection(values, "values")]
            for value in values:
                require_kind(value, str, "a name that is a string")
        wanted = strings(values)
        leaves = pc.index_in(wanted, value_set=self.names.slice(0, self.n_leaves))
        if leaves.null_count:
            first = leaves.is_null().index(True).as_py()
            raise InvalidParameter(f"every value needs a leaf, but value {first} (from 0) has none; add a row for it.")
        return frozen(leaves.to_numpy(), np.int32)

    def lift(self, leaves: ArrayLike, levels: ArrayLike) -> Ints32:
        """Return the ancestors of the leaves at the given levels (one for all, or one each); at 0 the leaf itself."""
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
        """Return one row per leaf, from the leaf to the root, as `from_rows` reads them."""
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


def _level_bounds(parents: Ints32, names: int) -> list[int]:
    """Return the first node of every level, and the number of nodes; raise unless they form one tree."""
    if parents.size != names or names == 0:
        raise InvalidParameter(f"a hierarchy needs a name for every node, found {names} for {parents.size} nodes.")
    if parents[-1] != -1 or np.any(parents[:-1] <= np.arange(names - 1)) or np.any(parents >= names):
        raise InvalidParameter("the last node must be the only root, with parent -1, and parents must follow children.")
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


# Catalogues use a name at several levels: the item detergent, and the category detergent, which also has softener. A
# published name must mean one node, so the item keeps its name and the category becomes `detergent (level 1)`.


def told_apart(rows: Rows) -> tuple[Rows, tuple[str, ...]]:
    """Return the rows with one name per node, and the new names; rows of different lengths unchanged.

    A leaf keeps its name, and so does the root, unless a leaf has it; a name repeated upwards stays one node.

    >>> told_apart([["detergent", "detergent", "*"], ["softener", "detergent", "*"]])
    ([['detergent', 'detergent (level 1)', '*'], ['softener', 'detergent (level 1)', '*']], ('detergent (level 1)',))
    """
    if len({*map(len, rows)}) != 1:
        return rows, ()
    levels = [{*level} for level in zip(*rows, strict=True)]
    times = Counter(name for level in levels for name in level)
    places: dict[str, dict[int, list[int]]] = {name: {} for name in sorted(times) if times[name] > 1}
    for place, row in enumerate(rows):
        for level, name in enumerate(row):
            if name in places:
                places[name].setdefault(level, []).append(place)
    taken, renamed = {*times}, dict[tuple[int, str], str]()
    for name, below in places.items():
        nodes = _levels_of_nodes(below)
        is_root_kept = nodes[-1][-1] == len(levels) - 1 and nodes[0][0] > 0
        for node in nodes[:-1] if is_root_kept else nodes[1:]:
            new = f"{name} (level {node[0]})"
            while new in taken:
                new += "'"
            taken.add(new)
            renamed |= {(level, name): new for level in node}
    if not renamed:
        return rows, ()
    told = [[renamed.get(cell, cell[1]) for cell in enumerate(row)] for row in rows]
    return told, tuple(sorted({*renamed.values()}))


def _levels_of_nodes(below: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Return the levels of a name, grouped if they are consecutive and have the same rows below them."""
    nodes: list[list[int]] = []
    for level in sorted(below):
        if nodes and level == nodes[-1][-1] + 1 and below[level] == below[level - 1]:
            nodes[-1].append(level)
        else:
            nodes.append([level])
    return nodes


def told_apart_words(names: Sequence[str]) -> str:
    """Return a sentence about the new names.

    >>> told_apart_words(("detergent (level 1)",))
    "a name has different meanings at two levels: the upper one is called 'detergent (level 1)'"
    """
    if len(names) == 1:
        return f"a name has different meanings at two levels: the upper one is called {names[0]!r}"
    upper = counted(len(names), "node")
    return f"names have different meanings at several levels: {upper} got the level added, such as {names[0]!r}"


# Rows of a hierarchy, from leaf to root, as a tree: names are numbered, then arrays of bounded size do the work.

DEEPEST = 1000  # names in a row, from the leaf to the root
MOST_NAMES = 10_000_000  # in all rows
MOST_CELLS = 3_000_000  # names in all rows, short ones padded to the longest; more only if half of them are given
MOST_FILLED = 128 << 20  # bytes of leaves that are repeated upwards in short rows
_EVEN = "In a file whose rows all have the same number of names, as ARX writes them, levels distinguish such nodes."
_NOBODY = -1  # the parent of the root


def nodes_of(rows: Iterable[Any], lines: Sequence[int] | None = None) -> tuple[pa.StringArray, Ints32]:
    """Return names and parents of the nodes of a tree, or raise `UnreadableInput` with a line, by default from 1."""
    cells = _cells_of(rows, lines)
    runs = _runs_of(cells)
    _require_rows(cells, runs)
    _require_bounded(cells)
    return _nodes(cells.names, _one_run_per_name(cells, runs))


def require_shallow(n_names: int, number: int) -> None:
    if n_names > DEEPEST:
        words = f"a row of a hierarchy has at most {DEEPEST:,} names, but row {number} has {n_names:,}"
        raise UnreadableInput(f"{words}; leave levels out.", line=number)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The names of all rows, row by row, as numbers in the order of the names."""

    names: pa.StringArray  # in order, without repeats
    codes: Ints32  # (cells,)
    starts: Ints64  # (rows + 1,)
    numbers: Sequence[int]  # (rows,), numbers of the rows in their file

    @property
    def rows(self) -> Ragged:
        return Ragged(self.starts, self.codes)


def _cells_of(rows: Iterable[Any], lines: Sequence[int] | None) -> _Cells:
    """Number the names of the rows; stop at a row that is too long or at one row too many."""
    numbering: defaultdict[str, int] = defaultdict(count().__next__)
    codes, ends = array("i"), array("q", [0])
    for place, row in enumerate(rows):
        number = place + 1 if lines is None else lines[place]
        codes.extend(map(numbering.__getitem__, _texts(row, number)))
        ends.append(len(codes))
        require_shallow(ends[-1] - ends[-2], number)
        if len(codes) > MOST_NAMES:
            raise _too_many(MOST_NAMES, place + 1, len(codes))
    if len(ends) == 1:
        raise UnreadableInput("a hierarchy needs at least one row, found none.")
    names = pa.array(list(numbering), pa.string())
    order = pc.sort_indices(names)  # Arrow compares bytes: in UTF-8 that is code-point order
    ranks = np.empty(len(names), np.int32)
    ranks[order.to_numpy()] = np.arange(len(names), dtype=np.int32)
    numbers = range(1, len(ends)) if lines is None else lines
    return _Cells(names.take(order), ranks[np.array(codes, np.int32)], np.array(ends, np.int64), numbers)


def _texts(row: Any, number: int) -> Sequence[str]:
    if isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
        raise InvalidParameter(f"row {number} of the hierarchy must be a list of names, got {kind_of(row)}.")
    names = row if isinstance(row, (list, tuple)) else list(row)
    if set(map(type, names)) - {str}:
        for name in names:
            require_kind(name, str, "a name that is a string")
    return names


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """Runs of equal neighbours in a row, row by row."""

    codes: Ints32  # (runs,)
    rows: Ints64  # (runs,)
    places: Ints64  # (runs,) place of the first cell in its row
    sizes: Ints64  # (runs,)
    levels: Ints64  # (runs,) level of the first cell, if the longest row begins at 0
    above: Ints64  # (runs,) the codes of the next runs of their rows


def _runs_of(cells: _Cells) -> _Runs:
    lengths, n_cells = cells.rows.lengths, cells.codes.size
    begins = np.ones(n_cells, dtype=np.bool_)
    begins[1:] = cells.codes[1:] != cells.codes[:-1]
    begins[cells.starts[:-1][lengths > 0]] = True
    first = np.flatnonzero(begins)
    codes = cells.codes[first]
    rows = cells.rows.owners()[first]
    places = first - cells.starts[rows]
    is_last = np.diff(rows, append=lengths.size) != 0
    above = np.where(is_last, _NOBODY, np.append(codes[1:], _NOBODY))
    levels = int(lengths.max()) - lengths[rows] + places
    return _Runs(codes, rows, places, np.diff(first, append=n_cells), levels, above.astype(np.int64))


def _first(flags: Any) -> int | None:
    return int(np.argmax(flags)) if flags.size and flags.any() else None


def _require_rows(cells: _Cells, runs: _Runs) -> None:
    numbers, n_names = cells.numbers, len(cells.names)
    is_blank = cells.rows.lengths == 0
    if n_names and cells.names[0].as_py() == "":  # the empty name sorts first
        is_blank[runs.rows[runs.codes == 0]] = True
    if (row := _first(is_blank)) is not None:
        words = f"row {numbers[row]} of the hierarchy has an empty name; give every node a name."
        raise UnreadableInput(words, line=numbers[row])
    keys = np.sort(runs.rows * n_names + runs.codes)
    if (again := _first(keys[1:] == keys[:-1])) is not None:
        number = numbers[int(keys[again]) // n_names]
        words = f"row {number} of the hierarchy has a cycle: a name occurs again above another. {_EVEN}"
        raise UnreadableInput(words, line=number)
    leaves = cells.codes[cells.starts[:-1]]
    row_of = np.full(n_names, -1)  # the first row of each leaf
    row_of[leaves[::-1]] = np.arange(leaves.size)[::-1]
    if (row := _first(row_of[leaves] != np.arange(leaves.size))) is not None:
        words = f"the rows {numbers[row_of[leaves[row]]]} and {numbers[row]} have the same leaf; keep one of them."
        raise UnreadableInput(words, line=numbers[row])
    roots = cells.codes[cells.starts[1:] - 1]
    if (row := _first(roots != roots[0])) is not None:
        words = f"row {numbers[row]} ends with another name than row {numbers[0]}"
        advice = "add a common root, such as '*', and remove a header."
        raise UnreadableInput(f"all rows must end with the same root, but {words}; {advice}", line=numbers[row])
    lower = row_of[runs.codes]
    if (run := _first((lower >= 0) & (lower != runs.rows))) is not None:
        row = int(runs.rows[run])
        words = f"the leaf of row {numbers[lower[run]]} is above the leaf of row {numbers[row]}; rename one."
        raise UnreadableInput(f"{words} {_EVEN}", line=numbers[row])


def _require_bounded(cells: _Cells) -> None:
    """Refuse a tree that would be far larger than its rows, because short ones are padded to the longest."""
    lengths = cells.rows.lengths
    deepest = int(lengths.max())
    most = max(MOST_CELLS, 2 * int(lengths.sum()))
    if lengths.size * deepest > most:
        filled = f", padded to the longest, which has {deepest:,}"
        raise _too_many(most, lengths.size, lengths.size * deepest, filled)
    sizes = pc.binary_length(cells.names).to_numpy().astype(np.int64)
    needed = int(((deepest - lengths) * sizes[cells.codes[cells.starts[:-1]]]).sum())
    if needed > MOST_FILLED:
        words = f"padding the {lengths.size:,} rows to that takes about {needed >> 20:,} MB"
        limit = f"but the limit is {MOST_FILLED >> 20:,} MB; remove levels from the longest rows."
        raise UnreadableInput(f"the longest row has {deepest:,} names, and {words}, {limit}")


def _too_many(most: int, n_rows: int, n_cells: int, filled: str = "") -> UnreadableInput:
    return UnreadableInput(
        f"a hierarchy has at most {most:,} names in all its rows, but the first {n_rows:,} have {n_cells:,}"
        f"{filled}; remove levels, or leaves that no record has."
    )


def _one_run_per_name(cells: _Cells, runs: _Runs) -> _Runs:
    """Return one run of every name, in their order; raise unless its runs are equal, so that it is one node."""
    first = np.zeros(len(cells.names), np.int64)  # the first run of every name
    first[runs.codes[::-1]] = np.arange(runs.codes.size)[::-1]  # the first run is written last
    alike = first[runs.codes]
    if (run := _first((runs.levels != runs.levels[alike]) | (runs.sizes != runs.sizes[alike]))) is not None:
        number = cells.numbers[int(runs.rows[run])]
        name = f"name {int(runs.places[run]) + 1} of row {number}"
        words = f"{name} has different leaves at different levels; give the nodes different names. {_EVEN}"
        raise UnreadableInput(words, line=number)
    if (run := _first(runs.above != runs.above[alike])) is not None:
        number = cells.numbers[int(runs.rows[run])]
        name = f"name {int(runs.places[run] + runs.sizes[run])} of row {number}"
        words = f"{name} has a different parent in an earlier row; a node has one parent, so rename one."
        raise UnreadableInput(words, line=number)
    return _Runs(*(getattr(runs, name)[first] for name in _Runs.__slots__))


def _nodes(names: pa.StringArray, runs: _Runs) -> tuple[pa.StringArray, Ints32]:
    """Return names and parents of all nodes; a leaf of a short row is repeated below its own level."""
    is_leaf = runs.places == 0
    low = np.where(is_leaf, 0, runs.levels)
    sizes = runs.levels + runs.sizes - low
    together = Spans.of(sizes)  # a name's nodes are adjacent, bottom up
    starts, codes = together.offsets, together.owners()
    levels = low[codes] + np.arange(codes.size) - starts[codes]
    order = np.lexsort((codes, levels))  # level by level, and by name in a level
    numbers = np.empty(codes.size, np.int32)
    numbers[order] = np.arange(codes.size, dtype=np.int32)
    upper = np.arange(1, codes.size + 1)  # the node above, because a name's nodes are adjacent
    upper[starts[1:] - 1] = starts[runs.above]
    upper[starts[1:][runs.above == _NOBODY] - 1] = 0
    parents = numbers[upper][order]
    parents[-1] = _NOBODY
    return names.take(pa.array(codes[order])), parents
