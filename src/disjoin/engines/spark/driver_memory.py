"""Whether the driver has room for the release of that many records: it inspects, describes and writes all of it."""

from __future__ import annotations

from pathlib import Path

from disjoin.errors import InvalidParameter

FIXED = 300_000_000  # bytes: the libraries, and what does not grow
PER_RECORD = 75  # bytes of memory for Quest baskets of ten terms, up to eight million; see docs/how-to/spark.md


def free_memory() -> int | None:
    """Return how many bytes programs may still take on this machine, None if it does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), None)


def require_room(records: int, free: int | None) -> None:
    """Raise if the driver has clearly too little memory.

    >>> require_room(1_000_000, 2**30)
    """
    needed = FIXED + PER_RECORD * records
    if free is not None and free < needed:
        raise InvalidParameter(
            f"the driver inspects and writes the whole release, which takes about {needed / 1e9:.1f} GB for "
            f"{records:,} records, and {free / 1e9:.1f} GB are free: run the driver on a larger machine (--no-refine "
            "hardly helps)."
        )


def one_is_enough(records: int) -> str:
    """Return what to say where Spark had nothing to spread.

    >>> one_is_enough(500)
    'One task is enough for 500 records: --engine local writes the same release, faster.'
    """
    return f"One task is enough for {records:,} records: --engine local writes the same release, faster."
