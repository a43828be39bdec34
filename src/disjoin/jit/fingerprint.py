"""Fingerprint of a compiled loop: its code, the loops it calls and the constants it uses.

Two loops of the same fingerprint compile to the same machine code, whatever their files are called and however old
they are; so what is kept on disk is never stale.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from disjoin.jit.borrowing import only_borrows
from disjoin.jit.kernel import Kernel

_VALUES = (bool, int, float, str, bytes, type(None), np.generic)


def fingerprint(kernel: Kernel) -> str:
    """Return the fingerprint of a loop, 24 hexadecimal digits."""
    if kernel.fingerprint is None:
        parts = sorted(_own(one) for one in reached(kernel))
        kernel.fingerprint = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]
    return kernel.fingerprint


def reached(kernel: Kernel) -> list[Kernel]:
    """Return a loop and all that it calls, directly or not."""
    found = {id(kernel): kernel}
    waiting = [kernel]
    while waiting:
        for value in _looked_up(waiting.pop()).values():
            if isinstance(value, Kernel) and id(value) not in found:
                found[id(value)] = value
                waiting.append(value)
    return list(found.values())


def _own(kernel: Kernel) -> str:
    """Return one line that changes whenever the loop itself does, or a constant that it looks up."""
    function = kernel.function
    names = {name: _described(value) for name, value in sorted(_looked_up(kernel).items())}
    parts = (kernel.name, kernel.has_way_in, only_borrows(kernel), function.__defaults__, names)
    return repr((*parts, _code(function.__code__)))


def _looked_up(kernel: Kernel) -> dict[str, Any]:
    """Return what the names in a loop's code stand for in its module; a name of an attribute may be among them."""
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
    """Return a text that is the same in every process, and another for another value."""
    if isinstance(value, Kernel):
        return f"kernel {value.name}"
    if isinstance(value, ModuleType):  # what is taken from it by name is numpy's, which the key of the cache names too
        return f"module {value.__name__}"
    if isinstance(value, (BuiltinFunctionType, FunctionType, np.ufunc)):  # the compiler's, or only named like something
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
