"""Drawings of groups for `disjoin show`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.charts.text_drawing import LEAST_WIDTH, TextColumn, bands_of, coloured, draw_band, shorten
from disjoin.forms.form import Show
from disjoin.model.groups import Groups
from disjoin.model.ragged import Ints32, Ints64
from disjoin.text import counted

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model import Groups


FEW = 10  # rows of a column, if all of them are not asked for
MANY = 1000  # rows that anybody scrolls through
_TERMS = 64  # of a record: more than fit into a line


@dataclass(frozen=True, slots=True)
class GroupPicture:
    """A group: how many records it has, its records and its sensitive items."""

    group: int
    size: int
    columns: tuple[TextColumn, TextColumn]

    @property
    def title(self) -> str:
        """Say what it is in a few words."""
        return f"group {self.group}: {counted(self.size, 'record')}"


def picture_of(published: Groups, group: int, rows: int = FEW) -> GroupPicture:
    """Return the picture of a group with at most `rows` rows per column."""
    size = int(published.sizes[group])
    return GroupPicture(group, size, (_records(published, group, rows), _sensitive(published, group, rows, size)))


def _records(published: Groups, group: int, rows: int) -> TextColumn:
    everything = np.arange(published.record_offsets[group], published.record_offsets[group + 1])
    is_bare = published.item_offsets[everything] == published.item_offsets[everything + 1]
    listed = everything[~is_bare]
    shown = tuple((_items(published, int(r)), int(published.counts[r])) for r in listed[:rows])
    empty = sum(published.counts[everything[is_bare]].tolist())
    return TextColumn("records", shown, max(0, listed.size - rows), empty, what="ordinary items")


def _items(published: Groups, record: int) -> tuple[str, ...]:
    first, last = int(published.item_offsets[record]), int(published.item_offsets[record + 1])
    names = _terms(published, published.items[first : min(last, first + _TERMS)])
    return names if last - first <= _TERMS else (*names, "…")


def _sensitive(published: Groups, group: int, rows: int, size: int) -> TextColumn:
    first, last = int(published.sensitive_offsets[group]), int(published.sensitive_offsets[group + 1])
    end = min(last, first + rows)
    names, counts = _terms(published, published.sensitive_items[first:end]), published.sensitive_counts[first:end]
    shown = tuple(((name,), count) for name, count in zip(names, counts.tolist(), strict=True))
    return TextColumn("sensitive items", shown, last - end, what="item", of=size, is_delicate=True)


def _terms(published: Groups, items: Ints32) -> tuple[str, ...]:
    return tuple(published.vocabulary.take(items).to_pylist())


def typical_group(published: Groups) -> int:
    """Choose a group with a sensitive item or two, of usual size, with some rows but few, none of them long."""
    rows = published.groups.lengths
    sensitive = published.secrets.lengths
    items = published.groups.over(published.records).lengths
    usual = int(np.sort(published.sizes)[len(published) // 2])
    odd = 400 * (sensitive == 0) + 60 * (abs(published.sizes - usual) > usual // 2)
    odd += 8 * np.minimum(_outside(rows, 3, 10), 20) + 4 * np.minimum(_outside(sensitive, 1, 3), 20)
    odd += 3 * np.minimum(abs(items - 3 * rows), 20) + 6 * (_bare_rows(published) > 0)
    return int(np.argmin(odd))


def _bare_rows(published: Groups) -> Ints64:
    """Count in every group the rows without ordinary items."""
    return published.groups.sums(published.records.lengths == 0)


def _outside(values: Ints64, least: int, most: int) -> Ints64:
    return np.maximum(least - values, 0) + np.maximum(values - most, 0)


def draw_group(published: Groups, group: int, width: int = 80, rows: int = FEW) -> str:
    """Draw one group in at most `width` columns (40 at least), with at most `rows` rows per column.

    Rows that stand side by side do not belong together: which records have a sensitive item is not published.
    """
    width = max(width, LEAST_WIDTH)
    picture = picture_of(published, group, rows)
    lines = [shorten(picture.title, width)]
    for band in bands_of(picture.columns, width):
        lines += draw_band(band, width)
    return "\n".join(line.rstrip() for line in lines)


APART = "Rows side by side do not belong together: which records have a sensitive item is not published."


def opened(published: Groups) -> Groups:
    """Return what has groups: the published data itself."""
    return published


def chosen(published: Groups, first: int) -> list[int]:
    """Return the first groups."""
    return list(range(min(first, len(published))))


def typical(published: Groups) -> list[int]:
    """Return a group that is good to look at."""
    return [typical_group(published)] if len(published) else []


def as_json(published: Groups, group: int) -> dict[str, Any]:
    """Return a group for programs, with all its rows."""
    first, last = (int(published.record_offsets[place]) for place in (group, group + 1))
    ends = published.item_offsets[first : last + 1]
    names = published.vocabulary.take(published.items[ends[0] : ends[-1]]).to_pylist()
    cuts = (ends - ends[0]).tolist()
    counts = published.counts[first:last].tolist()
    return {
        "group": group,
        "size": int(published.sizes[group]),
        "records": [{"terms": names[a:b], "count": n} for a, b, n in zip(cuts, cuts[1:], counts, strict=False)],
        "sensitive": [{"term": term, "count": n} for term, n in published.sensitive_of(group).items()],
    }


def draw(console: Console, published: Groups, groups: list[int], *, full: bool) -> None:
    """Draw groups: records beside sensitive items."""
    for group in groups:
        console.print(coloured(draw_group(published, group, console.width, MANY if full else FEW)))
    if groups:
        console.print(APART)
    if full and published.record_offsets[groups[0] + 1] - published.record_offsets[groups[0]] > MANY:
        console.print("This group has more records than are drawn; the JSON output has them all.")


def left(published: Groups, groups: list[int]) -> str:
    """Say how many groups were not drawn."""
    number = len(published) - len(groups)
    return f"{number:,} more." if number else ""


def line(published: Groups, group: int) -> dict[str, Any]:
    """Return what a list of groups says of one."""
    return {"size": int(published.sizes[group])}


def find(published: Groups, term: str) -> list[int]:
    """Return the groups that have a term, ordinary or secret."""
    number = published.vocabulary.index(term).as_py()
    ordinary = published.groups.over(published.records).owners()[published.items == number]
    secret = published.secrets.owners()[published.sensitive_items == number]
    found: list[int] = np.union1d(ordinary, secret).tolist()
    return found


SHOW = Show(opened, chosen, typical, as_json, draw, left, line=line, picture=picture_of, find=find)
