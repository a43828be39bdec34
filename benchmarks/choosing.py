"""What `auto` chooses, and what it was chosen from: the table of docs/decisions/0008.

python -m benchmarks.choosing [FILE ...]   (default: the shared datasets; k = 5, 10, 20, m = 2, 3)
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from benchmarks.defaults import DATA, NAMES
from disjoin.attack.simulated import simulate
from disjoin.engines.local import Local
from disjoin.files.reading import read
from disjoin.methods import Disassociation
from disjoin.model import Transactions
from disjoin.pipeline import publish

OTHER_DRAWS = 7  # the seed of attacks that `auto` did not choose by
HEAD = "| data | m | k | taken | pair mass | weighted pair error | H | H, other draws | sure | s |"


def row(name: str, data: Transactions, k: int, m: int) -> str:
    """Publish with `auto`, verified against the original, and say what HORPART and the chosen clustering come to."""
    start = time.process_time()
    outcome = publish(data, Disassociation(k=k, m=m, clustering="auto"), Local())
    seconds = time.process_time() - start
    chosen, judged = outcome.private["clustering"], outcome.private["clusterings"]
    papers = publish(data, Disassociation(k=k, m=m, clustering="horpart"), Local()).release
    harmed = [simulate(each, data, terms=m + 1, k=k, seed=OTHER_DRAWS).share for each in (papers, outcome.release)]
    measures = ("pair_mass", "weighted_pair_error", "harmed_records", "sure_inference")
    mass, error, first, sure = (_both(judged["horpart"].get(each), judged[chosen].get(each)) for each in measures)
    return f"| {name} | {m} | {k} | {chosen} | {mass} | {error} | {first} | {_both(*harmed)} | {sure} | {seconds:.0f} |"


def _both(papers: float | None, chosen: float | None) -> str:
    return "-" if papers is None or chosen is None else f"{papers:.3f} / {chosen:.3f}"


def main() -> None:
    files = [Path(each) for each in sys.argv[1:]] or [DATA / f"{name}.dat.gz" for name in NAMES]
    print(HEAD, "|---" * 10 + "|", sep="\n", flush=True)
    for file in files:
        data = read(file)
        for m in (2, 3):
            for k in (5, 10, 20):
                print(row(file.name.split(".")[0], data, k, m), flush=True)


if __name__ == "__main__":
    main()
