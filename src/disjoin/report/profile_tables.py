"""Profile of a raw table: contents and uniqueness by columns."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import Any

import numpy as np

from disjoin.attack.population import PopulationRisk
from disjoin.attack.table_risk import ColumnCloseness, PeopleRisk, TableRisk
from disjoin.charts.text_drawing import padded, shorten
from disjoin.report.html import paragraphs, rows_table, section, whole_page
from disjoin.text import counted, in_html, printable

SHOWN = 10  # sets of columns on the screen; JSON has all
THRESHOLDS = (Fraction(1, 20), Fraction(9, 100), Fraction(1, 5), Fraction(33, 100))  # as release policies use them
_NAMES = 44
_WORST_FOR_PEOPLE = 3  # sets of columns that the part about people shows
_BINS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)  # the least sizes


def table_inspection(risk: TableRisk) -> dict[str, Any]:
    whole, mean, highest = risk.whole, float(risk.whole.mean_risk), float(Fraction(1, risk.k))
    facts = {
        "rows": whole.rows,
        "columns": risk.columns,
        "quasi": list(whole.columns),
        "classes": {
            "number": whole.classes,
            "smallest": whole.smallest,
            "median": float(np.median(risk.sizes)),
            "largest": int(risk.sizes[-1]),
            "histogram": _histogram(risk),
        },
        "unique_rows": whole.unique_rows,
        "mean_risk": mean,
        "k": risk.k,
        "sensitive": [
            {"column": one.column, "l": one.l, "entropy_l": round(one.entropy_l, 6), "alpha": str(one.alpha)}
            | _closeness(one.closeness)
            for one in risk.diversity
        ],
        "risk": {
            "prosecutor": {
                "highest": highest,
                "mean": mean,
                "rows_above": {str(float(limit)): float(risk.share_above(limit)) for limit in THRESHOLDS},
            },
            "journalist": {"highest_at_most": highest},
            "marketer": {"mean_at_most": mean},
        },
        "known_columns": [
            {
                "columns": list(one.columns),
                "unique_rows": one.unique_rows,
                "unique_share": float(one.unique_share),
                "classes": one.classes,
                "mean_risk": float(one.mean_risk),
            }
            for one in risk.known
        ],
        "without": [
            {"column": name, "unique_rows": one.unique_rows, "mean_risk": float(one.mean_risk), "k": one.smallest}
            for name, one in zip(whole.columns, risk.without, strict=False)
        ],
    }
    return facts if risk.people is None else facts | {"people": _about_people(risk.people)}


def _about_people(people: PeopleRisk) -> dict[str, Any]:
    return {
        "column": people.column,
        "number": people.whole.people,
        "alone": people.whole.alone,
        "alone_share": float(people.whole.alone_share),
        "k": people.k,
        "known_columns": [
            {"columns": list(one.columns), "alone": one.alone, "fewest": one.fewest} for one in people.known
        ],
    }


def _closeness(found: ColumnCloseness) -> dict[str, Any]:
    """Return the least limits that hold; fractions as text, what no limit would do as null."""
    limits = {name: None if value is None else str(value) for name, value in asdict(found).items()}
    return limits | {"delta": None if found.delta is None else round(found.delta, 6)}


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
    lines = [
        f"{counted(facts['rows'], 'row')}, {counted(facts['columns'], 'column')}; quasi-identifiers: "
        f"{_listed(facts['quasi'])}",
        *_people(facts),
        *("", *_already(facts), "", *_classes(facts), "", *_risk(facts["risk"]), "", *_outside(facts), *_known(facts)),
    ]
    if facts["without"]:
        lines += ["", *_without(facts)]
    return "\n".join(lines)


def _people(facts: dict[str, Any]) -> list[str]:
    people = facts.get("people")
    if people is None:
        return []
    name, rows = printable(people["column"]), facts["rows"]
    lines = [
        "",
        f"People, not rows: {counted(people['number'], 'person', 'people')} ({name}) have these {rows:,} rows",
        f"  alone: {counted(people['alone'], 'person', 'people')} ({people['alone_share']:.1%}) are unique in their "
        "quasi-identifiers",
    ]
    singles = [one for one in people["known_columns"] if len(one["columns"]) < len(facts["quasi"])]
    for one in sorted(singles, key=lambda one: (-one["alone"], len(one["columns"])))[:_WORST_FOR_PEOPLE]:
        share = one["alone"] / people["number"]
        lines.append(f"  knowing {_listed(one['columns'])} singles out {one['alone']:,} of them ({share:.1%})")
    if people["k"] < facts["k"]:
        lines.append(
            f"  counted in people, this file is {people['k']:,}-anonymous at most "
            f"(with person = {name}, `disjoin generalize` counts people)"
        )
    return [*lines, "", "The figures below count rows."]


def _classes(facts: dict[str, Any]) -> list[str]:
    classes, rows = facts["classes"], facts["rows"]
    lines = [
        "Equivalence classes: rows that share all quasi-identifiers",
        f"  {counted(classes['number'], 'class', 'classes')}: the smallest has {counted(classes['smallest'], 'row')}, "
        f"the median {classes['median']:g}, the largest {classes['largest']:,}",
        f"  unique: {counted(facts['unique_rows'], 'row')} ({facts['unique_rows'] / rows:.1%})",
        f"  {'rows of a class':<18} {'classes':>10} {'rows':>10}",
    ]
    for one in classes["histogram"]:
        size = f"{one['least']:,} or more" if one["most"] is None else f"{one['least']} to {one['most']}"
        if one["least"] == one["most"]:
            size = f"{one['least']}"
        bar = "█" * max(1, round(24 * one["rows"] / rows))
        lines.append(f"  {size:<18} {one['classes']:>10,} {one['rows']:>10,}  {one['rows'] / rows:6.1%}  {bar}")
    return lines


def _risk(risk: dict[str, Any]) -> list[str]:
    one = risk["prosecutor"]
    above = ", ".join(f"above {limit}: {share:.1%}" for limit, share in one["rows_above"].items())
    return [
        "Risk of re-identification by an attacker who knows all quasi-identifiers",
        f"  prosecutor (knows that the person is in the file): at most {one['highest']:.3g}, "
        f"{one['mean']:.3g} on average",
        f"    rows with a risk {above}",
        f"  journalist (does not know it): at most {risk['journalist']['highest_at_most']:.3g}, less if people outside "
        "the file are alike",
        f"  marketer (wants to find many): at most {risk['marketer']['mean_at_most']:.1%} of the rows are found",
    ]


def population_facts(found: PopulationRisk) -> dict[str, Any]:
    return {
        "people": found.people,
        "k_map": found.k_map,
        "presence": [str(found.least_presence), str(found.most_presence)],
        "journalist": {"highest": float(found.journalist)},
        "marketer": {"mean": float(found.marketer)},
    }


def _outside(facts: dict[str, Any]) -> list[str]:
    lines = []
    if "population" in facts:
        found = facts["population"]
        low, high = (float(Fraction(share)) for share in found["presence"])
        lines += [
            f"In the population of {found['people']:,} people",
            f"  k-map: every row is equal to at least {found['k_map']:,} of them",
            f"  delta-presence: each of them is in the file with a chance of {low:.4g} to {high:.4g}",
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


def _already(facts: dict[str, Any]) -> list[str]:
    k = facts["k"]
    words = f"this file is {k:,}-anonymous: every row is equal to at least {k - 1:,} others."
    if k == 1:
        words = "this file is 1-anonymous: an attacker who knows all quasi-identifiers finds a person with certainty."
    return [f"As it is, {words}", *(_diversity(one) for one in facts["sensitive"])]


def _diversity(one: dict[str, Any]) -> str:
    name, alpha = printable(one["column"]), one["alpha"]
    part, _, whole = alpha.partition("/")
    words = (
        f"{name}: every class has at least {one['l']:,} different values (l = {one['l']}, entropy l = "
        f"{one['entropy_l']:.4g}), and at most {part} in {whole} rows of a class have the same (alpha = {alpha})."
    )
    if one["l"] == 1:
        words = f"{name}: in some class all rows have the same value (l = 1, entropy l = 1, alpha = 1)."
    kept = {"t": one["t"], "t ordered": one["t_ordered"], "t hierarchical": one["t_hierarchical"]}
    kept |= {"beta": one["beta"], "c for l = 2": one["c"], "delta": one["delta"]}
    limits = [f"{name} = {float(Fraction(value)):.4g}" for name, value in kept.items() if value is not None]
    return f"{words} Compared to the whole table: {', '.join(limits)}."


def _known(facts: dict[str, Any]) -> list[str]:
    found = facts["known_columns"]
    largest = max(len(one["columns"]) for one in found)
    several = [one for one in found if len(one["columns"]) > 1]
    lines = [f"Rows that known columns single out (up to {largest} columns, the worst first)", _HEAD]
    lines += [_row(one) for one in several[:SHOWN]]
    if len(several) > SHOWN:
        lines.append(f"  and {len(several) - SHOWN:,} other sets of columns (JSON has them all)")
    lines = [*lines, ""] if several else []
    return [*lines, "Single columns, the worst first", _HEAD, *(_row(one) for one in found if len(one["columns"]) == 1)]


_HEAD = f"  {'known columns':<{_NAMES}} {'unique':>10} {'':>7} {'mean risk':>10}"


def _row(one: dict[str, Any]) -> str:
    name = padded(shorten(_listed(one["columns"]), _NAMES), _NAMES)
    return f"  {name} {one['unique_rows']:>10,} {one['unique_share']:7.1%} {one['mean_risk']:>10.2%}"


def _without(facts: dict[str, Any]) -> list[str]:
    """Return how many rows would be alone without each of the columns, the most helpful first."""
    rows = [
        _row(one | {"columns": [one["column"]], "unique_share": one["unique_rows"] / facts["rows"]})
        for one in sorted(facts["without"], key=lambda one: (one["unique_rows"], one["mean_risk"]))
    ]
    return [f"Unique rows without one column (now {facts['unique_rows']:,})", *rows]


def _listed(names: list[str]) -> str:
    return ", ".join(map(printable, names))


# What `disjoin inspect` found as one private page: its text part by part, and what each piece of knowledge reveals.

WARNING = "Private: not to be published. It holds facts about the original."
_SHOWN = 40  # rows of the table; JSON has all


def inspection_page(text: str, known: list[dict[str, Any]], name: str) -> str:
    """Return the page; foreign text is escaped."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    about = f"<p>Of <bdi>{in_html(name)}</bdi>.</p>\n" if name else ""
    shown = "\n".join(f"<section><pre>{in_html(part, lines=True)}</pre></section>" for part in parts)
    head = f'<p class="private-page">{WARNING}</p>\n<h1>Rows that known columns single out</h1>\n{about}'
    return private_page("Inspection (private)", f"{head}{shown}\n{_table(known)}")


def private_page(title: str, body: str, *styles: str) -> str:
    return whole_page(title, body, "private.css", *styles)


def _table(known: list[dict[str, Any]]) -> str:
    if not known:
        return ""
    names = [name for name in known[0] if not isinstance(known[0][name], dict)]
    rows = [[_cell(row.get(name)) for name in names] for row in known[:_SHOWN]]
    more = f"{len(known) - _SHOWN:,} more are in the JSON." if len(known) > _SHOWN else ""
    return section("Piece by piece", rows_table([name.replace("_", " ") for name in names], rows), paragraphs(more))


def _cell(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    if type(value) is int:
        return f"{value:,}"
    return "" if value is None else str(value)
