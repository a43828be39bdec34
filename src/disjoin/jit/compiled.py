"""How kernels are compiled: once per machine, kept on disk, without holding the interpreter."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any

from numba import njit

_SETTINGS: dict[str, Any] = {"cache": True, "nogil": True}
_NO_WAY_IN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

# For what Python calls.
kernel = njit(**_SETTINGS)

# For what only kernels call: it compiles faster without a way in from Python.
inner = njit(**(_SETTINGS | _NO_WAY_IN))
