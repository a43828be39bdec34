"""A published node drawn with characters: its branch of the hierarchy, then records that have it."""

from __future__ import annotations

from disjoin.escaping import legible
from disjoin.report.columns import LEAST_WIDTH, draw_band
from disjoin.report.items.cut import Cut
from disjoin.report.items.picture import FEW, NodePicture, Twig, picture_of
from disjoin.report.items.tree import Tree
from disjoin.report.lettering import TIMES, padded, shorten
from disjoin.report.words import counted

PUBLISHED, HIDDEN, LOWER = "●", "┆", "○"
_WIDEST = 64  # a line that a name and its count share


def draw_node(cut: Cut, tree: Tree, node: int, width: int = 80, rows: int = FEW) -> str:
    """Draw one published node in at most `width` columns (40 at least), with at most `rows` terms and records.

    What is published has a full dot. Terms below a dotted line are not told apart.
    """
    width = max(width, LEAST_WIDTH)
    picture = picture_of(cut, tree, node, rows)
    lines = [shorten(picture.title, width), *_branch(picture, width)]
    if picture.records.rows:
        lines += draw_band([picture.records], width)
    return "\n".join(line.rstrip() for line in lines)


def _branch(picture: NodePicture, width: int) -> list[str]:
    """Return the path from the root, what is right below its end, and the terms behind the node itself."""
    lines = [shorten("  " * depth + legible(name), width) for depth, name in enumerate(picture.path)]
    margin = "  " * max(0, len(picture.path) - 1)
    for place, twig in enumerate(picture.twigs):
        is_last = place == len(picture.twigs) - 1 and not picture.more_twigs
        fork, beside = ("╰─ ", "   ") if is_last else ("├─ ", "│  ")
        if not picture.path:
            fork = beside = ""
        lines.append(_line(margin + fork, twig, width))
        if twig.name == picture.name:
            lines += [shorten(f"{margin}{beside}  {HIDDEN} {text}", width) for text in _hidden(picture)]
    if picture.more_twigs:
        lines.append(f"{margin}╰─ … and {picture.more_twigs:,} more")
    return lines


def _line(before: str, twig: Twig, width: int) -> str:
    if twig.records is None:
        return shorten(
            f"{before}{LOWER} {legible(twig.name)}: {counted(twig.terms, 'term')}, published further down", width
        )
    count = f" {TIMES}{twig.records:,}"
    room = min(width, _WIDEST) - len(count)
    return padded(shorten(f"{before}{PUBLISHED} {legible(twig.name)}", room), room) + count


def _hidden(picture: NodePicture) -> list[str]:
    more = [f"… and {picture.more_terms:,} more"] if picture.more_terms else []
    return [*(legible(term) for term in picture.terms), *more]
