"""A tree for every quasi-identifier: its own, or one over the numbers of a column that has none."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.model import Hierarchy, Table
from disjoin.model.generalized import EVERYTHING as ANY
from disjoin.model.generalized import MISSING, with_missing
from disjoin.model.intervals import in_order, interval_text, number_from
from disjoin.model.ragged import Ints32
from disjoin.model.repeated_labels import told_apart_words


def categories_of(table: Table, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns without a hierarchy none of whose values is a number: they have values, and `*` above them."""
    return tuple(name for name in names if name not in table.hierarchies and _is_category(table, name))


def _is_category(table: Table, name: str) -> bool:
    values = [value for value in _used_values(table, name) if value != MISSING]
    return bool(values) and ANY not in values and all(number_from(value) is None for value in values)


def _used_values(table: Table, name: str) -> list[str]:
    used = np.bincount(table.codes_of(name), minlength=len(table.values_of(name)))
    return [value for value, times in zip(table.values_of(name).to_pylist(), used.tolist(), strict=True) if times]


def with_flat_trees(table: Table, names: tuple[str, ...]) -> Table:
    """Return the table with a hierarchy of two levels for every category that has none.

    >>> table = Table.from_columns({"town": ["Ulm", "Bonn", "Ulm"], "age": ["3", "4", "5"]})
    >>> table = with_flat_trees(table, ("town", "age"))
    >>> table.hierarchies["town"].rows(), list(table.hierarchies)
    ([('Bonn', '*'), ('Ulm', '*')], ['town'])
    """
    made = {
        name: Hierarchy.from_rows([[value, ANY] for value in sorted(_used_values(table, name)) if value != MISSING])
        for name in categories_of(table, names)
    }
    return table.with_hierarchies({**table.hierarchies, **made}) if made else table


def notes_on_trees(table: Table, names: tuple[str, ...]) -> list[str]:
    """Say which labels of hierarchies were told apart, and which columns have none."""
    notes = [
        f"in the hierarchy of {name}, {told_apart_words(table.hierarchies[name].told_apart)}."
        for name in names
        if name in table.hierarchies and table.hierarchies[name].told_apart
    ]
    flat = categories_of(table, names)
    if flat:
        notes.append(
            f"{', '.join(flat)} {'has' if len(flat) == 1 else 'have'} no hierarchy: a value stays as it is or "
            "becomes *, and hierarchies/ of the release lists all values. Give a hierarchy to keep more."
        )
    return notes


def leaves_in_tree(table: Table, name: str) -> tuple[Hierarchy, Ints32]:
    """Return the column's hierarchy and the leaf of every row."""
    tree = table.hierarchies[name]
    codes, values = table.codes_of(name), table.values_of(name).to_pylist()
    used = np.bincount(codes, minlength=len(values)) > 0
    if MISSING in values and used[values.index(MISSING)]:
        tree = with_missing(tree)
    if tree.height == 0:
        raise InvalidParameter(
            f"the hierarchy of {name!r} must have a level above its values, it has none; add a root, such as '*'."
        )
    leaves = {leaf: number for number, leaf in enumerate(tree.names.slice(0, tree.n_leaves).to_pylist())}
    lost = [code for code in np.flatnonzero(used).tolist() if values[code] not in leaves]
    if lost:
        row = int(np.flatnonzero(np.isin(codes, lost))[0]) + 1
        more = f", like {len(lost) - 1:,} more" if len(lost) > 1 else ""
        raise InvalidParameter(
            f"every value of {name!r} needs a leaf in its hierarchy, that of row {row:,} has none{more}; add a row for "
            "each (`disjoin hierarchy check` lists them)."
        )
    return tree, np.array([leaves.get(value, -1) for value in values], dtype=np.int32)[codes]


def leaves_among_numbers(table: Table, name: str) -> tuple[Hierarchy, Ints32]:
    """Return a tree over the column's numbers, and the leaf of every row: its rank, the largest for a missing one."""
    codes, values = table.codes_of(name), table.values_of(name).to_pylist()
    used = np.bincount(codes, minlength=len(values)) > 0
    numbers: dict[int, Fraction] = {}
    for code in np.flatnonzero(used).tolist():
        number = number_from(values[code])
        if number is not None:
            numbers[code] = number
        elif values[code] != MISSING:
            row = int(np.flatnonzero(codes == code)[0]) + 1
            raise InvalidParameter(
                f"{name!r} has no hierarchy, so its values must be all numbers or all words; that of row {row} is no "
                "number, and others are. Give the column a hierarchy, or correct the value."
            )
    texts: dict[Fraction, str] = {}
    for code in sorted(numbers, key=lambda code: (in_order(numbers[code]), code)):
        texts.setdefault(numbers[code], values[code])  # one text a number, however it is written
    ranks = {number: rank for rank, number in enumerate(texts)}
    leaf_of_code = np.full(len(values), len(ranks), dtype=np.int32)
    for code, number in numbers.items():
        leaf_of_code[code] = ranks[number]
    has_missing = bool(used.sum() > len(numbers))
    return tree_over(list(texts.values()), has_missing=has_missing), leaf_of_code[codes]


def tree_over(texts: list[str], *, has_missing: bool = False) -> Hierarchy:
    """Return a tree over numbers in their order: pairs, pairs of pairs and so on; a missing value under the root.

    >>> tree_over(["1", "2", "7"]).rows()
    [('1', '[1, 2]', '[1, 7]'), ('2', '[1, 2]', '[1, 7]'), ('7', '7', '[1, 7]')]
    """
    height = max(1, (len(texts) - 1).bit_length() + (has_missing and len(texts) > 0))
    names: list[str] = []
    parents: list[int] = []
    for level in range(height):
        groups = [texts[first : first + (1 << level)] for first in range(0, len(texts), 1 << level)]
        begins = len(names) + len(groups) + has_missing  # where the next level begins
        is_last = level == height - 1
        names += [interval_text(group[0], group[-1]) for group in groups]
        parents += [begins + (0 if is_last else number // 2) for number in range(len(groups))]
        if has_missing:
            names.append(MISSING)
            parents.append(begins + (0 if is_last else (len(groups) + 1) // 2))
    names.append("*" if has_missing else interval_text(texts[0], texts[-1]))
    return Hierarchy(pa.array(names, pa.string()), np.array([*parents, -1], dtype=np.int32))
