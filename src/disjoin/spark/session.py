"""Spark session: the running one, or a new one."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from disjoin.atomic import written_by
from disjoin.errors import InvalidParameter, Placeholder, Remedy
from disjoin.jit.cache import is_private, places
from disjoin.signals import CODES, grace
from disjoin.spark.settings import NEEDS_SPARK, SparkSettings, require_staging
from disjoin.text import printable

ON_ONE_MACHINE = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 4)),  # Spark's default is 200, for clusters
}
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# Compiling Java code would cost more than it saves, because the long work is done in Python.
FOR_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_CONNECT = 15002  # the usual port of Connect
_PATIENCE = 20.0  # seconds that Spark may take to end
_LONGEST = 120.0  # the same, if it stores its loaded classes


def archive_name() -> str:
    from pyspark import __version__

    return f"java-of-spark-{__version__}.jsa"


def for_java() -> str:
    """Return the options for a new Java process; if its classes are stored, it loads them from there.

    Java ignores a file of another version or of other classes, and reports that unless logging is off.
    """
    for folder in places():
        if (folder / archive_name()).is_file() and is_private(folder) and " " not in str(folder):
            return f"{FOR_JAVA} -XX:SharedArchiveFile={folder / archive_name()} -Xlog:disable"
    return FOR_JAVA


@contextmanager
def session_for(settings: SparkSettings) -> Iterator[Any]:
    """Yield a session: the running one, or a new one that is stopped at the end."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InvalidParameter(NEEDS_SPARK) from None
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")  # which we do not use
    running = SparkSession.getActiveSession()
    if running is not None and settings.master is None and not settings.conf:
        yield running
        return
    os.environ.setdefault("PYSPARK_PYTHON", os.environ.get("PYSPARK_DRIVER_PYTHON", sys.executable))
    builder = SparkSession.builder.appName("disjoin")
    master = settings.master or os.environ.get("SPARK_MASTER")
    if master and not master.startswith("sc://"):  # a server of Connect has its own master
        require_staging(settings.staging, master)
    if master and master.startswith("sc://"):  # a server of Connect has its own
        _require_answer(master)
        builder = builder.remote(master)
    elif master or "PYSPARK_GATEWAY_PORT" not in os.environ:  # so has spark-submit
        builder = builder.master(master or "local[*]").config("spark.ui.showConsoleProgress", "false")
        if (master or "local").startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            for name, value in {**ON_ONE_MACHINE, JAVA_OPTIONS: for_java()}.items():
                builder = builder.config(name, value)
        # Failures are reported as a sentence; Java's traces only on request.
        builder = builder.config("spark.log.level", "ERROR" if os.environ.get("DISJOIN_TRACEBACK") else "OFF")
    for each in settings.conf:
        name, _, value = each.partition("=")
        builder = builder.config(name, value)
    try:
        with postponed():  # otherwise Java would continue, and Spark installs a handler for Ctrl-C that calls it
            session = builder.getOrCreate()
    except Exception as failure:  # a missing or old Java raises many kinds of errors
        raise InvalidParameter(
            f"Spark did not start ({type(failure).__name__}). It needs Java 17 or newer (JAVA_HOME), and a reachable "
            "master."
        ) from None
    with _ending_well(session):
        yield session


@contextmanager
def postponed() -> Iterator[None]:
    """Delay signals until the end: for work that must be completed, or that installs its own handlers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in CODES if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    heard: list[int] = []
    for number, handler in before.items():
        if callable(handler):
            signal.signal(number, lambda number, frame: heard.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
    if heard:
        signal.raise_signal(heard[0])


def _require_answer(address: str) -> None:
    """Raise if there is no server at an address of Connect, because Spark would retry for ten minutes."""
    if any(os.environ.get(name) for name in ("grpc_proxy", "https_proxy", "http_proxy")):
        return
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "", parts.port or _CONNECT), _PATIENCE).close()
    except (OSError, ValueError):
        raise InvalidParameter(
            f"no server of Spark Connect answers at {printable(address.partition('/;')[0])}. Start it.",
            remedies=[Remedy("master", Placeholder("sc://host:port"), "use another server")],
        ) from None


@contextmanager
def _ending_well(session: Any) -> Iterator[None]:
    """Stop a session at the end; after a signal at once, and without traces of connected clients."""
    java = _java()
    logging.disable(logging.NOTSET if os.environ.get("DISJOIN_TRACEBACK") else logging.ERROR)
    grace.seconds = _PATIENCE  # until the process is killed, if needed
    try:
        with written_by(java):
            yield
    except KeyboardInterrupt:
        _end(java)
        raise
    finally:
        if java is None or java.poll() is None:
            session.stop()
            logging.disable(logging.NOTSET)
    grace.seconds = 0.0


def _java() -> subprocess.Popen[bytes] | None:
    """Return the process of Spark that was started for this run, if there is one."""
    from pyspark import SparkContext

    listening = getattr(SparkContext._active_spark_context, "_accumulatorServer", None)
    if listening is not None:
        listening.handle_error = lambda *request: None  # it would print that Java has gone
    return getattr(SparkContext._gateway, "proc", None)


def _end(java: subprocess.Popen[bytes] | None) -> None:
    """End Spark at once: after a signal it removes its own temporary files, and stops its executors."""
    if java is None:
        return
    java.terminate()
    try:
        java.wait(_PATIENCE / 2)
    except subprocess.TimeoutExpired:
        java.kill()
        java.wait()


@contextmanager
def keeping_classes(file: Path) -> Iterator[Any]:
    """Yield a session whose Java stores its loaded classes in a file when it ends."""
    options = f"{JAVA_OPTIONS}={FOR_JAVA} -XX:ArchiveClassesAtExit={file} -Xlog:disable"
    try:
        with session_for(SparkSettings("local[1]", conf=(options,))) as session:
            yield session
    finally:
        java = _java()
        if java is not None and java.stdin is not None:
            java.stdin.close()  # this ends it
            java.wait(_LONGEST)
