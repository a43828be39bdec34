"""Tables of itemsets with bounds and estimates: on the screen, as CSV, as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.screen import screen
from disjoin.files.itemset_lists import itemset_text

if TYPE_CHECKING:
    import pyarrow as pa

    from disjoin.model import Release
    from disjoin.progress import Progress

NUMBERS = ("lower", "sharp_lower", "estimate", "upper")

rare_option = click.option(
    "--rare",
    type=click.Choice(["once", "half"]),
    default="once",
    show_default=True,
    help="For estimates, a term of a term chunk is in one record of its cluster, or in k/2.",
)


def load_release(path: str, progress: Progress) -> Release:
    """Read and inspect a release while the screen says so."""

    progress("reading", 0, 0)
    from disjoin.pipeline import load

    release = load(path)
    progress("reading", 1, 1)
    return release


def print_table(table: pa.Table) -> None:
    """Draw the table for people."""
    from rich.table import Table
    from rich.text import Text

    from disjoin.escaping import legible

    drawn = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    drawn.add_column("itemset", overflow="fold")
    for name in ("at least", "sharper", "estimate", "at most"):
        drawn.add_column(name, justify="right", no_wrap=True)
    for row in table.to_pylist():
        drawn.add_row(Text(legible(itemset_text(row["itemset"]))), *(_drawn(row[name]) for name in NUMBERS))
    screen().print(drawn)


def _drawn(number: float | None) -> str:
    if number is None:  # there is no bound
        return "-"
    return f"{number:,.1f}" if isinstance(number, float) else f"{number:,}"


def csv_of(table: pa.Table) -> str:
    """Return the table as CSV; an itemset is one field, its terms between commas as in basket files.

    A bound that there is not is an empty field.
    """
    lines = [",".join(("itemset", *NUMBERS))]
    for row in table.to_pylist():
        itemset = itemset_text(row["itemset"]).replace('"', '""')
        lines.append(",".join((f'"{itemset}"', *("" if row[name] is None else repr(row[name]) for name in NUMBERS))))
    return "\n".join(lines) + "\n"


def facts_of(table: pa.Table, release: Release, **more: Any) -> dict[str, Any]:
    """Return what --json prints."""
    return {"records": release.counts["records"], **more, "itemsets": table.to_pylist()}
