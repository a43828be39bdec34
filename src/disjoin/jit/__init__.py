"""Just-in-time compiling: when loops are compiled, by what, and where the result is kept.

`kernel` and `inner` (kernel.py) mark a loop and import no compiler. The loop runs as plain Python while the work is
small; numba is loaded when there is work enough for it (`prepare` in decision.py), or as `DISJOIN_COMPILE` says.
Results are the same either way. This is a tool like numpy and holds no algorithm, so the verifier's loops use it too.
"""
