"""Where a contender works: a process of its own, so that its memory can be told from that of others.

`python -m disjoin.compare.worker FOLDER` reads FOLDER/job.pickle and FOLDER/data.pickle, which `children` has written,
and writes FOLDER/result.json.
"""

from __future__ import annotations

import json
import pickle
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

JOB, DATA, RESULT = "job.pickle", "data.pickle", "result.json"


def main(folder: Path) -> None:
    """Do the job, and write what came of it."""
    unfinished = folder / f"{RESULT}.part"
    unfinished.write_text(json.dumps(_done(folder)), encoding="utf-8")
    unfinished.replace(folder / RESULT)


def _done(folder: Path) -> dict[str, Any]:
    """Return the trial, or in words why there is none."""
    from disjoin.errors import DisjoinError

    try:
        return {"trial": asdict(_tried(folder))}
    except DisjoinError as error:
        return {"kind": type(error).__name__, "reason": str(error)}
    except MemoryError:
        return {"kind": "MemoryError", "reason": "This needs more memory than there is."}


def _tried(folder: Path) -> Any:
    with (folder / JOB).open("rb") as file:
        for place in pickle.load(file):  # modules are looked for where the parent found them
            if place not in sys.path:
                sys.path.append(place)
        contender, conditions = pickle.load(file)
    with (folder / DATA).open("rb") as file:
        data = pickle.load(file)
    from disjoin.compare.trial import tried

    return tried(contender, conditions, data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
