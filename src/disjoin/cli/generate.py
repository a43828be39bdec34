"""Command `generate`: synthetic data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disjoin.cli.options import number_option, only_given, path_option
from disjoin.cli.screen import flag_of, say
from disjoin.errors import InvalidParameter, OutputExists
from disjoin.generate import GENERATORS

OWNERS = dict.fromkeys(("terms", "length", "patterns", "pattern_length"), "quest")
OWNERS |= {"hierarchies": "census", "hierarchy": "baskets"}


@click.command("generate")
@click.argument("kind", type=click.Choice(list(GENERATORS)))
@number_option("--records", "-n", type=click.IntRange(1), default=2000, help="How many.")
@number_option("--seed", type=click.IntRange(0), default=1, help="The same seed makes the same file.")
@number_option("--terms", help="quest: how many different terms (default: 5000).")
@click.option("--length", type=float, metavar="X", help="quest: mean terms of a record (default: 10).")
@number_option("--patterns", help="quest: patterns that records are made of (default: 2000).")
@click.option("--pattern-length", type=float, metavar="X", help="quest: mean terms of a pattern (default: 4).")
@path_option("--hierarchies", metavar="FOLDER", help="census: also write what every column generalises to.")
@path_option("--hierarchy", metavar="FILE", help="baskets: also write the departments that articles are in.")
@path_option("--output", "-o", required=True, help="The file to write.")
@click.option("--overwrite", is_flag=True, help="Replace a file that is there.")
def generate_command(kind: str, records: int, seed: int, output: Path, overwrite: bool, **settings: Any) -> None:
    """Make believable data: baskets (named groceries), visits (to a hospital), stays (in one), quest or census.

    `baskets` are CSV, one basket per line. `visits` are CSV with a header, one row per diagnosis and several per
    patient; --records counts patients. `stays` are like them, with diagnoses that depend on age and sex. `quest` is IBM
    Quest data, FIMI. `census` is a table of people, CSV with a header; its hierarchies are one file per column, with a
    line for every value: the value and what it generalises to, up to `*`, with semicolons between them.
    """
    given = only_given(**settings)
    for name in given:
        if OWNERS[name] != kind:
            flag, owner = flag_of(name), OWNERS[name]
            raise InvalidParameter(f"{flag} is for `generate {owner}`, not for {kind}. Leave it out.")
    _require_free(output, given.get("hierarchies"), given.get("hierarchy"), overwrite=overwrite)
    GENERATORS[kind](records, seed, output, **given)
    say(f"{records:,} {'patients' if kind in ('visits', 'stays') else 'records'} are in {output}.", err=True)
    if "hierarchies" in given:
        say(f"What its columns generalise to is in {given['hierarchies']}.", err=True)
    if "hierarchy" in given:
        say(f"What articles generalise to is in {given['hierarchy']}.", err=True)


def _require_free(output: Path, hierarchies: Path | None, hierarchy: Path | None, *, overwrite: bool) -> None:
    for file in (path for path in (output, hierarchy) if path is not None and path.is_dir()):
        raise OutputExists(f"{file} is a folder; name the file to write.", file)
    for taken in (path for path in (output, hierarchies, hierarchy) if path is not None and path.exists()):
        if not overwrite:
            raise OutputExists(f"{taken} exists already. Choose another name, or add --overwrite.", taken)
        if taken == hierarchies and not taken.is_dir():
            raise OutputExists(f"{taken} is a file; name a folder for the hierarchies.", taken)
