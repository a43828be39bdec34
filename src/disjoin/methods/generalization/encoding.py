"""Encoding of a table: rows in canonical order, quasi-identifiers as leaves of trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.arrays.row_classes import numbered, row_keys
from disjoin.errors import InvalidParameter, Placeholder, Remedy, all_problems
from disjoin.model import Hierarchy, Table
from disjoin.model.generalized import EVERYTHING as ANY
from disjoin.model.generalized import MISSING
from disjoin.model.hierarchy import told_apart_words
from disjoin.model.intervals import in_order, interval_text, number_from
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.model.spelling import first_alike, folded_value
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.methods.generalization.people import Population
    from disjoin.methods.generalization.requirements import Roles


def categories_of(table: Table, names: tuple[str, ...]) -> dict[str, list[str]]:
    found = {}
    for name in names:
        if name in table.hierarchies:
            continue
        used = np.flatnonzero(np.bincount(table.codes_of(name)))
        values = [value for value in table.values_of(name).take(pa.array(used)).to_pylist() if value != MISSING]
        if values and ANY not in values and all(number_from(value) is None for value in values):
            found[name] = values
    return found


def with_flat_trees(table: Table, names: tuple[str, ...]) -> Table:
    """Return the table with a hierarchy of two levels for every category that has none.

    >>> table = Table.from_columns({"town": ["Ulm", "Bonn", "Ulm"], "age": ["3", "4", "5"]})
    >>> table = with_flat_trees(table, ("town", "age"))
    >>> table.hierarchies["town"].rows(), list(table.hierarchies)
    ([('Bonn', '*'), ('Ulm', '*')], ['town'])
    """
    made = {
        name: Hierarchy.from_rows([[value, ANY] for value in values])
        for name, values in categories_of(table, names).items()
    }
    return table.with_hierarchies({**table.hierarchies, **made}) if made else table


def notes_on_trees(table: Table, names: tuple[str, ...]) -> list[str]:
    notes = [
        f"in the hierarchy of {name}, {told_apart_words(table.hierarchies[name].told_apart)}."
        for name in names
        if name in table.hierarchies and table.hierarchies[name].told_apart
    ]
    flat = categories_of(table, names)
    if flat:
        notes.append(
            f"{', '.join(flat)} {'has' if len(flat) == 1 else 'have'} no hierarchy: a value is published unchanged or "
            "becomes *, and hierarchies/ of the release lists all values. Give a hierarchy to keep more."
        )
    return notes


def leaves_in_tree(table: Table, name: str) -> tuple[Hierarchy, Ints32]:
    tree = table.hierarchies[name]
    codes, values = table.codes_of(name), table.values_of(name).to_pylist()
    used = np.bincount(codes, minlength=len(values)) > 0
    if MISSING in values and used[values.index(MISSING)]:
        tree = tree.with_missing()
    if tree.height == 0:
        raise InvalidParameter(
            f"the hierarchy of {name!r} must have a level above its values, but has none. Add a root, such as '*'."
        )
    leaves = {leaf: number for number, leaf in enumerate(tree.names.slice(0, tree.n_leaves).to_pylist())}
    lost = [code for code in np.flatnonzero(used).tolist() if values[code] not in leaves]
    if lost:
        raise InvalidParameter(
            f"every value of {name!r} needs a leaf in its hierarchy, and {counted(len(lost), 'value')} "
            f"{'has' if len(lost) == 1 else 'have'} none ({_rows_with(codes, lost)}). Add a row for each to the "
            "hierarchy (`disjoin hierarchy check` lists them)."
        )
    return tree, np.array([leaves.get(value, -1) for value in values], dtype=np.int32)[codes]


def _rows_with(codes: Ints32, wanted: list[int]) -> str:
    """Return the first rows with each of these codes."""
    _, first = np.unique(codes, return_index=True)
    rows = sorted(int(row) + 1 for row in first[np.isin(codes[first], wanted)])
    shown = ", ".join(f"{row:,}" for row in rows[:5]) + (f" and {len(rows) - 5:,} more" if len(rows) > 5 else "")
    return f"first in row{'s' * (len(rows) > 1)} {shown}"


def leaves_among_numbers(table: Table, name: str) -> tuple[Hierarchy, Ints32]:
    codes, values = table.codes_of(name), table.values_of(name).to_pylist()
    used = np.bincount(codes, minlength=len(values)) > 0
    numbers: dict[int, Fraction] = {}
    words: list[int] = []
    for code in np.flatnonzero(used).tolist():
        number = number_from(values[code])
        if number is not None:
            numbers[code] = number
        elif values[code] != MISSING:
            words.append(code)
    if words:
        raise InvalidParameter(
            f"{name!r} has no hierarchy, so its values must be all numbers or all words, and "
            f"{counted(len(words), 'value is no number', 'values are no numbers')} ({_rows_with(codes, words)}). Give "
            "the column a hierarchy, or correct the values."
        )
    texts: dict[Fraction, str] = {}
    for code in sorted(numbers, key=lambda code: (in_order(numbers[code]), code)):
        texts.setdefault(numbers[code], values[code])  # one text per number, however it is written
    ranks = {number: rank for rank, number in enumerate(texts)}
    leaf_of_code = np.full(len(values), len(ranks), dtype=np.int32)
    for code, number in numbers.items():
        leaf_of_code[code] = ranks[number]
    has_missing = bool(used.sum() > len(numbers))
    return tree_over(list(texts.values()), has_missing=has_missing), leaf_of_code[codes]


def tree_over(texts: list[str], *, has_missing: bool = False) -> Hierarchy:
    """Return a tree over numbers in their order: pairs, pairs of pairs and so on; missing values are under the root.

    >>> tree_over(["1", "2", "7"]).rows()
    [('1', '[1, 2]', '[1, 7]'), ('2', '[1, 2]', '[1, 7]'), ('7', '7', '[1, 7]')]
    """
    height = max(1, (len(texts) - 1).bit_length() + (has_missing and len(texts) > 0))
    names: list[str] = []
    parents: list[int] = []
    for level in range(height):
        groups = [texts[first : first + (1 << level)] for first in range(0, len(texts), 1 << level)]
        begins = len(names) + len(groups) + has_missing  # the number of the next level's first node
        is_last = level == height - 1
        names += [interval_text(group[0], group[-1]) for group in groups]
        parents += [begins + (0 if is_last else number // 2) for number in range(len(groups))]
        if has_missing:
            names.append(MISSING)
            parents.append(begins + (0 if is_last else (len(groups) + 1) // 2))
    names.append("*" if has_missing else interval_text(texts[0], texts[-1]))
    return Hierarchy(pa.array(names, pa.string()), np.array([*parents, -1], dtype=np.int32))


class SensitiveTree(NamedTuple):
    """The values of a sensitive column that occur, ordered so that those below any node of the tree are neighbours."""

    height: int
    order: Ints64  # (values that occur,) their codes
    spans: Ints64  # (nodes below the root, 2): the first of `order` under a node, and one after the last


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Rows sorted by quasi-identifiers, sensitive columns, other published columns and people, independently of the
    order of the input; equal rows are interchangeable. A column without a hierarchy has a tree over its distinct
    numbers, in order (the last leaf is a missing value, if any); it is published as the interval of its class."""

    leaves: Ints32  # (rows, quasi-identifiers): leaves of `hierarchies`
    rows: Ints64  # (rows,) the original row of each
    hierarchies: tuple[Hierarchy, ...]
    names: tuple[str, ...]  # of the quasi-identifiers
    is_hull: Flags  # (quasi-identifiers,)
    sensitive: Ints32  # (rows, sensitive columns): codes, the same for all spellings of a value
    n_sensitive: Ints64  # (sensitive columns,): number of possible codes
    sensitive_names: tuple[str, ...] = ()
    people: Ints32 | None = None  # (rows,) the person of each row, numbered by content; None if every row is a person
    sensitive_order: tuple[Ints64, ...] | None = None  # (sensitive columns,) codes by number, if needed
    sensitive_trees: tuple[SensitiveTree, ...] | None = None  # (sensitive columns,) if distances in them are needed
    population: Population | None = None  # if the settings have requirements on it
    whole: Ints32 | None = None  # (rows of the whole table, sensitive columns), if these rows are a part of it

    def __len__(self) -> int:
        return int(self.rows.size)


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The class of every row, and the published nodes of every class, which are above all its leaves."""

    class_of_row: Ints64  # (rows,) of the encoded table
    vectors: Ints32  # (classes, quasi-identifiers): nodes of the hierarchies
    stars: int | None = None  # the class with `*` in all quasi-identifiers, if rows are suppressed

    def bounds(self, values: Ints32 | Ints64) -> tuple[Ints64, Ints64]:
        """Return the least and the largest value (rows,) in every class; 2^63 - 1 and -1 in a class without rows."""
        low, high = np.full(len(self.vectors), 2**63 - 1), np.full(len(self.vectors), -1)
        np.minimum.at(low, self.class_of_row, values)
        np.maximum.at(high, self.class_of_row, values)
        return low, high


def encoded(table: Table, roles: Roles, ids: Ints32 | None = None) -> Encoded:
    """Return the table for the algorithms; identifiers are ignored, but `ids` show which rows are one person's."""
    pairs, problems = [], []
    for name in roles.quasi:
        try:
            known = name in table.hierarchies
            pairs.append(leaves_in_tree(table, name) if known else leaves_among_numbers(table, name))
        except InvalidParameter as mistake:
            problems.append(mistake)
    if problems:
        raise all_problems(problems)
    leaves = [leaf for _, leaf in pairs]
    secrets, others = ([table.codes_of(name) for name in names] for names in (roles.sensitive, roles.others))
    content = [*leaves, *secrets, *others]
    words = [words_of(table, name) for name in roles.sensitive]
    people = None if ids is None else people_by_content(content, ids)
    order = order_by_content(content if people is None else [*content, people])
    return Encoded(
        leaves=np.stack(leaves, axis=1)[order],
        rows=order,
        hierarchies=tuple(tree for tree, _ in pairs),
        names=roles.quasi,
        is_hull=np.array([name not in table.hierarchies for name in roles.quasi]),
        sensitive=(np.stack(words, axis=1) if words else np.zeros((len(table), 0), dtype=np.int32))[order],
        n_sensitive=np.array([len(table.values_of(name)) for name in roles.sensitive], dtype=np.int64),
        sensitive_names=roles.sensitive,
        people=None if people is None else people[order],
    )


