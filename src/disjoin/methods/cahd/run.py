"""CAHD from records to a draft: sort, order by similarity, form groups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from disjoin.methods.cahd.blind import blind_groups_of, spread
from disjoin.methods.cahd.cahd_groups import groups_of
from disjoin.methods.cahd.cuthill_mckee import rows_and_columns
from disjoin.methods.cahd.drafting import draft_of
from disjoin.methods.cahd.preparing import CahdRows, Prepared, prepared
from disjoin.model import Draft, Groups, Transactions
from disjoin.model.arrays import Ints32, Ints64
from disjoin.model.spelling import first_alike
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.cahd import Cahd


def hide_in_crowds(method: Cahd, data: Transactions, progress: Progress) -> Draft[Groups]:
    """Run the method on records whose sensitive terms are marked."""
    progress("ordering", 0, 0)
    sorted_rows = prepared(data)
    rows = sorted_rows.rows
    order, _ = rows_and_columns(rows.offsets, rows.items, rows.n_items, method.order)
    if method.grouping == "blind":
        order = spread(order, sorted_rows.same)
    progress("ordering", 1, 1)
    in_one_spelling = replace(rows, sensitive_items=_first_spelling(sorted_rows)[rows.sensitive_items])
    grouped, n_groups = _grouped(method, in_one_spelling.in_order(order), progress)
    group_of_row = np.empty(len(rows), dtype=np.int64)
    group_of_row[order] = grouped
    return draft_of(sorted_rows, group_of_row, n_groups)


def _grouped(method: Cahd, rows: CahdRows, progress: Progress) -> tuple[Ints64, int]:
    """Return the group of every row, and how many groups there are."""
    if method.grouping == "paper":
        return groups_of(rows, method.p, method.alpha, published_check=method.published_check, progress=progress)
    progress("grouping", 0, len(rows))
    groups, number = blind_groups_of(rows, method.p, method.alpha)
    progress("grouping", len(rows), len(rows), f"{number:,} groups")
    return groups, number


def _first_spelling(sorted_rows: Prepared) -> Ints32:
    """Return for every sensitive item the one that groups count it as; no record has two that are alike."""
    return first_alike(sorted_rows.vocabulary.take(sorted_rows.sensitive).to_pylist())
