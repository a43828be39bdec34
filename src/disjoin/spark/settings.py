"""Settings of the Spark engine, and unsupported settings."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from disjoin.atomic import scheme_of
from disjoin.errors import InvalidParameter, Remedy, described
from disjoin.methods.settings import setting
from disjoin.model.parameters import require_integer
from disjoin.spark.failures import USE_STAGING

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation
    from disjoin.pipeline import Outcome
    from disjoin.plan import Plan
    from disjoin.progress import Progress
    from disjoin.report.profile import Inspection
    from disjoin.spark.horpart import Sizes

NEEDS_SPARK = "Spark is not installed. Install it (pip install 'disjoin[spark]') with Java 17 or newer."


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """The Spark engine with its settings, found through the entry point `spark` in `disjoin.engines`."""

    name: ClassVar[str] = "spark"
    runs: ClassVar[tuple[str, ...]] = ("disassociation", "inspect")

    # None: that of spark-submit or SPARK_MASTER, else all cores of this machine
    master: str | None = setting(None, "the Spark master (default: SPARK_MASTER, or this machine)", kind="text")
    # None: the folder for temporary files, if executors are here
    staging: str | None = setting(
        None, "a private folder that all machines of Spark can reach, through which the records pass", kind="text"
    )
    shard_records: int | None = setting(None, "how many records a Spark task takes (default: 4,000,000)", least=1)
    conf: tuple[str, ...] = setting((), "a Spark setting, which may be repeated", flag="spark-conf", kind="pairs")

    def __post_init__(self) -> None:
        if not isinstance(self.conf, (list, tuple)):
            raise InvalidParameter('conf is a list of settings, for example conf = ["spark.ui.enabled=false"].')
        for name in ("master", "staging"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or not value):
                raise InvalidParameter(f"{name} must be text, got {described(value)}.")
        for each in self.conf:
            if not isinstance(each, str) or "=" not in each.strip("="):
                raise InvalidParameter(f"a setting of Spark must be name=value, got {described(each)}.")
        if self.shard_records is not None:
            why = "it is the number of records per task."
            object.__setattr__(self, "shard_records", require_integer("shard_records", self.shard_records, 1, why))
        object.__setattr__(self, "conf", tuple(self.conf))

    def sizes(self) -> Sizes:
        from disjoin.spark.horpart import Sizes

        if self.shard_records is None:
            return Sizes()
        n = self.shard_records
        return Sizes(n, 10 * n, min(n, Sizes().block_records))

    def in_folder(self, folder: Path) -> SparkSettings:
        """Return the settings with a staging folder that is relative to another one."""
        if self.staging is None or scheme_of(self.staging):
            return self
        return SparkSettings(self.master, str(folder / self.staging), self.shard_records, self.conf)

    def publish(self, plan: Plan, progress: Progress) -> Outcome:
        """Publish as the plan requires; the private facts of the outcome have the warnings and the input."""
        from disjoin.methods.disassociation import Disassociation
        from disjoin.spark.frames import publish_frame

        if not isinstance(plan.method, Disassociation):
            raise InvalidParameter(f"Spark supports only disassociation, not {plan.method.name}.")
        require_possible(plan.method)
        with self._frame(plan.source, plan.reading, "disassociate", progress) as (frame, jobs):
            split = plan.reading.get("split")
            outcome = publish_frame(frame, plan.method, self, progress, split=split, jobs=jobs)
        return replace(outcome, intake=outcome.private["input"])

    def inspect(self, source: Any, reading: Mapping[str, Any], known: int | None, progress: Progress) -> Inspection:
        from disjoin.spark.frames import inspect_frame
        from disjoin.spark.uniqueness import MOST_KNOWN

        with self._frame(source, reading, "inspect", progress) as (frame, jobs):
            return inspect_frame(frame, self, known or MOST_KNOWN, progress, split=reading.get("split"), jobs=jobs)

    @contextmanager
    def _frame(
        self, source: Any, reading: Mapping[str, Any], function: str, progress: Progress
    ) -> Iterator[tuple[Any, Any]]:
        from disjoin.spark.preflight import ready
        from disjoin.spark.session import session_for
        from disjoin.spark.sources import frame_of
        from disjoin.spark.staging import staging_in

        if not isinstance(source, str):
            raise InvalidParameter(
                f"Spark reads databases itself. Make a frame of the query, and call disjoin.spark.{function} in Python."
            )
        with staging_in(self.staging) as staging, session_for(self) as session:  # the session ends before the folder
            jobs = ready(session, staging, self, progress)
            yield frame_of(session, source, reading), jobs

    @classmethod
    def warm_up(cls, folder: Path) -> Path | None:
        """Run Spark once, so that its Java stores its loaded classes in a file, and starts sooner later."""
        from disjoin.generate.baskets import baskets
        from disjoin.methods.disassociation import Disassociation
        from disjoin.spark.frames import publish_frame
        from disjoin.spark.session import archive_name, keeping_classes
        from disjoin.spark.sources import frame_of

        if " " in str(folder):  # options of Java are separated by blanks
            return None
        kept = folder / archive_name()
        with tempfile.TemporaryDirectory(prefix="unfinished-", dir=folder) as place:
            source, classes = Path(place) / "baskets.dat", Path(place) / kept.name
            source.write_text("\n".join(map(" ".join, baskets(150, 3))), encoding="utf-8")
            with keeping_classes(classes) as session:
                publish_frame(frame_of(session, str(source), {"format": "fimi"}), Disassociation(k=3), cls())
            if not classes.is_file():
                return None
            classes.replace(kept)
        return kept


def is_local(master: str) -> bool:
    """Return whether a master of Spark runs executors on this machine.

    >>> [is_local(each) for each in ("local", "local[*, 4]", "local-cluster[2,1,1024]", "yarn", "spark://localhost:7077")]
    [True, True, True, False, False]
    """
    return re.fullmatch(r"local(-cluster)?(\[[^]]*\])?", master) is not None


RUN_LOCALLY = Remedy("engine", "local", "run on one machine")


def require_staging(staging: str | None, master: str) -> None:
    if staging is None and not is_local(master):
        raise InvalidParameter(
            f"the executors of {described(master)} may run on other machines.", remedies=[USE_STAGING]
        )


CLUSTERINGS_ON_SPARK = ("horpart", "core", "core-horpart")


def require_possible(method: Disassociation) -> None:
    """Raise if Spark cannot run the method, or not with the same result."""
    from disjoin.methods.disassociation.choices import STRATEGIES

    if STRATEGIES[method.strategy].is_sequential:
        raise InvalidParameter(
            f"the strategy {method.strategy!r} treats parts one by one, so Spark cannot run it. Use another one.",
            remedies=[RUN_LOCALLY],
        )
    if method.ties == "first":
        raise InvalidParameter("ties='first' needs the order of the input, which Spark does not keep. Use 'lex'.")
    if method.min_people is not None:
        raise InvalidParameter("min_people is for one machine. Leave it out.", remedies=[RUN_LOCALLY])
    if method.slack or method.cover_aware is not None:
        raise InvalidParameter("slack and cover_aware are for one machine. Leave them out.", remedies=[RUN_LOCALLY])
    if method.clustering not in CLUSTERINGS_ON_SPARK:
        raise InvalidParameter(
            f"the clustering {method.clustering!r} is for one machine. Use {', '.join(CLUSTERINGS_ON_SPARK)}.",
            remedies=[RUN_LOCALLY],
        )
