"""disjoin show release/ [--cluster N | --group N | --class N | --node N | --row N | --typical]"""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING

import click

from disjoin.cli.options import only_given
from disjoin.cli.screen import print_json, say, screen
from disjoin.errors import InvalidParameter

if TYPE_CHECKING:
    from disjoin.forms.form import Form

FEW, ROWS = 3, 10  # how many are shown if nobody says it; of rows, which take a line each, more
NOT_PROVEN = "This release states that its guarantee is not proven; it is for comparison only."
_SEVERAL = {"cluster": "clusters", "group": "groups", "class": "classes", "node": "nodes", "row": "rows"}


@click.command("show")
@click.argument("release", metavar="RELEASE")
@click.option("--cluster", "-c", type=click.IntRange(0), metavar="N", help="Show this cluster with all its rows.")
@click.option("--group", "-g", type=click.IntRange(0), metavar="N", help="Show this group with its rows.")
@click.option(
    "--class", "class_", type=click.IntRange(0), metavar="N", help="Show this class of a table with its rows."
)
@click.option(
    "--node", type=click.IntRange(0), metavar="N", help="Show this node of generalised terms with what it stands for."
)
@click.option("--row", type=click.IntRange(0), metavar="N", help="Show this row of noisy records with all its terms.")
@click.option(
    "--typical",
    is_flag=True,
    help="Show what is good to look at: a cluster and a joint one, a group, a class and so on.",
)
@click.option(
    "--first",
    type=click.IntRange(1),
    metavar="N",
    help=f"How many to show: {FEW}, of noisy records {ROWS}, if not said.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON, with all their rows.")
def command(release: str, typical: bool, first: int | None, as_json: bool, **asked: int | None) -> None:
    """Show clusters or groups of RELEASE, the classes of a table, generalised terms or noisy records.

    Of a cluster the record chunks are side by side, then comes the term chunk. A joint cluster has shared chunks
    instead, and the clusters that were joined are drawn below these. Of a tree that is wide or deep only a part is
    drawn; the clusters that are left out are named by their numbers.

    Of a group the records are drawn without their sensitive items, and beside them these items with the number of
    records that have them, and their share of the group.

    Of a class, rows of a table that share their quasi-identifiers, first these are drawn and then the other columns of
    its rows, with the number of rows that are equal. Classes are numbered by their values, column by column.

    Of generalised terms the nodes of the hierarchy are drawn that are published: what is above and beside a node, the
    terms that it stands for, and records that hold it. Those that stand for most terms come first.

    Of noisy records the rows with the largest counts are drawn.
    """
    from disjoin.forms.registry import FORMS
    from disjoin.releases.reader import read_release

    contents = read_release(release)
    published, is_proven = contents.published, contents.guarantee.proven
    form = FORMS[published.form]
    shown = form.show
    parts = shown.opened(published)
    number = _asked_for(parts, form, only_given(**{name.rstrip("_"): n for name, n in asked.items()}))
    places = shown.typical(parts) if typical else shown.chosen(parts, first or shown.first)
    if number is not None:
        places = [number]
    if as_json:
        doubt = {} if is_proven else {"proven": False}
        print_json({form.part[1]: [shown.as_json(parts, place) for place in places]} | doubt)
        return

    console = screen()
    shown.draw(console, parts, places, full=number is not None)
    rest = "" if number is not None or typical or not places else shown.left(parts, places)
    if rest:
        console.print(rest)
    if not is_proven:
        say(NOT_PROVEN)


def _asked_for(parts: Sized, form: Form, given: dict[str, int]) -> int | None:
    """Return the number of the part that is asked for; refuse what this release does not have."""
    part, several = form.part
    for other in given:
        if other != part:
            raise InvalidParameter(f"this release has {several} and no {_SEVERAL[other]}: use --{part} N.")
    number = given.get(part)
    if number is not None and number >= len(parts):
        what = f"the {several} 0 to {len(parts) - 1}" if len(parts) else f"no {several}"
        raise InvalidParameter(f"the release has {what}, there is no {part} {number}.")
    return number
