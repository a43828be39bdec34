"""A table as the algorithms see it: rows in an order of content, quasi-identifiers as leaves of trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.methods.generalization.population import Population
from disjoin.methods.generalization.roles import Roles
from disjoin.methods.generalization.trees import leaves_among_numbers, leaves_in_tree
from disjoin.model import Hierarchy, Table
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.model.spelling import first_alike, folded_value


class SensitiveTree(NamedTuple):
    """The values of a sensitive column in the tree of those that occur, so ordered that every node's are neighbours."""

    height: int
    order: Ints64  # (values that occur,) their codes
    spans: Ints64  # (nodes below the root, 2): the first of `order` under a node, and one after the last


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Rows sorted by quasi-identifiers, then sensitive columns, then the others that are published, then people.

    So positions say nothing of the order of the input, and rows that are equal in all of these are interchangeable. A
    column without a hierarchy has a tree of our own over its distinct numbers, in their order; it is published as the
    hull of its class. There a leaf is a number, and the last one stands for a missing value if there is any.
    """

    leaves: Ints32  # (rows, quasi-identifiers): leaves of `hierarchies`
    rows: Ints64  # (rows,) the original row of each
    hierarchies: tuple[Hierarchy, ...]
    names: tuple[str, ...]  # of the quasi-identifiers
    is_hull: Flags  # (quasi-identifiers,)
    sensitive: Ints32  # (rows, sensitive columns): codes, the same for all spellings of a value
    n_sensitive: Ints64  # (sensitive columns,): how many codes there may be
    sensitive_names: tuple[str, ...] = ()
    people: Ints32 | None = None  # (rows,) who each row belongs to, numbered by content; None if every row is a person
    sensitive_order: tuple[Ints64, ...] | None = None  # (sensitive columns,) codes by number, if asked
    sensitive_trees: tuple[SensitiveTree, ...] | None = None  # (sensitive columns,) if distances in them are asked
    crowd: Population | None = None  # the population, if something is asked beside it
    whole: Ints32 | None = None  # (rows of the whole table, sensitive columns), if these are a part of its rows

    def __len__(self) -> int:
        return int(self.rows.size)


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Which rows are published alike, and as what: nodes above all leaves of the class."""

    class_of_row: Ints64  # (rows,) of the encoded table
    vectors: Ints32  # (classes, quasi-identifiers): nodes of the hierarchies
    stars: int | None = None  # the class that says `*` in all quasi-identifiers, if rows are starred


def encoded(table: Table, roles: Roles, ids: Ints32 | None = None) -> Encoded:
    """Return the table for the algorithms; identifiers play no part, but `ids` say which rows are one person's."""
    pairs = [
        leaves_in_tree(table, name) if name in table.hierarchies else leaves_among_numbers(table, name)
        for name in roles.quasi
    ]
    leaves = [leaf for _, leaf in pairs]
    secrets, others = ([table.codes_of(name) for name in names] for names in (roles.sensitive, roles.others))
    content = [*leaves, *secrets, *others]
    people = None if ids is None else people_by_content(content, ids)
    order = order_by_content(content if people is None else [*content, people])
    return Encoded(
        leaves=np.stack(leaves, axis=1)[order],
        rows=order,
        hierarchies=tuple(tree for tree, _ in pairs),
        names=roles.quasi,
        is_hull=np.array([name not in table.hierarchies for name in roles.quasi]),
        sensitive=_sensitive_words(table, roles.sensitive)[order],
        n_sensitive=np.array([len(table.values_of(name)) for name in roles.sensitive], dtype=np.int64),
        sensitive_names=roles.sensitive,
        people=None if people is None else people[order],
    )


def people_by_content(columns: Sequence[Ints32], ids: Ints32) -> Ints32:
    """Number people by what their rows say, so that neither ids nor the order of the rows decide anything.

    People with the same rows are interchangeable, and numbered as they come.

    >>> people_by_content([np.array([7, 5, 7, 5, 6])], np.array([0, 1, 1, 0, 2])).tolist()
    [0, 1, 1, 0, 2]
    """
    order = order_by_content(columns)
    fresh = np.ones(order.size, dtype=np.bool_)
    fresh[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    content = np.empty(order.size, dtype=np.int64)
    content[order] = np.cumsum(fresh) - 1
    by_person = np.lexsort((content, ids))
    cuts = np.flatnonzero(np.diff(ids[by_person])) + 1
    signatures = [rows.tobytes() for rows in np.split(content[by_person].astype(">i8"), cuts)]
    owners = ids[by_person][np.concatenate(([0], cuts))] if ids.size else ids
    ranks = np.zeros(int(ids.max(initial=-1)) + 1, dtype=np.int32)
    ranks[owners[sorted(range(owners.size), key=signatures.__getitem__)]] = np.arange(owners.size, dtype=np.int32)
    return ranks[ids]


def words_of(table: Table, name: str) -> Ints32:
    """Return the codes of a column, spellings of a value, or of a number, as the first of them: int32 (rows,)."""
    return first_alike(table.values_of(name).to_pylist(), folded_value)[table.codes_of(name)]


def sensitive_tree(table: Table, name: str) -> SensitiveTree:
    """Return the values of a sensitive column in its hierarchy; raise if it has none."""
    if name not in table.hierarchies:
        raise InvalidParameter(
            f"the hierarchical distance of t needs a hierarchy of {name!r}. Give one among the --hierarchies, or "
            "choose another --t-distance."
        )
    tree, leaf_of_row = leaves_in_tree(table, name)
    by_spelling = np.argsort(table.codes_of(name), kind="stable")  # so that no order of rows decides
    codes, firsts = np.unique(words_of(table, name)[by_spelling], return_index=True)
    paths = tree.paths()[leaf_of_row[by_spelling][firsts]]
    ranks = np.lexsort(paths.T)  # the last key, the root, is the first to decide
    spans: list[tuple[int, int]] = []
    height, before = 0, codes.size + 1
    for nodes in paths[ranks].T:
        cuts = [0, *(np.flatnonzero(np.diff(nodes)) + 1).tolist(), nodes.size]
        if 2 < len(cuts) <= before:  # else these values are grouped as one level below, or are all together
            spans += list(pairwise(cuts))
            height, before = height + 1, len(cuts) - 1
    return SensitiveTree(height, codes[ranks].astype(np.int64), np.array(spans, dtype=np.int64).reshape(-1, 2))


def _sensitive_words(table: Table, names: Sequence[str]) -> Ints32:
    words = [words_of(table, name) for name in names]
    return np.stack(words, axis=1) if words else np.zeros((len(table), 0), dtype=np.int32)


def order_by_content(columns: Sequence[Ints32]) -> Ints64:
    """Return the rows sorted by the first column, then the second and so on; equal rows as they come.

    >>> order_by_content([np.array([1, 0, 1]), np.array([5, 9, 4])]).tolist()
    [1, 2, 0]
    """
    keys = packed_keys(columns)
    return np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])


def packed_keys(columns: Sequence[Ints32]) -> list[Ints64]:
    """Return a few numbers per row that compare as the columns do, one after the other; no column is negative."""
    keys: list[Ints64] = []
    room = 0  # how many values the last key can still be multiplied by
    for column in columns:
        size = int(column.max(initial=0)) + 1
        if room >= size:
            keys[-1] = keys[-1] * size + column
            room //= size
        else:
            keys.append(column.astype(np.int64))
            room = (2**62) // size
    return keys
