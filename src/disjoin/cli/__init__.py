"""The terminal shell: one file per command, no logic.

Commands are loaded when they are called, so that `disjoin --help` answers at once.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from disjoin.cli.lightness import travel_light
    from disjoin.cli.run import run

    travel_light()
    sys.exit(run(sys.argv[1:]))
