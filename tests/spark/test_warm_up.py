"""What Java loads for Spark is kept by a warm-up, and taken from there by the next session of our own."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="what a process has open is found in /proc"),
]

PROGRAM = """
from disjoin.cli import warm_up
from disjoin.jit import cache

warm_up.warm_up = lambda: warm_up.WarmUp(0, cache.folder())  # without the loops, which take a minute
assert not list(cache.folder().iterdir())
print(warm_up.warm_up_spark().java)
"""
AFTERWARDS = """
from pathlib import Path

from pyspark import SparkContext
from disjoin.spark.session import session_for
from disjoin.spark.settings import SparkSettings

with session_for(SparkSettings("local[1]")) as session:
    assert session.range(5).count() == 5
    java = SparkContext._gateway.proc.pid
    print("jsa" in Path(f"/proc/{java}/maps").read_text())
"""


def said_by(program, given):
    done = subprocess.run([sys.executable, "-c", program], env=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_java_takes_what_it_has_loaded_from_where_it_was_kept(of_tests, tmp_path):
    given = {**of_tests, "NUMBA_CACHE_DIR": str(tmp_path)}
    kept = said_by(PROGRAM, given)
    assert kept.startswith(str(tmp_path))
    assert kept.endswith(".jsa")
    assert [file.name for file in (tmp_path / "disjoin").iterdir()] == [kept.rpartition("/")[2]]
    assert said_by(AFTERWARDS, given) == "True"
