"""disjoin mine release/ --top 1000 [--min-support 0.01] [-o itemsets.parquet]"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from disjoin.cli.itemset_tables import csv_of, facts_of, load_release, print_table, rare_option
from disjoin.cli.options import only_given, speaking_options
from disjoin.cli.screen import print_json, say, shown
from disjoin.errors import InvalidParameter, OutputExists, described
from disjoin.escaping import legible

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 20
SUFFIXES = (".parquet", ".csv")


def _support(context: click.Context, parameter: click.Parameter, given: str | None) -> float | None:
    """Return an int for a count, a float for a share."""
    if given is None:
        return None
    try:
        return int(given) if given.strip().isdecimal() else float(given)
    except ValueError:
        raise InvalidParameter(f"--min-support must be a number, such as 0.01 or 50, got {described(given)}.") from None


@click.command("mine")
@click.argument("release", metavar="RELEASE")
@click.option("--top", type=int, default=1000, show_default=True, metavar="N", help="How many itemsets, at most.")
@click.option("--all", "everything", is_flag=True, help="All that reach --min-support, however many.")
@click.option(
    "--min-support",
    callback=_support,
    metavar="X",
    help="Only itemsets estimated in at least this share of the records (a fraction such as 0.01), or in at least this "
    "many records (a whole number such as 50).",
)
@click.option("--max-size", type=int, metavar="N", help="Only itemsets of at most N terms.")
@rare_option
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Write all to FILE, .parquet or .csv."
)
@click.option("--overwrite", is_flag=True, help="Replace a file that is there.")
@speaking_options
def command(
    release: str,
    top: int,
    everything: bool,
    min_support: float | None,
    max_size: int | None,
    rare: Literal["once", "half"],
    output: Path | None,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find the itemsets of RELEASE with the largest estimated supports, with bounds.

    Nothing is reconstructed: supports are those that `disjoin support` gives, and no itemset that belongs among the
    best is missed. Sorted by estimate, then by size, then by terms. Not for releases of groups: their ordinary items
    are published whole, and `disjoin support` tells how sensitive ones go with them.

    A CSV file has terms as they are. A spreadsheet takes one that begins with =, +, - or @ for a formula: import the
    column of itemsets as text.
    """
    if output is not None:
        _require_free(output, overwrite)
    if everything and min_support is None:
        raise InvalidParameter("--all needs --min-support, which says where to stop.")
    limit = None if everything else top
    with shown(quiet=quiet or as_json) as progress:
        loaded = load_release(release, progress)
        progress("mining", 0, 0)
        table = loaded.mine(limit, min_support=min_support, max_size=max_size, rare=rare)
        progress("mining", 1, 1)
    if output is not None:
        _write(table, output)
    if as_json:
        settings = only_given(top=limit, min_support=min_support, max_size=max_size, rare=rare)
        print_json(facts_of(table, loaded, **settings))
    elif not quiet:
        _tell(table, output)


def _require_free(output: Path, overwrite: bool) -> None:
    """Raise before the work if the file could not be written, or not in this form."""
    if output.suffix.lower() not in SUFFIXES:
        raise InvalidParameter(f"expected a file name that ends in .parquet or .csv, got {legible(output)}.")
    if output.exists() and not overwrite:
        raise OutputExists(f"{legible(output)} exists already. Choose another name, or add --overwrite.", output)


def _write(table: pa.Table, output: Path) -> None:
    from disjoin.generate.output import whole_file

    with whole_file(output) as file:
        if output.suffix.lower() == ".csv":
            file.write(csv_of(table).encode())
        else:
            import pyarrow.parquet as pq

            pq.write_table(table, file)


def _tell(table: pa.Table, output: Path | None) -> None:
    if output is not None:
        say(f"{table.num_rows:,} itemsets are in {legible(output)}.", err=True)
        return
    print_table(table.slice(0, SHOWN))
    more = table.num_rows - SHOWN
    if more > 0:
        say(f"{more:,} more: --output FILE writes all, --json prints them.")
    elif not table.num_rows:
        say("No itemset is frequent enough.")
