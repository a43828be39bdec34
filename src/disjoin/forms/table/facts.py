"""Statistics of a generalised table, and their summary."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from disjoin.charts.distribution import distribution_of_sizes, range_of
from disjoin.charts.distribution import percent as rounded
from disjoin.charts.text_drawing import shorten
from disjoin.errors import InvalidParameter
from disjoin.forms.table.pictures import TableClasses, classes_of, sensitive_facts
from disjoin.model.generalized import EVERYTHING, MISSING, Generalized, TreeColumn, quasi_column, vague_values
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.intervals import ends_from
from disjoin.model.release import Report
from disjoin.model.table import Role, Table
from disjoin.text import counted, printable

# What is left of each quasi-identifier: at which levels its rows are, and how much its values still distinguish.

# Intervals have no levels: their widths, as shares of all the numbers, are reported up to these.
WIDTHS = (Fraction(0), Fraction(1, 20), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1))


# The facts of a column; and what all its cells lost together, of distinct values and of levels.
Found = tuple[dict[str, Any], Fraction, Fraction]


def quasi_facts(table: Table, names: tuple[str, ...], suppressed: int | None = None) -> dict[str, Any]:
    """Return facts of every column, granularity and precision of all; with `suppressed` rows also those of the others.
    A value that stands for nothing raises `InvalidParameter`; the verifier accepts none."""
    rows, spread, steps, columns = len(table), Fraction(0), Fraction(0), []
    for name in names:
        facts, lost, climbed = _tree(table, name) if name in table.hierarchies else _numbers(table, name)
        kept = {"granularity": _kept(lost, rows), "precision": _kept(climbed, rows)}
        columns.append({"column": name, **facts, **kept})
        spread, steps = spread + lost, steps + climbed
    cells = rows * len(names)
    found = {"quasi_identifiers": columns, "granularity": _kept(spread, cells), "precision": _kept(steps, cells)}
    if suppressed is None:
        return found
    others = _kept(spread - suppressed * len(names), (rows - suppressed) * len(names))
    share = round(suppressed / rows, 4) if rows else 0.0
    return found | {"starred": {"rows": suppressed, "share": share, "others_keep": others}}


def _tree(table: Table, name: str) -> Found:
    column = quasi_column(table, name)
    assert isinstance(column, TreeColumn), "it has a hierarchy"
    tree, nodes, counts = column.tree, column.nodes, column.counts.astype(np.int64)
    rows = np.zeros(tree.height + 1, dtype=np.int64)
    np.add.at(rows, tree.levels[nodes], counts)
    facts = {
        "kind": "hierarchy",
        "height": tree.height,
        "leaves": tree.n_leaves,
        "values": counts.size,
        "rows_by_level": rows.tolist(),
    }
    spread = int((counts * (tree.leaf_counts[nodes] - 1)).sum())
    steps = int((counts * tree.levels[nodes]).sum())
    return facts, Fraction(spread, max(1, tree.n_leaves - 1)), Fraction(steps, max(1, tree.height))


def _numbers(table: Table, name: str) -> Found:
    every = np.bincount(table.codes_of(name), minlength=len(table.values_of(name))).tolist()
    counts = {value: n for value, n in zip(table.values_of(name).to_pylist(), every, strict=True) if n}
    missing, everything = counts.pop(MISSING, 0), counts.pop(EVERYTHING, 0)
    widths, span = _widths(name, list(counts))
    # The widest whole number that is not above each of the widths.
    limits, rows = [limit.numerator * span // limit.denominator for limit in WIDTHS], [0] * len(WIDTHS)
    for width, count in zip(widths, counts.values(), strict=True):
        rows[bisect_left(limits, width)] += count
    rows[0] += missing
    rows[-1] += everything
    facts = {
        "kind": "intervals",
        "values": len(counts) + (missing > 0) + (everything > 0),
        "rows_by_width": [{"to": float(limit), "rows": number} for limit, number in zip(WIDTHS, rows, strict=True)],
        "missing": missing,
        "everything": everything,
    }
    lost = sum(width * count for width, count in zip(widths, counts.values(), strict=True))
    share = Fraction(lost, span or 1) + everything
    return facts, share, share


def _widths(name: str, values: list[str]) -> tuple[list[int], int]:
    """Return widths of intervals and of their union, as whole numbers of the last decimal place (for speed)."""
    ends = [ends_from(value) for value in values]
    known = [pair for pair in ends if pair is not None]
    if len(known) < len(ends):
        raise InvalidParameter(
            f"the column {name!r} has no hierarchy and must hold numbers or intervals, {values[ends.index(None)]!r} is "
            "neither."
        )
    places = max((len(end.partition(".")[2]) for pair in known for end in pair), default=0)
    lows, highs = ([_in_units(pair[side], places) for pair in known] for side in (0, 1))
    widths = [high - low for low, high in zip(lows, highs, strict=True)]
    return widths, max(highs, default=0) - min(lows, default=0)


def _in_units(number: str, places: int) -> int:
    """Return a number in units of that many places.

    >>> _in_units("-.5", 2), _in_units("12", 2)
    (-50, 1200)
    """
    whole, _, part = number.partition(".")
    return int(whole + part.ljust(places, "0"))


def _kept(lost: Fraction, cells: int) -> float:
    """Return the share that is kept, to four places: the last digits of floats differ between machines."""
    return round(float(1 - lost / cells), 4) if cells else 1.0


_ROLES = {"quasi": Role.QUASI_IDENTIFIER, "sensitive": Role.SENSITIVE, "other": Role.OTHER}
_ROLE_WORDS = {"quasi": "quasi-identifying", "sensitive": "sensitive", "other": "other"}


def statistics_of(published: Generalized, guarantee: AnyGuarantee, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return sizes of classes, what is left of every quasi-identifier, and how certain sensitive values are."""
    table, classes = published.table, classes_of(published)
    columns = {word: list(table.schema.with_role(role)) for word, role in _ROLES.items()}
    sensitive = [sensitive_facts(classes, name) for name in columns["sensitive"]] if len(table) else []
    tight = int(classes.sizes[classes.sizes == getattr(guarantee, "k", None)].sum())
    return {
        "columns": columns,
        "classes": {
            "total": len(classes),
            "rows_in_classes_of_k": tight,  # where nothing is to spare
            "share_in_classes_of_k": round(tight / len(table), 4) if len(table) else 0.0,
        },
        "class_sizes": distribution_of_sizes(classes.sizes),
        **quasi_facts(table, published.quasi, _suppressed_rows(classes, guarantee)),
        "sensitive_columns": sensitive,
        "satisfied": _satisfied(classes, sensitive),
    }