def people_by_content(columns: Sequence[Ints32], ids: Ints32) -> Ints32:
    """Number people by the content of their rows, not by ids or order; equal rows in input order.

    >>> people_by_content([np.array([7, 5, 7, 5, 6])], np.array([0, 1, 1, 0, 2])).tolist()
    [0, 1, 1, 0, 2]
    """
    content, _ = distinct_rows(columns)
    by_person = np.lexsort((content, ids))
    cuts = np.flatnonzero(np.diff(ids[by_person])) + 1
    signatures = [rows.tobytes() for rows in np.split(content[by_person].astype(">i8"), cuts)]
    owners = ids[by_person][np.concatenate(([0], cuts))] if ids.size else ids
    ranks = np.zeros(int(ids.max(initial=-1)) + 1, dtype=np.int32)
    ranks[owners[sorted(range(owners.size), key=signatures.__getitem__)]] = np.arange(owners.size, dtype=np.int32)
    return ranks[ids]


def words_of(table: Table, name: str) -> Ints32:
    """Return the codes of a column, equal for spellings of one value or number: int32 (rows,)."""
    return first_alike(table.values_of(name).to_pylist(), folded_value)[table.codes_of(name)]


def sensitive_tree(table: Table, name: str) -> SensitiveTree:
    if name not in table.hierarchies:
        raise InvalidParameter(
            f"the hierarchical distance of t needs a hierarchy of {name!r}.",
            remedies=[
                Remedy("hierarchies", Placeholder("FOLDER"), "read it from a folder"),
                Remedy("t_distance", Placeholder("NAME"), "measure t in another way"),
            ],
        )
    tree, leaf_of_row = leaves_in_tree(table, name)
    by_spelling = np.argsort(table.codes_of(name), kind="stable")  # so that the order of rows has no effect
    codes, firsts = np.unique(words_of(table, name)[by_spelling], return_index=True)
    paths = tree.paths()[leaf_of_row[by_spelling][firsts]]
    ranks = np.lexsort(paths.T)  # the last key, the root, is the primary one
    spans: list[tuple[int, int]] = []
    height, before = 0, codes.size + 1
    for nodes in paths[ranks].T:
        cuts = [0, *(np.flatnonzero(np.diff(nodes)) + 1).tolist(), nodes.size]
        if 2 < len(cuts) <= before:  # else the groups equal those of the level below, or there is one group
            spans += list(pairwise(cuts))
            height, before = height + 1, len(cuts) - 1
    return SensitiveTree(height, codes[ranks].astype(np.int64), np.array(spans, dtype=np.int64).reshape(-1, 2))


def order_by_content(columns: Sequence[Ints32]) -> Ints64:
    """Return the rows sorted by the first column, then the second and so on; equal rows in input order.

    >>> order_by_content([np.array([1, 0, 1]), np.array([5, 9, 4])]).tolist()
    [1, 2, 0]
    """
    return np.argsort(_keys(columns)[0], kind="stable")


def distinct_rows(columns: Sequence[Ints32 | Ints64]) -> tuple[Ints64, Ints64]:
    """Number different rows in the order of `order_by_content`; return the number of every row, and one row of each.

    >>> [part.tolist() for part in distinct_rows([np.array([1, 0, 1]), np.array([5, 9, 4])])]
    [[2, 0, 1], [1, 2, 0]]
    """
    numbers, n_different = numbered(*_keys(columns))
    rows = np.empty(n_different, dtype=np.int64)
    rows[numbers] = np.arange(numbers.size)
    return numbers, rows


def _keys(columns: Sequence[Ints32 | Ints64]) -> tuple[Ints64, int]:
    return row_keys(columns, [int(column.max(initial=0)) + 1 for column in columns])
