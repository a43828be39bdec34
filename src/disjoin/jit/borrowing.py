"""Which inner loops create no arrays, so that numba need not count references to the arrays that they use.

numba increments an atomic counter whenever a loop takes an array out of a tuple or passes it on. In a loop that is
called for every row that is most of its time. Without this module, as ratios to the baseline of the same run (once
each, `python -m benchmarks.bench`): a million Quest records with REFINE 18 % slower, bounded 27 %, pair supports 60 %.
"""

from __future__ import annotations

import builtins
import dis
import math
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from disjoin.jit.kernel import Kernel

_HARMLESS = frozenset({range, min, max, len, abs, int, bool, float, math.log, math.exp, math.sqrt})
_VALUES = (bool, int, float, np.generic)
_SCALARS = frozenset({"bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float64"})
# A method may make an array; `fill` makes none, and `base` no compiled loop can ask for: both are names of ours, too.
_OF_ARRAYS = frozenset(dir(np.ndarray)) - {"size", "shape", "ndim", "fill", "base"}
_CALLS = ("CALL", "CALL_FUNCTION", "CALL_METHOD", "CALL_FUNCTION_KW", "CALL_FUNCTION_EX", "CALL_KW")
_MAKING = ("BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_SLICE", "BINARY_SLICE", "STORE_SLICE", "MAKE_FUNCTION")


def only_borrows(kernel: Kernel) -> bool:
    """Tell whether a loop that others call makes no array, and calls only such loops; False if that is not certain."""
    if kernel.only_borrows is None:
        kernel.only_borrows = True  # a loop that calls itself
        kernel.only_borrows = not kernel.has_way_in and _makes_nothing(kernel.function.__code__, kernel)
    return kernel.only_borrows


def _makes_nothing(code: CodeType, kernel: Kernel) -> bool:
    known = {**vars(builtins), **kernel.function.__globals__}
    source: Any = None  # of the attribute that comes next
    makes_tuple = returns_call = was_call = False
    for one in dis.get_instructions(code):
        if one.opname.startswith(_MAKING) or one.opname in ("RETURN_GENERATOR", "YIELD_VALUE"):
            return False
        if one.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            allowed = one.argval in _SCALARS if source is np else one.argval not in _OF_ARRAYS
            if not allowed:
                return False
        returns_call |= was_call and one.opname == "RETURN_VALUE"
        was_call = one.opname in _CALLS
        source = known[one.argval] if one.opname == "LOAD_GLOBAL" else None
        makes_tuple |= hasattr(source, "_fields")
        if source is not None and not _is_harmless(source):
            return False
    return not (makes_tuple and returns_call)  # a tuple of the caller's arrays is fine, but must not be returned


def _is_harmless(value: Any) -> bool:
    """Tell whether a name may be looked up by a loop that makes no array."""
    if isinstance(value, Kernel):
        return only_borrows(value)
    if isinstance(value, ModuleType):
        return value is np
    return isinstance(value, _VALUES) or (callable(value) and value in _HARMLESS) or hasattr(value, "_fields")
