"""Where it runs: one file per engine, all with the same single verb."""
