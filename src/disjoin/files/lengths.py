"""How long a term, a value or a cell may be: one of a gigabyte would be copied several times before anybody sees it."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

LONGEST_TERM = 1 << 20  # bytes
LONGEST_CELL = 16 << 20  # bytes; a cell may be a list of terms
LONGEST_LINE = 32 << 20  # bytes; a line may be a record


def objection_to_length(terms: pa.Array, what: str = "terms", most: int = LONGEST_TERM) -> str | None:
    """Say what is wrong with terms of which one is too long, or return None; nothing is copied for it.

    >>> objection_to_length(pa.array(["tea", "x" * 2_000_000]))
    'expected terms of at most 1,048,576 bytes, found one of 2,000,000.'
    """
    longest = pc.max(pc.binary_length(terms)).as_py() or 0
    if longest <= most:
        return None
    return f"expected {what} of at most {most:,} bytes, found one of {longest:,}."
