"""Decorators `kernel` and `inner` for loops that can be compiled; numba is imported for the first. A compiled loop
finds the loops it calls by `_numba_type_`; an interpreted one in a copy of its module's names."""

from __future__ import annotations

import functools
import threading
import time
from contextlib import suppress
from types import FunctionType
from typing import Any

import numpy as np

from disjoin.jit.decision import decision, loading

_lock = threading.RLock()
_plain_names: dict[int, dict[str, Any]] = {}  # of a module, by the id of its own


class NotKept(Exception):
    """A loop would have to be compiled for too little work, so it is interpreted."""


class Kernel:
    """A function of arrays and numbers; a call runs it compiled or not, as the process has decided."""

    def __init__(self, function: Any, *, has_way_in: bool) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.has_way_in = has_way_in
        self._plain: Any = None
        self._dispatcher: Any = None
        self._is_kept: bool | None = None  # not determined yet
        self.fingerprint: str | None = None
        self.only_borrows: bool | None = None  # not determined yet

    def __call__(self, *arguments: Any) -> Any:
        if not decision.may_compile:
            decision.expect_numbers(sum(one.size for one in arguments if type(one) is np.ndarray))
        if self.has_way_in and self.is_compiled:  # without an entry point, machine code can be called by loops only
            with suppress(NotKept):
                return self.dispatcher(*arguments)
        began = time.thread_time()
        try:
            with np.errstate(over="raise"):  # numbers that compiled loops store in 64 bits must not overflow in 32
                return self.plain(*arguments)
        finally:
            decision.add(time.thread_time() - began)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def __reduce__(self) -> str:
        return str(self.function.__qualname__)

    @property
    def is_compiled(self) -> bool:
        """Whether the next call runs compiled: because all do, or because this loop is on disk."""
        if decision.limit is None:
            decision.decide()
        if not decision.compiled or decision.may_compile:
            return decision.compiled
        if self._is_kept is None:
            from disjoin.jit import cache

            self._is_kept = cache.has(self)
        return self._is_kept

    @property
    def plain(self) -> Any:
        if self._plain is None:
            with _lock:
                code, names = self.function.__code__, plain_names(self.function.__globals__)
                if self._plain is None:  # not created in the meantime by a loop that calls this one
                    plain = FunctionType(code, names, self.function.__name__, self.function.__defaults__)
                    self._plain = _unheard(plain) if getattr(self.function, "overflows", False) else plain
        return self._plain

    @property
    def dispatcher(self) -> Any:
        """The compiled loop: one entry per type of arguments, each compiled or loaded at its first call."""
        if self._dispatcher is None:
            with _lock:
                if self._dispatcher is None:
                    with loading.lightly():
                        from disjoin.jit.numba_dispatcher import dispatcher_of

                        self._dispatcher = dispatcher_of(self)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_


def kernel(function: Any) -> Any:
    """Mark a loop that Python calls."""
    return Kernel(function, has_way_in=True)


def inner(function: Any) -> Any:
    """Mark a loop that only loops call: it compiles faster without an entry point from Python."""
    return Kernel(function, has_way_in=False)


def overflowing(function: Any) -> Any:
    """Mark a loop in which 64 bits may overflow, as in hashes; in all other loops that is an error."""
    function.overflows = True
    return function


def _unheard(plain: Any) -> Any:
    def hashed(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return plain(*arguments)

    return hashed


def plain_names(names: dict[str, Any]) -> dict[str, Any]:
    """Return the names of a module with plain functions in place of its kernels."""
    found = _plain_names.get(id(names))
    if found is None:
        found = _plain_names[id(names)] = dict(names)
        for name, value in names.items():
            if isinstance(value, Kernel):
                found[name] = value.plain
    return found


__all__ = ["inner", "kernel", "overflowing"]
