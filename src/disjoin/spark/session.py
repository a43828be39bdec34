"""Spark session: the running one, or one of our own."""

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
    "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 4)),  # Spark makes 200, for clusters
}
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# Java would spend more on compiling itself than it saves: what takes long is done in Python.
FOR_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_CONNECT = 15002  # the usual port of Connect
_PATIENCE = 20.0  # seconds that Spark may take to end
_LONGEST = 120.0  # the same, where it writes down what it has loaded


def archive_name() -> str:
    from pyspark import __version__

    return f"java-of-spark-{__version__}.jsa"


def for_java() -> str:
    """Return the options for a Java of our own; if its classes were kept, it takes them from there.

    A file of another Java, or of other classes, is none to Java, which says so unless it is told not to talk.
    """
    for folder in places():
        if (folder / archive_name()).is_file() and is_private(folder) and " " not in str(folder):
            return f"{FOR_JAVA} -XX:SharedArchiveFile={folder / archive_name()} -Xlog:disable"
    return FOR_JAVA


@contextmanager
def session_for(settings: SparkSettings) -> Iterator[Any]:
    """Give a session: the one that is running, or a new one that is stopped in the end."""
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
    if master and not master.startswith("sc://"):  # a server of Connect is asked for its master
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
        # What fails is told by us, in a sentence; Java's traces are for those who ask for them.
        builder = builder.config("spark.log.level", "ERROR" if os.environ.get("DISJOIN_TRACEBACK") else "OFF")
    for each in settings.conf:
        name, _, value = each.partition("=")
        builder = builder.config(name, value)
    try:
        with postponed():  # Java would go on alone, and Spark puts in a handler for Ctrl-C that talks to it
            session = builder.getOrCreate()
    except Exception as failure:  # a Java that is missing or too old has many names
        raise InvalidParameter(
            f"Spark did not start ({type(failure).__name__}): it needs Java 17 or newer (JAVA_HOME), and a master that "
            "answers."
        ) from None
    with _ending_well(session):
        yield session


@contextmanager
def postponed() -> Iterator[None]:
    """Let signals wait until the end: for work that is not to be left half done, or puts in handlers of its own."""
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
    """Raise if there is no server at an address of Connect: Spark would ask for ten minutes. Proxies may know it."""
    if any(os.environ.get(name) for name in ("grpc_proxy", "https_proxy", "http_proxy")):
        return
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "", parts.port or _CONNECT), _PATIENCE).close()
    except (OSError, ValueError):
        raise InvalidParameter(
            f"no server of Spark Connect answers at {printable(address.partition('/;')[0])}: start it.",
            remedies=[Remedy("master", Placeholder("sc://host:port"), "use another server")],
        ) from None


@contextmanager
def _ending_well(session: Any) -> Iterator[None]:
    """Stop a session in the end; if somebody asks us to stop, at once, and without traces of whoever talks to it."""
    java = _java()
    logging.disable(logging.NOTSET if os.environ.get("DISJOIN_TRACEBACK") else logging.ERROR)
    grace.seconds = _PATIENCE  # until the very end, if it comes to that
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
    """Return the process of Spark that was started for us, if there is one."""
    from pyspark import SparkContext

    listening = getattr(SparkContext._active_spark_context, "_accumulatorServer", None)
    if listening is not None:
        listening.handle_error = lambda *request: None  # it would print that Java has gone
    return getattr(SparkContext._gateway, "proc", None)


def _end(java: subprocess.Popen[bytes] | None) -> None:
    """Let Spark end at once: asked by a signal it removes its own temporary files, and stops its executors."""
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
    """Give a session whose Java keeps the classes that it has loaded in a file, once it has ended."""
    options = f"{JAVA_OPTIONS}={FOR_JAVA} -XX:ArchiveClassesAtExit={file} -Xlog:disable"
    try:
        with session_for(SparkSettings("local[1]", conf=(options,))) as session:
            yield session
    finally:
        java = _java()
        if java is not None and java.stdin is not None:
            java.stdin.close()  # which is how it is told to end
            java.wait(_LONGEST)
