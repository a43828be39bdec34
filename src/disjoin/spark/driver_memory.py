"""Memory estimate of the driver: whether a release of that size fits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from disjoin.errors import InvalidParameter

FIXED = 300_000_000  # bytes: the libraries, and what does not grow
PER_RECORD = 75  # bytes of memory for Quest baskets of ten terms, up to eight million; see docs/how-to/spark.md


_FILES = {  # of a control group of version 2 and 1: the limit, what is used, and what of that are pages of files
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def free_memory(root: Path = Path("/")) -> int | None:
    """Return how many bytes this process may still take, None if the system does not report it.

    That is what is free on the machine, or less if a control group (a container) has a limit.
    """
    known = [_free_on_machine(root), *(_free_in(group, files) for group, files in _groups(root))]
    return min((each for each in known if each is not None), default=None)


def _free_on_machine(root: Path) -> int | None:
    lines = _text(root / "proc/meminfo").splitlines()
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), None)


def _groups(root: Path) -> Iterator[tuple[Path, tuple[str, str, str]]]:
    """Yield the folders of the control groups that this process is in, with the names of their files."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        kind = "memory" if "memory" in controllers.split(",") else controllers
        if kind in _FILES:
            top = root / "sys/fs/cgroup" / kind
            for folder in (path, *map(str, PurePosixPath(path).parents)):  # inside a container only the top is seen
                yield top / folder.lstrip("/"), _FILES[kind]


def _free_in(group: Path, files: tuple[str, str, str]) -> int | None:
    """Return how many bytes processes of a control group may still take, None without a limit."""
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
            f"the driver inspects and writes the whole release, which takes about {needed / 1e9:.1f} GB for "
            f"{records:,} records, and {free / 1e9:.1f} GB are free here (in a container: below its limit): run the "
            "driver with more memory."
        )


def one_is_enough(records: int) -> str:
    """Return what to say where Spark had nothing to spread.

    >>> one_is_enough(500)
    'One task is enough for 500 records: the local engine writes the same release, faster.'
    """
    return f"One task is enough for {records:,} records: the local engine writes the same release, faster."
