"""Whether loops are compiled: not for small work, and from the first large one on always.

The rule is that of somebody who may rent or buy: loops are interpreted until that has cost, or is about to cost, a good
part of what compiling would. Compiling takes up to a minute, once per machine; what it left on disk is loaded in
less than a second.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter, described

if TYPE_CHECKING:
    from disjoin.compiling.kernel import Kernel


class Loader:
    """Loads numba when the first loop is compiled, and not before."""

    def __init__(self) -> None:
        self.first: Callable[[], None] | None = None  # is called before numba is imported

    def load(self) -> None:
        """Make numba ready."""
        if self.first is not None:
            self.first()


loader = Loader()


VARIABLE = "DISJOIN_COMPILE"
MODES = ("auto", "always", "never")

WARM = 1.0  # seconds of interpreting worth avoiding where compiled loops are on disk: to load them takes about 0.7 s
COLD = 5.0  # the same where they have to be compiled, which takes up to a minute, but once per machine
TOGETHER = 15.0  # seconds of interpreting, of all pieces of work together, after which even small ones are compiled
HOMELESS = 60.0  # the same where nothing can be kept, so that every run would compile anew
PER_NUMBER = 1e-6  # seconds per number that a loop is given, at least: it is given arrays in order to look at them


class Decision:
    """What this process does with its loops.

    `compiled`: those that are on disk run compiled, and if `may_compile`, all do. `spent` are the seconds of
    interpreting so far.
    """

    def __init__(self) -> None:
        self.compiled = self.may_compile = False
        self.spent = 0.0
        self.limit: float | None = None  # of seconds spent; None: nobody has asked yet

    def decide(self) -> None:
        """Read what the user wishes; raise `InvalidParameter` if nobody can wish that."""
        wish = os.environ.get(VARIABLE) or "auto"
        if wish not in MODES:
            raise InvalidParameter(f"{VARIABLE} must be one of {', '.join(MODES)}, got {described(wish)}.")
        if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
            wish = "never"
        self.compiled = self.may_compile = wish == "always"
        self.limit = TOGETHER if wish == "auto" else inf

    def expect(self, seconds: float, kernels: Iterable[Kernel] = ()) -> None:
        """Change to compiled loops if these seconds of interpreting, with those behind us, are too many."""
        if self.limit is None:
            self.decide()
        if self.may_compile or self.limit == inf:
            return
        ahead = self.spent + seconds
        too_long = seconds > COLD or ahead > TOGETHER
        if too_long and (ahead > HOMELESS or _can_keep()):
            self.compiled = self.may_compile = True
        elif ahead > WARM and not self.compiled:
            self.compiled = _are_kept(kernels)

    def expect_numbers(self, numbers: int) -> None:
        """Do so for one loop about which nothing is known but how many numbers it is given."""
        if numbers * PER_NUMBER > COLD:
            self.expect(numbers * PER_NUMBER)

    def add(self, seconds: float) -> None:
        """Count seconds of interpreting."""
        self.spent += seconds
        if self.limit is not None and self.spent > self.limit:
            self.expect(0.0)

    def compile_from_now_on(self) -> None:
        """Change to compiled loops, unless the user wishes to have none."""
        if self.limit is None:
            self.decide()
        if self.limit != inf:
            self.compiled = self.may_compile = True


def _are_kept(kernels: Iterable[Kernel]) -> bool:
    from disjoin.compiling import places

    return places.has(kernels)


def _can_keep() -> bool:
    from disjoin.compiling import places

    return places.can_keep()


decision = Decision()


def prepare(seconds: float, *kernels: Kernel) -> None:
    """Say that work is about to begin which would take that many seconds if its loops were interpreted.

    `kernels` are the largest of its loops: if these are on disk, compiled, loading them is cheap.
    """
    decision.expect(seconds, kernels)


def numbers_in(*things: Any) -> int:
    """Count the numbers in arrays, and in the arrays of dataclasses and tuples: the size of work.

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
