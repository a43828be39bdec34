"""Generators of synthetic data: for demonstrations, benchmarks and tests that need no real people."""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any


def packaged_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of this package, by the names in its header."""
    text = files("disjoin.generate").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _quest(records: int, seed: int, path: Path, **settings: Any) -> None:
    from disjoin.generate.quest import Quest, write_quest

    write_quest(Quest(records, **settings), seed, path)


def _baskets(records: int, seed: int, path: Path, hierarchy: Path | None = None) -> None:
    from disjoin.generate.baskets import write_baskets, write_departments

    write_baskets(records, seed, path)
    if hierarchy is not None:
        write_departments(hierarchy)


def _census(records: int, seed: int, path: Path, hierarchies: Path | None = None) -> None:
    from disjoin.generate.census import write_census, write_hierarchies

    write_census(records, seed, path)
    if hierarchies is not None:
        write_hierarchies(hierarchies)


def _visits(records: int, seed: int, path: Path) -> None:
    from disjoin.generate.visits import write_visits

    write_visits(records, seed, path)


def _stays(records: int, seed: int, path: Path) -> None:
    from disjoin.generate.stays import write_stays

    write_stays(records, seed, path)


# Name -> writes that many records, made from a seed, to a file. Imports its work when it works.
GENERATORS: dict[str, Callable[..., None]] = {
    "baskets": _baskets,
    "visits": _visits,
    "stays": _stays,
    "quest": _quest,
    "census": _census,
}
