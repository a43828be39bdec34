"""Everything that is compiled, compiled ahead: every method and question once, on tiny made-up data.

What compiles is what real work calls, with the kinds of arrays that real work has; nothing is guessed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from disjoin.compiling import places
from disjoin.compiling.decision import decision
from disjoin.progress import count


@dataclass(frozen=True, slots=True)
class WarmUp:
    """What warming up has done: how many loops were compiled and not on disk before, and where they are kept."""

    compiled: int
    folder: Path | None
    java: Path | None = None  # where the classes are that Java has loaded for Spark


def warm_up(*parts: str) -> WarmUp:
    """Compile all loops (or those of some `PARTS`), so that no later run on this machine has to."""
    before = count.done
    decision.compile_from_now_on()
    with tempfile.TemporaryDirectory(prefix="disjoin-") as place:
        for name in parts or PARTS:
            PARTS[name](Path(place))
    return WarmUp(count.done - before, places.folder())


def warm_up_spark() -> WarmUp:
    """Compile all loops, and run Spark once: its Java keeps the classes that it has loaded, and starts sooner then."""
    done = warm_up()
    if done.folder is None or " " in str(done.folder):  # options of Java are separated by blanks
        return done
    from disjoin.engines.spark.session import archive_name, keeping_classes
    from disjoin.engines.spark.settings import SparkSettings
    from disjoin.engines.spark.sources import frame_of
    from disjoin.generate.baskets import baskets
    from disjoin.methods import Disassociation
    from disjoin.spark import publish_frame

    kept = done.folder / archive_name()
    with tempfile.TemporaryDirectory(prefix="unfinished-", dir=done.folder) as place:
        source, classes = Path(place) / "baskets.dat", Path(place) / kept.name
        source.write_text("\n".join(map(" ".join, baskets(150, 3))), encoding="utf-8")
        with keeping_classes(classes) as session:
            publish_frame(frame_of(session, str(source), {"format": "fimi"}), Disassociation(k=3), SparkSettings())
        if not classes.is_file():
            return done
        classes.replace(kept)
    return replace(done, java=kept)


def _sets(_: Path) -> None:
    """Disassociation, with all that can be asked of its releases."""
    from disjoin.attack.overview import overview
    from disjoin.files.reading import read
    from disjoin.generate.baskets import baskets
    from disjoin.pipeline import evaluate, verify
    from disjoin.publishers import disassociate

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
    """Generalised tables, by every algorithm."""
    from disjoin.files.table_reading import read_table
    from disjoin.generate.census import write_census, write_hierarchies
    from disjoin.methods.generalization.choices import ALGORITHM_NAMES
    from disjoin.publishers import generalize

    write_census(60, 1, folder / "census.csv")
    write_hierarchies(folder / "hierarchies")
    people, quasi = read_table(folder / "census.csv"), ["age", "sex", "education"]
    ways: list[dict[str, Any]] = [{"algorithm": name} for name in ALGORITHM_NAMES]
    for settings in ways:
        generalize(people, 3, quasi, hierarchies=folder / "hierarchies", drop_unassigned=True, **settings)


def _groups(_: Path) -> None:
    """The other methods for records."""
    from disjoin.generate.baskets import baskets
    from disjoin.pipeline import evaluate
    from disjoin.publishers import cahd, diffpart, generalize_items

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
    """Readers, generators, and what is said of a file before it is published."""
    from disjoin.attack.uniqueness import uniqueness
    from disjoin.files.reading import read
    from disjoin.generate.baskets import baskets
    from disjoin.generate.quest import Quest, write_quest

    uniqueness(read(baskets(150, 3)), 2)
    write_quest(Quest(records=50, terms=20), 1, folder / "quest.dat")
    read(folder / "quest.dat")


PARTS: dict[str, Callable[[Path], None]] = {"sets": _sets, "tables": _tables, "groups": _groups, "files": _files}
