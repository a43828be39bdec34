"""Make-believe data: for demonstrations, benchmarks and tests that need no real people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def _quest(records: int, seed: int, path: Path) -> None:
    from disjoin.generate.quest import Quest, write_quest

    write_quest(Quest(records), seed, path)


def _baskets(records: int, seed: int, path: Path) -> None:
    from disjoin.generate.baskets import write_baskets

    write_baskets(records, seed, path)


# Name -> writes that many records, made from a seed, to a file. Imports its work when it works.
GENERATORS: dict[str, Callable[[int, int, Path], None]] = {"baskets": _baskets, "quest": _quest}
