"""Rows of a hierarchy file, from leaf to root, checked and turned into a tree.

Names become numbers as rows come in, and all that follows is done with arrays: time and memory grow with the cells of
the rows, short ones filled up to the longest, and there is a limit on these.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter, UnreadableInput, kind_of, require_kind
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, Spans

DEEPEST = 1000  # names in a row, from the leaf to the root
MOST_NAMES = 10_000_000  # in all rows
MOST_CELLS = 3_000_000  # names in all rows, short ones filled up to the longest; more only if half of them are there
MOST_FILLED = 128 << 20  # bytes of leaves that are repeated upwards, as their rows are short
_EVEN = "In a file whose rows all have the same number of names, as ARX writes them, levels tell such nodes apart."
_NOBODY = -1  # what the root has for a parent


def nodes_of(rows: Iterable[Any], lines: Sequence[int] | None = None) -> tuple[pa.StringArray, Ints32]:
    """Return names and parents of the nodes of a tree, or raise `UnreadableInput` with the number of a row.

    `lines` are the numbers of the rows; without them rows are counted from 1.
    """
    cells = _cells_of(rows, lines)
    runs = _Runs.of(cells)
    _require_rows(cells, runs)
    _require_bounded(cells)
    return _nodes(cells.names, _one_run_per_name(cells, runs))


def require_shallow(n_names: int, number: int) -> None:
    """Raise if a row has more names than any tree is deep."""
    if n_names > DEEPEST:
        raise UnreadableInput(
            f"a row of a hierarchy has at most {DEEPEST:,} names, and row {number} has {n_names:,}; leave levels out.",
            line=number,
        )


class _NameNumbering(dict[str, int]):
    """Gives every new name the next number."""

    def __missing__(self, name: str) -> int:
        self[str(name)] = number = len(self)
        return number


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The names of all rows, one row after another, as numbers that are in order when the names are."""

    names: pa.StringArray  # in order, each once
    codes: Ints32  # (cells,)
    starts: Ints64  # (rows + 1,)
    numbers: Sequence[int]  # (rows,), of the rows in their file

    @property
    def rows(self) -> Ragged:
        """The numbers of the names of every row."""
        return Ragged(self.starts, self.codes)


def _cells_of(rows: Iterable[Any], lines: Sequence[int] | None) -> _Cells:
    """Number the names of the rows as they come, and stop at a row that is too long or one too many."""
    import pyarrow.compute as pc  # here, as it is slow to import

    numbering, codes, ends = _NameNumbering(), array("i"), array("q", [0])
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
    """Equal neighbours in a row, taken together, row after row."""

    codes: Ints32  # (runs,)
    rows: Ints64  # (runs,)
    places: Ints64  # (runs,) of the first cell in its row
    sizes: Ints64  # (runs,)
    levels: Ints64  # (runs,) of the first cell, if the longest row begins at 0
    above: Ints64  # (runs,) the codes of the next runs of their rows

    @classmethod
    def of(cls, cells: _Cells) -> _Runs:
        """Find the runs of rows, which may be empty."""
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
        return cls(codes, rows, places, np.diff(first, append=n_cells), levels, above.astype(np.int64))

    def first_of(self, n_names: int) -> Ints64:
        """Return the first run of every name."""
        found = np.zeros(n_names, np.int64)
        found[self.codes[::-1]] = np.arange(self.codes.size)[::-1]  # the first is written last
        return found


def _require_rows(cells: _Cells, runs: _Runs) -> None:
    """Check what can be said of the rows as they were written."""
    numbers = cells.numbers
    is_blank = cells.rows.lengths == 0
    is_blank[runs.rows[_is_empty(cells.names)[runs.codes]]] = True
    if (row := _first(is_blank)) is not None:
        words = f"row {numbers[row]} of the hierarchy has an empty name; give every node a name."
        raise UnreadableInput(words, line=numbers[row])
    if (row := _first_circle(runs, len(cells.names))) is not None:
        words = f"row {numbers[row]} of the hierarchy goes round in a circle: a name comes back above another. {_EVEN}"
        raise UnreadableInput(words, line=numbers[row])
    leaves = cells.codes[cells.starts[:-1]]
    row_of = np.full(len(cells.names), -1)  # of each leaf, the first that has it
    row_of[leaves[::-1]] = np.arange(leaves.size)[::-1]
    if (row := _first(row_of[leaves] != np.arange(leaves.size))) is not None:
        words = f"the rows {numbers[row_of[leaves[row]]]} and {numbers[row]} have the same leaf; keep one of them."
        raise UnreadableInput(words, line=numbers[row])
    _require_one_root(cells)
    lower = row_of[runs.codes]
    if (run := _first((lower >= 0) & (lower != runs.rows))) is not None:
        row = int(runs.rows[run])
        words = f"the leaf of row {numbers[lower[run]]} stands above the leaf of row {numbers[row]}; rename one."
        raise UnreadableInput(f"{words} {_EVEN}", line=numbers[row])


