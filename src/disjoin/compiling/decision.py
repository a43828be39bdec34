"""Whether loops are compiled: not for small work, and from the first large one on always.

The rule is that of somebody who may rent or buy: loops are interpreted until that has cost, or is about to cost, a good
part of what compiling would. Compiling all takes up to a minute, once per machine; what it left on disk is loaded in
less than a second. Between small and large work each loop is judged by itself: it is compiled once interpreting it has
cost as much, in this run and in those before it (account.py).
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, is_dataclass
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter, described

if TYPE_CHECKING:
    from disjoin.compiling.kernel import Kernel


class Loading:
    """How numba is loaded (a part when a compiled loop is, the rest when one is compiled): as usual, or lightly."""

    def __init__(self) -> None:
        self.lightly: Callable[[], AbstractContextManager[None]] = nullcontext


loading = Loading()


VARIABLE = "DISJOIN_COMPILE"
MODES = ("auto", "always", "never")

WARM = 1.0  # seconds of interpreting worth avoiding where compiled loops are on disk: to load them takes about 0.7 s
COLD = 20.0  # the same where they have to be compiled, which takes up to a minute, but once per machine
TOGETHER = 30.0  # seconds of interpreting, of all pieces of work together, after which even small ones are compiled
IN_ALL_RUNS = (
    60.0  # the same of all runs on this machine beyond `WARM`, on loops not compiled yet: what compiling all takes
)
HOMELESS = 60.0  # the same where nothing can be kept, so that every run would compile anew
PER_LOOP = 0.4  # seconds to compile one, on average
PER_PROCESS = 1.0  # seconds to load the compiler
PER_NUMBER = 1e-6  # seconds per number that a loop is given, at least: it is given arrays in order to look at them


class Decision:
    """What this process does with its loops.

    `compiled`: those that are on disk run compiled, and if `may_compile`, all do. `spent` are the seconds of
    interpreting so far.
    """

    def __init__(self) -> None:
        self.compiled = self.may_compile = False
        self.spent = 0.0
        self.spent_on: dict[Kernel, float] = {}
        self._will_remember = False
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

    def expect(self, seconds: float) -> None:
        """Change to compiled loops if these seconds of interpreting, with those behind us, are too many."""
        if self.limit is None:
            self.decide()
        if self.may_compile or self.limit == inf:
            return
        ahead = self.spent + seconds
        self.compiled = self.compiled or ahead > WARM
        too_long = seconds > COLD or ahead > TOGETHER or (self.compiled and ahead + _spent_before() > IN_ALL_RUNS)
        if too_long and (ahead > HOMELESS or _can_keep()):
            self._compile_all()

    def expect_numbers(self, numbers: int) -> None:
        """Do so for one loop about which nothing is known but how many numbers it is given."""
        if numbers * PER_NUMBER > COLD:
            self.expect(numbers * PER_NUMBER)

    def add(self, seconds: float, kernel: Kernel) -> None:
        """Count seconds of interpreting a loop; those of long runs are remembered when the process ends."""
        if self.limit is None or self.limit == inf:
            return
        self.spent += seconds
        self.spent_on[kernel] = self.spent_on.get(kernel, 0.0) + seconds
        if self.spent > WARM:
            self._remember_in_the_end()
            self.expect(0.0)

    def has_paid(self, kernel: Kernel) -> bool:
        """Tell whether interpreting a loop has cost what compiling it, and all that it calls, would."""
        from disjoin.compiling.account import account
        from disjoin.compiling.fingerprint import fingerprint

        spent = self.spent_on.setdefault(kernel, 0.0) + account.before(fingerprint(kernel))
        loading_it = 0.0 if "numba" in sys.modules else PER_PROCESS
        if spent <= _price(kernel) + loading_it or not _can_keep():
            return False
        self._remember_in_the_end()
        return True

    def remember(self) -> None:
        """Enter what this run has spent into the machine's account; if everything is compiled now, close it."""
        from disjoin.compiling.account import ALL, account
        from disjoin.compiling.fingerprint import fingerprint

        if self.may_compile:
            account.close()
            return
        rented = {fingerprint(each): spent for each, spent in self.spent_on.items() if not each.is_bought}
        bought = [fingerprint(each) for each in self.spent_on if each.is_bought]
        account.enter({ALL: sum(rented.values())} | rented, bought)

    def compile_from_now_on(self) -> None:
        """Change to compiled loops, unless the user wishes to have none."""
        if self.limit is None:
            self.decide()
        if self.limit != inf:
            self._compile_all()

    def _compile_all(self) -> None:
        self.compiled = self.may_compile = True
        self._remember_in_the_end()

    def _remember_in_the_end(self) -> None:
        if not self._will_remember:
            self._will_remember = True
            atexit.register(self.remember)


@cache
def _price(kernel: Kernel) -> float:
    from disjoin.compiling.fingerprint import reached

    return PER_LOOP * len(reached(kernel))


def _can_keep() -> bool:
    from disjoin.compiling import places

    return places.can_keep()


def _spent_before() -> int:
    from disjoin.compiling.account import ALL, account

    return account.before(ALL)


decision = Decision()


def prepare(seconds: float) -> None:
    """Say that work is about to begin which would take that many seconds if its loops were interpreted."""
    decision.expect(seconds)


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
