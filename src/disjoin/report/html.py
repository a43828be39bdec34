"""HTML report: one page without scripts or external files."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from disjoin.charts.svg import drawing, table_of
from disjoin.forms.form import TITLE, Figure, is_proven
from disjoin.forms.registry import FORMS
from disjoin.model.guarantees import names_of
from disjoin.model.release import Report
from disjoin.report.facts import checks_of, shortfalls
from disjoin.text import BY_CONSTRUCTION, in_html, setting, share_in_words

_TICK = (
    '<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="9" fill="currentColor"/>'
    '<path d="M5.8 10.4l2.9 2.9 5.5-6" fill="none" stroke="var(--soft)" stroke-width="2.2"/></svg>'
)
_MARK = (
    '<svg viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="9" fill="currentColor"/>'
    '<path d="M10 5v6M10 13.6v1.6" fill="none" stroke="var(--warn-soft)" stroke-width="2.2"/></svg>'
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render_html(report: Report, pictures: Sequence[Any] = ()) -> str:
    """Return the page, with these pictures as examples; equal reports and pictures give equal text.

    Terms are text in it, whatever they contain.
    """
    style = files("disjoin.report").joinpath("page.css").read_text(encoding="utf-8")
    sections = [_head(report), _doubts(report), _contents(report)]
    sections += [*(FORMS[report.form].page.example(picture) for picture in pictures)]
    sections += [FORMS[report.form].page.terms(report), _checks(report)]
    sections += [_learned(report), _limits(report), _details(report), _reading(report)]
    title = f"{'' if is_proven(report) else TITLE + ': '}Release report: {_n(report.counts['records'])} records"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n"
        "<body>\n<main>\n" + "\n".join(part for part in sections if part) + "\n"
        "<footer>Every number on this page can be computed from the published tables and the parameters; "
        "the same facts for programs are in <code>report.json</code>.</footer>\n</main>\n</body>\n</html>\n"
    )


def sections_of(report: Report) -> dict[str, str]:
    """Return the parts of the page that another page can show, by name, as HTML."""
    return {
        "seal": _seal(report),
        "numbers": f'<dl class="numbers">{_tiles(report)}</dl>',
        "doubts": _doubts(report),
        "contents": _contents(report),
        "checks": _checks(report),
        "learned": _learned(report),
        "limits": _limits(report),
        "details": _details(report),
    }


def _tiles(report: Report) -> str:
    numbers = FORMS[report.form].page.head(report)
    if report.counts.get("suppressed_records"):
        numbers["records left out"] = _n(report.counts["suppressed_records"])
    numbers |= {entry["title"].lower(): share_in_words(entry) for entry in report.measures.values()}
    return "".join(f"<div><dt>{in_html(name)}</dt><dd>{value}</dd></div>" for name, value in numbers.items())


def _head(report: Report) -> str:
    names = names_of(report.guarantee) if is_proven(report) else ""
    named = f"<span>{in_html(names)}</span>" if names else ""
    kicker = " · ".join(filter(None, ("Release report", in_html(report.method), named)))
    return (
        f'<header>\n<p class="kicker">{kicker}</p>\n'
        f"<h1>{in_html(report.sentence)}</h1>\n"
        f"{_seal(report)}\n"
        f'<dl class="numbers">{_tiles(report)}</dl>\n</header>'
    )


def _seal(report: Report) -> str:
    if not is_proven(report):
        return f'<p class="seal doubt">{_MARK}<span>{TITLE}: for comparison only</span></p>'
    if FORMS[report.form].by_construction:
        return f'<p class="seal">{_TICK}<span>Promised by the way it was made; its form is verified</span></p>'
    return f'<p class="seal">{_TICK}<span>Verified: the promise holds</span></p>'


def _doubts(report: Report) -> str:
    if is_proven(report):
        return ""
    missing = "".join(
        f"<li><abbr>{in_html(name)}</abbr><span>{in_html(words)}</span></li>" for name, words in shortfalls(report)
    )
    needs = f'<p>What stands in the way of a proof:</p>\n<ul class="checks doubt">{missing}</ul>\n'
    words = in_html(FORMS[report.form].unproven.purpose(report))
    return f"<section>\n<h2>What is not proven</h2>\n<p>{words}</p>\n{needs if missing else ''}</section>"


def _checks(report: Report) -> str:
    rows = "".join(
        f"<li><abbr>{in_html(name)}</abbr><span>{in_html(words)}</span></li>" for name, words in checks_of(report)
    )
    but = "All of this holds" + (", and it is not enough for a proof:" if shortfalls(report) else ":")
    if FORMS[report.form].by_construction and is_proven(report):
        but = f"{BY_CONSTRUCTION} All of this holds:"
    return (
        "<section>\n<h2>What was checked</h2>\n<p>The inspector counted everything again, from the published tables, "
        f"with none of the code that made them. {but}</p>\n"
        f'<ul class="checks">{rows}</ul>\n</section>'
    )


def _contents(report: Report) -> str:
    page = FORMS[report.form].page
    figures, words = "".join(_figure(each) for each in page.figures(report)), page.made_of(report)
    return f'<section>\n<h2>What is in it</h2>\n<p>{words}</p>\n<div class="charts">{figures}</div>\n</section>'


def _details(report: Report) -> str:
    return (
        '<section class="details">\n'
        f"<div><h2>How it was made</h2>\n{_table(_parameters(report))}</div>\n"
        f"<div><h2>In numbers</h2>\n{_table(FORMS[report.form].page.numbers(report))}</div>\n</section>"
    )


def _figure(figure: Figure) -> str:
    chart, notes = figure.chart, "".join(f"<p>{in_html(note)}</p>" for note in figure.notes)
    title = in_html(chart.title)
    return f"<figure><figcaption>{title}</figcaption>{drawing(chart)}{notes}{table_of(chart)}</figure>"


def _parameters(report: Report) -> dict[str, str]:
    return {"method": report.method} | {name: setting(value) for name, value in sorted(report.parameters.items())}


def _table(rows: dict[str, str]) -> str:
    body = "".join(f'<tr><th scope="row">{in_html(a)}</th><td>{in_html(b)}</td></tr>' for a, b in rows.items())
    return f'<table class="facts"><tbody>{body}</tbody></table>'


def _learned(report: Report) -> str:
    rows = FORMS[report.form].learned(report)
    items = "".join(f"<li><h3>{in_html(title)}</h3>{in_html(text)}</li>" for title, text in rows)
    if not rows:
        return ""
    return (
        f"<section>\n<h2>What somebody could learn</h2>\n<p>{FORMS[report.form].learned_from}</p>\n"
        f'<ul class="limits">{items}</ul>\n</section>'
    )


def _limits(report: Report) -> str:
    items = "".join(
        f"<li><h3>{in_html(title)}</h3>{in_html(text)}</li>" for title, text in FORMS[report.form].limits(report)
    )
    return (
        "<section>\n<h2>What is not promised</h2>\n<p>Anonymity is always anonymity against somebody. "
        f'This release does not protect against:</p>\n<ul class="limits">{items}</ul>\n</section>'
    )


def _reading(report: Report) -> str:
    reading = FORMS[report.form].reading
    *most, last = (f"<code>{name}</code>" for name in reading.files)
    named = f"{', '.join(most)} and {last} open" if most else f"{last} opens"
    return (
        f"<section>\n<h2>Reading the tables</h2>\n<p>{named} in anything that reads "
        f"{reading.formats}; <code>README.md</code> explains the columns.</p>\n"
        f"<pre>{in_html(reading.python, lines=True)}</pre>\n</section>"
    )


def _n(number: int) -> str:
    return f"{number:,}"
