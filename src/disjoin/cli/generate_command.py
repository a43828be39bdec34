"""disjoin generate baskets --records 2000 -o baskets.csv"""

from __future__ import annotations

from pathlib import Path

import click

from disjoin.errors import OutputExists
from disjoin.generate import GENERATORS


@click.command("generate")
@click.argument("kind", type=click.Choice(list(GENERATORS)))
@click.option("--records", "-n", type=click.IntRange(1), default=2000, show_default=True, metavar="N", help="How many.")
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="The same seed makes the same file.")
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The file to write.")
@click.option("--overwrite", is_flag=True, help="Replace a file that is there.")
def command(kind: str, records: int, seed: int, output: Path, overwrite: bool) -> None:
    """Make believable data: `baskets` (named groceries, CSV) or `quest` (IBM Quest data, FIMI)."""
    if output.is_dir():
        raise OutputExists(f"{output} is a folder; name the file to write.", output)
    if output.exists() and not overwrite:
        raise OutputExists(f"{output} exists already. Choose another name, or add --overwrite.", output)
    GENERATORS[kind](records, seed, output)
    click.echo(f"{records:,} records are in {output}.", err=True)
