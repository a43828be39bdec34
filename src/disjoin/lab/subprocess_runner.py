"""Runner of methods in child processes, one by one, so that the memory of each is measured separately. The child,
`python -m disjoin.lab.subprocess_runner FOLDER`, reads job.pickle and data.pickle and writes result.json there; it ends
when its standard input, a pipe from the parent, is closed."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from disjoin.errors import DisjoinError, InvalidParameter, place_of
from disjoin.lab.comparison_trial import Conditions, Contender, Trial, tried
from disjoin.model import Transactions

JOB, DATA, RESULT = "job.pickle", "data.pickle", "result.json"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a contender has no figures: the kind of error, and its sentence."""

    kind: str
    reason: str


@contextmanager
def arena(data: Transactions) -> Iterator[Path]:
    """Yield a private temporary folder with the data for child processes."""
    with tempfile.TemporaryDirectory(prefix="disjoin-compare-") as name:
        with Path(name, DATA).open("wb") as file:
            pickle.dump(data, file, protocol=pickle.HIGHEST_PROTOCOL)
        yield Path(name)


def try_out(folder: Path, contender: Contender, conditions: Conditions) -> Trial | Failure:
    (folder / RESULT).unlink(missing_ok=True)
    (folder / JOB).write_bytes(_packed(contender, conditions))
    code = _run(folder)
    try:
        found = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return _died(code)
    if "trial" not in found:
        return Failure(found["kind"], found["reason"])
    return Trial(**{**found["trial"], "notes": tuple(found["trial"]["notes"])})


def _packed(contender: Contender, conditions: Conditions) -> bytes:
    try:
        return pickle.dumps(sys.path) + pickle.dumps((contender, conditions))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InvalidParameter(
            f"the contender {contender.name!r} cannot be sent to another process ({error}). Use functions "
            "of a module, not a lambda or a nested function."
        ) from error


def _run(folder: Path) -> int:
    """Run the child to its end and return its exit code; if this process is stopped, the child is too."""
    # -P: nothing is imported from the current folder
    command = [sys.executable, "-P", "-m", "disjoin.lab.subprocess_runner", str(folder)]
    quiet = subprocess.DEVNULL  # its error output may show data
    # In a separate session: Ctrl-C reaches only this process, which then ends the child, or the child's input ends.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        return process.wait()
    finally:
        process.kill()
        process.wait()
        if process.stdin is not None:
            process.stdin.close()


def _died(code: int) -> Failure:
    if code < 0:
        name = signal.Signals(-code).name
        guess = ", which happens when memory runs out" if name == "SIGKILL" else ""
        return Failure("Ended", f"Its process was ended by {name}{guess}.")
    return Failure("Unexpected", f"Its process ended with the code {code} and without a result.")


def main(folder: Path) -> None:
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    unfinished = folder / f"{RESULT}.part"
    unfinished.write_text(json.dumps(_done(folder)), encoding="utf-8")
    unfinished.replace(folder / RESULT)


def _end_with_parent(folder: Path) -> None:
    """Exit when the parent has ended, and remove the data that it could not remove."""
    sys.stdin.buffer.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _done(folder: Path) -> dict[str, Any]:
    try:
        return {"trial": asdict(_tried(folder))}
    except DisjoinError as error:
        return {"kind": type(error).__name__, "reason": str(error)}
    except MemoryError:
        return {"kind": "MemoryError", "reason": "This needs more memory than is available."}
    except Exception as mistake:  # its text may hold data
        words = f"It failed unexpectedly, which is an error in the program ({place_of(mistake)})."
        return {"kind": "Unexpected", "reason": words}


def _tried(folder: Path) -> Any:
    with (folder / JOB).open("rb") as file:
        for place in pickle.load(file):  # modules are searched where the parent found them
            if place not in sys.path:
                sys.path.append(place)
        contender, conditions = pickle.load(file)
    with (folder / DATA).open("rb") as file:
        data = pickle.load(file)
    return tried(contender, conditions, data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
