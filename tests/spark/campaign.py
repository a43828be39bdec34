"""make spark-campaign: real datasets on Spark and without, folder against folder, byte for byte; half an hour.

PYTHONPATH=tests python -m spark.campaign [dataset ...] [--killed] [--csv]

Any two values of two settings meet in some run of every dataset. With --killed an executor is killed in every phase,
twice per dataset. What was found is kept in tests/spark/campaign.jsonl, and runs that were made are not made again:
remove it to start again. --csv writes docs/results/spark-campaign.csv from it, and runs nothing; docs/how-to/spark.md
has the summary.
"""

import argparse
import csv
import filecmp
import itertools
import json
import os
import sys
import tempfile
import time
import zlib
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

import disjoin.spark
from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation import Disassociation
from disjoin.pipeline import publish, write
from disjoin.readers.read import read
from disjoin.spark.settings import SparkSettings
from spark.conftest import started
from spark.test_lost_executors import KILLED_BEFORE, dying_executors

DATA = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parents[3] / "shared" / "data"))
FOUND = Path(__file__).parent / "campaign.jsonl"
TABLE = Path(__file__).parents[2] / "docs" / "results" / "spark-campaign.csv"
NAMES = {"groceries": "groceries", "wv1": "WV1", "retail": "retail", "t10i4d100k": "Quest 100k (T10I4D100K)"}
COLUMNS = ("data", "records", "k", "m", "refine_on", "clustering", "executors_killed", "sensitive", "records_per_task")
COLUMNS += ("top_terms", "partitions", "adaptive", "rounds", "driver_bytes_per_record", "seconds", "folder")
ALL = 10**9
VALUES = {
    "k": (5, 2, 25),
    "m": (2, 1, 3),
    "refine": (True, False),
    "strategy": ("cardiff", "remaining", "suppression", "abandon", "abandon-next"),
    "hides": ("nothing", "two terms", "two terms, l = 3"),
    "shard": (5000, 300, ALL),
    "partitions": (4, 1, 50),
    "aqe": (True, False),
    "joins": ("driver", "executors"),  # where clusters are joined; without REFINE they are not
}
PAIRS = (  # places in these values, one per setting; with fewer runs not all pairs of a strategy and a k would meet
    "000000000 011111111 021222200 100201111 210210010 201422100 110400201 010322001 "
    "121300110 120120000 021411010 220021111 111012200 201311200 201102210"
)
USUAL = {name: values[0] for name, values in VALUES.items()} | {"top": 64, "clustering": "horpart", "killed": False}
BESIDE = (  # what the pairs do not have
    {"clustering": "core"},
    {"clustering": "core-horpart"},
    {"clustering": "core-horpart", "shard": ALL, "hides": "two terms", "k": 2},
)
FEW_TOP_TERMS = {  # two of them prove little, so that a round, of some seconds, splits little
    "groceries": ({"top": 2}, {"top": 2, "shard": 300, "aqe": False}),
    "wv1": ({"top": 2, "shard": 20_000},),
    "retail": ({"top": 2, "shard": 40_000},),
    "t10i4d100k": ({"top": 2, "shard": 40_000},),
}


def meeting_pairs():
    """Return settings in which any two values of two settings meet."""
    rows = [{name: VALUES[name][int(place)] for name, place in zip(VALUES, row, strict=True)} for row in PAIRS.split()]
    met = {pair for row in rows for pair in itertools.combinations(row.items(), 2)}
    for one, other in itertools.combinations(VALUES, 2):
        wanted = {((one, here), (other, there)) for here in VALUES[one] for there in VALUES[other]}
        assert wanted <= met, f"some values of {one} and {other} do not meet"
    return rows


def runs_of(name, *, killed):
    """Return the settings for a dataset."""
    if killed:
        return [USUAL | {"killed": True, "joins": where} for where in VALUES["joins"]]
    return [USUAL | each for each in (*meeting_pairs(), *BESIDE, *FEW_TOP_TERMS[name])]


def method_of(data, run):
    """Return the method; terms that are hidden are the 15th and the 60th in the order of counts."""
    given = {name: run[name] for name in ("k", "m", "refine", "strategy", "clustering")}
    if run["hides"] != "nothing":
        order = np.argsort(-data.supports(), kind="stable")
        given["sensitive"] = [data.vocabulary[int(order[place])].as_py() for place in (14, 59)]
    if run["hides"].endswith("l = 3"):
        given["l"] = 3
    return Disassociation(**given)


