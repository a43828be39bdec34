"""What a cluster lacks gets a sentence: disjoin on executors, workers that are large enough, classes for an address."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.errors import InvalidParameter
from disjoin.spark.failures import JobFailed, in_a_sentence
from disjoin.spark.sources import frame_of

pytestmark = pytest.mark.spark


def command(folder, *told, **environment):
    (folder / "a.dat").write_text("1 2\n" * 9, encoding="utf-8")
    (folder / "staging").mkdir()
    words = [sys.executable, "-m", "disjoin", "disassociate", "a.dat", "-o", "out", "--no-ledger", "--engine", "spark"]
    return subprocess.run(
        [*words, "--staging", "staging", *told],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def with_conf(settings):
    return [word for each in settings for word in ("--spark-conf", each)]


def failed(folder, *told, **environment):
    """Run the command, and return the only sentence that it ends with."""
    done = command(folder, *told, **environment)
    assert done.returncode == 2, done.stderr
    assert not (folder / "out").exists()
    assert list((folder / "staging").iterdir()) == []
    return done.stderr.splitlines()[-1]


@pytest.fixture
def python(tmp_path):
    """A Python that has every package but disjoin."""
    site = tmp_path / "site"
    site.mkdir()
    for there in Path(pa.__file__).parents[1].iterdir():
        if "disjoin" not in there.name and there.suffix != ".pth":
            (site / there.name).symlink_to(there)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={site}:$SENT exec {sys.executable} -S "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return str(python)


def test_executors_without_disjoin(python, tmp_path):
    """K4: the message was "(PythonException, PythonException)"."""
    said = failed(tmp_path, "--master", "local[1]", PYSPARK_PYTHON=python)
    assert said.startswith("Error: executors of Spark have no disjoin, so nothing was published.")


def test_an_archive_brings_disjoin_to_executors(python, tmp_path):
    """K4: the page did not show how; `SENT` is their PYTHONPATH, without that of the driver."""
    shutil.make_archive(str(tmp_path / "packages"), "gztar", Path(disjoin.__file__).parents[1], "disjoin")
    sent = ["spark.archives=packages.tar.gz#packages", "spark.executorEnv.SENT=./packages"]
    done = command(tmp_path, "--master", "local-cluster[1,1,1024]", *with_conf(sent), PYSPARK_PYTHON=python)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "datapackage.json").exists()


def test_executors_that_never_fit(tmp_path):
    """K5: the command waited for ever, and was silent."""
    too_many = with_conf(["spark.executor.cores=64", "spark.disjoin.wait=8"])
    said = failed(tmp_path, "--master", "local-cluster[1,1,1024]", *too_many)
    assert said.startswith("Error: no executor of Spark started within 8 seconds")


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
        ("s3a://bucket/x.parquet", "spark.jars.packages"),
        ("s3://bucket/x.parquet", "spark.jars.packages"),
        ("dbfs:/x.parquet", "spark.jars.packages"),
        ("file:///there/is/none.parquet", "Spark found no file or folder"),
    ],
)
def test_an_address_that_spark_cannot_read(address, sentence, spark, tmp_path):
    """K3: `dbfs:/` was "no such file", and `s3a://` a bare ClassNotFoundException."""
    with pytest.raises(JobFailed, match=sentence), in_a_sentence(tmp_path / "staging"):
        frame_of(spark, address, {})
