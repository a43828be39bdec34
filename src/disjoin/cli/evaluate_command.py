"""disjoin evaluate release/ --original baskets.csv [--hierarchy items.csv] [--measure NAME]"""

from __future__ import annotations

import click

from disjoin.cli.evaluation_tables import tell
from disjoin.cli.itemset_tables import load_release
from disjoin.cli.options import only_given, print_json, reading_options
from disjoin.cli.progress import shown


@click.command("evaluate")
@click.argument("release", metavar="RELEASE")
@click.option("--original", required=True, metavar="FILE", help="The data that the release was made from.")
@click.option(
    "--hierarchy",
    metavar="FILE",
    help="A hierarchy of the terms, one row a term: term;parent;...;root. Itemsets of ancestors are compared, too.",
)
@click.option("--top", type=int, default=1000, show_default=True, metavar="N", help="How many itemsets are compared.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="The same seed finds the same.")
@click.option(
    "--reconstructions",
    type=int,
    default=10,
    show_default=True,
    metavar="N",
    help="How many possible originals are drawn, at most 10.",
)
@click.option("-r", "r", type=int, default=4, show_default=True, metavar="N", help="Groups: ordinary items of a query.")
@click.option("--queries", type=int, default=100, show_default=True, metavar="N", help="Groups: how many are asked.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="Only this measure, such as tkd, or all that begin so, such as 're*'; may be repeated.",
)
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Facts as JSON on standard output.")
def command(
    release: str,
    original: str,
    hierarchy: str | None,
    top: int,
    seed: int,
    reconstructions: int,
    r: int,
    queries: int,
    measures: tuple[str, ...],
    as_json: bool,
    **reading: object,
) -> None:
    """Say what RELEASE costs: how well the itemsets and supports of the original can still be found in it.

    Each form of release has its own measures. Of clusters, itemsets and supports are compared; of groups, how sensitive
    items go with ordinary ones.

    The numbers are facts about the original. They are for you, who has it; nothing is written into the release, and
    they must not be published with it.
    """
    with shown(quiet=as_json) as progress:
        loaded = load_release(release, progress)
        from disjoin.files.hierarchies import read_hierarchy
        from disjoin.files.reading import read
        from disjoin.pipeline import evaluate

        evaluation = evaluate(
            loaded,
            read(original, **only_given(**reading)),
            top=top,
            seed=seed,
            reconstructions=reconstructions,
            r=r,
            queries=queries,
            hierarchy=None if hierarchy is None else read_hierarchy(hierarchy),
            measures=measures or None,
            progress=progress,
        )
    if as_json:
        print_json(evaluation.to_json())
    else:
        tell(evaluation)
