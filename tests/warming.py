"""Runs everything that is compiled once, on tiny data: `python warming.py sets`, or `tables` for the other half.

The halves share few kernels, so that two processes can work side by side without compiling the same thing.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import disjoin
from disjoin.generate.baskets import baskets
from disjoin.generate.census import write_census, write_hierarchies
from disjoin.generate.quest import Quest, write_quest


def sets(_: Path) -> None:
    """Disassociation, with all that can be asked of its releases."""
    records = baskets(150, 3)
    for settings in ({"clustering": "auto"}, {"refine_builder": "pairs"}, {"strategy": "adding"}, {"m": 3}):
        release = disjoin.disassociate(records, **{"k": 3, "m": 2, "max_cluster_size": 12, "threads": 1, **settings})
    disjoin.verify(release, original=records)
    names = sorted({term for record in records for term in record})
    release.support([names[:1], names[:2], names[:3]])
    release.mine(top=5)
    release.pairs()
    release.reconstruct(seed=1)
    disjoin.evaluate(release, records, top=10, reconstructions=1)
    disjoin.disassociate(records, k=3, sensitive=names[:1], l=3, threads=1)


def tables(folder: Path) -> None:
    """The other methods, the readers and the generators."""
    write_census(60, 1, folder / "census.csv")
    write_hierarchies(folder / "hierarchies")
    people = disjoin.read_table(folder / "census.csv")
    quasi = ["age", "sex", "education"]
    for algorithm in ("local-search", "two-level", "kaca", "top-down", "top-down-kaca"):
        disjoin.generalize(people, 3, quasi, hierarchies=folder / "hierarchies", algorithm=algorithm)
    records = baskets(150, 3)
    often = max({t for r in records for t in r}, key=lambda term: (sum(term in r for r in records) == 5, term))
    for settings in ({}, {"order": "aat"}, {"grouping": "paper"}):
        groups = disjoin.cahd(records, [often], 4, **settings)
    disjoin.evaluate(groups, records)
    disjoin.generalize_items(records, 3, 2, fan_out=3)
    disjoin.diffpart(records, domain="seen")
    disjoin.uniqueness(disjoin.read(records), 2)
    write_quest(Quest(records=50, terms=20), 1, folder / "quest.dat")
    disjoin.read(folder / "quest.dat")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        {"sets": sets, "tables": tables}[sys.argv[1]](Path(place))
