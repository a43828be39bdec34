"""Drawings of groups for `disjoin show`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.charts.text_drawing import Columns, TextColumn, coloured, draw_titled
from disjoin.forms.form import MANY, Show, first_rows, outside
from disjoin.forms.groups.prose import TEXTS
from disjoin.model.groups import Groups
from disjoin.text import counted

if TYPE_CHECKING:
    from rich.console import Console


FEW = 10  # rows of a column, if all of them are not asked for


def picture_of(published: Groups, group: int, rows: int = FEW) -> Columns:
    size = int(published.sizes[group])
    columns = _records(published, group, rows), _sensitive(published, group, rows, size)
    return Columns(f"group {group}: {counted(size, 'record')}", columns)


def _records(published: Groups, group: int, rows: int) -> TextColumn:
    everything = np.arange(published.record_offsets[group], published.record_offsets[group + 1])
    is_bare = published.item_offsets[everything] == published.item_offsets[everything + 1]
    listed = everything[~is_bare]
    shown = first_rows(published.vocabulary, published.records, published.counts, listed[:rows].tolist())
    empty = sum(published.counts[everything[is_bare]].tolist())
    return TextColumn("records", shown, max(0, listed.size - rows), empty, what="ordinary items")


def _sensitive(published: Groups, group: int, rows: int, size: int) -> TextColumn:
    first, last = published.sensitive_offsets[group : group + 2].tolist()
    end = min(last, first + rows)
    names = published.vocabulary.take(published.sensitive_items[first:end]).to_pylist()
    counts = published.sensitive_counts[first:end].tolist()
    shown = tuple(((name,), count) for name, count in zip(names, counts, strict=True))
    return TextColumn("sensitive items", shown, last - end, what="item", of=size, is_delicate=True)


def typical_group(published: Groups) -> int:
    """Choose a group with a sensitive item or two, of usual size, with some rows but few, none of them long."""
    rows = published.groups.lengths
    sensitive = published.secrets.lengths
    items = published.groups.over(published.records).lengths
    bare = published.groups.sums(published.records.lengths == 0)
    usual = int(np.sort(published.sizes)[len(published) // 2])
    odd = 400 * (sensitive == 0) + 60 * (abs(published.sizes - usual) > usual // 2)
    odd += 8 * np.minimum(outside(rows, 3, 10), 20) + 4 * np.minimum(outside(sensitive, 1, 3), 20)
    odd += 3 * np.minimum(abs(items - 3 * rows), 20) + 6 * (bare > 0)
    return int(np.argmin(odd))


def draw_group(published: Groups, group: int, width: int = 80, rows: int = FEW) -> str:
    """Draw one group in at most `width` columns (40 at least), with at most `rows` rows per column."""
    picture = picture_of(published, group, rows)
    return draw_titled(picture.title, [picture.columns], width)


def as_json(published: Groups, group: int) -> dict[str, Any]:
    first, last = published.record_offsets[group : group + 2].tolist()
    ends = published.item_offsets[first : last + 1]
    names = published.vocabulary.take(published.items[ends[0] : ends[-1]]).to_pylist()
    rows = zip(pairwise((ends - ends[0]).tolist()), published.counts[first:last].tolist(), strict=True)
    return {
        "group": group,
        "size": int(published.sizes[group]),
        "records": [{"terms": names[a:b], "count": n} for (a, b), n in rows],
        "sensitive": [{"term": term, "count": n} for term, n in published.sensitive_of(group).items()],
    }


def draw(console: Console, published: Groups, groups: list[int], *, full: bool) -> None:
    for group in groups:
        console.print(coloured(draw_group(published, group, console.width, MANY if full else FEW)))
    if groups:
        console.print(TEXTS["apart"])
    if full and published.record_offsets[groups[0] + 1] - published.record_offsets[groups[0]] > MANY:
        console.print("Not all records of this group are drawn; the JSON output has all of them.")


def find(published: Groups, term: str) -> list[int]:
    number = published.vocabulary.index(term).as_py()
    ordinary = published.groups.over(published.records).owners()[published.items == number]
    secret = published.secrets.owners()[published.sensitive_items == number]
    found: list[int] = np.union1d(ordinary, secret).tolist()
    return found


SHOW = Show(
    typical=lambda published: [typical_group(published)] if len(published) else [],
    as_json=as_json,
    draw=draw,
    line=lambda published, group: {"size": int(published.sizes[group])},
    picture=picture_of,
    find=find,
)
