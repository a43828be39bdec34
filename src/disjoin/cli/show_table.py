"""How `disjoin show` draws classes of a table, or writes them for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from disjoin.report.table.classes import Classes, classes_of, different_rows
from disjoin.report.table.picture import COLUMNS, FEW, MANY
from disjoin.report.table.typical import typical_class
from disjoin.report.text import coloured, draw_class

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model.generalized import Generalized


def opened(published: Generalized) -> Classes:
    """Return the classes of a table."""
    return classes_of(published)


def chosen(classes: Classes, first: int) -> list[int]:
    """Return the first classes."""
    return list(range(min(first, len(classes))))


def typical(classes: Classes) -> list[int]:
    """Return a class that is good to look at."""
    return [typical_class(classes)] if len(classes) else []


def as_json(classes: Classes, number: int) -> dict[str, Any]:
    """Return a class for programs: what its rows share, and all its different rows with their counts."""
    table, names = classes.table, classes.others
    facts = {"class": number, "size": int(classes.sizes[number]), "values": classes.values_of(number)}
    if not names:
        return facts | {"rows": [{"values": {}, "count": facts["size"]}]}
    rows, counts = different_rows(classes, number)
    columns = [table.values_of(name).take(pa.array(table.codes_of(name)[rows])).to_pylist() for name in names]
    values = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    return facts | {"rows": [{"values": row, "count": n} for row, n in zip(values, counts.tolist(), strict=True)]}


def draw(console: Console, classes: Classes, numbers: list[int], *, full: bool) -> None:
    """Draw classes: what their rows share, then the rows."""
    for number in numbers:
        console.print(coloured(draw_class(classes, number, console.width, MANY if full else FEW)))
    if full and (classes.sizes[numbers[0]] > MANY or len(classes.table.schema.names) > COLUMNS):
        console.print("What is too much to be drawn is left out; --json writes it all.")


def left(classes: Classes, numbers: list[int]) -> str:
    """Say how many classes were not drawn."""
    number = len(classes) - len(numbers)
    return (
        f"{number:,} more. Show one with --class N, more with --first N, a good one with --typical." if number else ""
    )
