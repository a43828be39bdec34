"""What somebody says about Spark: where it runs, where it may put things, how much a task takes; what it cannot run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from disjoin.engines.spark.placing_sizes import Sizes
from disjoin.errors import InvalidParameter, described
from disjoin.methods.disassociation.choices import STRATEGIES
from disjoin.model.guarantee import require_integer
from disjoin.storage import scheme_of

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

NEEDS_SPARK = "Spark is not installed. Say pip install 'disjoin[spark]', and have Java 17 or newer."


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """The settings of a run on Spark; all have usual values."""

    master: str | None = None  # None: that of spark-submit or SPARK_MASTER, else all cores of this machine
    staging: str | None = None  # None: the folder for temporary files, if executors are here
    shard_records: int | None = None
    conf: tuple[str, ...] = ()  # "name=value"

    def __post_init__(self) -> None:
        for name in ("master", "staging"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value):
                raise InvalidParameter(f"{name} must be text, got {described(value)}.")
        for each in self.conf:
            if not isinstance(each, str) or "=" not in each.strip("="):
                raise InvalidParameter(f"a setting of Spark is written name=value, got {described(each)}.")
        if self.shard_records is not None:
            why = "it is how many records a task takes at once."
            object.__setattr__(self, "shard_records", require_integer("shard_records", self.shard_records, 1, why))
        object.__setattr__(self, "conf", tuple(self.conf))

    def sizes(self) -> Sizes:
        """Return how much one task takes."""
        if self.shard_records is None:
            return Sizes()
        n = self.shard_records
        return Sizes(n, 10 * n, min(n, Sizes().block_records))

    def in_folder(self, folder: Path) -> SparkSettings:
        """Return the settings with a staging folder that is relative to another one."""
        if self.staging is None or scheme_of(self.staging):
            return self
        return SparkSettings(self.master, str(folder / self.staging), self.shard_records, self.conf)


def is_local(master: str) -> bool:
    """Tell whether a master of Spark runs executors on this machine.

    >>> [is_local(each) for each in ("local", "local[*, 4]", "local-cluster[2,1,1024]", "yarn", "spark://localhost:7077")]
    [True, True, True, False, False]
    """
    return re.fullmatch(r"local(-cluster)?(\[[^]]*\])?", master) is not None


def require_staging(staging: str | None, master: str) -> None:
    """Raise unless a staging folder is named or the master is on this machine."""
    if staging is None and not is_local(master):
        raise InvalidParameter(
            f"the executors of {described(master)} may run on other machines: use --staging (staging=) with a folder "
            "that the driver and all executors see under the same path."
        )


CLUSTERINGS_ON_SPARK = ("horpart", "core", "core-horpart")


def require_possible(method: Disassociation) -> None:
    """Raise if the method is one that Spark cannot run, or not with the same outcome."""
    if STRATEGIES[method.strategy].is_sequential:
        raise InvalidParameter(
            f"the strategy {method.strategy!r} goes from part to part, one after the other, so Spark cannot run it: "
            "choose another, or --engine local."
        )
    if method.ties == "first":
        raise InvalidParameter("ties='first' needs the order of the input, which Spark does not keep: use 'lex'.")
    if method.min_people is not None:
        raise InvalidParameter("min_people is for one machine: leave it out, or use --engine local.")
    if method.slack or method.cover_aware is not None:
        raise InvalidParameter("slack and cover_aware are for one machine: leave them out, or use --engine local.")
    if method.clustering not in CLUSTERINGS_ON_SPARK:
        raise InvalidParameter(
            f"the clustering {method.clustering!r} is for one machine: choose {', '.join(CLUSTERINGS_ON_SPARK)}, or "
            "--engine local."
        )
