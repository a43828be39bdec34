"""A group drawn with characters: its records, and beside them its sensitive items."""

from __future__ import annotations

from disjoin.model.groups import Groups
from disjoin.report.columns import LEAST_WIDTH, bands_of, draw_band
from disjoin.report.groups.picture import FEW, picture_of
from disjoin.report.lettering import shorten


def draw_group(published: Groups, group: int, width: int = 80, rows: int = FEW) -> str:
    """Draw one group in at most `width` columns (40 at least), with at most `rows` rows a column.

    Rows that stand side by side do not belong together: which records have a sensitive item is not published.
    """
    width = max(width, LEAST_WIDTH)
    picture = picture_of(published, group, rows)
    lines = [shorten(picture.title, width)]
    for band in bands_of(picture.columns, width):
        lines += draw_band(band, width)
    return "\n".join(line.rstrip() for line in lines)
