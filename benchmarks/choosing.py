"""Every clustering by what it keeps and what attacks find: the tables of docs/decisions/0008.

python -m benchmarks.choosing [FILE ...] [-k 5 10 20] [-m 2 3] [--clusterings horpart auto]
python -m benchmarks.choosing --tables

Every result is a line of JSON in benchmarks/results/choosing.jsonl as soon as it is there; what is there already is not
measured again, so a run that was stopped goes on where it was. To measure again, remove the file.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.defaults import DATA
from disjoin.advise import publisher_of
from disjoin.advise.clustering_choice import MOST_SETS
from disjoin.attack.simulated import Draws, draws_for, draws_of, played
from disjoin.attack.sure_inference import sure_inference
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable
from disjoin.measure import exact_pair_mass
from disjoin.measure.pairs import weighted_pair_error
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import CLUSTERINGS, papers
from disjoin.model import Transactions
from disjoin.pipeline import Outcome, publish
from disjoin.readers.read import read

RESULTS = Path(__file__).parent / "results" / "choosing.jsonl"
NAMES = ("groceries", "mushroom", "wv1", "wv2", "online-retail", "t10i4d100k", "retail")  # what takes least comes first
OTHER_DRAWS = 7  # the seed of attacks that `auto` did not choose by
FIGURES = {"mass": "pair mass", "error": "weighted pair error", "harmed": "H", "sure": "sure"}
Result = dict[str, Any]


def measured(data: Transactions, k: int, m: int, clustering: str, before: list[Result]) -> Result:
    """Publish, verified against the original, and measure; what `auto` took may have been measured as such."""
    start = time.process_time()
    try:
        method = Disassociation(k=k, m=m, clustering=clustering)
        outcome = publish(data, method, Local(), publisher=publisher_of(method))
    except GuaranteeUnreachable as refusal:
        return {"refused": str(refusal)}
    taken = outcome.private.get("clustering", clustering)
    facts = {"taken": taken, "seconds": round(time.process_time() - start, 2)}
    same = next((each for each in before if each["clustering"] == taken and "mass" in each), None)
    figures = (*FIGURES, "harmed_other_draws")
    return facts | ({each: same[each] for each in figures} if same else attacked(data, outcome, k, m))


def attacked(data: Transactions, outcome: Outcome, k: int, m: int) -> Result:
    """Return what a release keeps, and what attacks with one term more than is asked for find."""
    clusters = outcome.release.published
    harmed = [played(clusters, data, drawn(data, m + 1, seed), k).share for seed in (0, OTHER_DRAWS)]
    return {
        "mass": round(exact_pair_mass(clusters, data), 5),
        "error": round(weighted_pair_error(clusters, data), 5),
        "harmed": round(harmed[0], 5),
        "harmed_other_draws": round(harmed[1], 5),
        "sure": round(sure_inference(clusters, data, known=m + 1, most_sets=MOST_SETS).share, 5),
    }


@cache
def drawn(data: Transactions, known: int, seed: int) -> Draws:
    """Draw what is known, once for all clusterings."""
    return draws_of(data, known, draws_for(len(data)), seed)


def results() -> list[Result]:
    """Return what was measured so far."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def measure(asked: argparse.Namespace) -> None:
    """Measure what is missing, and append it."""
    RESULTS.parent.mkdir(exist_ok=True)
    for file in [Path(each) for each in asked.files] or [DATA / f"{name}.dat.gz" for name in NAMES]:
        name, data = file.name.split(".")[0], None
        for m, k in ((m, k) for m in asked.m for k in asked.k):
            for clustering in asked.clusterings:
                before = [each for each in results() if (each["data"], each["m"], each["k"]) == (name, m, k)]
                if any(each["clustering"] == clustering for each in before):
                    continue
                data = data or read(file)
                setting = {"data": name, "m": m, "k": k, "clustering": clustering}
                line = json.dumps(setting | measured(data, k, m, clustering, before))
                with RESULTS.open("a") as out:
                    out.write(f"{line}\n")
                print(line, flush=True)


def tables() -> Iterator[str]:
    """Give the lines of a table of all clusterings, and of one of `auto` against the papers' way."""
    order = {name: place for place, name in enumerate(CLUSTERINGS)}
    found = sorted(results(), key=lambda each: (each["m"], each["k"], each["data"], order[each["clustering"]]))
    settings = [list(group) for _, group in groupby(found, key=lambda each: (each["m"], each["k"], each["data"]))]
    yield f"| data | m | k | clustering | {' | '.join(FIGURES.values())} | H, other draws | s |"
    yield "|---" * (6 + len(FIGURES)) + "|"
    for each in found:
        yield _row(each, each["clustering"], [_figure(each.get(name)) for name in (*FIGURES, "harmed_other_draws")])
    yield ""
    yield f"| data | m | k | taken | {' | '.join(FIGURES.values())} | pairs | H, other draws | s |"
    yield "|---" * (7 + len(FIGURES)) + "|"
    for group in settings:
        ways = {each["clustering"]: each for each in group}
        if "auto" in ways and "mass" in ways.get(papers(), {}):
            yield _against(ways[papers()], ways["auto"])


def _against(paper: Result, chosen: Result) -> str:
    cells = [_both(paper, chosen, name) for name in FIGURES]
    gain = chosen["mass"] / paper["mass"] if paper["mass"] else 1.0
    cells += ["" if chosen["taken"] == papers() else f"{gain:.2f}x", _both(paper, chosen, "harmed_other_draws")]
    return _row(chosen, chosen["taken"], cells)


def _both(paper: Result, chosen: Result, name: str) -> str:
    first, second = _figure(paper[name]), _figure(chosen[name])
    return first if chosen["taken"] == papers() else f"{first} / {second}"


def _figure(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}".removeprefix("0") if share < 1 else "1"


def _row(each: Result, name: str, cells: list[str]) -> str:
    seconds = f"{each['seconds']:.0f}" if "seconds" in each else "-"
    return f"| {each['data']} | {each['m']} | {each['k']} | `{name}` | {' | '.join(cells)} | {seconds} |"


def main() -> None:
    asking = argparse.ArgumentParser(description="what every clustering keeps, and what attacks find")
    asking.add_argument("files", nargs="*", help="data (default: the shared datasets)")
    asking.add_argument("-k", type=int, nargs="+", default=[5, 10, 20])
    asking.add_argument("-m", type=int, nargs="+", default=[2, 3])
    asking.add_argument("--clusterings", nargs="+", choices=list(CLUSTERINGS), default=list(CLUSTERINGS))
    asking.add_argument("--tables", action="store_true", help="print what was measured, and measure nothing")
    asked = asking.parse_args()
    if asked.tables:
        print(*tables(), sep="\n")
    else:
        measure(asked)


if __name__ == "__main__":
    main()
