"""The inspector's own counting: loops over arrays, compiled. Every function has a slow twin in the tests.

The arrays are those of `Forest`: `chunk_offsets` cuts chunks into nodes, `subrecord_offsets` cuts subrecords into
chunks, `item_offsets` cuts items into subrecords, and `counts` says how many records a subrecord stands for. This is
the only place of the inspector that knows numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Loop = TypeVar("Loop", bound=Callable[..., Any])

_SETTINGS: dict[str, Any] = {"cache": True, "nogil": True}
_NO_WAY_IN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(loop: Loop) -> Loop:
    """Compile a function of arrays and numbers when it is first called."""
    return cast(Loop, njit(**_SETTINGS)(loop))


def inner(loop: Loop) -> Loop:
    """Compile a function that only compiled ones call: it needs no way in from Python, which saves time."""
    return cast(Loop, njit(**_SETTINGS, **_NO_WAY_IN)(loop))
