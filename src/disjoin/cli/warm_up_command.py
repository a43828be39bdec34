"""disjoin warm-up"""

from __future__ import annotations

import warnings

import click

from disjoin.cli.options import speaking_options
from disjoin.cli.screen import print_json, say, shown


@click.command("warm-up")
@click.option(
    "--spark", "for_spark", is_flag=True, help="Get Spark ready, too: its Java then starts sooner (takes 200 MB)."
)
@speaking_options
def command(for_spark: bool, quiet: bool, as_json: bool) -> None:
    """Compile everything ahead, so that no later run on this machine has to.

    For images, clusters and continuous integration: every method runs once on tiny made-up data. Small data are
    published without compiling anything; large ones compile what they need the first time, which takes up to a
    minute. What is compiled is kept beside the package or, where that cannot be written to, in your cache folder.
    """
    from disjoin.cli.lightness import travel_with_everything
    from disjoin.warm_up import warm_up, warm_up_spark

    if for_spark:
        travel_with_everything()
    with shown(quiet=quiet or as_json), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what may happen to people: these are made up
        done = warm_up_spark() if for_spark else warm_up()
    place = None if done.folder is None else str(done.folder)
    if as_json:
        print_json(
            {"compiled": done.compiled, "folder": place} | ({"java": done.java and str(done.java)} if for_spark else {})
        )
    elif not quiet:
        found = f"{done.compiled:,} loops were compiled" if done.compiled else "Everything was compiled already"
        say(f"{found}, and {'nothing can be kept' if place is None else f'kept in {place}'}.")
        if for_spark:
            say("What Java loads for Spark is kept there, too." if done.java else "What Java loads cannot be kept.")
