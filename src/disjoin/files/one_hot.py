"""Records as rows of zeros and ones: a frame with a column per term, a sparse matrix, or an array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter, UnreadableInput, described, kind_of
from disjoin.files.build_transactions import Cells, assemble
from disjoin.files.options import Options
from disjoin.files.wording import counted, quoted
from disjoin.model import Intake, Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of


def read_one_hot(data: Any, terms: Iterable[Any] | None = None) -> Transactions:
    """Return the records of rows of zeros and ones: a frame, a sparse matrix or an array.

    The `terms` are the names of the columns of a frame; for a matrix or an array they must be given. Numbers other than
    0 and 1 are refused, as a record does not count its terms. Rows without a one are counted in `intake`.

    >>> found = read_one_hot(np.array([[1, 0], [1, 1], [0, 0]]), ["tea", "milk"])
    >>> found.to_sets() == [{"tea"}, {"tea", "milk"}], found.intake.blank_records
    (True, 1)
    """
    if hasattr(data, "tocsr") or isinstance(data, np.ndarray):
        names = _terms(terms, data)
        rows, items = _ones_of_matrix(data)
    else:
        if terms is not None:
            raise InvalidParameter("terms name the columns of a matrix; a frame has names of its own. Leave them out.")
        names, columns = _columns(data)
        rows, items = _ones_of_columns(names, columns)
    n_rows = int(data.shape[0]) if hasattr(data, "shape") else int(data.num_rows)
    lengths = np.bincount(rows, minlength=n_rows)
    offsets = offsets_of(lengths[lengths > 0])
    cells = Cells(pa.array(names, pa.string()), items, offsets)
    return assemble(cells, Options(split="none"), Intake("memory", n_rows - (offsets.size - 1)), UnreadableInput)


def _terms(given: Iterable[Any] | None, matrix: Any) -> list[str]:
    if len(matrix.shape) != 2:
        raise InvalidParameter(
            f"expected a matrix of rows and columns, found one of {counted(len(matrix.shape), 'axis', 'axes')}."
        )
    if given is None or isinstance(given, (str, bytes)):
        raise InvalidParameter(
            f"say which term each of the {counted(int(matrix.shape[1]), 'column')} of the matrix is: terms=[...]."
        )
    return _distinct([str(term) for term in given], int(matrix.shape[1]))


def _distinct(names: list[str], width: int) -> list[str]:
    if len(names) != width:
        raise InvalidParameter(f"expected {counted(width, 'term')}, one per column, found {len(names):,}.")
    if len({*names}) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InvalidParameter(f"two columns are the term {quoted(twice)}; give each another one.")
    return names


def _ones_of_matrix(matrix: Any) -> tuple[Ints64, Ints32]:
    from scipy import sparse

    rows = sparse.csr_array(matrix)
    rows.sum_duplicates()
    is_one = _is_one(np.asarray(rows.data), "the matrix")
    places = np.repeat(np.arange(rows.shape[0], dtype=np.int64), np.diff(rows.indptr))
    return places[is_one], rows.indices[is_one].astype(np.int32)


def _columns(data: Any) -> tuple[list[str], list[Any]]:
    """Return the names and the columns of a frame."""
    if hasattr(data, "iloc") and hasattr(data, "columns"):  # pandas, whose sparse columns Arrow does not know
        names = [str(name) for name in data.columns]
        return _distinct(names, len(names)), [np.asarray(data.iloc[:, place]) for place in range(len(names))]
    if isinstance(data, pa.Table) or hasattr(data, "__arrow_c_stream__"):
        table = data if isinstance(data, pa.Table) else pa.table(data)
        return _distinct(table.column_names, table.num_columns), [column.to_numpy() for column in table.columns]
    raise InvalidParameter(f"expected a frame, a sparse matrix or an array of zeros and ones, found {kind_of(data)}.")


def _ones_of_columns(names: Sequence[str], columns: Sequence[Any]) -> tuple[Ints64, Ints32]:
    found = [
        np.flatnonzero(_is_one(column, f"column {quoted(name)}")) for name, column in zip(names, columns, strict=True)
    ]
    rows = np.concatenate([*found, np.zeros(0, np.int64)]).astype(np.int64)
    items = np.repeat(np.arange(len(found), dtype=np.int32), [ones.size for ones in found])
    order = np.lexsort((items, rows))
    return rows[order], items[order]


def _is_one(values: Any, where: str) -> Flags:
    """Tell which values are one; raise unless the others are zero."""
    if values.dtype != np.bool_ and not np.issubdtype(values.dtype, np.number) and values.dtype != object:
        raise InvalidParameter(f"expected zeros and ones in {where}, found {described(values.dtype.name)}.")
    is_one: Flags = np.asarray(values == 1, np.bool_)
    if not np.all(is_one | np.asarray(values == 0, np.bool_)):
        raise InvalidParameter(
            f"expected zeros and ones in {where}, found other values. A record has a term or not: "
            "write (amounts > 0) if amounts do not matter, and drop columns that are no terms."
        )
    return is_one
