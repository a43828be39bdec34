"""What the settings of generalization choose from: a record per algorithm, read without loading compiled code."""

from __future__ import annotations

from dataclasses import dataclass

from disjoin.methods.settings import Listed

WEIGHTS = ("uniform", "height")
SIMILAR_IDS = ("error", "merge", "keep")  # what to make of ids that differ in nothing but their spelling

_HERE = "disjoin.methods.generalization"


@dataclass(frozen=True, slots=True)
class Algorithm(Listed):
    """A way to form classes; its function takes an encoded table, the method, and whom to tell of progress.

    `settings` are those that have an effect on this one only. `takes` is a function of the table, the names of its
    quasi-identifiers and the number of rows that differ: the seconds, where they can be many. One that is sharded gets
    a map over its parts, too.
    """

    settings: tuple[str, ...] = ()
    takes: str | None = None
    is_sharded: bool = False


ALGORITHMS = {
    each.name: each
    for each in (
        Algorithm(
            "two-level",
            "rows that differ in one attribute meet first, then all climb together",
            f"{_HERE}.two_level:two_level",
        ),
        Algorithm(
            "kaca",
            "the smallest class is merged with its nearest, again and again",
            f"{_HERE}.kaca:kaca",
            settings=("stub",),
            takes=f"{_HERE}.patience:kaca_seconds",
        ),
        Algorithm(
            "top-down",
            "all starts at the roots and is split as long as the parts are as demanded",
            f"{_HERE}.top_down:top_down",
        ),
        Algorithm(
            "top-down-kaca",
            "rows are split into large parts, and equal rows are merged in each",
            f"{_HERE}.top_down_kaca:top_down_kaca",
            settings=("stub", "partition_size"),
        ),
        Algorithm(
            "local-search",
            "small classes join where it costs least, then rows move while losses fall",
            f"{_HERE}.local_search:local_search",
            settings=("retries",),
            takes=f"{_HERE}.patience:search_seconds",
            is_sharded=True,
        ),
    )
}
ALGORITHM_NAMES = tuple(ALGORITHMS)