def on_spark(session, data, run, method):
    """Publish shuffled records in that many partitions."""
    order = np.random.default_rng(zlib.crc32(json.dumps(run).encode())).permutation(len(data))
    session.conf.set("spark.sql.adaptive.enabled", str(run["aqe"]).lower())
    frame = session.createDataFrame(data.to_arrow().select(["terms"]).take(order))
    sizes = replace(SparkSettings(shard_records=run["shard"]).sizes(), top=run["top"])
    if run["joins"] == "executors":
        sizes = replace(sizes, driver_items=0)
    with patch.object(SparkSettings, "sizes", lambda self: sizes):
        return disjoin.spark.publish_frame(frame.repartition(run["partitions"]), method, SparkSettings())


def compared(session, data, run):
    """Publish twice, and say whether the folders are the same."""
    method, began = method_of(data, run), time.perf_counter()
    refusals, folders, traffic = [], [], {}
    with tempfile.TemporaryDirectory() as temporary:
        for name, engine in (("spark", lambda: on_spark(session, data, run, method)), ("local", None)):
            try:
                outcome = engine() if engine else publish(data, method)
                traffic |= outcome.private.get("driver", {})
                folders.append(write(outcome.release, Path(temporary) / name))
            except GuaranteeUnreachable as refusal:
                refusals.append(str(refusal))
        same = are_same(*folders) if len(folders) == 2 else len(refusals) == 2 and len(set(refusals)) == 1
    facts = {"same": same, "refused": bool(refusals), "records": len(data), "rounds": traffic.get("rounds", 0)}
    return facts | {"driver_bytes": traffic.get("bytes", 0), "seconds": round(time.perf_counter() - began, 1)}


def are_same(ours, theirs):
    """Tell whether two folders have the same files with the same bytes."""
    names = sorted(file.name for file in theirs.iterdir())
    return sorted(file.name for file in ours.iterdir()) == names and filecmp.cmpfiles(
        ours, theirs, names, shallow=False
    ) == (names, [], [])


def found_before():
    """Return what runs have found."""
    return [json.loads(line) for line in FOUND.read_text().splitlines()] if FOUND.exists() else []


def runs_in_turn(names, **which):
    """Return datasets with settings that were not run before, all datasets in turn; those of many tasks come last."""
    made = [(row["data"], row["run"]) for row in found_before()]
    turns = itertools.zip_longest(*([(name, run) for run in runs_of(name, **which)] for name in names))
    waiting = [each for turn in turns for each in turn if each is not None and each not in made]
    return sorted(waiting, key=lambda each: each[0] != "groceries" and each[1]["shard"] == min(VALUES["shard"]))


def carry_out(names, *, killed):
    """Make the runs that were not made before; return how many folders differ."""
    different = 0
    master = "local-cluster[2,1,1024]" if killed else "local[2]"
    with tempfile.TemporaryDirectory() as folder:
        session = started(master, Path(folder))
        for name, run in runs_in_turn(names, killed=killed):
            with dying_executors() if killed else nullcontext([]) as dead:
                facts = compared(session, read(DATA / f"{name}.dat.gz"), run)
            wanted = [each for each in KILLED_BEFORE if run["joins"] == "executors" or each != "level-1"]
            facts["same"] = facts["same"] and (not killed or dead == wanted)
            with FOUND.open("a") as file:
                file.write(json.dumps({"data": name, "run": run, **facts}) + "\n")
            different += not facts["same"]
            told = "same" if facts["same"] else "DIFFERENT"
            sys.stdout.write(f"{name} {told} {run} {facts}\n")
            sys.stdout.flush()
        session.stop()
    return different


def write_table():
    """Write the table of all runs."""
    rows = sorted(found_before(), key=lambda row: list(NAMES).index(row["data"]))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(map(_cells, rows))


def _cells(row):
    run = row["run"]
    return [
        NAMES[row["data"]],
        row["records"],
        run["k"],
        run["m"],
        run["joins"] if run["refine"] else "no",
        run["strategy"] if run["clustering"] == "horpart" else run["clustering"],
        _yes(run["killed"]),
        run["hides"],
        "all" if run["shard"] == ALL else run["shard"],
        run["top"],
        run["partitions"],
        _yes(run["aqe"]),
        row["rounds"],
        "" if row["refused"] else f"{row['driver_bytes'] / row['records']:.1f}",
        f"{row['seconds']:.0f}",
        ("both refused" if row["refused"] else "same") if row["same"] else "different",
    ]


def _yes(value):
    return "yes" if value else "no"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", default=list(NAMES))
    options.add_argument("--killed", action="store_true", help="kill an executor in every phase, on local-cluster")
    options.add_argument("--csv", action="store_true", help="write the table from what was found")
    chosen = options.parse_args()
    if chosen.csv:
        write_table()
        return
    sys.exit(1 if carry_out(chosen.names, killed=chosen.killed) else 0)


if __name__ == "__main__":
    main()
