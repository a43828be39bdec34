"""Loops over arrays, interpreted or compiled: the one place that decides, compiles, and keeps what was compiled.

`kernel` and `inner` mark a loop and import nothing. The loop runs as plain Python while the work is small; numba is
loaded when there is work enough for it (`prepare`), or as `DISJOIN_COMPILE` says. Results are the same either way.
This is a tool like numpy and holds no algorithm, so the inspector's loops use it too.
"""

from disjoin.compiling.decision import prepare
from disjoin.compiling.kernel import inner, kernel

__all__ = ["inner", "kernel", "prepare"]
