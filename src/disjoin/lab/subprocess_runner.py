"""Runner of methods in child processes, one at a time."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from disjoin.errors import InvalidParameter
from disjoin.lab.comparison_trial import Conditions, Contender, Trial
from disjoin.lab.worker import DATA, JOB, RESULT
from disjoin.model import Transactions


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a contender has no figures: the kind of error, and its sentence."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Arena:
    """A folder for our eyes only, with the data in it, that the processes share with us."""

    folder: Path

    def try_out(self, contender: Contender, conditions: Conditions) -> Trial | Failure:
        """Let a contender work in a process of its own; raises only for what is no fault of its method."""
        (self.folder / RESULT).unlink(missing_ok=True)
        (self.folder / JOB).write_bytes(_packed(contender, conditions))
        code = _run(self.folder)
        try:
            found = json.loads((self.folder / RESULT).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return _died(code)
        if "trial" not in found:
            return Failure(found["kind"], found["reason"])
        return Trial(**{**found["trial"], "notes": tuple(found["trial"]["notes"])})


@contextmanager
def arena(data: Transactions) -> Iterator[Arena]:
    """Put the data where the processes find it: in a folder for our eyes only, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="disjoin-compare-") as folder:
        with (Path(folder) / DATA).open("wb") as file:
            pickle.dump(data, file, protocol=pickle.HIGHEST_PROTOCOL)
        yield Arena(Path(folder))


def _packed(contender: Contender, conditions: Conditions) -> bytes:
    try:
        return pickle.dumps(sys.path) + pickle.dumps((contender, conditions))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidParameter(
            f"the contender {contender.name!r} cannot be sent to another process ({error}). Make its functions those "
            "of a module: neither a lambda nor a function in a function."
        ) from error


def _run(folder: Path) -> int:
    """Run the worker to its end and return its exit code; if we are stopped, it is too."""
    command = [sys.executable, "-P", "-m", "disjoin.lab.worker", str(folder)]  # -P: nothing from the current folder
    quiet = subprocess.DEVNULL  # what it may say when it fails can hold data
    # In a session of its own, so that Ctrl-C reaches us only, who then end it. If we are killed, its input ends.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        return process.wait()
    finally:
        process.kill()
        process.wait()
        if process.stdin is not None:
            process.stdin.close()


def _died(code: int) -> Failure:
    """Say in words how a process ended that has left no result."""
    if code < 0:
        name = signal.Signals(-code).name
        guess = ", as the system does when memory runs out" if name == "SIGKILL" else ""
        return Failure("Ended", f"Its process was ended by {name}{guess}.")
    return Failure("Unexpected", f"Its process ended with the code {code} and without a result.")
