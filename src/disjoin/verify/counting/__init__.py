"""Counting loops of the verifier, compiled; each has a slow twin in the tests.

The arrays are those of `Forest`: `chunk_offsets` cuts chunks into nodes, `subrecord_offsets` subrecords into chunks,
`item_offsets` items into subrecords; `counts` has the number of records of each subrecord.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from disjoin.jit import kernel as marks

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Mark a function of arrays and numbers that is compiled if there is enough work."""
    return cast(Loop, marks.kernel(loop))


def inner(loop: Loop) -> Loop:
    """Mark a function that only such functions call: without an entry point from Python it compiles faster."""
    return cast(Loop, marks.inner(loop))
