"""All loops compiled before the workers of a test run start, in processes that share few of them."""

from __future__ import annotations

import os
import subprocess
import sys

HALVES = (("sets",), ("tables", "groups", "files"))


def compile_all() -> None:
    """Compile what most tests need; what is on disk is true, so that a second run finds everything there."""
    environment = os.environ | {"DISJOIN_COMPILE": "always"}
    program = "import sys; from disjoin.cli.warm_up import warm_up; warm_up(*sys.argv[1:])"
    command = [sys.executable, "-W", "ignore", "-P", "-c", program]
    for process in [subprocess.Popen([*command, *half], env=environment) for half in HALVES]:
        process.wait()
