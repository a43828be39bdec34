"""What Spark says in traces is told in a sentence, without data."""

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from disjoin.atomic import abandon, filling, written_by
from disjoin.errors import CannotWrite, InvalidParameter
from disjoin.spark.failures import JobFailed, MistakeInTask, TaskFailed, in_a_sentence, without_data
from disjoin.spark.session import postponed

TRACE = "An error occurred while calling o76.parquet.\n: org.apache.spark.SparkException: Job aborted: Ann Smith\n"


class FromSpark(Exception):
    """An exception as pyspark captures it: a text, a trace of Java, and a cause that has both."""

    __module__ = "pyspark.errors.exceptions.captured"

    def __init__(self, text, trace="", cause=None):
        super().__init__(text)
        self._stackTrace, self._cause = trace, cause


def told(failure):
    with pytest.raises(Exception) as found, in_a_sentence(Path("/shared/disjoin-staging-x")):
        raise failure
    assert "Ann Smith" not in str(found.value)
    return found.value


def test_a_full_disk_is_found_in_the_trace_of_a_cause():
    failure = FromSpark(TRACE, cause=FromSpark("x", "Caused by: java.io.IOException: No space left on device\n"))
    assert "a disk is full, that of the staging folder (/shared)" in str(told(failure))
    assert isinstance(told(failure), CannotWrite)
    assert isinstance(told(OSError(errno.ENOSPC, "No space left on device")), CannotWrite)


def test_a_mistake_of_ours_in_a_task_is_told_with_its_place():
    words = (
        "Traceback (most recent call last):\ndisjoin.engines.spark.failures.TaskFailed: KeyError in jit/x.py, line 3\n"
    )
    found = told(FromSpark(TRACE, words))
    assert isinstance(found, MistakeInTask)
    assert found.exit_code == 70
    assert "(KeyError in jit/x.py, line 3)" in str(found)


def test_what_else_stops_spark_is_told_by_its_kinds():
    found = told(
        FromSpark(TRACE, "org.apache.spark.SparkException: Ann Smith\nCaused by: java.lang.OutOfMemoryError: x")
    )
    assert isinstance(found, JobFailed)
    assert "(FromSpark, SparkException, OutOfMemoryError)" in str(found)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("ModuleNotFoundError: No module named 'disjoin'", "executors of Spark have no disjoin"),
        ("ModuleNotFoundError: No module named 'numba.core'", "executors of Spark have no numba"),
        ("PyArrow >= 15.0.0 must be installed; however, it was not found.", "executors of Spark have no pyarrow"),
        ('UnsupportedFileSystemException: No FileSystem for scheme "s3"', "no classes for the address (s3)"),
        ("ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found", "spark.jars.packages"),
        ("[PATH_NOT_FOUND] Path does not exist: s3a://Ann Smith", "no file or folder at the address"),
        ("ExecutorLostFailure (executor 1 exited) Container killed by YARN", "a container's memory limit"),
        ("Python worker exited unexpectedly (crashed): exit code 137", "spark.executor.memoryOverhead"),
        ("disjoin.spark.failures.TaskFailed: NotShared in x.py, line 3", "cannot access the staging folder"),
    ],
)
def test_what_a_cluster_lacks_is_told_with_what_to_do(words, sentence):
    """K1, K3, K4, K5: the message was "(PythonException, PythonException)" or the like."""
    found = told(FromSpark(f"Ann Smith {words}"))
    assert isinstance(found, JobFailed)
    assert found.exit_code == 2
    assert sentence in str(found)


@pytest.mark.parametrize("failure", [InvalidParameter("k must be 2"), ValueError("7"), KeyboardInterrupt()], ids=repr)
def test_what_is_not_sparks_stays_as_it_is(failure):
    with pytest.raises(type(failure)) as found, in_a_sentence(Path("x")):
        raise failure
    assert found.value is failure


def test_a_task_tells_no_data():
    with pytest.raises(TaskFailed) as found, without_data():
        raise KeyError("Ann Smith")
    assert str(found.value).startswith("KeyError in spark/")
    assert "Ann Smith" not in str(found.value)
    assert found.value.__suppress_context__


def test_a_signal_waits_until_work_that_is_not_to_be_left_is_done():
    done = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            with postponed():
                signal.raise_signal(signal.SIGINT)
                done.append(1)
            done.append(2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == [1]


def test_a_process_that_must_end_at_once_ends_those_that_write_for_it(tmp_path):
    place = tmp_path / "staging.partial"
    place.mkdir()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        with filling(place), written_by(child):
            abandon()
        assert child.wait() == -signal.SIGKILL
    assert not place.exists()
