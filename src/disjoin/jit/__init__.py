"""Just-in-time compiling. `kernel` and `inner` mark a loop without importing a compiler: it runs as plain Python until
there is enough work (`prepare` in decision.py) or as `DISJOIN_COMPILE` requires, with the same results. No algorithm is
here, so the verifier's loops use this package, too."""
