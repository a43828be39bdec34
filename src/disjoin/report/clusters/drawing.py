"""A cluster drawn with characters: chunks side by side, then the term chunk."""

from __future__ import annotations

from disjoin.model.clusters import Clusters
from disjoin.report.clusters.picture import Detail, Picture, picture_of
from disjoin.report.columns import LEAST_WIDTH, bands_of, draw_band
from disjoin.report.lettering import shorten

_NAMED = 8  # clusters that are not drawn but numbered


def draw_cluster(published: Clusters, node: int, width: int = 80, detail: Detail | None = None) -> str:
    """Draw one node with everything below it in at most `width` columns.

    Rows that stand side by side do not belong together: only the rows of one column are about the same chunk.
    """
    return draw_picture(picture_of(published, node, detail or Detail()), width)


def draw_picture(picture: Picture, width: int = 80) -> str:
    """Draw a picture in at most `width` columns (40 at least)."""
    return "\n".join(line.rstrip() for line in _lines(picture, max(width, LEAST_WIDTH)))


def _lines(picture: Picture, width: int) -> list[str]:
    lines = [shorten(picture.title, width)]
    for band in bands_of(picture.columns, width):
        lines += draw_band(band, width)
    if picture.more_columns:
        lines.append(f"… and {_number(picture.more_columns, 'more chunk')}")
    indent = 2 if width - 2 >= LEAST_WIDTH else 0
    for child in picture.children:
        lines += [" " * indent + line for line in _lines(child, width - indent)]
    if picture.hidden_children:
        lines.append(shorten(f"{' ' * indent}{_hidden(picture)}", width))
    return lines


def _hidden(picture: Picture) -> str:
    """Say how many clusters are not drawn, and the numbers by which the first of them can be asked for."""
    numbers = picture.hidden_children
    named = ", ".join(str(node) for node in numbers[:_NAMED]) + (", …" if len(numbers) > _NAMED else "")
    return f"… and {_number(len(numbers), 'more cluster')} in it: {named}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' if count != 1 else ''}"
