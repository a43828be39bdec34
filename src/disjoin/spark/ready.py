"""First job: executors start, have what they need and share the staging folder."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from disjoin.errors import InvalidParameter, described
from disjoin.progress import Progress, silent
from disjoin.spark.jobs import Jobs
from disjoin.spark.settings import SparkSettings, is_local, require_staging
from disjoin.spark.staging import Staging, staging_in
from disjoin.spark.work_storing import prove

WAIT = "spark.disjoin.wait"  # the setting of Spark: seconds that executors may take to start
_USUAL_WAIT = 600.0
_SILENT = 5.0  # seconds until somebody is told that we wait
_NUMBERS = pa.schema([("id", pa.int64())])
_HERE = ("localhost", "127.0.0.1", "::1", "[::1]")


@contextmanager
def jobs_on(session: Any, how: SparkSettings, progress: Progress = silent) -> Iterator[Jobs]:
    """Make a staging folder for a session, and give what runs jobs with it."""
    with staging_in(how.staging) as staging:
        yield ready(session, staging, how, progress)


def ready(session: Any, staging: Staging, how: SparkSettings, progress: Progress = silent) -> Jobs:
    """Return what runs jobs, once executors have started and are known to share the staging folder."""
    if how.staging is None and not _is_here(session):
        require_staging(None, str(session.conf.get("spark.master", "unknown")))
    jobs = Jobs(session, staging)
    with _limited(session, progress):
        jobs.mapped(session.range(1 << 12), _NUMBERS, prove, staging.shared).count()
    return jobs


def _is_here(session: Any) -> bool:
    """Tell whether the executors of a session are known to run on this machine."""
    is_near = not _is_connect(session) or session.client.host in _HERE
    return is_near and is_local(str(session.conf.get("spark.master", "")))


@contextmanager
def _limited(session: Any, progress: Progress) -> Iterator[None]:
    """Cancel the job if it takes too long, which means that executors cannot start."""
    seconds, tag, is_over = _wait(session), f"disjoin-{secrets.token_hex(4)}", threading.Event()
    late: list[bool] = []

    def watch() -> None:
        if is_over.wait(min(_SILENT, seconds)):
            return
        progress("waiting", 0, 0, f"{seconds:.0f} seconds at most")
        if not is_over.wait(max(0.0, seconds - _SILENT)):
            late.append(True)
            cancel(tag)

    watcher = threading.Thread(target=watch, daemon=True)
    begin, cancel, end = _tags(session)
    begin(tag)
    watcher.start()
    try:
        yield
    except Exception:
        if not late:
            raise
        raise InvalidParameter(
            f"no executor of Spark has done anything within {seconds:.0f} seconds: ask for no more memory and cores "
            "than a worker has (spark.executor.memory, spark.executor.cores), or wait longer for a busy cluster "
            f"({WAIT}=SECONDS)."
        ) from None
    finally:
        is_over.set()
        end(tag)


def _tags(session: Any) -> tuple[Callable[[str], Any], ...]:
    """Return what tags the jobs of this thread, cancels jobs with a tag, and removes the tag again."""
    if _is_connect(session):
        return session.addTag, session.interruptTag, session.removeTag
    context = session.sparkContext  # a classic session does not cancel by tags of its own
    return context.addJobTag, context.cancelJobsWithTag, context.removeJobTag


def _is_connect(session: Any) -> bool:
    return "connect" in type(session).__module__


def _wait(session: Any) -> float:
    """Return how many seconds executors may take to start."""
    given = str(session.conf.get(WAIT, str(_USUAL_WAIT)))
    try:
        seconds = float(given.removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise InvalidParameter(f"{WAIT} must be a number of seconds, got {described(given)}.")
    return seconds
