"""Choices of the settings of generalisation: a record per algorithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from disjoin.methods.settings import LazyEntry, by_name

if TYPE_CHECKING:
    from disjoin.model import Table

WEIGHTS = ("uniform", "height")
SIMILAR_IDS = ("error", "merge", "keep")  # how to treat ids that differ only in spelling
PATIENCE = 30  # seconds of work that need no note
# Processor time measured with random numbers: KACA on 6,000 to 14,000 rows, the search on 10,000 and 20,000.
_KACA = 3e-8  # seconds per column and pair of different rows
_SEARCH = 1.2e-4  # seconds per column and different row, in a wide table


def kaca_seconds(table: Table, quasi: Sequence[str], different: int) -> float:
    return _KACA * len(quasi) * different**2


def search_seconds(table: Table, quasi: Sequence[str], different: int) -> float:
    """Estimate the time of the search in a wide table, where bounds prune nothing; in other tables it is fast."""
    from disjoin.methods.generalization.local_search import WIDE

    is_fine = (name not in table.hierarchies and 10 * len(table.values_of(name)) > len(table) for name in quasi)
    return _SEARCH * len(quasi) * different if sum(is_fine) >= WIDE else 0


@dataclass(frozen=True, slots=True)
class Algorithm(LazyEntry):
    """A way to form classes: a function of an encoded table, the method, and progress (if sharded, also a map over
    parts). `takes` returns seconds, from the table, its quasi-identifiers and the number of different rows."""

    settings: tuple[str, ...] = ()
    takes: Callable[[Table, Sequence[str], int], float] | None = None
    is_sharded: bool = False


def _algorithm(name: str, sentence: str, **more: Any) -> Algorithm:
    module = name.replace("-", "_")
    return Algorithm(name, sentence, f"disjoin.methods.generalization.{module}:{module}", **more)


ALGORITHMS = by_name(
    _algorithm("two-level", "rows that differ in one attribute are joined first, then all attributes climb together"),
    _algorithm(
        "kaca", "the smallest class is merged with the nearest one, repeatedly", settings=("stub",), takes=kaca_seconds
    ),
    _algorithm("top-down", "all rows start at the roots and are split as long as the parts satisfy the requirements"),
    _algorithm(
        "top-down-kaca",
        "rows are split into large parts, and similar rows are merged in each",
        settings=("stub", "partition_size"),
    ),
    _algorithm(
        "local-search",
        "small classes are joined at the least cost, then rows move while losses fall",
        settings=("retries",),
        takes=search_seconds,
        is_sharded=True,
    ),
)
ALGORITHM_NAMES = tuple(ALGORITHMS)


def slow_note(algorithm: str, table: Table, quasi: Sequence[str]) -> str:
    """Return a note on an algorithm's running time on this table and on a faster one; an empty string if it is fast."""
    takes = ALGORITHMS[algorithm].takes
    if takes is None or takes(table, quasi, len(table)) < PATIENCE:  # different rows are counted only if it matters
        return ""
    from disjoin.methods.generalization.encoding import distinct_rows

    different = distinct_rows([table.codes_of(name) for name in quasi])[1].size
    seconds = takes(table, quasi, different)
    if seconds < PATIENCE:
        return ""
    return (
        f"{different:,} rows differ from one another in the quasi-identifiers, which takes {algorithm} about "
        f"{in_words(seconds)} on one core. The algorithm two-level takes seconds, but loses more information."
    )


def in_words(seconds: float) -> str:
    """Return a time, rounded, in words.

    >>> [in_words(seconds) for seconds in (34, 100, 400, 9_000)]
    ['40 seconds', '2 minutes', '7 minutes', '3 hours']
    """
    if seconds < 60:
        return f"{-(-int(seconds) // 10) * 10} seconds"
    size, unit = (60, "minute") if seconds < 3600 else (3600, "hour")
    number = max(1, int(seconds / size + 0.5))
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"
