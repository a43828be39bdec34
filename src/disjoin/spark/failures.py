"""Failures of Spark as one sentence, without traces of Java or data."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from disjoin.errors import CannotWrite, DisjoinError, Placeholder, Remedy, place_of

FULL = "No space left on device"
_OURS = re.compile(r"TaskFailed: (\w+(?: in [\w./]+, line \d+)?)")
_NEEDED = re.compile(r"No module named '(disjoin|numpy|numba|pyarrow|scipy)\b|(PyArrow) >= [\d.]+ must be installed")
_NO_CLASSES = re.compile(r'No FileSystem for scheme "?([\w.+-]+)|ClassNotFoundException: Class ([\w.]*FileSystem\w*)')
_ENDED = re.compile(r"ExecutorLostFailure|Container killed|OOMKilled|exit (?:code|status):? 137|crashed unexpectedly")
_THEIRS = re.compile(r"(?:Caused by: |^)(?:[a-z]\w*\.)+([A-Z]\w*(?:Exception|Error))", re.MULTILINE)


class TaskFailed(RuntimeError):
    """The error type in an executor, and its place; not its text, which Spark would log."""


class NotShared(RuntimeError):
    """Raised in an executor that does not see the driver's staging folder."""


class JobFailed(DisjoinError, RuntimeError):
    """Spark could not finish a job; nothing is published, and nothing remains in the staging folder."""


class MistakeInTask(JobFailed):
    """A task of disjoin raised an unexpected error."""

    exit_code = 70


@contextmanager
def without_data() -> Iterator[None]:
    """Report the place of an error in an executor, without its data."""
    try:
        yield
    except Exception as failure:
        is_full = isinstance(failure, OSError) and failure.errno in (errno.ENOSPC, errno.EDQUOT)
        raise TaskFailed(FULL if is_full else place_of(failure)) from None


@contextmanager
def in_a_sentence(staging: Path) -> Iterator[None]:
    """Report Java's traces of Spark as a sentence without data; with DISJOIN_TRACEBACK the trace is kept."""
    try:
        yield
    except Exception as failure:
        said = _sentence(failure, staging)
        if said is None:
            raise
        raise said from (failure if os.environ.get("DISJOIN_TRACEBACK") else None)


def _sentence(failure: Exception, staging: Path) -> DisjoinError | None:
    if isinstance(failure, DisjoinError):
        return None
    is_sparks = type(failure).__module__.partition(".")[0] in ("pyspark", "py4j", "grpc")
    words = _words_of(failure) if is_sparks else str(failure)
    if FULL in words:
        return CannotWrite(
            f"a disk is full, that of the staging folder ({staging.parent}) or of Spark's own temporary files. Nothing "
            "was published, and nothing remains there. Make room.",
            remedies=[Remedy("staging", Placeholder("FOLDER"), "choose another folder")],
        )
    if not is_sparks:
        return None
    if missing := _NEEDED.search(words):
        return JobFailed(
            f"executors of Spark have no {(missing[1] or missing[2]).lower()}, so nothing was published. Install "
            "disjoin in their Python (an image), or send an environment along (spark.archives): see "
            '"disjoin on the executors" in docs/how-to/spark.md.'
        )
    if unknown := _NO_CLASSES.search(words):
        return JobFailed(
            f"Spark has no classes for the address ({' '.join(filter(None, unknown.groups()))}). Add them with "
            "spark.jars.packages (for s3a://: org.apache.hadoop:hadoop-aws in the version of Spark's "
            "Hadoop), or copy or mount the data."
        )
    if "PATH_NOT_FOUND" in words:
        return JobFailed("Spark found no file or folder at the address of the input. Check the address.")
    if _ENDED.search(words):
        return JobFailed(
            "executors of Spark were ended during their work, which happens at a container's memory limit; nothing was "
            "published. Give them more memory (spark.executor.memory, spark.executor.memoryOverhead), or fewer records "
            "per task.",
            remedies=[Remedy("shard_records", Placeholder("N"), "use about N records per task")],
        )
    if "TaskFailed: NotShared" in words:
        return JobFailed(not_shared(staging), remedies=[USE_STAGING])
    if mine := _OURS.search(words):
        return MistakeInTask(
            f"a task of Spark failed ({mine[1]}), which is an error in disjoin; nothing was published. Please report "
            "this line, which has none of your data."
        )
    kinds = [type(failure).__name__, *dict.fromkeys(_THEIRS.findall(words))]
    return JobFailed(
        f"Spark could not finish a job ({', '.join(kinds[:4])}); nothing was published. Its logs have the cause; with "
        "DISJOIN_TRACEBACK=1 it is shown here, possibly with data."
    )


USE_STAGING = Remedy(
    "staging", Placeholder("FOLDER"), "use a folder with the same path on the driver and all executors"
)


def not_shared(staging: Path) -> str:
    return (
        f"executors of Spark cannot access the staging folder that the driver created in {staging.parent}; nothing was "
        "written there. All of them need access as the same user."
    )


def _words_of(failure: BaseException) -> str:
    said: list[str] = []
    each: BaseException | None = failure
    while each is not None and len(said) < 20:
        said.append(f"{each}\n{getattr(each, '_stackTrace', '') or ''}")
        each = getattr(each, "_cause", None) or each.__cause__
    return "\n".join(said)
