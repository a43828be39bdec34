"""The command line: parsing and printing only. Commands are loaded when called, so that `--help` answers at once."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    try:
        from disjoin.signals import listen

        listen()
        from disjoin.cli.main import run
        from disjoin.cli.startup import block_optional_imports

        block_optional_imports()
        for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter gets a question mark
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        code = run(sys.argv[1:])
    except KeyboardInterrupt as stopped:
        code = getattr(stopped, "exit_code", 130)
    if "_duckdb" not in sys.modules:  # it takes what is not collected for leaks, and lists them
        gc.freeze()  # what was loaded need not be looked through for garbage once more
    sys.exit(code)
