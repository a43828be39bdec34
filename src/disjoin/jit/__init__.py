"""Just-in-time compiling. `kernel` and `inner` mark a loop and import no compiler: it runs as plain Python until there
is enough work (`prepare` in decision.py) or as `DISJOIN_COMPILE` says, with the same results. No algorithm is here, so
the verifier's loops use this package too."""
