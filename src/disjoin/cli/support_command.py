"""disjoin support release/ "flu,itunes" "ikea" """

from __future__ import annotations

from typing import Literal

import click

from disjoin.cli.itemset_tables import csv_of, facts_of, load_release, print_table, rare_option
from disjoin.cli.screen import print_json, say_text, shown
from disjoin.errors import InvalidParameter
from disjoin.files.itemset_lists import itemset_from, itemsets_in


@click.command("support")
@click.argument("release", metavar="RELEASE")
@click.argument("itemsets", metavar="[ITEMSET]...", nargs=-1)
@click.option("--file", "source", metavar="FILE", help="More itemsets, one per line (- for standard input).")
@rare_option
@click.option("--csv", "as_csv", is_flag=True, help="A CSV table on standard output.")
@click.option("--json", "as_json", is_flag=True, help="Facts as JSON on standard output.")
def command(
    release: str,
    itemsets: tuple[str, ...],
    source: str | None,
    rare: Literal["once", "half"],
    as_csv: bool,
    as_json: bool,
) -> None:
    """Say in how many records of RELEASE each ITEMSET is: at least, about, at most.

    An ITEMSET is terms between commas, such as "flu,itunes"; quote a term that has a comma or a quote in it, as in a
    CSV file: '"milk, 1 l",tea'. The true number lies between the bounds. The estimate is the mean over all ways to
    put the published parts together by chance; in groups, to hand the sensitive items out to the records. Of
    generalised records, ask for published names or for terms; of noisy ones, nothing is certain but the estimate.

    Control characters in terms are written out (\\x1b), with --csv too; --json has them so that programs read them.
    """
    if as_csv and as_json:
        raise InvalidParameter("choose one of --csv and --json.")
    asked = [itemset_from(text) for text in itemsets] + (itemsets_in(source) if source else [])
    if not asked:
        raise InvalidParameter('expected itemsets, such as "flu,itunes", or a file of them with --file.')
    with shown(quiet=as_csv or as_json) as progress:
        loaded = load_release(release, progress)
        table = loaded.support(asked, rare=rare)
    if as_json:
        from disjoin.analyst import unknown_terms

        print_json(facts_of(table, loaded, unknown_terms=unknown_terms(loaded, table["itemset"])))
    elif as_csv:
        say_text(csv_of(table))
    else:
        print_table(table)
