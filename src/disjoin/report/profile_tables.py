"""Profile of a raw table: contents and uniqueness by columns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Any

import numpy as np

from disjoin.attack.population import PopulationRisk
from disjoin.attack.table_risk import ColumnCloseness, Exposure, PeopleRisk, TableRisk
from disjoin.charts.text_drawing import padded, shorten
from disjoin.text import counted, in_html, printable

SHOWN = 10  # sets of columns on the screen; JSON has all
THRESHOLDS = (Fraction(1, 20), Fraction(9, 100), Fraction(1, 5), Fraction(33, 100))  # as release policies use them
_NAMES = 44
_WORST_FOR_PEOPLE = 3  # sets of columns that the part about people shows
_BINS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)  # the least sizes


def table_inspection(risk: TableRisk) -> dict[str, Any]:
    """Return the facts; they are about raw data, so they are not for publishing."""
    facts = _about_rows(risk)
    return facts if risk.people is None else facts | {"people": _about_people(risk.people)}


def _about_people(people: PeopleRisk) -> dict[str, Any]:
    known = [{"columns": list(one.columns), "alone": one.alone, "fewest": one.fewest} for one in people.known]
    whole = people.whole
    return {
        "column": people.column,
        "number": whole.people,
        "alone": whole.alone,
        "alone_share": float(whole.alone_share),
        "k": people.k,
        "known_columns": known,
    }


def _about_rows(risk: TableRisk) -> dict[str, Any]:
    return {
        "rows": risk.whole.rows,
        "columns": risk.columns,
        "quasi": list(risk.whole.columns),
        "classes": {
            "number": risk.whole.classes,
            "smallest": risk.whole.smallest,
            "median": float(np.median(risk.sizes)),
            "largest": int(risk.sizes[-1]),
            "histogram": _histogram(risk),
        },
        "unique_rows": risk.whole.unique_rows,
        "mean_risk": float(risk.whole.mean_risk),
        "k": risk.k,
        "sensitive": [
            {"column": one.column, "l": one.l, "entropy_l": round(one.entropy_l, 6), "alpha": str(one.alpha)}
            | _closeness(one.closeness)
            for one in risk.diversity
        ],
        "risk": {
            "prosecutor": {
                "highest": float(Fraction(1, risk.k)),
                "mean": float(risk.whole.mean_risk),
                "rows_above": {str(float(limit)): float(risk.share_above(limit)) for limit in THRESHOLDS},
            },
            "journalist": {"highest_at_most": float(Fraction(1, risk.k))},
            "marketer": {"mean_at_most": float(risk.whole.mean_risk)},
        },
        "known_columns": [_exposure(one) for one in risk.known],
        "without": [
            {"column": name, "unique_rows": one.unique_rows, "mean_risk": float(one.mean_risk), "k": one.smallest}
            for name, one in zip(risk.whole.columns, risk.without, strict=False)
        ],
    }


def _closeness(found: ColumnCloseness) -> dict[str, Any]:
    """Return the least limits that hold; fractions as text, what no limit would do as null."""
    return {
        "t": str(found.t),
        "t_ordered": None if found.t_ordered is None else str(found.t_ordered),
        "t_hierarchical": None if found.t_hierarchical is None else str(found.t_hierarchical),
        "beta": str(found.beta),
        "delta": None if found.delta is None else round(found.delta, 6),
        "c": None if found.c is None else str(found.c),
    }


def _exposure(one: Exposure) -> dict[str, Any]:
    return {
        "columns": list(one.columns),
        "unique_rows": one.unique_rows,
        "unique_share": float(one.unique_share),
        "classes": one.classes,
        "mean_risk": float(one.mean_risk),
    }


def _histogram(risk: TableRisk) -> list[dict[str, Any]]:
    """Count classes and their rows by size; the last bin has no end."""
    found = []
    for least, following in zip(_BINS, (*_BINS[1:], None), strict=True):
        here = risk.sizes[(risk.sizes >= least) & (risk.sizes < (following or risk.sizes[-1] + 1))]
        if here.size:
            most = None if following is None else following - 1
            found.append({"least": least, "most": most, "classes": int(here.size), "rows": int(here.sum())})
    return found


def table_inspection_text(facts: dict[str, Any]) -> str:
    """Return the facts for people."""
    lines = [
        f"{counted(facts['rows'], 'row')}, {counted(facts['columns'], 'column')}; quasi-identifiers: "
        f"{_listed(facts['quasi'])}",
        *_people(facts),
        *("", *_classes(facts), "", *_risk(facts["risk"]), "", *_outside(facts), *_already(facts), "", *_known(facts)),
    ]
    if facts["without"]:
        lines += ["", *_without(facts)]
    return "\n".join(lines)


def _people(facts: dict[str, Any]) -> list[str]:
    """Say first how many people are singled out, if people have several rows."""
    people = facts.get("people")
    if people is None:
        return []
    name, rows = printable(people["column"]), facts["rows"]
    lines = [
        "",
        f"People, not rows: {counted(people['number'], 'person', 'people')} ({name}) have these {rows:,} rows",
        f"  alone: {counted(people['alone'], 'person', 'people')} ({people['alone_share']:.1%}) have a row that nobody "
        "else's equals in all quasi-identifiers",
    ]
    singles = [one for one in people["known_columns"] if len(one["columns"]) < len(facts["quasi"])]
    for one in sorted(singles, key=lambda one: (-one["alone"], len(one["columns"])))[:_WORST_FOR_PEOPLE]:
        share = one["alone"] / people["number"]
        lines.append(f"  anyone who knows {_listed(one['columns'])} finds {one['alone']:,} of them alone ({share:.1%})")
    if people["k"] < facts["k"]:
        lines.append(
            f"  counted in people, this file is {people['k']:,}-anonymous at most "
            f"(with person = {name}, `disjoin generalize` counts people)"
        )
    return [*lines, "", "What follows counts rows."]


def _classes(facts: dict[str, Any]) -> list[str]:
    """Say how large the classes of equal rows are."""
    classes, rows = facts["classes"], facts["rows"]
    lines = [
        "Classes of rows that are equal in all quasi-identifiers",
        f"  {counted(classes['number'], 'class', 'classes')}: the smallest has {counted(classes['smallest'], 'row')}, "
        f"the median {classes['median']:g}, the largest {classes['largest']:,}",
        f"  alone in theirs: {counted(facts['unique_rows'], 'row')} ({facts['unique_rows'] / rows:.1%})",
        f"  {'rows of a class':<18} {'classes':>10} {'rows':>10}",
    ]
    for one in classes["histogram"]:
        size = f"{one['least']:,} or more" if one["most"] is None else _range(one["least"], one["most"])
        bar = "█" * max(1, round(24 * one["rows"] / rows))
        lines.append(f"  {size:<18} {one['classes']:>10,} {one['rows']:>10,}  {one['rows'] / rows:6.1%}  {bar}")
    return lines


def _risk(risk: dict[str, Any]) -> list[str]:
    """Say the risk under the names that release policies use."""
    one = risk["prosecutor"]
    above = ", ".join(f"{share:.1%} of the rows above {limit}" for limit, share in one["rows_above"].items())
    return [
        "Risk to be found by anyone who knows all quasi-identifiers",
        f"  prosecutor, who knows that somebody is in the file: {one['highest']:.3g} at most, {one['mean']:.3g} on "
        "average",
        f"    {above}",
        f"  journalist, who does not know it: {risk['journalist']['highest_at_most']:.3g} at most, or less, as others "
        "outside the file may be alike",
        f"  marketer, who wants many: {risk['marketer']['mean_at_most']:.1%} of the rows at most are found",
    ]


def population_facts(found: PopulationRisk) -> dict[str, Any]:
    """Return the facts about a table beside its population; shares as fractions in text."""
    return {
        "people": found.people,
        "k_map": found.k_map,
        "presence": [str(found.least_presence), str(found.most_presence)],
        "journalist": {"highest": float(found.journalist)},
        "marketer": {"mean": float(found.marketer)},
    }


def _outside(facts: dict[str, Any]) -> list[str]:
    """Say what people outside the file add."""
    lines = []
    if "population" in facts:
        found = facts["population"]
        low, high = (float(Fraction(share)) for share in found["presence"])
        lines += [
            f"Beside the population of {found['people']:,} people",
            f"  k-map: every row is equal to at least {found['k_map']:,} of them",
            f"  delta-presence: anybody of them is in the file with a chance of {low:.4g} to {high:.4g}",
            f"  journalist: {found['journalist']['highest']:.3g} at most; marketer: {found['marketer']['mean']:.1%} of "
            "the rows are found on average",
        ]
    if "population_uniqueness" in facts:
        found = facts["population_uniqueness"]
        told = {name: "no fit" if found[name] is None else f"{found[name]:.2%}" for name in ("zayatz", "snb", "pitman")}
        lines += [
            f"Unique in a population of {found['size']:,}, estimated as if the file were a random sample; no proof",
            f"  Zayatz {told['zayatz']}, slide negative binomial {told['snb']}, Pitman {told['pitman']}; "
            f"by the rule of Dankar: {found['chosen']}",
        ]
    return [*lines, ""] if lines else []


def _range(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least} to {most}"


def _already(facts: dict[str, Any]) -> list[str]:
    """Say which promises the file keeps as it is."""
    k = facts["k"]
    if k == 1:
        lines = [
            "As it is, this file is 1-anonymous: anyone who knows all quasi-identifiers finds somebody for certain."
        ]
    else:
        lines = [f"As it is, this file is {k:,}-anonymous: every row is equal to at least {k - 1:,} others."]
    return [*lines, *(_diversity(one) for one in facts["sensitive"])]


def _diversity(one: dict[str, Any]) -> str:
    """Say how much a class gives away about a sensitive column."""
    name, alpha = printable(one["column"]), one["alpha"]
    if one["l"] == 1:
        words = f"{name}: in some class all rows have the same value (l = 1, entropy l = 1, alpha = 1)."
        return words + _beside_the_table(one)
    part, _, whole = alpha.partition("/")
    return (
        f"{name}: every class has at least {one['l']:,} different values (l = {one['l']}, entropy l = "
        f"{one['entropy_l']:.4g}), and at most {part} in {whole} rows of a class have the same (alpha = {alpha})."
    ) + _beside_the_table(one)


def _beside_the_table(one: dict[str, Any]) -> str:
    """Say how close classes are to the whole table."""
    kept = {"t": one["t"], "t ordered": one["t_ordered"], "t hierarchical": one["t_hierarchical"]}
    kept |= {"beta": one["beta"], "c for l = 2": one["c"]}
    words = [f"{name} = {float(Fraction(value)):.4g}" for name, value in kept.items() if value is not None]
    words += [] if one["delta"] is None else [f"delta = {one['delta']:.4g}"]
    return f" Beside the whole table: {', '.join(words)}."


def _known(facts: dict[str, Any]) -> list[str]:
    """Say what sets of columns give away, the worst first, and of single columns all."""
    found = facts["known_columns"]
    largest = max(len(one["columns"]) for one in found)
    several = [one for one in found if len(one["columns"]) > 1]
    lines = [f"Whom a few columns single out (up to {largest}; the worst first)", _HEAD]
    lines += [_row(one) for one in several[:SHOWN]]
    if len(several) > SHOWN:
        lines.append(f"  and {len(several) - SHOWN:,} other sets of columns (JSON has them all)")
    lines = [] if not several else [*lines, ""]
    return [*lines, "Single columns, the worst first", _HEAD, *(_row(one) for one in found if len(one["columns"]) == 1)]


_HEAD = f"  {'anyone who knows':<{_NAMES}} {'alone':>10} {'':>7} {'mean risk':>10}"


def _row(one: dict[str, Any]) -> str:
    name = padded(shorten(_listed(one["columns"]), _NAMES), _NAMES)
    return f"  {name} {one['unique_rows']:>10,} {one['unique_share']:7.1%} {one['mean_risk']:>10.2%}"


def _without(facts: dict[str, Any]) -> list[str]:
    """Say how many rows would be alone without each of the columns, the most helpful first."""
    order = sorted(facts["without"], key=lambda one: (one["unique_rows"], one["mean_risk"]))
    lines = [f"Rows alone if one column were not there (now {facts['unique_rows']:,})"]
    for one in order:
        name = padded(shorten(printable(one["column"]), _NAMES), _NAMES)
        share = one["unique_rows"] / facts["rows"]
        lines.append(f"  {name} {one['unique_rows']:>10,} {share:7.1%} {one['mean_risk']:>10.2%}")
    return lines


def _listed(names: list[str]) -> str:
    return ", ".join(printable(name) for name in names)


# What `disjoin inspect` found as one private page: its text part by part, and what each piece of knowledge tells.

WARNING = "Private: not to be published. It holds facts about the original."
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
.private-page { border: 3px solid var(--warn); background: var(--warn-soft); color: var(--warn); padding: .7rem 1.1rem; border-radius: 10px; font-weight: 650; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .86rem; line-height: 1.35; }
.rows { width: 100%; } .rows th, .rows td { text-align: left; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
@media print { section { break-inside: avoid-page; } }
"""  # noqa: E501 - a style is read by lines
Cells = Sequence[Sequence[str]]
_SHOWN = 40  # rows of the table; JSON has all


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
