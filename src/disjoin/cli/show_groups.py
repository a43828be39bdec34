"""How `disjoin show` draws groups, or writes them for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.report.groups.picture import FEW, MANY
from disjoin.report.groups.typical import typical_group
from disjoin.report.text import coloured, draw_group

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model import Groups

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
        console.print("This group has more records than are drawn; --json writes them all.")


def left(published: Groups, groups: list[int]) -> str:
    """Say how many groups were not drawn."""
    number = len(published) - len(groups)
    return (
        f"{number:,} more. Show one with --group N, more with --first N, a good one with --typical." if number else ""
    )
