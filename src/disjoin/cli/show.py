"""Commands `show`, `export` and `deposit`."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import click

from disjoin.cli.options import number_option, path_option
from disjoin.cli.screen import print_json, say, screen
from disjoin.text import counted

FEW, ROWS = 3, 10  # how many are shown by default; of rows, which take a line each, more

PARTS = {  # as the forms name them; known here so that --help need not load them, and a test compares the two
    "cluster": "Show this cluster with all its rows.",
    "group": "Show this group with its rows.",
    "class": "Show this class of a table with its rows.",
    "node": "Show this node of generalised terms with the terms below it.",
    "row": "Show this row of noisy records with all its terms.",
}
SHORT = {"cluster": ["-c"], "group": ["-g"]}


def part_option(part: str, help: str) -> click.Option:
    return click.Option([f"--{part}", f"{part}_", *SHORT.get(part, [])], type=click.IntRange(0), metavar="N", help=help)


class ShowCommand(click.Command):
    """A command with an option for the parts of each form, also of forms that are not listed here."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        whole = copy(self)
        if {*ctx.help_option_names}.isdisjoint(args):
            from disjoin.forms.registry import FORMS

            parts = [form.part[0] for form in FORMS.values() if form.part[0] not in PARTS]
            whole.params = [*self.params, *(part_option(part, f"Show this {part}.") for part in parts)]
        return click.Command.parse_args(whole, ctx, args)


@click.command("show", cls=ShowCommand)
@click.argument("release", metavar="RELEASE")
@click.option(
    "--typical",
    is_flag=True,
    help="Show typical parts, such as a cluster and a joint cluster, or a class.",
)
@number_option("--first", type=click.IntRange(1), help="The number of parts to show (default: 3, or 10 noisy records).")
@click.option("--json", "as_json", is_flag=True, help="Print the parts as JSON, with all their rows.")
def show_command(release: str, typical: bool, first: int | None, as_json: bool, **asked: int | None) -> None:
    """Show the clusters or groups of RELEASE, the classes of a table, generalised terms or noisy records.

    A cluster is drawn with its record chunks side by side, then its term chunk. A joint cluster is drawn with its
    shared chunks, and below them the clusters that were joined. Of a wide or deep tree only a part is drawn; the other
    clusters are listed by number.

    A group is drawn with its records without sensitive items. Next to them are the sensitive items, with the number
    and share of records that have each.

    A class is drawn with its quasi-identifiers first, then its other columns with the number of equal rows.
    Classes are numbered by their values, column by column.

    Generalised terms are drawn as published nodes of the hierarchy: the nodes above and next to each, the terms below
    it, and records that have it. Nodes with the most terms come first.

    Of noisy records, the rows with the largest counts are drawn.
    """
    from disjoin.report.show import view_of

    numbers = {name.rstrip("_"): number for name, number in asked.items() if number is not None}
    view = view_of(release, numbers, typical=typical, first=first)
    if as_json:
        print_json(view.to_json())
    else:
        view.draw(screen())


show_command.params[1:1] = [part_option(part, words) for part, words in PARTS.items()]


@click.command("export")
@click.argument("release", metavar="RELEASE")
@click.option(
    "--db", metavar="URI", help="The database to write to: postgresql://..., sqlite:FILE, duckdb:FILE or env:NAME."
)
@path_option("--csv", metavar="FOLDER", help="The folder for CSV files, instead of a database.")
@click.option("--table-prefix", default="", metavar="TEXT", help="The prefix of the table names.")
@click.option("--overwrite", is_flag=True, help="Replace existing tables of the database that have these names.")
def export_command(release: str, db: str | None, csv: Path | None, table_prefix: str, overwrite: bool) -> None:
    """Copy the tables of RELEASE into a database or CSV files.

    Lists become separate tables: subrecords has an id, and subrecords_terms has the terms of each id. RELEASE is
    verified first and copied only if its guarantee holds.
    """
    from disjoin.api import export

    rows = export(release, database=db, csv=csv, prefix=table_prefix, overwrite=overwrite)
    tables = ", ".join(f"{name} ({counted(number, 'row')})" for name, number in rows.items())
    say(f"{counted(len(rows), 'table')} written: {tables}.")


@click.command("deposit")
@click.argument("release", metavar="RELEASE")
@click.option("--title", required=True, metavar="TEXT", help="The title of the data.")
@click.option(
    "--author",
    "authors",
    multiple=True,
    required=True,
    metavar="NAME",
    help="An author, as 'Family, Given'; repeat it for several.",
)
@click.option("--licence", required=True, metavar="SPDX", help="The licence of the data, such as CC-BY-4.0.")
@click.option("--contact", required=True, metavar="EMAIL", help="The e-mail address for questions.")
@click.option("--date", required=True, metavar="DATE", help="The date of publication, such as 2026-01-31.")
@click.option("--citation", default="", metavar="TEXT", help="The citation (default: authors, year and title).")
@path_option("--output", "-o", required=True, help="The folder to write.")
def deposit_command(release: str, output: Path, **facts: str) -> None:
    """Write a folder to upload: RELEASE with Croissant, CITATION.cff, and metadata for Zenodo and for Dataverse.

    The folder is a release, too: `disjoin verify` accepts it, and its datapackage.json has the metadata that you give.
    Nothing is sent. RELEASE is verified first; nothing is written if its guarantee does not hold.
    """
    from disjoin.api import Deposit, deposit

    names = deposit(release, Deposit(**facts), output)  # type: ignore[arg-type]
    say(f"{output} is ready to upload: the release with {', '.join(names)}.")
    say(f"Upload all its files, or a zip of the folder. `disjoin verify {output}` checks it.")
