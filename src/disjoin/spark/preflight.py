"""Checks before a run on Spark: executors start and share the staging folder, and the driver has enough memory."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from disjoin.errors import InvalidParameter, described
from disjoin.progress import Progress, silent
from disjoin.spark.arrays import schema_of
from disjoin.spark.jobs import Jobs
from disjoin.spark.settings import SparkSettings, is_local, require_staging
from disjoin.spark.staging import Staging, prove, staging_in

WAIT = "spark.disjoin.wait"  # the setting of Spark: seconds that executors may take to start
_USUAL_WAIT = 600.0
_SILENT = 5.0  # seconds until the wait is reported
_NUMBERS = schema_of("id bigint")
FIXED = 300_000_000  # bytes: the libraries, and other constant parts
PER_RECORD = 75  # bytes of memory for Quest baskets of ten terms, up to eight million; see docs/how-to/spark.md
_FILES = {  # of a control group of version 2 and 1: the limit, the use, and the pages of files in it
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
_HERE = ("localhost", "127.0.0.1", "::1", "[::1]")


@contextmanager
def jobs_on(session: Any, how: SparkSettings, progress: Progress = silent) -> Iterator[Jobs]:
    with staging_in(how.staging) as staging:
        yield ready(session, staging, how, progress)


def ready(session: Any, staging: Staging, how: SparkSettings, progress: Progress = silent) -> Jobs:
    """Return an object that runs jobs, once executors have started and share the staging folder."""
    if how.staging is None and not _is_here(session):
        require_staging(None, str(session.conf.get("spark.master", "unknown")))
    jobs = Jobs(session, staging)
    with _limited(session, progress):
        jobs.mapped(session.range(1 << 12), _NUMBERS, prove, staging.shared).count()
    return jobs


def _is_here(session: Any) -> bool:
    is_near = not _is_connect(session) or session.client.host in _HERE
    return is_near and is_local(str(session.conf.get("spark.master", "")))


@contextmanager
def _limited(session: Any, progress: Progress) -> Iterator[None]:
    """Cancel the job if it takes too long, because then executors cannot start."""
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
            f"no executor of Spark started within {seconds:.0f} seconds. Request at most the memory and cores of a "
            "worker (spark.executor.memory, spark.executor.cores), or wait longer for a busy cluster "
            f"({WAIT}=SECONDS)."
        ) from None
    finally:
        is_over.set()
        end(tag)


def _tags(session: Any) -> tuple[Callable[[str], Any], ...]:
    if _is_connect(session):
        return session.addTag, session.interruptTag, session.removeTag
    context = session.sparkContext  # a classic session does not cancel by its own tags
    return context.addJobTag, context.cancelJobsWithTag, context.removeJobTag


def _is_connect(session: Any) -> bool:
    return "connect" in type(session).__module__


def _wait(session: Any) -> float:
    given = str(session.conf.get(WAIT, str(_USUAL_WAIT)))
    try:
        seconds = float(given.removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise InvalidParameter(f"{WAIT} must be a number of seconds, got {described(given)}.")
    return seconds


def free_memory(root: Path = Path("/")) -> int | None:
    """Return how many bytes this process may still use, None if the system does not report it.

    That is the free memory of the machine, or less if a control group (a container) has a limit.
    """
    lines = _text(root / "proc/meminfo").splitlines()
    known = [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")]
    in_groups = (_free_in(group, files) for group, files in _groups(root))
    return min(known + [each for each in in_groups if each is not None], default=None)


def _groups(root: Path) -> Iterator[tuple[Path, tuple[str, str, str]]]:
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        kind = "memory" if "memory" in controllers.split(",") else controllers
        if kind in _FILES:
            top = root / "sys/fs/cgroup" / kind
            for folder in (path, *map(str, PurePosixPath(path).parents)):  # a container shows only the top
                yield top / folder.lstrip("/"), _FILES[kind]


def _free_in(group: Path, files: tuple[str, str, str]) -> int | None:
    limit, used, pages = _text(group / files[0]).strip(), _text(group / files[1]).strip(), files[2]
    if not limit.isdigit() or not used.isdigit():
        return None
    stated = dict(line.split(" ", 1) for line in _text(group / "memory.stat").splitlines() if " " in line)
    return max(0, int(limit) - int(used) + int(stated.get(pages, 0)))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""


def require_room(records: int, free: int | None) -> None:
    """Raise if the driver has clearly too little memory.

    >>> require_room(1_000_000, 2**30)
    """
    needed = FIXED + PER_RECORD * records
    if free is not None and free < needed:
        raise InvalidParameter(
            f"the driver verifies and writes the whole release, which takes about {needed / 1e9:.1f} GB for "
            f"{records:,} records, but {free / 1e9:.1f} GB are free here (in a container: below its limit). Run the "
            "driver with more memory."
        )
