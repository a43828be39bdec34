"""HTML report: one page without scripts or external files; what such pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from disjoin.charts.svg import drawing, table_of
from disjoin.forms.form import TITLE, is_proven
from disjoin.forms.registry import FORMS
from disjoin.model.guarantees import names_of
from disjoin.model.release import Report
from disjoin.report.facts import checks_of, shortfalls
from disjoin.text import BY_CONSTRUCTION, in_html, setting, share_in_words

_SIGN = (
    '<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="9" fill="currentColor"/>'
    '<path d="{}" fill="none" stroke="var(--{})" stroke-width="2.2"/></svg>'
)
_TICK = _SIGN.format("M5.8 10.4l2.9 2.9 5.5-6", "soft")
_MARK = _SIGN.format("M10 5v6M10 13.6v1.6", "warn-soft")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_FOOTER = (
    "<footer>Every number on this page can be computed from the published tables and the parameters; "
    "the same facts for programs are in <code>report.json</code>.</footer>"
)


def render_html(report: Report, pictures: Sequence[Any] = ()) -> str:
    """Return the page with these pictures as examples; equal input gives equal text, and terms are always escaped."""
    parts, page = sections_of(report), FORMS[report.form].page
    names = names_of(report.guarantee) if is_proven(report) else ""
    named = f"<span>{in_html(names)}</span>" if names else ""
    kicker = " · ".join(filter(None, ("Release report", in_html(report.method), named)))
    sections = [
        f'<header>\n<p class="kicker">{kicker}</p>\n<h1>{in_html(report.sentence)}</h1>\n'
        f"{parts['seal']}\n{parts['numbers']}\n</header>",
        parts["doubts"],
        parts["contents"],
        *map(page.example, pictures),
        page.terms(report),
        *(parts[name] for name in ("checks", "learned", "limits", "details")),
        _reading(report),
        _FOOTER,
    ]
    title = f"{'' if is_proven(report) else TITLE + ': '}Release report: {report.counts['records']:,} records"
    return whole_page(title, "\n".join(filter(None, sections)))


def whole_page(title: str, body: str, *styles: str) -> str:
    """Return a page with the style of reports and those in the files named; `body` is HTML."""
    package = files("disjoin.report")
    looks = "".join(package.joinpath(style).read_text(encoding="utf-8") for style in ("page.css", *styles))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{looks}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def sections_of(report: Report) -> dict[str, str]:
    form = FORMS[report.form]
    made = {"method": report.method} | {name: setting(value) for name, value in sorted(report.parameters.items())}
    return {
        "seal": _seal(report),
        "numbers": f'<dl class="numbers">{_tiles(report)}</dl>',
        "doubts": _doubts(report),
        "contents": _contents(report),
        "checks": _checks(report),
        "learned": titled_list("What somebody could learn", form.learned(report), f"<p>{form.learned_from}</p>\n"),
        "limits": titled_list(
            "What is not promised",
            form.limits(report),
            "<p>Anonymity is always anonymity against somebody. This release does not protect against:</p>\n",
        ),
        "details": '<section class="details">\n'
        f"<div><h2>How it was made</h2>\n{_facts_table(made)}</div>\n"
        f"<div><h2>In numbers</h2>\n{_facts_table(form.page.numbers(report))}</div>\n</section>",
    }


def _tiles(report: Report) -> str:
    numbers = dict(FORMS[report.form].page.head(report))
    if report.counts.get("suppressed_records"):
        numbers["records left out"] = report.counts["suppressed_records"]
    numbers |= {entry["title"].lower(): share_in_words(entry) for entry in report.measures.values()}
    return "".join(f"<div><dt>{in_html(name)}</dt><dd>{_shown(value)}</dd></div>" for name, value in numbers.items())


def _shown(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value


def _seal(report: Report) -> str:
    if not is_proven(report):
        return f'<p class="seal doubt">{_MARK}<span>{TITLE}: for comparison only</span></p>'
    if FORMS[report.form].by_construction:
        return f'<p class="seal">{_TICK}<span>Promised by the way it was made; its form is verified</span></p>'
    return f'<p class="seal">{_TICK}<span>Verified: the promise holds</span></p>'


def _doubts(report: Report) -> str:
    if is_proven(report):
        return ""
    words, missing = in_html(FORMS[report.form].unproven.purpose(report)), shortfalls(report)
    needs = f"<p>What stands in the way of a proof:</p>\n{checklist(missing, ' doubt')}\n" if missing else ""
    return f"<section>\n<h2>What is not proven</h2>\n<p>{words}</p>\n{needs}</section>"


def _checks(report: Report) -> str:
    but = "All of this holds" + (", and it is not enough for a proof:" if shortfalls(report) else ":")
    if FORMS[report.form].by_construction and is_proven(report):
        but = f"{BY_CONSTRUCTION} All of this holds:"
    return (
        "<section>\n<h2>What was checked</h2>\n<p>The inspector counted everything again, from the published tables, "
        f"with none of the code that made them. {but}</p>\n{checklist(checks_of(report))}\n</section>"
    )


def _contents(report: Report) -> str:
    page = FORMS[report.form].page
    figures = ""
    for figure in page.figures(report):
        chart, notes = figure.chart, "".join(f"<p>{in_html(note)}</p>" for note in figure.notes)
        caption = f"<figcaption>{in_html(chart.title)}</figcaption>"
        figures += f"<figure>{caption}{drawing(chart)}{notes}{table_of(chart)}</figure>"
    words = page.made_of(report)
    return f'<section>\n<h2>What is in it</h2>\n<p>{words}</p>\n<div class="charts">{figures}</div>\n</section>'


def _facts_table(rows: Mapping[str, int | str]) -> str:
    body = "".join(f'<tr><th scope="row">{in_html(a)}</th><td>{in_html(_shown(b))}</td></tr>' for a, b in rows.items())
    return f'<table class="facts"><tbody>{body}</tbody></table>'


def _reading(report: Report) -> str:
    reading = FORMS[report.form].reading
    *most, last = (f"<code>{name}</code>" for name in reading.files)
    named = f"{', '.join(most)} and {last} open" if most else f"{last} opens"
    return (
        f"<section>\n<h2>Reading the tables</h2>\n<p>{named} in anything that reads "
        f"{reading.formats}; <code>README.md</code> explains the columns.</p>\n"
        f"<pre>{in_html(reading.python, lines=True)}</pre>\n</section>"
    )


def titled_list(title: str, rows: Iterable[tuple[str, str]], before: str = "") -> str:
    """Return a section that lists texts with titles; nothing if there are none."""
    items = "".join(f"<li><h3>{in_html(name)}</h3>{in_html(text)}</li>" for name, text in rows)
    listed = f'<ul class="limits">{items}</ul>'
    return f"<section>\n<h2>{title}</h2>\n{before}{listed}\n</section>" if items else ""


def checklist(rows: Iterable[tuple[str, str]], looks: str = "") -> str:
    items = "".join(f"<li><abbr>{in_html(name)}</abbr><span>{in_html(words)}</span></li>" for name, words in rows)
    return f'<ul class="checks{looks}">{items}</ul>'


def section(title: str, *parts: str) -> str:
    return f"<section>\n<h2>{in_html(title)}</h2>\n" + "\n".join(filter(None, parts)) + "\n</section>"


def paragraphs(*sentences: str) -> str:
    return "\n".join(f"<p>{in_html(sentence)}</p>" for sentence in sentences if sentence)


def rows_table(head: Sequence[str], rows: Sequence[Sequence[str]], marked: int | None = None) -> str:
    titles = "".join(f'<th scope="col">{in_html(cell)}</th>' for cell in head)
    lines = "".join(
        f"<tr{' class=advised' if number == marked else ''}>{''.join(f'<td>{in_html(cell)}</td>' for cell in row)}</tr>"
        for number, row in enumerate(rows)
    )
    table = f'<table class="rows"><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>'
    return f'<div class="scroll">{table}</div>'
