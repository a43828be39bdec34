"""HTML report: one page without scripts or external files; what such pages are made of."""

from __future__ import annotations

import re
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
LIMITS = "The guarantee does not cover these attackers and cases."
_FOOTER = (
    "<footer>Every number on this page can be computed from the published tables and the parameters. "
    "<code>report.json</code> has the same facts for programs.</footer>"
)


def render_html(report: Report, pictures: Sequence[Any] = ()) -> str:
    """Return the page with these pictures as examples; equal input gives equal text, and terms are always escaped."""
    form, parts = FORMS[report.form], sections_of(report)
    names = names_of(report.guarantee) if is_proven(report) else ""
    named = f"<span>{in_html(names)}</span>" if names else ""
    kicker = " · ".join(filter(None, ("Release report", in_html(report.method), named)))
    long = ' class="long"' if len(report.sentence) > _LONG else ""
    sections = [
        f'<header class="head">\n<p class="kicker">{kicker}</p>\n{parts["seal"]}\n'
        f"<h1{long}>{in_html(report.sentence)}</h1>\n"
        f"{_ways(report)}\n</header>",
        parts["doubts"],
        _brief(_kept(report), parts["learned"], _rules(report)),
        _guaranteed(report),
        parts["limits"],
        "\n".join(map(form.page.example, pictures)),
        _reading(report),
        form.page.terms(report),
        folded(_contents(report)[0], f"{parts['numbers']}\n{_contents(report)[1]}"),
        folded(*_checks(report)),
        folded("How it was made", _details(report, "h3")),
        _FOOTER,
    ]
    title = f"{'' if is_proven(report) else TITLE + ': '}Release report: {report.counts['records']:,} records"
    return whole_page(title, "\n".join(filter(None, sections)))


_LONG = 110  # characters of a guarantee that gets smaller letters


def _ways(report: Report) -> str:
    """Return links to what the page has further down."""
    found = [("#reading", "code"), ("#limits", "limits")]
    found = [("#guarantee", "the exact guarantee"), *found] if is_proven(report) else found
    links = ", ".join(f'<a href="{to}">{words}</a>' for to, words in found)
    return f'<p class="ways">Further down: {links}.</p>'


def _brief(*parts: str) -> str:
    """Return the first screen below the verdict."""
    shown = "\n".join(filter(None, parts))
    return f'<div class="brief">\n{shown}\n</div>' if shown else ""


def _kept(report: Report) -> str:
    return _sentences("What is kept", map(in_html, FORMS[report.form].kept(report)))


def _rules(report: Report) -> str:
    form = FORMS[report.form]
    rules = (_coded(form.in_words(rule, report)) for rule in form.reading.rules)
    return _sentences("How to read the tables", rules)


