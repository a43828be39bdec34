"""A session of Spark for the tests of this folder; `make test-spark` runs them, `make test` does not."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

MISSING = ""
if find_spec("pyspark") is None:
    MISSING = "pyspark is not installed (pip install 'disjoin[spark]')"
elif not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    MISSING = "there is no Java (17 or newer)"


def pytest_collection_modifyitems(items):
    for item in items:
        if MISSING and item.get_closest_marker("spark"):
            item.add_marker(pytest.mark.skip(reason=MISSING))


def started(master, folder, **conf):
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from disjoin.spark.session import FOR_JAVA, ON_ONE_MACHINE

    usual = {
        **ON_ONE_MACHINE,
        "spark.driver.extraJavaOptions": FOR_JAVA,
        "spark.executor.extraJavaOptions": FOR_JAVA,
        "spark.executor.memory": "1g",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    builder = SparkSession.builder.master(master).appName("disjoin tests")
    for name, value in {**usual, **conf}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="session")
def of_tests():
    """What processes of their own are told: where these tests are."""
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


@pytest.fixture(scope="session")
def events(folder):
    place = folder / "events"
    place.mkdir()
    return place


@pytest.fixture(scope="module")
def spark(folder, events):
    logged = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": events.as_uri(),
    }
    session = started("local[2]", folder, **logged)
    yield session
    session.stop()
