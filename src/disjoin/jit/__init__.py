"""Just-in-time compiling: when and how loops are compiled, and where the result is kept.

`kernel` and `inner` (kernel.py) mark a loop and import no compiler. The loop runs as plain Python while the work is
small; numba is loaded for enough work (`prepare` in decision.py), or as `DISJOIN_COMPILE` says. Results are the same
either way. No algorithm is here, so the verifier's loops use this package too.
"""
