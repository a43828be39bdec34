"""Commands `support`, `mine` and `reconstruct`: analysis of a release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from disjoin.cli.options import choice_option, json_option, number_option, only_given, path_option, speaking_options
from disjoin.cli.screen import borderless_table, print_json, say, say_text, screen, shown
from disjoin.errors import InvalidParameter, OutputExists, described
from disjoin.readers.term_lists import itemset_from, itemset_text, itemsets_in
from disjoin.text import printable

if TYPE_CHECKING:
    import pyarrow as pa

    from disjoin.model import Release, Transactions
    from disjoin.progress import Progress

FORMATS = ("parquet", "csv", "fimi")


def load_release(path: str, progress: Progress) -> Release:
    progress("reading", 0, 0)
    from disjoin.pipeline import load

    release = load(path)
    progress("reading", 1, 1)
    return release


@click.command("reconstruct")
@click.argument("release", metavar="RELEASE")
@number_option("-n", "n", type=click.IntRange(1), default=1, help="The number of possible originals to write.")
@number_option("--seed", type=click.IntRange(0), default=0, help="The seed of all random choices.")
@path_option("--output", "-o", required=True, help="The folder to write.")
@click.option("--overwrite", is_flag=True, help="Replace existing reconstructions.")
@choice_option(
    "--format",
    "format",
    choices=FORMATS,
    default="parquet",
    help="The file format: Parquet (lists of terms), CSV baskets or FIMI.",
)
@choice_option(
    "--rare",
    choices=("once", "uniform"),
    default="once",
    help="The number of records of a cluster that get a term listed without counts: one, or 1 to k-1 with equal "
    "chances.",
)
@speaking_options
def reconstruct_command(
    release: str, n: int, output: Path, overwrite: bool, format: str, quiet: bool, as_json: bool, **drawing: Any
) -> None:
    """Write possible originals of RELEASE, for tools that need records.

    A reconstruction is one possible original, not the original. It agrees with everything in the release, and the rest
    is chosen at random: which parts of a cluster belong together, or which records of a group have its sensitive
    items. Make several and compare their results. Noisy records are written unchanged; generalised records cannot be
    reconstructed.
    """
    from disjoin.release.reconstructions import check_worlds_destination, write_worlds

    check_worlds_destination(output, overwrite=overwrite)  # before any work is done
    with shown(quiet=quiet or as_json) as progress:
        loaded = load_release(release, progress)
        from disjoin.analyst.reconstruction import worlds_of

        worlds = _counted(worlds_of(loaded, n, **drawing), n, progress)
        files = write_worlds(worlds, output, format=format, overwrite=overwrite)
    if as_json:
        facts = {"folder": str(output), "files": files, "format": format, **drawing}
        print_json({**facts, "records": loaded.counts["records"]})
    elif not quiet:
        _tell_reconstructions(n, loaded, output)


def _counted(worlds: Iterable[Transactions], n: int, progress: Progress) -> Iterator[Transactions]:
    progress("reconstructing", 0, n)
    for number, world in enumerate(worlds):
        yield world
        progress("reconstructing", number + 1, n)


def _tell_reconstructions(n: int, release: Release, output: Path) -> None:
    from disjoin.model.published import PublishedRecords

    records = release.counts["records"]
    if isinstance(release.published, PublishedRecords):
        say(f"The {records:,} {release.published.in_words} are in {output}; there was nothing to reconstruct.")
        return
    many, each = ("1 possible original", "It is") if n == 1 else (f"{n:,} possible originals", "Each is")
    say(f"{many} of {records:,} records in {output}.")
    say(f"{each} one way to combine the parts of the release, not the original.")


# Tables of itemsets with bounds and estimates: on the screen, as CSV, as facts.

NUMBERS = ("seen", "at_least", "estimate", "at_most")
rare_option = choice_option(
    "--rare",
    choices=("once", "half"),
    default="once",
    help="The number of records of a cluster assumed to have a term listed without counts: one, or k/2.",
)


def _print_table(table: pa.Table) -> None:
    from rich.text import Text

    drawn = borderless_table(["itemset"], [name.replace("_", " ") for name in NUMBERS])
    drawn.columns[0].no_wrap, drawn.columns[0].overflow = False, "fold"
    for row in table.to_pylist():
        drawn.add_row(Text(printable(itemset_text(row["itemset"]))), *(_drawn(row[name]) for name in NUMBERS))
    screen().print(drawn)


def _drawn(number: float | None) -> str:
    if number is None:  # there is no bound
        return "-"
    return f"{number:,.1f}" if isinstance(number, float) else f"{number:,}"


def _csv_of(table: pa.Table) -> str:
    """Return the table as CSV: an itemset is one field, as in basket files, and a missing bound is an empty field."""
    lines = [",".join(("itemset", *NUMBERS))]
    for row in table.to_pylist():
        itemset = itemset_text(row["itemset"]).replace('"', '""')
        lines.append(",".join((f'"{itemset}"', *("" if row[name] is None else repr(row[name]) for name in NUMBERS))))
    return "\n".join(lines) + "\n"


def _print_facts(table: pa.Table, release: Release, **more: Any) -> None:
    print_json({"records": release.counts["records"], **more, "itemsets": table.to_pylist()})


@click.command("support")
@click.argument("release", metavar="RELEASE")
@click.argument("itemsets", metavar="[ITEMSET]...", nargs=-1)
@click.option("--file", "source", metavar="FILE", help="A file of itemsets, one per line (- for standard input).")
@rare_option
@click.option("--csv", "as_csv", is_flag=True, help="Print a CSV table on standard output.")
@json_option
def support_command(
    release: str, itemsets: tuple[str, ...], source: str | None, rare: Any, as_csv: bool, as_json: bool
) -> None:
    """Bound and estimate in how many records of RELEASE each ITEMSET occurs.

    An ITEMSET is terms between commas, such as "flu,itunes"; quote a term that has a comma or a quote in it, as in a
    CSV file: '"milk, 1 l",tea'. The true number lies between the bounds. The estimate is the mean over all ways to
    combine the published parts; in groups, over all ways to assign the sensitive items to the records. In generalised
    records, published names and terms can be asked for; noisy records have an estimate only.

    Control characters in terms are written out (\\x1b), with --csv too; --json has them so that programs read them.
    """
    if as_csv and as_json:
        raise InvalidParameter("choose one of --csv and --json.")
    asked = [itemset_from(text) for text in itemsets] + (itemsets_in(source) if source else [])
    if not asked:
        raise InvalidParameter('expected itemsets, such as "flu,itunes", or a file of them with --file.')
    with shown(quiet=as_csv or as_json) as progress:
        loaded = load_release(release, progress)
        table = loaded.support(asked, rare=rare)
    if as_json:
        from disjoin.analyst import unknown_terms

        _print_facts(table, loaded, unknown_terms=unknown_terms(loaded, table["itemset"]))
    elif as_csv:
        say_text(_csv_of(table))
    else:
        _print_table(table)


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
@number_option("--top", default=1000, help="The largest number of itemsets to report.")
@click.option("--all", "everything", is_flag=True, help="Report all itemsets that reach --min-support.")
@click.option(
    "--min-support",
    callback=_support,
    metavar="X",
    help="The least estimated support, as a share of the records (such as 0.01) or as a number of records (such as "
    "50).",
)
@number_option("--max-size", help="The largest number of terms in an itemset.")
@rare_option
@path_option("--output", "-o", metavar="FILE", help="The .parquet or .csv file to write.")
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@speaking_options
def mine_command(
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

    Supports are those of `disjoin support`, and no itemset that belongs among the best is missed. Itemsets are sorted
    by estimate, then by size, then by terms. Releases of groups are not mined: their ordinary items are published
    whole, and `disjoin support` reports how sensitive items occur with them.

    A CSV file has terms as they are. A spreadsheet takes one that begins with =, +, - or @ for a formula: import the
    column of itemsets as text.
    """
    if output is not None:
        _require_free(output, overwrite)
    if everything and min_support is None:
        raise InvalidParameter("--all needs --min-support, at which to stop.")
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
        _print_facts(table, loaded, **settings)
    elif not quiet:
        _tell(table, output)


def _require_free(output: Path, overwrite: bool) -> None:
    if output.suffix.lower() not in SUFFIXES:
        raise InvalidParameter(f"expected a file name that ends in .parquet or .csv, got {printable(output)}.")
    if output.exists() and not overwrite:
        raise OutputExists(f"{printable(output)} exists already. Choose another name, or add --overwrite.", output)


def _write(table: pa.Table, output: Path) -> None:
    from disjoin.atomic import whole_file

    with whole_file(output) as file:
        if output.suffix.lower() == ".csv":
            file.write(_csv_of(table).encode())
        else:
            import pyarrow.parquet as pq

            pq.write_table(table, file)


def _tell(table: pa.Table, output: Path | None) -> None:
    if output is not None:
        say(f"{table.num_rows:,} itemsets are in {printable(output)}.", err=True)
        return
    _print_table(table.slice(0, SHOWN))
    more = table.num_rows - SHOWN
    if more > 0:
        say(f"{more:,} more: --output FILE writes all, --json prints them.")
    elif not table.num_rows:
        say("No itemset is frequent enough.")
