"""What `disjoin inspect` found as one private page: its text part by part, and what each piece of knowledge tells."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from disjoin.escaping import in_html

WARNING = "Private: not to be published. It holds facts about the original."
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
.private-page { border: 3px solid var(--warn); background: var(--warn-soft); color: var(--warn); padding: .7rem 1.1rem; border-radius: 10px; font-weight: 650; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .86rem; line-height: 1.35; }
.rows { width: 100%; } .rows th, .rows td { text-align: left; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
@media print { section { break-inside: avoid-page; } }
"""  # noqa: E501 - a style is read by lines
Cells = Sequence[Sequence[str]]
_SHOWN = 40  # rows of the table; --json has all


def inspection_page(text: str, known: list[dict[str, Any]], name: str) -> str:
    """Return the page; what strangers wrote is text in it."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    about = f"<p>Of <bdi>{in_html(name)}</bdi>.</p>\n" if name else ""
    shown = "\n".join(f"<section><pre>{in_html(part, lines=True)}</pre></section>" for part in parts)
    head = f'<p class="private-page">{WARNING}</p>\n<h1>Whom a little knowledge singles out</h1>\n{about}'
    return private_page("Inspection (private)", f"{head}{shown}\n{_table(known)}")


def private_page(title: str, body: str, style: str = "") -> str:
    """Return a whole page that loads nothing, in the looks of a report."""
    looks = files("disjoin.report").joinpath("page.css").read_text(encoding="utf-8") + _STYLE + style
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{looks}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """Return a section with a heading."""
    return f"<section>\n<h2>{in_html(title)}</h2>\n" + "\n".join(part for part in parts if part) + "\n</section>"


def paragraphs(*sentences: str) -> str:
    """Return sentences, each a paragraph."""
    return "\n".join(f"<p>{in_html(sentence)}</p>" for sentence in sentences if sentence)


def rows_table(head: Sequence[str], rows: Cells, marked: int | None = None) -> str:
    """Return a table with a heading for every column; one row may be marked."""
    titles = "".join(f'<th scope="col">{in_html(cell)}</th>' for cell in head)
    lines = "".join(
        f"<tr{' class=advised' if number == marked else ''}>{''.join(f'<td>{in_html(cell)}</td>' for cell in row)}</tr>"
        for number, row in enumerate(rows)
    )
    table = f'<table class="rows"><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>'
    return f'<div class="scroll">{table}</div>'


def _table(known: list[dict[str, Any]]) -> str:
    """Return what each number of known terms, or set of known columns, singles out."""
    if not known:
        return ""
    titles = [title for title in known[0] if not isinstance(known[0][title], dict)]
    head = "".join(f"<th>{in_html(title.replace('_', ' '))}</th>" for title in titles)
    rows = "".join(
        "<tr>" + "".join(f"<td>{in_html(_cell(row.get(title)))}</td>" for title in titles) + "</tr>\n"
        for row in known[:_SHOWN]
    )
    more = f"<p>{len(known) - _SHOWN:,} more are in the JSON.</p>\n" if len(known) > _SHOWN else ""
    table = f'<table class="rows"><thead><tr>{head}</tr></thead>\n{rows}</table>\n'
    return f"<section><h2>Piece by piece</h2>\n{table}{more}</section>\n"


def _cell(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    return (
        "" if value is None else f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    )
