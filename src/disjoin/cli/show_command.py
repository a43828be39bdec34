"""disjoin show release/ [--cluster N | --group N | --typical]"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

from disjoin.cli.options import only_given, print_json
from disjoin.errors import InvalidParameter

if TYPE_CHECKING:
    from disjoin.model import Published

FEW = 3
NOT_PROVEN = "This release states that its guarantee is not proven; it is for comparison only."
PARTS = {"clusters": "cluster", "groups": "group"}  # of a form; how they are shown is in show_clusters, show_groups


@click.command("show")
@click.argument("release", metavar="RELEASE")
@click.option("--cluster", "-c", type=click.IntRange(0), metavar="N", help="Show this cluster with all its rows.")
@click.option("--group", "-g", type=click.IntRange(0), metavar="N", help="Show this group with its rows.")
@click.option("--typical", is_flag=True, help="Show what is good to look at: a group, or a cluster and a joint one.")
@click.option("--first", type=click.IntRange(1), default=FEW, show_default=True, metavar="N", help="How many to show.")
@click.option("--json", "as_json", is_flag=True, help="The clusters or groups as JSON, with all their rows.")
def command(release: str, cluster: int | None, group: int | None, typical: bool, first: int, as_json: bool) -> None:
    """Show clusters or groups of RELEASE.

    Of a cluster the record chunks are side by side, then comes the term chunk. A joint cluster has shared chunks
    instead, and the clusters that were joined are drawn below these. Of a tree that is wide or deep only a part is
    drawn; the clusters that are left out are named by their numbers.

    Of a group the records are drawn without their sensitive items, and beside them these items with the number of
    records that have them, and their share of the group.
    """
    from disjoin.files.release_reader import read_release

    contents = read_release(release)
    published, is_proven = contents.published, contents.guarantee.proven
    number = _asked_for(published, only_given(cluster=cluster, group=group))
    shown = importlib.import_module(f"disjoin.cli.show_{published.form}")
    places = shown.typical(published) if typical else shown.chosen(published, first)
    if number is not None:
        places = [number]
    if as_json:
        doubt = {} if is_proven else {"proven": False}
        print_json({published.form: [shown.as_json(published, place) for place in places]} | doubt)
        return
    from rich.console import Console

    console = Console(highlight=False)
    shown.draw(console, published, places, full=number is not None)
    rest = "" if number is not None or typical or not places else shown.left(published, places)
    if rest:
        console.print(rest)
    if not is_proven:
        print(NOT_PROVEN)


def _asked_for(published: Published, given: dict[str, int]) -> int | None:
    """Return the number of the part that is asked for; refuse what this release does not have."""
    part = PARTS[published.form]
    for other in given:
        if other != part:
            raise InvalidParameter(f"this release has {part}s and no {other}s: use --{part} N.")
    number = given.get(part)
    if number is not None and number >= len(published):
        what = f"the {part}s 0 to {len(published) - 1}" if len(published) else f"no {part}s"
        raise InvalidParameter(f"the release has {what}, there is no {part} {number}.")
    return number
