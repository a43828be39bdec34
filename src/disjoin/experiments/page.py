"""What was found, in Markdown: the papers' statements beside our figures, charts, and the figures in a table."""

from __future__ import annotations

from typing import Any

from disjoin.experiments.experiment import Experiment, Row, Rows, distinct, rows_with

_ALWAYS = ("data", "known_as", "records", "terms", "measure", "value")
MARKS = {"met": "**met**", "not met": "**not met**", "not comparable": "not comparable"}


def section_of(
    experiment: Experiment, rows: Rows, facts: dict[str, Any], charts: dict[str, tuple[str, str]], level: int = 1
) -> str:
    """Return the page of one experiment; headings begin at `level`."""
    parts = [f"{'#' * level} {experiment.title}\n", f"{experiment.question}\n"]
    if claims := _claims(experiment, rows):
        parts.append(claims)
    parts.append("".join(f"![{seen}]({name})\n" for name, seen in charts.values()))  # one paragraph: side by side
    parts += [_table(experiment, rows), *(f"{note}\n" for note in experiment.notes), _made(experiment, facts)]
    return "\n".join(parts)


def _claims(experiment: Experiment, rows: Rows) -> str:
    lines = ["| paper | it states | we find | verdict |", "|---|---|---|---|"]
    for claim in experiment.claims:
        judgement = claim.judge(rows)
        lines.append(f"| {claim.paper} | {claim.states} | {judgement.ours} | {MARKS[judgement.verdict]} |")
    return "\n".join(lines) + "\n" if experiment.claims else ""


def _made(experiment: Experiment, facts: dict[str, Any]) -> str:
    how = "quick settings: for trying, not for quoting; " if facts["quick"] else ""
    where = f"{facts['date']}, {facts['machine']}, disjoin {facts['version']}"
    return f"*`disjoin experiment {experiment.name}`, {how}{where}.*\n"


def _table(experiment: Experiment, rows: Rows) -> str:
    """Return the figures, a line for every setting; settings that are the same everywhere are named above."""
    column, spreads = experiment.across or "measure", rows_with(rows, measure=f"{(*experiment.shown, '')[0]} spread")
    wanted = experiment.shown[:1] if experiment.across else experiment.shown
    rows = [row for row in rows if not wanted or row["measure"] in wanted]
    settings = [name for name in dict.fromkeys(name for row in rows for name in row) if name not in _ALWAYS]
    varying = [name for name in settings if len({row.get(name) for row in rows}) > 1]
    fixed = [f"{name} = {rows[0][name]}" for name in settings if name not in varying]
    index = ["data", *_sizes(rows), *(name for name in varying if name != column)]
    head = [str(value) for value in distinct(rows, column)]
    lines = [f"| {' | '.join([*index, *head])} |", "|" + "---|" * (len(index) + len(head))]
    beside = _values(spreads, index, column) if experiment.across else {}
    lines += [
        f"| {' | '.join([*key, *_cells(found, distinct(rows, column), beside.get(key, {}))])} |"
        for key, found in _values(rows, index, column).items()
    ]
    about = f"{experiment.shown[0]} by {column}" if experiment.across else ""
    said = ", ".join(filter(None, [about, *fixed]))
    return (f"{said}:\n\n" if said else "") + "\n".join(lines) + "\n"


def _sizes(rows: Rows) -> list[str]:
    """Return `records` and `terms` where the name of the data does not tell them."""
    return [
        name
        for name in ("records", "terms")
        if len({(row["data"], row.get(name)) for row in rows}) > len(distinct(rows, "data"))
    ]


def _values(rows: Rows, index: list[str], column: str) -> dict[tuple[str, ...], dict[Any, Any]]:
    """Return for every line of the table its values by column."""
    found: dict[tuple[str, ...], dict[Any, Any]] = {}
    for row in rows:
        found.setdefault(tuple(_shown(row, name) for name in index), {})[row[column]] = row["value"]
    return found


def _cells(found: dict[Any, Any], columns: list[Any], spreads: dict[Any, Any]) -> list[str]:
    """Return a line's values, each with its spread if it has one."""
    return [_number(found.get(name)) + (f" ± {_number(spreads[name])}" if name in spreads else "") for name in columns]


def _shown(row: Row, name: str) -> str:
    value = row.get(name)
    if name == "data" and row.get("known_as"):
        return f"{value} ({row['known_as']})" if str(value).upper() != row["known_as"] else str(row["known_as"])
    return (
        "" if value is None else f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    )


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


def verdicts_of(experiment: Experiment, rows: Rows) -> list[str]:
    """Return a line of a table for every claim."""
    linked = f"[{experiment.title}](#{experiment.title.lower().replace(' ', '-')})"
    return [
        f"| {linked} | {claim.paper} | {claim.states} | {MARKS[claim.judge(rows).verdict]} |"
        for claim in experiment.claims
    ]
