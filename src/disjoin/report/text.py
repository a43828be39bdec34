"""How pictures of what is published look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disjoin.report.clusters.drawing import draw_cluster, draw_picture
from disjoin.report.groups.drawing import draw_group
from disjoin.report.items.drawing import draw_node
from disjoin.report.lettering import TIMES
from disjoin.report.noisy.drawing import draw_row, draw_rows
from disjoin.report.table.drawing import draw_class

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["coloured", "draw_class", "draw_cluster", "draw_group", "draw_node", "draw_picture", "draw_row", "draw_rows"]


def coloured(drawing: str) -> Text:
    """Return a drawing for rich: frames and counts step back, terms stand out; markup in terms has no effect."""
    from rich.text import Text

    text = Text(drawing, no_wrap=True, overflow="crop")
    text.highlight_regex(r"[╭╮╰╯│─┬┴├┆]+", "dim")
    text.highlight_regex(TIMES + r"[\d,]+(?= )", "cyan")
    text.highlight_regex(r"(?m)^ *((joint )?cluster|group|class|category|term|row) \d+: .*$", "bold")
    text.highlight_regex(r"\(nothing\)|… and [\d,]+ more[a-z ]*", "dim italic")
    return text