def _sentences(title: str, sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{sentence}</li>" for sentence in sentences)
    return f"<section>\n<h2>{title}</h2>\n<ul>{items}</ul>\n</section>" if items else ""


def _guaranteed(report: Report) -> str:
    if not is_proven(report):
        return ""
    exactly = FORMS[report.form].readme.exactly
    names = names_of(report.guarantee)
    known = f"<p>Formally: {in_html(names)}.</p>\n" if names else ""
    return (
        f'<section id="guarantee">\n<h2>What is guaranteed</h2>\n{known}'
        f"<p>More exactly: {_coded(exactly)}</p>\n</section>"
    )


def _coded(words: str) -> str:
    """Return a text of a form as HTML; what is between backticks is code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", in_html(words))


def folded(title: str, body: str) -> str:
    """Return a part of the page that is folded on a screen and unfolded in print."""
    if not body:
        return ""
    return f'<details class="part">\n<summary><h2>{in_html(title)}</h2></summary>\n{body}\n</details>'


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
    return {
        "seal": _seal(report),
        "numbers": f'<dl class="numbers">{_tiles(report)}</dl>',
        "doubts": _doubts(report),
        "contents": _section(*_contents(report)),
        "checks": _section(*_checks(report)),
        "learned": titled_list(
            "What an attacker could still learn",
            form.learned(report),
            after=f'<p class="source">{form.learned_from}</p>\n',
        ),
        "limits": titled_list("Limits", form.limits(report), f"<p>{LIMITS}</p>\n", anchor="limits", is_folded=True),
        "details": _details(report, "h2"),
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
        return f'<p class="seal">{_TICK}<span>Guaranteed by how it was made; its form is verified</span></p>'
    return f'<p class="seal">{_TICK}<span>Verified: the guarantee holds</span></p>'


def _doubts(report: Report) -> str:
    if is_proven(report):
        return ""
    words, missing = in_html(FORMS[report.form].unproven.purpose(report)), shortfalls(report)
    needs = f"<p>What is missing for a proof:</p>\n{checklist(missing, ' doubt')}\n" if missing else ""
    return f"<section>\n<h2>What is not proven</h2>\n<p>{words}</p>\n{needs}</section>"


def _checks(report: Report) -> tuple[str, str]:
    but = "All of this holds" + (", but it is not enough for a proof:" if shortfalls(report) else ":")
    if FORMS[report.form].by_construction and is_proven(report):
        but = f"{BY_CONSTRUCTION} All of this holds:"
    return "What was checked", (
        "<p>An independent verifier counted everything again in the published tables, with none of the code that made "
        f"them. {but}</p>\n{checklist(checks_of(report))}"
    )


def _contents(report: Report) -> tuple[str, str]:
    page = FORMS[report.form].page
    figures = ""
    for figure in page.figures(report):
        chart, notes = figure.chart, "".join(f"<p>{in_html(note)}</p>" for note in figure.notes)
        caption = f"<figcaption>{in_html(chart.title)}</figcaption>"
        figures += f"<figure>{caption}{drawing(chart)}{notes}{table_of(chart)}</figure>"
    return "What the tables contain", f'<p>{page.made_of(report)}</p>\n<div class="charts">{figures}</div>'


def _section(title: str, body: str) -> str:
    return f"<section>\n<h2>{title}</h2>\n{body}\n</section>"


def _details(report: Report, heading: str) -> str:
    form = FORMS[report.form]
    made = {"method": report.method} | {name: setting(value) for name, value in sorted(report.parameters.items())}
    parts = (("Method and settings", made), ("In numbers", form.page.numbers(report)))
    tables = "\n".join(f"<div><{heading}>{title}</{heading}>\n{_facts_table(rows)}</div>" for title, rows in parts)
    return f'<section class="details">\n{tables}\n</section>'


def _facts_table(rows: Mapping[str, int | str]) -> str:
    body = "".join(f'<tr><th scope="row">{in_html(a)}</th><td>{in_html(_shown(b))}</td></tr>' for a, b in rows.items())
    return f'<table class="facts"><tbody>{body}</tbody></table>'


def _reading(report: Report) -> str:
    """Return code that opens the tables; the tests run it."""
    form = FORMS[report.form]
    *most, last = (f"<code>{name}</code>" for name in form.reading.files)
    named = f"{', '.join(most)} and {last} open" if most else f"{last} opens"
    code = (form.in_words(words, report) for words in (form.reading.python, form.reading.sql))
    blocks = "\n".join(
        f"<details><summary>In {name}</summary>\n<pre>{in_html(words, lines=True)}</pre></details>"
        for name, words in zip(("Python", "DuckDB"), code, strict=True)
    )
    return (
        f'<section id="reading">\n<h2>Code to read the tables</h2>\n<p>{named} in anything that reads '
        f"{form.reading.formats}; <code>README.md</code> explains the columns.</p>\n{blocks}\n</section>"
    )


def titled_list(
    title: str,
    rows: Iterable[tuple[str, str]],
    before: str = "",
    after: str = "",
    *,
    anchor: str = "",
    is_folded: bool = False,
) -> str:
    """Return a section that lists texts with titles, which are folded if asked for; nothing if there are none."""
    entry = "<li><details><summary><h3>{}</h3></summary>{}</details></li>" if is_folded else "<li><h3>{}</h3>{}</li>"
    items = "".join(entry.format(in_html(name), in_html(text)) for name, text in rows)
    listed = f'<ul class="limits">{items}</ul>\n'
    named = f' id="{anchor}"' if anchor else ""
    return f"<section{named}>\n<h2>{title}</h2>\n{before}{listed}{after}</section>" if items else ""


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
