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
@number_option(
    "--records", "-n", type=click.IntRange(1), default=2000, help="The number of records to generate, or of patients."
)
@number_option("--seed", type=click.IntRange(0), default=1, help="The seed; the same seed makes the same file.")
@number_option("--terms", help="The number of different terms in quest data (default: 5000).")
@click.option(
    "--length", type=float, metavar="X", help="The mean number of terms of a record in quest data (default: 10)."
)
@number_option("--patterns", help="The number of patterns in quest data (default: 2000).")
@click.option(
    "--pattern-length",
    type=float,
    metavar="X",
    help="The mean number of terms of a pattern in quest data (default: 4).",
)
@path_option("--hierarchies", metavar="FOLDER", help="A folder to which the hierarchies of census are also written.")
@path_option(
    "--hierarchy", metavar="FILE", help="A file to which the departments of the articles in baskets are also written."
)
@path_option("--output", "-o", required=True, help="The file to write.")
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
def generate_command(kind: str, records: int, seed: int, output: Path, overwrite: bool, **settings: Any) -> None:
    """Generate realistic data: baskets, visits, stays, quest or census.

    `baskets` has one shopping basket per line, as CSV. `visits` has one row per diagnosis of hospital visits, as CSV
    with a header; --records is the number of patients. `stays` has hospital stays in the same form, with diagnoses that
    depend on age and sex. `quest` is IBM Quest data, as FIMI. `census` is a table of people, as CSV with a header. Its
    hierarchies are one file per column, with a row for every value and its generalisations, up to `*`.
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
