"""Child process of a comparison, so that its memory is measured alone.

`python -m disjoin.lab.worker FOLDER` reads FOLDER/job.pickle and FOLDER/data.pickle, which
`subprocess_runner` has written, and writes FOLDER/result.json. Its standard input is a pipe from the process that
started it: when that has gone, even by a kill, the pipe ends and so does the work.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

JOB, DATA, RESULT = "job.pickle", "data.pickle", "result.json"


def main(folder: Path) -> None:
    """Do the job, and write what came of it."""
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    unfinished = folder / f"{RESULT}.part"
    unfinished.write_text(json.dumps(_done(folder)), encoding="utf-8")
    unfinished.replace(folder / RESULT)


def _end_with_parent(folder: Path) -> None:
    """Leave when the parent has gone, and take the data along that it could not remove."""
    sys.stdin.buffer.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _done(folder: Path) -> dict[str, Any]:
    """Return the trial, or in words why there is none."""
    from disjoin.errors import DisjoinError, place_of

    try:
        return {"trial": asdict(_tried(folder))}
    except DisjoinError as error:
        return {"kind": type(error).__name__, "reason": str(error)}
    except MemoryError:
        return {"kind": "MemoryError", "reason": "This needs more memory than there is."}
    except Exception as mistake:  # its text may hold data
        words = f"It failed unexpectedly, which is a mistake in the program ({place_of(mistake)})."
        return {"kind": "Unexpected", "reason": words}


def _tried(folder: Path) -> Any:
    with (folder / JOB).open("rb") as file:
        for place in pickle.load(file):  # modules are looked for where the parent found them
            if place not in sys.path:
                sys.path.append(place)
        contender, conditions = pickle.load(file)
    with (folder / DATA).open("rb") as file:
        data = pickle.load(file)
    from disjoin.lab.comparison_trial import tried

    return tried(contender, conditions, data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
