"""Counting loops of the verifier, compiled; each has a slow twin in the tests.

The arrays are those of `Forest`: `chunk_offsets` cuts chunks into nodes, `subrecord_offsets` cuts subrecords into
chunks, `item_offsets` cuts items into subrecords, and `counts` says how many records a subrecord stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from disjoin.jit import kernel as marks

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Mark a function of arrays and numbers that is compiled where there is work enough."""
    return cast(Loop, marks.kernel(loop))


def inner(loop: Loop) -> Loop:
    """Mark a function that only such functions call: it needs no way in from Python, which saves time."""
    return cast(Loop, marks.inner(loop))
