"""Command `evaluate`: utility of a release compared with its original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from disjoin.cli import options as shared
from disjoin.cli.analyse import load_release
from disjoin.cli.screen import borderless_table, print_json, screen, shown
from disjoin.errors import InvalidParameter
from disjoin.readers.databases import Query
from disjoin.text import PRIVATE, percent, printable

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.measure import Evaluation, EvaluationRow

HEAD = PRIVATE
OF_CLUSTERS = "one reconstruction, from the mean of several, or from chunks alone"
WHENCE = {  # by the source that the rows name
    "generalised records": "generalised records, spread evenly over the terms below a node",
    "noisy records": "the noisy records as they are",
}


def tell(evaluation: Evaluation) -> None:
    console = screen()
    errors = [row for row in evaluation.rows if row.unit == "error"]
    others = [row for row in evaluation.rows if row.unit != "error"]
    if lead := _lead(others):
        console.print(lead, style="bold", soft_wrap=True)
    console.print(HEAD, soft_wrap=True)
    if others:
        _print_rows(console, others)
    if errors:
        _print_errors(console, errors)
    _print_notes(evaluation)


_LEADS = {
    "pair_mass": "{} of the item pairs stay visible together",
    "granularity": "{} of the detail of the columns is kept",
    "association_error": "Associations with sensitive items are off by {}",
}


def _lead(rows: list[EvaluationRow]) -> str:
    """Return the figures that come first, in a sentence."""
    values = {row.name: row.value for row in rows if row.value is not None}
    said = [words.format(percent(float(values[name]))) for name, words in _LEADS.items() if name in values]
    return f"{'; '.join(said)}." if said else ""


def _print_rows(console: Console, rows: list[EvaluationRow]) -> None:
    drawn = borderless_table([])
    drawn.add_column("measure", overflow="fold")
    drawn.add_column("name", no_wrap=True)
    drawn.add_column("value", justify="right", no_wrap=True)
    drawn.add_column("better", no_wrap=True)
    for row in rows:
        better = row.direction.replace("neither", "")
        drawn.add_row(printable(row.title), printable(row.name), _written(row), better)
    console.print()
    console.print(drawn)


def _print_errors(console: Console, rows: list[EvaluationRow]) -> None:
    ranges = {tuple(row.details["ranks_asked"]): tuple(row.details["ranks"]) for row in rows}
    sources = list(dict.fromkeys(row.details["source"] for row in rows))
    cells = {(tuple(row.details["ranks_asked"]), row.details["source"]): _written(row) for row in rows}
    drawn = borderless_table(["terms ranked"])
    for source in sources:
        drawn.add_column(source.removesuffix(" reconstructions").removesuffix(" reconstruction"), justify="right")
    for asked, ranks in sorted(ranges.items()):
        instead = "" if ranks == asked else f" (for {asked[0]}-{asked[1]})"
        drawn.add_row(f"{ranks[0]}-{ranks[1]}{instead}", *(cells.get((asked, source), "") for source in sources))
    console.print()
    console.print("Relative error of the supports of pairs (re, lower is better)", style="bold")
    console.print(f"Supports come from {WHENCE.get(sources[0], OF_CLUSTERS)}.")
    console.print(drawn)
    if any(ranks != asked for asked, ranks in ranges.items()):
        console.print("There are too few terms for some ranks; the ranks in the table replace them, in proportion.")


def _print_notes(evaluation: Evaluation) -> None:
    about: dict[str, list[str]] = {}
    for row in evaluation.rows:
        if row.unit == "error" and row.value is not None:
            continue  # the table says it; the pairs that are nowhere are in --json
        for note in row.notes:
            about.setdefault(note, []).append(row.name)
    console = screen()
    if about or evaluation.notes:
        console.print()
    for note in evaluation.notes:
        console.print(printable(note))
    for note, names in about.items():
        which = ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
        console.print(printable(f"{which}: {note}"))


def _written(row: EvaluationRow) -> str:
    if row.value is None:
        return "-"
    return f"{row.value:,}" if isinstance(row.value, int) else f"{row.value:.4f}"


@click.command("evaluate")
@click.argument("release", metavar="[RELEASE]", required=False)
@shared.original_option("The data from which the release was made.")
@click.option(
    "--hierarchy",
    metavar="FILE",
    help="A hierarchy of the terms (term;parent;...;root), to compare itemsets of categories, too.",
)
@shared.number_option("--top", default=1000, help="The number of itemsets to compare.")
@shared.number_option("--seed", default=0, help="The seed of all random choices.")
@shared.number_option("--reconstructions", default=10, help="The number of possible originals to draw, at most 10.")
@shared.number_option("-r", "r", default=4, help="The number of ordinary items in a query (groups).")
@shared.number_option("--queries", default=100, help="The number of queries (groups).")
@click.option("--published", metavar="FILE", help="A table that another tool published, instead of RELEASE.")
@shared.columns_option("--quasi", "The columns of --published that were generalised.")
@shared.columns_option("--sensitive", "The columns of --published that must be unchanged.")
@shared.category_folder_option
@shared.number_option(
    "-k",
    "--k",
    "k",
    help="The least support of a frequent term, or the least class size of --published (default: k of the release, "
    "else 5).",
)
@click.option("--label", metavar="NAME", help="The column to predict (tables; default: the first sensitive one).")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure to compute, such as tkd, or several, such as 're*'; may be repeated.",
)
@shared.original_people_options
@shared.reading_options
@shared.json_option
def evaluate_command(
    release: str | None, original: str | Query | None, published: str | None, as_json: bool, **rest: Any
) -> None:
    """Measure what RELEASE lost, compared to its original.

    Each form of release has its own measures. For clusters, generalised items and noisy records, itemsets and supports
    are compared, in the same way for all. For groups, the correlation of sensitive and ordinary items is compared. For
    tables, the remaining precision of generalised values is measured; this works for tables that another tool
    published, too: give --published and --quasi, and --hierarchies for columns that are not numbers.

    The results are private: they are facts about the original and must not be published.
    """
    people, about = shared.taken(rest, shared.ABOUT_PEOPLE), shared.taken(rest, ("quasi", "sensitive", "hierarchies"))
    looking, hierarchy = shared.taken(rest, ("top", "seed", "reconstructions", "r", "queries")), rest.pop("hierarchy")
    more = {"label": rest.pop("label"), "measures": rest.pop("measures") or None, **shared.only_given(k=rest.pop("k"))}
    _require_one(release, published, about)
    if original is None and people["people"] is None:
        raise click.UsageError(
            "Give --original, the data that the release was made from (mixed data in two files: --people and --items)."
        )
    with shown(quiet=as_json) as progress:
        more["progress"] = progress
        if release is not None:
            trees = (hierarchy, about["hierarchies"])
            evaluation = _of_release(release, original, trees, rest, looking | more, people)
        else:
            assert published is not None, "one of the two is given"
            shared.refuse_people(people)
            assert original is not None, "only mixed data come without it"
            if hierarchy is not None:
                raise InvalidParameter("--hierarchy is for items. Give the folder of the columns' --hierarchies.")
            options = shared.table_reading(rest, "--published is one")
            evaluation = _of_tables(published, original, options, about, more)
    if as_json:
        print_json(evaluation.to_json())
    else:
        tell(evaluation)


def _require_one(release: str | None, published: str | None, about: dict[str, Any]) -> None:
    if release is None and published is None:
        raise click.UsageError("Give the RELEASE, or --published and --quasi for a table that another tool published.")
    if release is not None and published is not None:
        raise click.UsageError("Give either RELEASE or --published, not both.")
    if published is not None and not about["quasi"]:
        raise click.UsageError("With --published, name the columns that were generalised with --quasi.")
    given = [name for name, value in about.items() if value and name != "hierarchies"]
    if release is not None and given:
        raise click.UsageError(f"--{given[0]} is for --published: a release has it. Leave it out.")


def _of_release(
    path: str,
    original: str | Query | None,
    trees: tuple[str | None, str | None],
    reading: dict[str, Any],
    looking: dict[str, Any],
    people: dict[str, Any],
) -> Evaluation:
    loaded = load_release(path, looking["progress"])
    from disjoin.model import MixedRecords, Table
    from disjoin.pipeline import evaluate
    from disjoin.readers.hierarchies import read_hierarchy

    hierarchy, folder = trees
    tree = None if hierarchy is None else read_hierarchy(hierarchy)
    data = shared.original_of(loaded, original, people, reading)
    if isinstance(data, Table):
        return evaluate(loaded, shared.with_categories(loaded.published, data, hierarchy, folder), **looking)
    if not isinstance(data, MixedRecords):
        data = shared.with_categories(loaded.published, data, None, folder)
    return evaluate(loaded, data, hierarchy=tree, **looking)


def _of_tables(
    published: str, original: str | Query, options: dict[str, Any], about: dict[str, Any], more: dict[str, Any]
) -> Evaluation:
    more["progress"]("reading", 0, 0)
    from disjoin.measure.evaluation import evaluate_tables
    from disjoin.readers.hierarchies import read_hierarchies
    from disjoin.readers.tables import read_table, without_blanks

    ours, theirs = read_table(published, **options, as_written=True), read_table(original, **options)
    ours = without_blanks(ours, ours.schema.names, options.get("blank_words"))
    if about["hierarchies"] is not None:
        there = [name for name in about["quasi"] if name in ours.schema.names]  # about others the measures complain
        ours = ours.with_hierarchies(read_hierarchies(about["hierarchies"], there))
    more["progress"]("reading", 1, 1)
    return evaluate_tables(ours, theirs, about["quasi"], about["sensitive"], **more)
