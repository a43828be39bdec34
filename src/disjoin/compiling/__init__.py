"""Loops over arrays, interpreted or compiled: the one place that decides, compiles, and keeps what was compiled.

`kernel` and `inner` (kernel.py) mark a loop and import no compiler. The loop runs as plain Python while the work is
small; numba is loaded when there is work enough for it (`prepare` in decision.py), or as `DISJOIN_COMPILE` says.
Results are the same either way. This is a tool like numpy and holds no algorithm, so the inspector's loops use it too.
"""
