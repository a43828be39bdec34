"""The parts of report.html that tell of a table."""

from __future__ import annotations

from disjoin.escaping import in_html, legible
from disjoin.model.report import Report
from disjoin.report.distribution import range_of
from disjoin.report.form import Page
from disjoin.report.lettering import TIMES, shorten
from disjoin.report.table.charts import figures_of
from disjoin.report.table.picture import ClassPicture
from disjoin.report.table.summary import name, percent, told
from disjoin.report.words import counted

MADE_OF = (
    "Every row is a record. Its quasi-identifiers, what somebody may know of a person, say less than they did: a value "
    "stands for several, so that rows become equal there. Rows that are equal in all of them form a class. Which rows "
    "were put together was decided row by row, so the same value may be generalised in one class and not in another. "
    "All other columns are as they were."
)
EXAMPLE = (
    "First comes what all rows of a class have in common, then what tells them apart, with how many rows are equal. "
    "Whoever knows the former of a person finds this class, and not which of its rows is theirs."
)

_LONGEST = 60  # characters of a value or name


def _head(report: Report) -> dict[str, str]:
    facts = report.statistics
    return {
        "rows": f"{report.counts['records']:,}",
        "columns": f"{report.counts['columns']:,}",
        "classes": f"{facts['classes']['total']:,}",
        "rows of the smallest class": f"{facts['satisfied']['k']:,}",
        "granularity kept": percent(facts["granularity"]),
    }


def _made_of(report: Report) -> str:
    return MADE_OF


def _numbers(report: Report) -> dict[str, str]:
    facts = report.statistics
    classes, satisfied = facts["classes"], facts["satisfied"]
    rows = {
        "classes": f"{classes['total']:,} of {range_of(facts['class_sizes'], 'row')}",
        "rows in classes of exactly k": f"{classes['rows_in_classes_of_k']:,}",
        "granularity kept": percent(facts["granularity"]),
        "precision": percent(facts["precision"]),
        "largest k that holds": f"{satisfied['k']:,}",
    }
    if "alpha" in satisfied:
        rows["smallest alpha that holds"] = satisfied["alpha"]
        rows["largest l that holds"] = f"{satisfied['l']:,}"
        rows["largest entropy l that holds"] = f"{satisfied['entropy_l']:g}"
    return rows | {name(entry): told(entry) for entry in facts["sensitive_columns"]}


def example_html(picture: ClassPicture) -> str:
    """Return a section that shows a class and says how to read it."""
    return (
        f"<section>\n<h2>What a class looks like</h2>\n<p>{EXAMPLE}</p>\n"
        f'<div class="card cluster"><h3>{in_html(picture.title.capitalize())}</h3>'
        f'<div class="chunks">{_shared(picture)}{_rows(picture)}</div>{_left_out(picture)}</div>\n</section>'
    )


def _shared(picture: ClassPicture) -> str:
    rows = "".join(
        f'<tr><th scope="row">{_text(column)}</th><td>{_value(value)}</td></tr>' for column, value in picture.shared
    )
    return f"<table><caption>What all its rows have</caption><tbody>{rows}</tbody></table>"


def _rows(picture: ClassPicture) -> str:
    if not picture.columns:
        return ""
    head = "".join(f'<th scope="col">{_text(column)}</th>' for column in picture.columns)
    body = "".join(_row(picture, values, count) for values, count in picture.rows)
    if picture.more_rows:
        wide = len(picture.columns) + 1
        body += f'<tr><td colspan="{wide}"><span class="rest">… and {picture.more_rows:,} more</span></td></tr>'
    return (
        '<div class="wide"><table><caption>What tells its rows apart</caption>'
        f'<thead><tr>{head}<th scope="col" class="count">rows</th></tr></thead><tbody>{body}</tbody></table></div>'
    )


def _row(picture: ClassPicture, values: tuple[str, ...], count: int) -> str:
    cells = "".join(
        f'<td class="termchunk">{_value(value)}</td>' if secret else f"<td>{_value(value)}</td>"
        for value, secret in zip(values, picture.sensitive, strict=True)
    )
    return f'<tr>{cells}<td class="count">{TIMES}{count:,}</td></tr>'


def _left_out(picture: ClassPicture) -> str:
    return f"<p>{counted(picture.more_columns, 'column')} not shown.</p>" if picture.more_columns else ""


def _value(value: str) -> str:
    return f"<bdi>{_text(value)}</bdi>"


def _text(words: str) -> str:
    return in_html(shorten(legible(words), _LONGEST))


PAGE = Page(head=_head, made_of=_made_of, figures=figures_of, example=example_html, numbers=_numbers)
