"""What a cluster lacks gets a sentence: disjoin on executors, workers that are large enough, classes for an address."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.engines.spark.failures import JobFailed, in_a_sentence
from disjoin.engines.spark.sources import frame_of
from disjoin.errors import InvalidParameter

pytestmark = pytest.mark.spark


def failed(folder, *told, **environment):
    """Run the command, and return the only sentence that it ends with."""
    (folder / "a.dat").write_text("1 2\n" * 9, encoding="utf-8")
    (folder / "staging").mkdir()
    words = [sys.executable, "-m", "disjoin", "disassociate", "a.dat", "-o", "out", "--no-ledger", "--engine", "spark"]
    done = subprocess.run(
        [*words, "--staging", "staging", *told],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert not (folder / "out").exists()
    assert list((folder / "staging").iterdir()) == []
    return done.stderr.splitlines()[-1]


def test_executors_without_disjoin(tmp_path):
    """K4: the message was "(PythonException, PythonException)"."""
    site = tmp_path / "site"
    site.mkdir()
    for name in ("pyspark", "py4j", "pyarrow", "pyarrow.libs", "numpy", "numpy.libs"):
        if (there := Path(pa.__file__).parents[1] / name).exists():
            (site / name).symlink_to(there)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={site} exec {sys.executable} -S "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    said = failed(tmp_path, "--master", "local[1]", PYSPARK_PYTHON=str(python))
    assert said.startswith("Error: executors of Spark have no disjoin, so nothing was published.")


def test_executors_that_never_fit(tmp_path):
    """K5: the command waited for ever, and was silent."""
    too_many = ["--spark-conf", "spark.executor.cores=64", "--spark-conf", "spark.disjoin.wait=8"]
    said = failed(tmp_path, "--master", "local-cluster[1,1,1024]", *too_many)
    assert said.startswith("Error: no executor of Spark has done anything within 8 seconds")


@pytest.mark.parametrize(
    "source", ["{lake}", "{lake}/", "{lake}/day=1", "{lake}/day=1/x y.parquet", "{lake}/*/x*.parquet"]
)
@pytest.mark.parametrize(
    ("marker", "kind"),
    [("_delta_log/0.json", "delta"), (".hoodie/hoodie.properties", "hudi"), ("metadata/snap-1.avro", "iceberg")],
)
def test_an_address_of_a_lake_table(source, marker, kind, spark, tmp_path):
    """K2: deleted rows of a Delta Lake table were published."""
    lake = tmp_path / "la ke"
    for file in (lake / marker, lake / "day=1" / "x y.parquet"):
        file.parent.mkdir(parents=True)
        file.write_text("", encoding="utf-8")
    pq.write_table(pa.table({"items": [["a", "b"]] * 9}), lake / "day=1" / "x y.parquet")
    with pytest.raises(
        InvalidParameter, match=rf"spark\.read\.format\('{kind}'\)\.load\('file:/+{tmp_path.as_posix()[1:]}/la ke'\)"
    ):
        frame_of(spark, source.format(lake=f"file://{lake}"), {"format": "parquet"})


def test_an_address_of_plain_files_is_read(spark, tmp_path):
    pq.write_table(pa.table({"items": [["a", "b"]] * 9}), tmp_path / "x.parquet")
    assert frame_of(spark, f"file:{tmp_path}", {"format": "parquet"}).count() == 9
    assert frame_of(spark, f"file://{tmp_path}/*.parquet", {}).count() == 9


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("s3a://bucket/x.parquet", "spark.jars.packages="),
        ("s3://bucket/x.parquet", "spark.jars.packages="),
        ("dbfs:/x.parquet", "spark.jars.packages="),
        ("file:///there/is/none.parquet", "Spark found no file or folder"),
    ],
)
def test_an_address_that_spark_cannot_read(address, sentence, spark, tmp_path):
    """K3: `dbfs:/` was "no such file", and `s3a://` a bare ClassNotFoundException."""
    with pytest.raises(JobFailed, match=sentence), in_a_sentence(tmp_path / "staging"):
        frame_of(spark, address, {})
