"""Decision whether loops are compiled: not for small work, always from the first large one on. Compiling all takes up
to a minute, once per machine; loading from disk less than a second. Loops are interpreted until that costs a large part
of the compile time; in the meantime, loops on disk run compiled."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import fields, is_dataclass
from math import inf
from types import SimpleNamespace
from typing import Any

from disjoin.errors import InvalidParameter, described

# How numba is loaded (partly with a compiled loop, the rest for compiling): completely, or partly.
loading = SimpleNamespace(lightly=nullcontext)


VARIABLE = "DISJOIN_COMPILE"
MODES = ("auto", "always", "never")

WARM = 1.0  # seconds of interpreting at which loops on disk are loaded, which takes about 0.7 s
COLD = 20.0  # seconds at which loops are compiled, which takes up to a minute, once per machine
TOGETHER = 30.0  # seconds of interpreting in all, after which even small work is compiled
HOMELESS = 60.0  # the same if nothing can be stored, so every run compiles again
PER_NUMBER = 1e-6  # minimal seconds per number in the arguments of a loop, which reads its arrays


class Decision:
    """How loops run. `compiled`: those on disk run compiled; `may_compile`: all do. `spent`: seconds of
    interpreting."""

    def __init__(self) -> None:
        self.compiled = self.may_compile = False
        self.spent = 0.0
        self.limit: float | None = None  # limit on seconds spent; None: not computed yet

    def decide(self) -> None:
        wish = os.environ.get(VARIABLE) or "auto"
        if wish not in MODES:
            raise InvalidParameter(f"{VARIABLE} must be one of {', '.join(MODES)}, got {described(wish)}.")
        if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
            wish = "never"
        self.compiled = self.may_compile = wish == "always"
        self.limit = TOGETHER if wish == "auto" else inf

    def expect(self, seconds: float) -> None:
        """Change to compiled loops if these seconds of interpreting, added to those spent, exceed the limit."""
        if self.limit is None:
            self.decide()
        if self.may_compile or self.limit == inf:
            return
        from disjoin.jit import cache

        ahead = self.spent + seconds
        self.compiled = self.compiled or ahead > WARM
        if (seconds > COLD or ahead > TOGETHER) and (ahead > HOMELESS or cache.folder() is not None):
            self.compiled = self.may_compile = True

    def expect_numbers(self, numbers: int) -> None:
        """Do the same for one loop of which only the size of its arguments is known."""
        if numbers * PER_NUMBER > COLD:
            self.expect(numbers * PER_NUMBER)

    def add(self, seconds: float) -> None:
        if self.limit is None or self.limit == inf:
            return
        self.spent += seconds
        if self.spent > WARM:
            self.expect(0.0)

    def compile_from_now_on(self) -> None:
        if self.limit is None:
            self.decide()
        if self.limit != inf:
            self.compiled = self.may_compile = True


decision = Decision()


def prepare(seconds: float) -> None:
    """Announce work that would take that many seconds if its loops were interpreted."""
    decision.expect(seconds)


def numbers_in(*things: Any) -> int:
    """Return the size of work: the number of numbers in arrays, also in those of dataclasses and tuples.

    >>> import numpy as np
    >>> numbers_in(np.zeros(3), (np.zeros((2, 2)), None))
    7
    """
    total = 0
    for thing in things:
        if is_dataclass(thing):
            total += numbers_in(*(getattr(thing, field.name, None) for field in fields(thing)))
        elif isinstance(thing, (tuple, list)):
            total += numbers_in(*thing)
        elif hasattr(thing, "dtype"):
            total += int(thing.size)
    return total
