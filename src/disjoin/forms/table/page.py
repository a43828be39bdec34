"""Sections of report.html about a generalised table."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from disjoin.charts.distribution import range_of
from disjoin.charts.svg import Bar, Chart, histogram, stacks
from disjoin.charts.text_drawing import TIMES, shorten
from disjoin.forms.form import Figure, Numbers, Page, bars_of_shares, example_section, figure, share_bars
from disjoin.forms.table.facts import name, percent, sensitive_in_words, suppressed_in_words
from disjoin.forms.table.pictures import ClassPicture
from disjoin.forms.table.prose import TEXTS
from disjoin.model.release import Report
from disjoin.text import counted, in_html, printable

SHOWN = 12  # bars of a chart
_TITLE = 40


def figures_of(report: Report) -> list[Figure]:
    facts, alpha = report.statistics, report.guarantee.get("alpha")
    quasi, rest = facts["quasi_identifiers"], len(facts["quasi_identifiers"]) - SHOWN
    more = [f"{rest:,} more columns keep as much or more; report.json lists them all."] if rest > 0 else []
    has_intervals = any(entry["kind"] == "intervals" for entry in quasi)
    steps = TEXTS["levels"] + (f" {TEXTS['levels of intervals']}" if has_intervals else "")
    found = [
        *figure(histogram("Rows in a class", facts["class_sizes"], "rows", "classes"), *_about_sizes(report)),
        *figure(kept(quasi), TEXTS["kept"], *more),
        *figure(levels(quasi, report.counts["records"]), steps, *more),
    ]
    for entry in facts["sensitive_columns"][:SHOWN]:
        found += figure(shares(entry, alpha), *_about_shares(entry, report.guarantee))
    return found


def kept(columns: list[dict[str, Any]]) -> Chart | None:
    found = [Bar(entry["column"], entry["granularity"], percent(entry["granularity"])) for entry in most_lost(columns)]
    what = "the granularity that each column keeps"
    return share_bars(
        "What is kept of each column", found, ("column", "granularity kept"), what, longest=_TITLE, until=1.0
    )


def levels(columns: list[dict[str, Any]], rows: int) -> Chart | None:
    shown = most_lost(columns)
    if not shown or not rows:
        return None
    found = []
    for entry in shown:
        is_tree = entry["kind"] == "hierarchy"
        counts = entry["rows_by_level"] if is_tree else [width["rows"] for width in entry["rows_by_width"]]
        parts = tuple(round(count / rows, 6) for count in counts)
        found.append((entry["column"], parts, f"{percent(round(parts[0], 4))} unchanged"))
    words = ", ".join(f"{_short(name)} {text}" for name, _, text in found)
    described = f"Bars of the rows at each level of generalisation: {words}."
    axis, ends = ("column", "share of the rows"), ("unchanged", "any value")
    return stacks("How far values were generalised", found, axis, ends, described)


def shares(entry: dict[str, Any], alpha: str | None) -> Chart | None:
    found = bars_of_shares(entry["worst"], "value")
    what = f"the largest share of a class that has the same {_short(entry['column'])}"
    axis, end = ("value", "share of the rows of a class"), f"; the limit is {alpha}." if alpha else "."
    limit = round(float(Fraction(alpha)), 6) if alpha else None
    title = f"Largest share of a value of {_short(entry['column'])}"
    return share_bars(title, found, axis, what, end=end, longest=_TITLE, limit=limit)


def most_lost(columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the columns in their order; if they are many, those that keep least."""
    worst = sorted(range(len(columns)), key=lambda place: (columns[place]["granularity"], place))[:SHOWN]
    return [columns[place] for place in sorted(worst)]


def _about_sizes(report: Report) -> list[str]:
    k, classes, sizes = report.guarantee.get("k"), report.statistics["classes"], report.statistics["class_sizes"]
    if not sizes["number"]:
        return []
    part = percent(classes["share_in_classes_of_k"])
    least = f" {part} of the rows are in classes of exactly {k}, the smallest allowed size." if k else ""
    return [f"The largest class has {sizes['largest']:,} rows.{least}"]


