"""Are the most frequent itemsets found as fast as wanted? Prints what was measured against reading and counting terms.

python -m benchmarks.top_itemsets [--times N] [FILE ...]
python -m benchmarks.top_itemsets --mine FILE
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

TOP = 1000
RECORDS = 500_000
REAL = ("wv1", "wv2", "retail", "mushroom")


def mine(source: str) -> None:
    """Read a file and find its best itemsets: what the other processes of this benchmark do."""
    import disjoin
    from disjoin.analyst.top_itemsets import top_itemsets
    from disjoin.analyst.top_itemsets_rows import rows_of

    data = disjoin.read(source)
    found = top_itemsets(rows_of(data), TOP)
    print(f"{data!r}: {len(found):,} itemsets, the last in {found.supports[-1]:,} records; {found.cut:,} ties cut")


def measure(files: list[Path], times: int) -> bool:
    """Compare for every file; tell whether the bar is met for the generated one."""
    from benchmarks.bars import Bars, against_counting, quest

    bars = Bars()
    with tempfile.TemporaryDirectory() as folder:
        against_counting(bars, quest(Path(folder), RECORDS), f"{RECORDS // 1000}k Quest baskets", times)
    for file in files:
        if file.exists():
            against_counting(bars, file, file.name.split(".")[0], times)
        else:
            print(f"skipped  {file.name} is not here (set DISJOIN_DATA)")
    return bool(bars.rows[0]["met"])


def main() -> None:
    from benchmarks.bars import DATA
    from benchmarks.measuring import machine

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--times", type=int, default=5, help="runs of each command; the median counts")
    options.add_argument("files", nargs="*", type=Path, help="more files (default: the real ones that are here)")
    chosen = options.parse_args()
    print(f"Measured on {machine()}; medians of {chosen.times} runs, interleaved.\n")
    files = chosen.files or [DATA / f"{name}.dat.gz" for name in REAL]
    sys.exit(0 if measure(files, chosen.times) else 1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--mine"]:
        mine(sys.argv[2])
    else:
        main()
