"""Whether loops are compiled: not for small work, and from then on always.

The rule is that of somebody who may rent or buy: loops are interpreted until that has cost, or is about to cost, as
much patience as compiling would. Compiling takes half a minute, once per machine; what it left on disk is loaded in
less than a second.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from disjoin.errors import InvalidParameter, described

if TYPE_CHECKING:
    from disjoin.compiling.kernel import Kernel

VARIABLE = "DISJOIN_COMPILE"
MODES = ("auto", "always", "never")

COLD = 5.0  # seconds of interpreting that nobody should wait longer for, if everything has to be compiled
WARM = 1.0  # the same if what is needed is on disk: to load numba and that takes about 0.7 s
HOMELESS = 30.0  # the same if nothing can be kept, so that every run compiles anew


class Decision:
    """What this process does with its loops: `compiled` says it, `spent` are the seconds of interpreting so far."""

    def __init__(self) -> None:
        self.compiled = False
        self.spent = 0.0
        self.limit: float | None = None  # None: nobody has asked yet

    def decide(self) -> None:
        """Read what the user wishes; raise `InvalidParameter` if nobody can wish that."""
        wish = os.environ.get(VARIABLE) or "auto"
        if wish not in MODES:
            raise InvalidParameter(f"{VARIABLE} must be one of {', '.join(MODES)}, got {described(wish)}.")
        if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
            wish = "never"
        self.compiled = wish == "always"
        self.limit = COLD if wish == "auto" else float("inf")

    def expect(self, seconds: float, kernels: Iterable[Kernel] = ()) -> None:
        """Change to compiled loops if these seconds of interpreting, with those behind us, are too many."""
        if self.limit is None:
            self.decide()
        if self.compiled or self.limit == float("inf"):
            return
        ahead = self.spent + seconds
        if ahead > WARM and ahead > self._patience(kernels):
            self.compiled = True

    def add(self, seconds: float) -> None:
        """Count seconds of interpreting."""
        self.spent += seconds
        if self.limit is not None and self.spent > self.limit:
            self.compiled = True

    @staticmethod
    def _patience(kernels: Iterable[Kernel]) -> float:
        from disjoin.compiling import places

        if places.has(kernels):
            return WARM
        return COLD if places.can_keep() else HOMELESS


decision = Decision()


def prepare(seconds: float, *kernels: Kernel) -> None:
    """Say that work is about to begin which would take that many seconds if its loops were interpreted.

    `kernels` are the largest of its loops: if they are on disk, compiled, loading them is cheap.
    """
    decision.expect(seconds, kernels)
