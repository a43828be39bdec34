"""disjoin risk baskets.csv -k 5 -m 2"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.database_options import source_argument
from disjoin.cli.options import only_given, reading_options, speaking_options
from disjoin.cli.screen import print_json, say, screen, shown
from disjoin.files.databases import Query
from disjoin.files.wording import counted

if TYPE_CHECKING:
    from disjoin.attack.risk import Risk


@click.command("risk")
@source_argument()
@click.option("-k", type=click.IntRange(2), default=5, show_default=True, metavar="N", help="The k to try.")
@click.option("-m", type=click.IntRange(1, 5), default=2, show_default=True, metavar="N", help="The m to try.")
@click.option("--clustering", metavar="NAME", help="The clustering to try (default: as in disassociate).")
@reading_options
@speaking_options
def command(
    source: str | Query, k: int, m: int, clustering: str | None, quiet: bool, as_json: bool, **reading: Any
) -> None:
    """Say what FILE gives away before and after publishing it, which terms do that, and which k and m to start with.

    Up to m + 1 known terms of a record are tried: how many records they single out in FILE, and for how many they
    leave fewer than k candidates in a release with this k and m. The release is made in memory and not written.
    """
    from disjoin.attack.risk import risk
    from disjoin.files.reading import read
    from disjoin.methods.disassociation import Disassociation
    from disjoin.pipeline import publish

    with shown(quiet=quiet or as_json) as progress:
        progress("reading", 0, 0)
        data = read(source, **only_given(**reading))
        progress("reading", 1, 1)
        method = Disassociation(k=k, m=m, **only_given(clustering=clustering))
        release = publish(data, method, progress=progress, is_trial=True).release
        progress("attacking", 0, 0)
        found = risk(data, release)
        progress("attacking", 1, 1)
    if as_json:
        print_json(found.to_json())
    elif not quiet:
        _tell(found)


def _tell(found: Risk) -> None:
    from rich.table import Table

    say(f"For your eyes only: this is about the {found.records:,} records of the file. Do not publish it.")
    drawn = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    titles = ("known terms", "single out", f"below {found.k} in the file", f"below {found.k} when published")
    for title in titles:
        drawn.add_column(title, justify="right")
    for point in found.curve:
        before = "too long" if point.below_k is None else f"{point.below_k:.1%}"
        drawn.add_row(str(point.known), f"{point.singled_out:.1%}", before, f"{point.afterwards:.1%}")
    screen().print(drawn)
    say(
        f"Somebody who knows {found.m + 1} random terms still finds a record, or learns a term, for {found.harmed:.1%} "
        "of the published records."
    )
    for term, count in found.terms:
        say(f"{term} singles out {counted(count, 'record')}, alone or with one other term.")
    for (first, second), count in found.pairs[:1]:
        say(f"Of the pairs that fewer than {found.k} records have, {first} and {second} is in most: {count:,}.")
    advice = found.suggestion
    say(f"Start with k = {advice.k} and m = {advice.m}: {advice.reason}")
