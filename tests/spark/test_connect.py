"""Over Spark Connect, where there is no context of Spark to talk to: the folder is the local engine's."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(find_spec("grpc") is None, reason="Connect is not installed (pip install 'pyspark[connect]')"),
]

# A server and a classic session cannot be in one process, hence another one.
OVER_CONNECT = """
import subprocess
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import disjoin.spark
from spark.test_same_bytes import assert_same_folder, baskets, frame_of

folder = Path(sys.argv[1])
(folder / "staging").mkdir()
spark = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
try:
    records = baskets(600)
    frame = frame_of(spark, records)
    assert "connect" in type(frame).__module__, type(frame)
    for clustering in ("horpart", "core-horpart"):
        given = {"k": 5, "m": 2, "clustering": clustering, "sensitive": ["t03"], "l": 3}
        outcome = disjoin.spark.disassociate(frame, staging=folder / "staging", shard_records=250, **given)
        (folder / clustering).mkdir()
        assert_same_folder(outcome, records, given, folder / clustering)
    assert disjoin.spark.inspect(frame)["known_terms"] == disjoin.inspect(records, known=2)["known_terms"]
    assert list((folder / "staging").iterdir()) == []
    told = "disassociate baskets.dat -o out --engine spark --master sc://localhost --no-ledger --quiet".split()
    (folder / "baskets.dat").write_text("1 2 3\\n2 3\\n1 2\\n" * 9)
    subprocess.run([sys.executable, "-m", "disjoin", *told], cwd=folder, check=True)
    assert (folder / "out" / "report.html").exists()
finally:
    spark.stop()
print("the same over Connect")
"""


def test_the_folder_is_that_of_the_local_engine_over_connect(tmp_path, of_tests):
    done = subprocess.run(
        [sys.executable, "-c", OVER_CONNECT, tmp_path],
        env=of_tests,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert "the same over Connect" in done.stdout, done.stderr[-3000:]
