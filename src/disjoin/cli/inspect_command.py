"""disjoin inspect baskets.csv"""

from __future__ import annotations

from typing import Any

import click

from disjoin.cli.lightness import load_compiler
from disjoin.cli.options import only_given, print_json, reading_options, speaking_options
from disjoin.cli.progress import shown


@click.command("inspect")
@click.argument("source", metavar="FILE")
@click.option(
    "--known", type=click.IntRange(1, 6), default=3, show_default=True, metavar="N", help="Up to so many known terms."
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Examine N records only (default: all, exactly).")
@reading_options
@speaking_options
def command(source: str, known: int, sample: int | None, quiet: bool, as_json: bool, **reading: Any) -> None:
    """Say what is in FILE (- for standard input), and how many of its records a little knowledge singles out."""
    with shown(quiet=quiet) as progress:
        progress("reading", 0, 0)
        load_compiler(progress)
        from disjoin.attack.uniqueness import uniqueness
        from disjoin.files.reading import read
        from disjoin.report.inspection import inspection_of, inspection_text

        data = read(source, **only_given(**reading))
        progress("reading", 1, 1)
        found = uniqueness(data, known, sample=sample, progress=lambda done, of: progress("examining", done, of))
    facts = inspection_of(data, found)
    if as_json:
        print_json(facts)
    elif not quiet:
        click.echo(inspection_text(facts))
