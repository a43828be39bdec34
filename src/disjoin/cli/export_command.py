"""disjoin export release/ --db sqlite:release.db, disjoin export release/ --csv tables/"""

from __future__ import annotations

from pathlib import Path

import click

from disjoin.cli.screen import say
from disjoin.files.wording import counted


@click.command("export")
@click.argument("release", metavar="RELEASE")
@click.option(
    "--db", metavar="URI", help="The database to write to: postgresql://..., sqlite:FILE, duckdb:FILE, or env:NAME."
)
@click.option("--csv", type=click.Path(path_type=Path), metavar="FOLDER", help="A folder of CSV files instead.")
@click.option("--table-prefix", default="", metavar="TEXT", help="What the names of the tables begin with.")
@click.option("--overwrite", is_flag=True, help="Replace tables of the database that have these names.")
def command(release: str, db: str | None, csv: Path | None, table_prefix: str, overwrite: bool) -> None:
    """Copy the tables of RELEASE into a database, or into CSV files.

    Lists become tables of their own: subrecords has an id, and subrecords_terms the terms of each id. The release is
    inspected first; one that does not hold is not copied.
    """
    from disjoin.exporting import export

    rows = export(release, database=db, csv=csv, prefix=table_prefix, overwrite=overwrite)
    tables = ", ".join(f"{name} ({counted(number, 'row')})" for name, number in rows.items())
    say(f"{counted(len(rows), 'table')} written: {tables}.")
