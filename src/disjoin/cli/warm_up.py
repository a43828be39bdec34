"""Command `warm-up`: compile all loops ahead."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click

from disjoin.cli.options import speaking_options
from disjoin.cli.screen import print_json, say, shown
from disjoin.errors import InvalidParameter
from disjoin.jit import cache
from disjoin.jit.decision import decision
from disjoin.progress import count


@click.command("warm-up")
@click.option(
    "--spark", "for_spark", is_flag=True, help="Prepare Spark, too, so that its Java starts sooner (takes 200 MB)."
)
@speaking_options
def warm_up_command(for_spark: bool, quiet: bool, as_json: bool) -> None:
    """Compile all code ahead, so that no later run on this machine has to.

    This is for images, compute clusters and continuous integration: every method runs once on tiny synthetic data.
    Without it, small data are published without compiling, and large data compile what they need the first time, which
    takes up to a minute. Compiled code is kept next to the package, or in your cache folder if that is read-only.
    """
    from disjoin.cli.startup import unblock_optional_imports

    if for_spark:
        unblock_optional_imports()
    with shown(quiet=quiet or as_json), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what may happen to people: these are made up
        done = warm_up_spark() if for_spark else warm_up()
    place = None if done.folder is None else str(done.folder)
    if as_json:
        java = {"java": done.java and str(done.java)} if for_spark else {}
        print_json({"compiled": done.compiled, "folder": place} | java)
    elif not quiet:
        found = f"{done.compiled:,} loops were compiled" if done.compiled else "Everything was compiled already"
        say(f"{found}, and {'nothing can be kept' if place is None else f'kept in {place}'}.")
        if for_spark:
            say("What Java loads for Spark is kept there, too." if done.java else "What Java loads cannot be kept.")


# Every method and question runs once on tiny synthetic data, which compiles what real work calls.


class WarmUp(NamedTuple):
    """What warming up has done: how many loops were compiled and not on disk before, and where they are kept."""

    compiled: int
    folder: Path | None
    java: Path | None = None  # where the classes are that Java has loaded for Spark


def warm_up(*parts: str) -> WarmUp:
    before = count.done
    decision.compile_from_now_on()
    with tempfile.TemporaryDirectory(prefix="disjoin-") as place:
        for name in parts or PARTS:
            PARTS[name](Path(place))
    return WarmUp(count.done - before, cache.folder())


def warm_up_spark() -> WarmUp:
    from disjoin.engine import ENGINES

    if "spark" not in ENGINES:
        raise InvalidParameter("no package with the engine spark is installed: leave --spark out.")
    done = warm_up()
    return done if done.folder is None else done._replace(java=ENGINES["spark"].warm_up(done.folder))


def _sets(_: Path) -> None:
    from disjoin.api import disassociate
    from disjoin.attack.overview import overview
    from disjoin.generate.baskets import baskets
    from disjoin.pipeline import evaluate, verify
    from disjoin.readers.read import read

    records, small = baskets(150, 3), {"k": 3, "max_cluster_size": 12, "threads": 1}
    ways: list[dict[str, Any]] = [{"clustering": "auto"}, {"refine_builder": "pairs"}, {"strategy": "adding"}, {"m": 3}]
    disassociate(records, k=3, clustering="bounded", threads=1)
    for settings in ways:
        release = disassociate(records, **(small | settings))
    verify(release, original=records)
    names = sorted({term for record in records for term in record})
    release.support([names[:1], names[:2], names[:3]])
    release.mine(top=5)
    release.pairs()
    release.reconstruct(seed=1)
    evaluate(release, records, top=10, reconstructions=1)
    overview(release)
    overview(release, read(records))
    disassociate(records, k=3, sensitive=names[:1], l=3, threads=1)


def _tables(folder: Path) -> None:
    from disjoin.api import generalize
    from disjoin.generate.census import write_census, write_hierarchies
    from disjoin.methods.generalization.choices import ALGORITHM_NAMES
    from disjoin.readers.tables import read_table

    write_census(60, 1, folder / "census.csv")
    write_hierarchies(folder / "hierarchies")
    people, trees = read_table(folder / "census.csv"), folder / "hierarchies"
    for name in ALGORITHM_NAMES:
        way: Any = {"algorithm": name}
        generalize(people, 3, ["age", "sex", "education"], hierarchies=trees, drop_unassigned=True, **way)


def _groups(_: Path) -> None:
    from disjoin.api import cahd, diffpart, generalize_items
    from disjoin.generate.baskets import baskets
    from disjoin.pipeline import evaluate

    records = baskets(150, 3)
    often = max({t for r in records for t in r}, key=lambda term: (sum(term in r for r in records) == 5, term))
    ways: list[dict[str, Any]] = [{}, {"order": "aat"}, {"grouping": "paper"}]
    for settings in ways:
        groups = cahd(records, [often], 4, **settings)
    evaluate(groups, records)
    generalize_items(records, 3, 2, fan_out=3)
    if find_spec("opendp"):  # an extra; without it there is no DiffPart to get ready for
        diffpart(records, domain="seen")


def _files(folder: Path) -> None:
    from disjoin.attack.uniqueness import uniqueness
    from disjoin.generate.baskets import baskets
    from disjoin.generate.quest import Quest, write_quest
    from disjoin.readers.read import read

    uniqueness(read(baskets(150, 3)), 2)
    write_quest(Quest(records=50, terms=20), 1, folder / "quest.dat")
    read(folder / "quest.dat")


PARTS: dict[str, Callable[[Path], None]] = {"sets": _sets, "tables": _tables, "groups": _groups, "files": _files}