_OTHER_LIMITS = ("l", "entropy_l", "c", "t", "beta", "delta")


def _about_shares(entry: dict[str, Any], guarantee: Mapping[str, Any]) -> list[str]:
    limits = ", ".join(name for name in _OTHER_LIMITS if guarantee.get(name))
    limit = f"The guarantee limits these shares by {limits}." if limits else "No limit is guaranteed."
    if alpha := guarantee.get("alpha"):
        limit = f"The line is the limit: {alpha}."
    rest = entry["values"] - len(entry["worst"])
    more = [f"{rest:,} more with smaller or equal shares."] if rest > 0 else []
    return [f"Each bar is the class in which the value has the largest share. {limit}", *more]


def _short(name: str) -> str:
    return shorten(printable(name), _TITLE)


_LONGEST = 60  # characters of a value or name


def _head(report: Report) -> Numbers:
    facts = report.statistics
    return {
        "rows": report.counts["records"],
        "columns": report.counts["columns"],
        "classes": facts["classes"]["total"],
        "rows of the smallest class": facts["satisfied"]["k"],
        "granularity kept": percent(facts["granularity"]),
    }


def _numbers(report: Report) -> Numbers:
    facts = report.statistics
    classes, satisfied = facts["classes"], facts["satisfied"]
    rows = {
        "classes": f"{classes['total']:,} of {range_of(facts['class_sizes'], 'row')}",
        "rows in classes of exactly k": classes["rows_in_classes_of_k"],
        "granularity kept": percent(facts["granularity"]),
        "precision": percent(facts["precision"]),
        "largest k that holds": satisfied["k"],
    }
    if "starred" in facts:
        rows["suppressed"] = suppressed_in_words(facts["starred"])
    if "alpha" in satisfied:
        rows["smallest alpha that holds"] = satisfied["alpha"]
        rows["largest l that holds"] = satisfied["l"]
        rows["largest entropy l that holds"] = f"{satisfied['entropy_l']:g}"
    return rows | {name(entry): sensitive_in_words(entry) for entry in facts["sensitive_columns"]}


def example_html(picture: ClassPicture) -> str:
    shared = "".join(
        f'<tr><th scope="row">{_text(column)}</th><td>{_value(value)}</td></tr>' for column, value in picture.shared
    )
    chunks = f"<table><caption>Shared by all rows</caption><tbody>{shared}</tbody></table>{_rows(picture)}"
    left = f"<p>{counted(picture.more_columns, 'column')} not shown.</p>" if picture.more_columns else ""
    return example_section("What a class looks like", TEXTS["example"], picture.title.capitalize(), chunks, left)


def _rows(picture: ClassPicture) -> str:
    if not picture.columns:
        return ""
    head = "".join(f'<th scope="col">{_text(column)}</th>' for column in picture.columns)
    body = "".join(_row(picture, values, count) for values, count in picture.rows)
    if picture.more_rows:
        wide = len(picture.columns) + 1
        body += f'<tr><td colspan="{wide}"><span class="rest">… and {picture.more_rows:,} more</span></td></tr>'
    return (
        '<div class="wide"><table><caption>Different between rows</caption>'
        f'<thead><tr>{head}<th scope="col" class="count">rows</th></tr></thead><tbody>{body}</tbody></table></div>'
    )


SECRET = ' class="termchunk"'


def _row(picture: ClassPicture, values: tuple[str, ...], count: int) -> str:
    cells = "".join(
        f"<td{SECRET if secret else ''}>{_value(value)}</td>"
        for value, secret in zip(values, picture.sensitive, strict=True)
    )
    return f'<tr>{cells}<td class="count">{TIMES}{count:,}</td></tr>'


def _value(value: str) -> str:
    return f"<bdi>{_text(value)}</bdi>"


def _text(words: str) -> str:
    return in_html(shorten(printable(words), _LONGEST))


PAGE = Page(_head, lambda report: TEXTS["made of"], figures_of, example_html, _numbers)
