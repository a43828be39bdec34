"""What a release compiles, loop by loop: `python -m benchmarks.compiling`; nothing that is on disk is used.

Prints the loops, how many kinds of arguments each was compiled for (more than one is a waste), and processor seconds.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["DISJOIN_COMPILE"] = "always"

from disjoin.cli.warm_up import PARTS, warm_up
from disjoin.jit import cache
from disjoin.progress import count


def main(parts: list[str]) -> None:
    """Compile what some parts of warming up need (sets, if none is named), and list it."""
    unknown = [name for name in parts if name not in PARTS]
    if unknown:
        sys.exit(f"expected some of {', '.join(PARTS)}, got {unknown[0]!r}.")
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        cache.places = lambda: iter([Path(folder)])
        warm_up(*(parts or ["sets"]))
    whole = time.process_time() - began
    rows = sorted(((sum(took), len(took), name) for name, took in count.seconds.items()), reverse=True)
    for seconds, kinds, name in rows:
        print(f"{seconds:6.2f} s  {kinds} kind{'s' if kinds > 1 else ' '}  {name}")
    compiled = sum(row[0] for row in rows)
    print(f"{len(rows)} loops, {sum(row[1] for row in rows)} kinds: {compiled:.1f} s of {whole:.1f} s of processors")


if __name__ == "__main__":
    main(sys.argv[1:])
