"""A cluster drawn for a page: one small table a chunk, so that nothing looks aligned that is not."""

from __future__ import annotations

from html import escape

from disjoin.report.lettering import TIMES, visible
from disjoin.report.picture import Column, Picture


def cluster_html(picture: Picture) -> str:
    """Return a cluster, and the clusters in it, as nested blocks."""
    chunks = "".join(_chunk(column) for column in picture.columns)
    more = f'<p class="rest">… and {picture.more_columns:,} more chunks</p>' if picture.more_columns else ""
    inside = "".join(cluster_html(child) for child in picture.children)
    hidden = f'<p class="rest">… and {picture.more_children:,} more clusters in it</p>' if picture.more_children else ""
    return (
        f'<div class="card cluster"><h3>{escape(picture.title.capitalize())}</h3>'
        f'<div class="chunks">{chunks}</div>{more}{inside}{hidden}</div>'
    )


def _chunk(column: Column) -> str:
    has_counts = any(count is not None for _, count in column.rows)
    kind = "" if has_counts else ' class="termchunk"'
    counts = '<th scope="col" class="count">records</th>' if has_counts else ""
    head = f'<thead><tr><th scope="col">{"subrecord" if has_counts else "terms"}</th>{counts}</tr></thead>'
    rows = "".join(_row(_terms(terms), count) for terms, count in column.rows)
    if not has_counts and column.rows:  # a set, not a list of records: in one cell
        rows = _row("".join(_terms(terms) for terms, _ in column.rows), None)
    if column.more:
        rows += _rest(f"… and {column.more:,} more", None)
    if column.empty > 0:
        rows += _rest("nothing", column.empty)
    if not rows:
        rows = _rest("empty", None)
    return f"<table{kind}><caption>{escape(column.heading)}</caption>{head}<tbody>{rows}</tbody></table>"


def _terms(terms: tuple[str, ...]) -> str:
    return "".join(f"<bdi>{escape(visible(term))}</bdi>" for term in terms)


def _row(cell: str, count: int | None) -> str:
    number = "" if count is None else f'<td class="count">{TIMES}{count:,}</td>'
    return f"<tr><td>{cell}</td>{number}</tr>"


def _rest(words: str, count: int | None) -> str:
    return _row(f'<span class="rest">{words}</span>', count)
