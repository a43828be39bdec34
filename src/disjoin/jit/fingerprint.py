"""Fingerprint of a compiled loop: its code, called loops, constants, and which loops create no arrays. Loops with the
same fingerprint compile to the same machine code, whatever their files, so the cache is never outdated."""

from __future__ import annotations

import builtins
import dis
import hashlib
import math
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from disjoin.jit.kernel import Kernel

_VALUES = (bool, int, float, str, bytes, type(None), np.generic)


def fingerprint(kernel: Kernel) -> str:
    """Return 24 hexadecimal digits that change with the loop, the loops that it calls, and their constants."""
    if kernel.fingerprint is None:
        parts = []
        for one in reached(kernel):
            names = {name: _described(value) for name, value in sorted(_looked_up(one).items())}
            facts = (one.name, one.has_way_in, only_borrows(one), one.function.__defaults__, names)
            parts.append(repr((*facts, _code(one.function.__code__))))
        kernel.fingerprint = hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()[:24]
    return kernel.fingerprint


def reached(kernel: Kernel) -> list[Kernel]:
    found = {id(kernel): kernel}
    waiting = [kernel]
    while waiting:
        for value in _looked_up(waiting.pop()).values():
            if isinstance(value, Kernel) and id(value) not in found:
                found[id(value)] = value
                waiting.append(value)
    return list(found.values())


def _looked_up(kernel: Kernel) -> dict[str, Any]:
    known = kernel.function.__globals__
    return {name: known[name] for name in _names(kernel.function.__code__) if name in known}


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _code(code: CodeType) -> tuple[Any, ...]:
    constants = [_code(one) if isinstance(one, CodeType) else _described(one) for one in code.co_consts]
    return code.co_code.hex(), constants, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars


def _described(value: Any) -> str:
    if isinstance(value, Kernel):
        return f"kernel {value.name}"
    if isinstance(value, ModuleType):  # its contents are numpy's, and the cache key has numpy's version
        return f"module {value.__name__}"
    if isinstance(value, (BuiltinFunctionType, FunctionType, np.ufunc)):  # known to the compiler by name
        return f"function {getattr(value, '__module__', '')}.{value.__name__}"
    if isinstance(value, type):
        return f"class {value.__module__}.{value.__qualname__}{getattr(value, '_fields', ())}"
    if isinstance(value, tuple):
        return f"tuple {[*map(_described, value)]}"
    if isinstance(value, frozenset):
        return f"set {sorted(map(_described, value))}"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    assert isinstance(value, _VALUES), f"a kernel looks up a {type(value).__name__}, which has no fingerprint"
    return f"{type(value).__name__} {value!r}"


_HARMLESS = frozenset({range, min, max, len, abs, int, bool, float, math.log, math.exp, math.sqrt})
_NUMBERS = (bool, int, float, np.generic)
_SCALARS = frozenset({"bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float64"})
# A method may create an array; `fill` creates none, and no compiled loop can use `base`: we use both as names, too.
_OF_ARRAYS = frozenset(dir(np.ndarray)) - {"size", "shape", "ndim", "fill", "base"}
_CALLS = ("CALL", "CALL_FUNCTION", "CALL_METHOD", "CALL_FUNCTION_KW", "CALL_FUNCTION_EX", "CALL_KW")
_MAKING = ("BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_SLICE", "BINARY_SLICE", "STORE_SLICE", "MAKE_FUNCTION")


def only_borrows(kernel: Kernel) -> bool:
    """Return whether a loop that others call creates no array, and calls only such loops; False if that is uncertain.
    Then numba need not increment an atomic counter whenever the loop takes an array out of a tuple or passes it on.
    Without this, as ratios to the baseline (one run each, `python -m benchmarks.bench`): a million Quest records with
    REFINE take 18 % longer, bounded 27 %, pair supports 60 %."""
    if kernel.only_borrows is None:
        kernel.only_borrows = True  # a loop that calls itself
        kernel.only_borrows = not kernel.has_way_in and _makes_nothing(kernel.function.__code__, kernel)
    return kernel.only_borrows


def _makes_nothing(code: CodeType, kernel: Kernel) -> bool:
    known = {**vars(builtins), **kernel.function.__globals__}
    source: Any = None  # source of the next attribute
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
        is_harmless = source is None or source is np or isinstance(source, _NUMBERS) or hasattr(source, "_fields")
        is_harmless |= (callable(source) and source in _HARMLESS) or (
            isinstance(source, Kernel) and only_borrows(source)
        )
        if not is_harmless:
            return False
    return not (makes_tuple and returns_call)  # a tuple of the caller's arrays is fine, but must not be returned