def _satisfied(classes: TableClasses, sensitive: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the strictest guarantees that the table happens to keep; of sensitive columns those of all of them."""
    found = {"k": int(classes.sizes.min()) if len(classes) else 0}
    if not sensitive:
        return found
    return found | {
        "alpha": max((entry["largest_share"]["exact"] for entry in sensitive), key=Fraction),
        "l": min(entry["least_values"] for entry in sensitive),
        "entropy_l": min(entry["least_effective_values"] for entry in sensitive),
    }


def _suppressed_rows(classes: TableClasses, guarantee: AnyGuarantee) -> int | None:
    """Count the rows that have `*`, or what includes all values, in every quasi-identifier; None where none may."""
    if getattr(guarantee, "suppress", None) is None:
        return None
    table = classes.table
    everything = {
        name: vague_values(table.values_of(name).to_pylist(), table.hierarchies.get(name)) for name in classes.quasi
    }
    says_nothing = [
        number
        for number in range(len(classes))
        if all(value in everything[name] for name, value in classes.values_of(number).items())
    ]
    return int(classes.sizes[says_nothing].sum())


_NAMED = 5  # columns in a line
_NAME = 40


def rows_of(report: Report) -> list[tuple[str, str]]:
    facts = report.statistics
    columns = ", ".join(f"{len(names):,} {_ROLE_WORDS[role]}" for role, names in facts["columns"].items() if names)
    classes = counted(facts["classes"]["total"], "class", "classes")
    return [
        ("Records", f"{counted(report.counts['records'], 'row')} in {classes}; columns: {columns}"),
        ("Kept", f"{granularity_in_words(facts)}.{_suppressed(facts)}"),
        ("Still learnable", " ".join(_learnable(report))),
    ]


def granularity_in_words(facts: dict[str, Any]) -> str:
    """Return how much the values of columns still distinguish, all together and one by one."""
    found = facts["quasi_identifiers"]
    by_column = ", ".join(f"{name(entry)} {rounded(entry['granularity'])}" for entry in found[:_NAMED])
    more = f" and {counted(len(found) - _NAMED, 'more column')}" if len(found) > _NAMED else ""
    return f"{rounded(facts['granularity'])} of the detail of the quasi-identifiers ({by_column}{more})"


def _suppressed(facts: dict[str, Any]) -> str:
    found = facts.get("starred")
    if found is None:
        return ""
    return f" Suppressed: {counted(found['rows'], 'row')} ({rounded(found['share'])})."


_SENSITIVE_SHOWN = 2


def _learnable(report: Report) -> list[str]:
    facts, records = report.statistics, report.counts["records"]
    words = []
    if facts["class_sizes"]["number"]:
        sizes = range_of(facts["class_sizes"], "row")
        words.append(f"An attacker who knows all quasi-identifiers of a person finds a class of {sizes}.")
    sensitive = facts["sensitive_columns"]
    for entry in sensitive[:_SENSITIVE_SHOWN] if records else ():
        share, right = entry["largest_share"], rounded(entry["guessed"]["by_class"] / records)
        alike = f"{share['count']:,} of {share['size']:,} rows"
        words.append(
            f"In the worst class, {alike} have the same {name(entry)}; guessing is right for {right} of the rows."
        )
    more = len(sensitive) - _SENSITIVE_SHOWN
    return [*words, f"report.html has {counted(more, 'more sensitive column')}."] if more > 0 and records else words


def suppressed_in_words(facts: dict[str, Any]) -> str:
    if not facts["rows"]:
        return "no row: none would keep more for the others"
    rows, share, others = counted(facts["rows"], "row"), percent(facts["share"]), percent(facts["others_keep"])
    return f"{rows} ({share}); the others keep {others} of the granularity"


def percent(part: float) -> str:
    """Return a share, which is rounded to four places, with as many digits as it has.

    >>> percent(0.9999), percent(1.0), percent(0.5)
    ('99.99%', '100%', '50%')
    """
    return f"{100 * part:.2f}".rstrip("0").rstrip(".") + "%"


def tight(report: Report) -> str:
    k, classes = report.guarantee.get("k"), report.statistics["classes"]
    if not classes["rows_in_classes_of_k"]:
        return ""
    return f"; {percent(classes['share_in_classes_of_k'])} of the rows are in classes of exactly {k}"


def sensitive_in_words(entry: dict[str, Any]) -> str:
    share, alike = entry["largest_share"], entry["alike"]
    words = (
        f"{counted(entry['values'], 'value')}; in a class at least {entry['least_values']:,} of them (as even as "
        f"{entry['least_effective_values']:g} equally frequent ones), and at most {share['count']:,} of "
        f"{share['size']:,} rows have the same"
    )
    if not alike["classes"]:
        return words
    return f"{words}; {counted(alike['rows'], 'row')} in {counted(alike['classes'], 'class', 'classes')} of one value"


def name(entry: dict[str, Any]) -> str:
    return shorten(printable(entry["column"]), _NAME)
