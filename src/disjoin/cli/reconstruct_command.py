"""disjoin reconstruct release/ -n 10 --seed 7 -o worlds/"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from disjoin.cli.options import speaking_options
from disjoin.cli.screen import print_json, say, shown

if TYPE_CHECKING:
    from disjoin.model import Release, Transactions
    from disjoin.progress import Progress

FORMATS = ("parquet", "csv", "fimi")


@click.command("reconstruct")
@click.argument("release", metavar="RELEASE")
@click.option("-n", "n", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="How many to make.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="The same seed makes the same."
)
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The folder to write.")
@click.option("--overwrite", is_flag=True, help="Replace reconstructions that are there.")
@click.option(
    "--format",
    "format",
    type=click.Choice(FORMATS),
    default="parquet",
    show_default=True,
    help="Parquet (lists of terms), CSV baskets, or FIMI.",
)
@click.option(
    "--rare",
    type=click.Choice(["once", "uniform"]),
    default="once",
    show_default=True,
    help="In how many records a term of a term chunk occurs: in one, or in 1 to k-1 with equal chances.",
)
@speaking_options
def command(
    release: str,
    n: int,
    seed: int,
    output: Path,
    overwrite: bool,
    format: str,
    rare: Literal["once", "uniform"],
    quiet: bool,
    as_json: bool,
) -> None:
    """Write possible originals of RELEASE, for tools that want records.

    A reconstruction is one possible original, not the original: everything that the release says is true of it, and
    what the release leaves open is decided by chance: which parts of a cluster belong together, which records of a
    group have its sensitive items. Make several and compare what they say. Noisy records are written as they are;
    generalised ones cannot be reconstructed.
    """
    from disjoin.releases.reconstructions_out import check_worlds_destination, write_worlds

    check_worlds_destination(output, overwrite=overwrite)  # before any work is done
    with shown(quiet=quiet or as_json) as progress:
        progress("reading", 0, 0)
        from disjoin.analyst.reconstruction import worlds_of
        from disjoin.pipeline import load

        loaded = load(release)
        progress("reading", 1, 1)
        worlds = _counted(worlds_of(loaded, n, seed, rare=rare), n, progress)
        files = write_worlds(worlds, output, format=format, overwrite=overwrite)
    if as_json:
        facts = {"folder": str(output), "files": files, "format": format, "seed": seed, "rare": rare}
        print_json({**facts, "records": loaded.counts["records"]})
    elif not quiet:
        _tell(n, loaded, output)


def _counted(worlds: Iterable[Transactions], n: int, progress: Progress) -> Iterator[Transactions]:
    """Hand the worlds on one by one and show how many are done."""
    progress("reconstructing", 0, n)
    for number, world in enumerate(worlds):
        yield world
        progress("reconstructing", number + 1, n)


def _tell(n: int, release: Release, output: Path) -> None:
    from disjoin.model.published import PublishedRecords

    records = release.counts["records"]
    if isinstance(release.published, PublishedRecords):
        say(f"The {records:,} {release.published.in_words} are in {output}; there was nothing to put together.")
        return
    many = "1 possible original" if n == 1 else f"{n:,} possible originals"
    each = "It is" if n == 1 else "Each is"
    say(f"{many} of {records:,} records in {output}.")
    say(f"{each} one way to put the release together again, not the original.")