def _require_one_root(cells: _Cells) -> None:
    roots, numbers = cells.codes[cells.starts[1:] - 1], cells.numbers
    if (row := _first(roots != roots[0])) is not None:
        raise UnreadableInput(
            f"all rows must end with the same root, and row {numbers[row]} ends with another name than row "
            f"{numbers[0]}; add a common root, such as '*', and leave out a header.",
            line=numbers[row],
        )


def _first_circle(runs: _Runs, n_names: int) -> int | None:
    """Return the first row in which a name comes back."""
    keys = np.sort(runs.rows * n_names + runs.codes)
    back = _first(keys[1:] == keys[:-1])
    return None if back is None else int(keys[back]) // n_names


def _is_empty(names: pa.StringArray) -> Flags:
    is_empty = np.zeros(len(names), dtype=np.bool_)
    is_empty[:1] = len(names) > 0 and names[0].as_py() == ""  # nothing comes before it
    return is_empty


def _first(flags: Any) -> int | None:
    return int(np.argmax(flags)) if flags.size and flags.any() else None


def _require_bounded(cells: _Cells) -> None:
    """Refuse a tree that would be far larger than its rows: short ones are filled up to the longest."""
    import pyarrow.compute as pc

    lengths = cells.rows.lengths
    deepest = int(lengths.max())
    most = max(MOST_CELLS, 2 * int(lengths.sum()))
    if lengths.size * deepest > most:
        filled = f", filled up to the longest, which has {deepest:,}"
        raise _too_many(most, lengths.size, lengths.size * deepest, filled)
    sizes = pc.binary_length(cells.names).to_numpy().astype(np.int64)
    needed = int(((deepest - lengths) * sizes[cells.codes[cells.starts[:-1]]]).sum())
    if needed > MOST_FILLED:
        raise UnreadableInput(
            f"the longest row has {deepest:,} names, and to fill the {lengths.size:,} rows up to that takes some "
            f"{needed >> 20:,} MB, the limit is {MOST_FILLED >> 20:,}; leave levels out of the longest rows."
        )


def _too_many(most: int, n_rows: int, n_cells: int, filled: str = "") -> UnreadableInput:
    return UnreadableInput(
        f"a hierarchy has at most {most:,} names in all its rows, and the first {n_rows:,} have {n_cells:,}"
        f"{filled}; leave levels out, or leaves that no record has."
    )


def _one_run_per_name(cells: _Cells, runs: _Runs) -> _Runs:
    """Return one run of every name, in their order; raise unless all of a name are alike.

    A name at several levels is one node repeated upwards: otherwise it would mean different leaves.
    """
    first = runs.first_of(len(cells.names))
    alike = first[runs.codes]
    if (run := _first((runs.levels != runs.levels[alike]) | (runs.sizes != runs.sizes[alike]))) is not None:
        number = cells.numbers[int(runs.rows[run])]
        raise UnreadableInput(
            f"name {int(runs.places[run]) + 1} of row {number} stands for different leaves at different levels; give "
            f"the nodes different names. {_EVEN}",
            line=number,
        )
    if (run := _first(runs.above != runs.above[alike])) is not None:
        number = cells.numbers[int(runs.rows[run])]
        raise UnreadableInput(
            f"name {int(runs.places[run] + runs.sizes[run])} of row {number} has another parent in a row before; a "
            "node has one parent only.",
            line=number,
        )
    return _Runs(*(getattr(runs, name)[first] for name in _Runs.__slots__))


def _nodes(names: pa.StringArray, runs: _Runs) -> tuple[pa.StringArray, Ints32]:
    """Return names and parents of all nodes; a leaf of a short row is repeated below where its row has it."""
    is_leaf = runs.places == 0
    low = np.where(is_leaf, 0, runs.levels)
    sizes = runs.levels + runs.sizes - low
    together = Spans.of(sizes)  # a name's nodes lie together, from below
    starts, codes = together.offsets, together.owners()
    levels = low[codes] + np.arange(codes.size) - starts[codes]
    order = np.lexsort((codes, levels))  # level by level, and by name in a level
    numbers = np.empty(codes.size, np.int32)
    numbers[order] = np.arange(codes.size, dtype=np.int32)
    upper = np.arange(1, codes.size + 1)  # the node above, as names lie together
    upper[starts[1:] - 1] = starts[runs.above]
    upper[starts[1:][runs.above == _NOBODY] - 1] = 0
    parents = numbers[upper][order]
    parents[-1] = _NOBODY
    return names.take(pa.array(codes[order])), parents
