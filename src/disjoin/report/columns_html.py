"""Columns of rows with counts as small tables of a page, so that nothing looks aligned that is not."""

from __future__ import annotations

from disjoin.escaping import in_html
from disjoin.report.columns import Column
from disjoin.report.lettering import TIMES


def column_html(column: Column) -> str:
    """Return a column as a small table with a caption."""
    has_counts = any(count is not None for _, count in column.rows)
    kind = "" if has_counts and not column.is_delicate else ' class="termchunk"'
    counts = '<th scope="col" class="count">records</th>' if has_counts else ""
    counts += '<th scope="col" class="count">share</th>' if has_counts and column.of > 0 else ""
    head = f'<thead><tr><th scope="col">{column.what if has_counts else "terms"}</th>{counts}</tr></thead>'
    rows = "".join(_row(_terms(terms), count, column.of) for terms, count in column.rows)
    if not has_counts and column.rows:  # a set, not a list of records: in one cell
        rows = _row("".join(_terms(terms) for terms, _ in column.rows), None)
    if column.more:
        rows += _rest(f"… and {column.more:,} more", None)
    if column.empty > 0:
        rows += _rest("nothing", column.empty)
    if not rows:
        rows = _rest("empty", None)
    return f"<table{kind}><caption>{in_html(column.heading)}</caption>{head}<tbody>{rows}</tbody></table>"


def _terms(terms: tuple[str, ...]) -> str:
    return "".join(f"<bdi>{in_html(term)}</bdi>" for term in terms)


def _row(cell: str, count: int | None, of: int = 0) -> str:
    number = "" if count is None else f'<td class="count">{TIMES}{count:,}</td>'
    share = f'<td class="count">{count / of:.1%}</td>' if count is not None and of > 0 else ""
    return f"<tr><td>{cell}</td>{number}{share}</tr>"


def _rest(words: str, count: int | None) -> str:
    return _row(f'<span class="rest">{words}</span>', count)
