"""make campaign: every real dataset, k = 2, 5, 25, m = 1, 2, 3, every strategy; each verified with its original.

python -m benchmarks.campaign [dataset ...]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import disjoin
from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import STRATEGY_NAMES
from disjoin.model import Transactions
from disjoin.pipeline import publish, write
from disjoin.readers.read import read

DATA = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
NAMES = ("wv1", "wv2", "retail", "online-retail", "groceries", "mushroom")


def attempt(data: Transactions, method: Disassociation, folder: Path) -> str:
    """Publish, write, read and verify; return what was found in a line."""
    start = time.perf_counter()
    try:
        outcome = publish(data, method, Local())
    except disjoin.GuaranteeUnreachable as refusal:
        return f"refused: {refusal}"
    published = time.perf_counter()
    path = write(outcome.release, folder / "release", overwrite=True)
    verdict = disjoin.verify(path, original=data)
    if not verdict.holds:
        raise SystemExit(f"NOT ANONYMOUS: {method}: {verdict.violations[:3]}")
    seconds = f"{published - start:6.2f} s to publish, {time.perf_counter() - published:6.2f} s to write and verify"
    masses = f"term mass {outcome.private['term_mass']:.3f}, pair mass {outcome.private['pair_mass']:.4f}"
    return f"{seconds}; {len(outcome.release.published):6,} clusters, {masses}"


def main() -> None:
    runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or NAMES:
            data = read(DATA / f"{name}.dat.gz")
            for k in (2, 5, 25):
                for m in (1, 2, 3):
                    for strategy in STRATEGY_NAMES:
                        found = attempt(data, Disassociation(k=k, m=m, strategy=strategy), Path(folder))
                        print(f"{name:14s} k={k:<3d} m={m} {strategy:13s} {found}", flush=True)
                        runs += 1
    print(f"{runs} runs, every one verified against its original.")


if __name__ == "__main__":
    main()
