"""A job at work, in a process of its own: `python -P -m disjoin.web.worker JOB HOME`.

It holds the lock of its folder as long as it lives, so that a server that comes back can tell the living from the dead,
and it writes down itself how far it is, so that the server may go.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.errors import DisjoinError, GuaranteeUnreachable, NotAnonymous, PublishedBefore, place_of
from disjoin.interrupts import listen
from disjoin.unfinished import held
from disjoin.web.home import Home
from disjoin.web.store import CANCELLED, DONE, FAILED, IMPOSSIBLE, REFUSED, Memory
from disjoin.web.ways_out import in_plain_words, ways_out

if TYPE_CHECKING:
    from disjoin.web.work import Errand

OFTEN = 0.1  # seconds between two words about the same stage
SELDOM = 1.0  # seconds between two drawings, which take a tenth of that
UNEXPECTED = 70


class Teller:
    """Writes progress down, ten times a second at most; the beginning and the end of a stage always."""

    def __init__(self, store: Memory, job: str) -> None:
        self._store, self._job = store, job
        self._stage, self._told, self._drawn = "", 0.0, 0.0

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Tell how far the work is."""
        now = time.monotonic()
        if stage == self._stage and now - self._told < OFTEN and done != total:
            return
        self._stage, self._told = stage, now
        self._store.tell(self._job, stage, done, total, {"words": note} if note else None)

    def found(self, what: str, facts: Any) -> None:
        """Tell a part of the result as it comes."""
        self._store.tell(self._job, what, 0, 0, facts)

    def drawn(self, chart: Callable[[], dict[str, Any]], words: str = "") -> None:
        """Draw what was found so far, once in a while; `words` are what to know about it."""
        from disjoin.web.work import picture

        if time.monotonic() - self._drawn >= SELDOM:
            self.found("drawn", picture(chart(), words))
            self._drawn = time.monotonic()


def main(job: str, home: Home) -> int:
    """Do a job, and say how it ended."""
    folder = home.job(job)
    lock = folder / "lock"
    lock.touch(mode=0o600)
    store = Memory(home.database)
    try:
        with held(lock):
            if not store.begin(job, os.getpid()):
                return 0
            return _done(job, home, store)
    except BlockingIOError:  # another worker is at it
        return 0


def _done(job: str, home: Home, store: Memory) -> int:
    from disjoin.web.work import WORK, Errand

    facts = store.job(job)
    errand = Errand(home, store, facts, Teller(store, job))
    try:
        result = WORK[facts["kind"]](errand)
    except KeyboardInterrupt as stopped:
        store.end(job, CANCELLED, code=getattr(stopped, "exit_code", 130))
        return 130
    except DisjoinError as error:
        store.end(job, _state(error), code=error.exit_code, error=_problem(error, errand))
        return error.exit_code
    except OSError as failure:
        words = f"The computer says: {failure.strerror or type(failure).__name__}. Nothing was written."
        store.end(job, FAILED, code=2, error={"title": "It could not be done", "detail": words})
        return 2
    except MemoryError:
        words = "This needs more memory than there is. Try a part of the data."
        store.end(job, FAILED, code=2, error={"title": "It could not be done", "detail": words})
        return 2
    except Exception as mistake:  # ours: its text may hold data
        words = f"disjoin failed unexpectedly ({place_of(mistake)}). Please report this line."
        store.end(job, FAILED, code=UNEXPECTED, error={"title": "A mistake in disjoin", "detail": words})
        return UNEXPECTED
    store.end(job, DONE, result=result)
    return 0


def _state(error: DisjoinError) -> str:
    if isinstance(error, NotAnonymous):
        return REFUSED
    return IMPOSSIBLE if isinstance(error, GuaranteeUnreachable) else FAILED


_TITLES = {
    REFUSED: "Refused: nothing was written",
    IMPOSSIBLE: "This promise cannot be kept for this data",
    FAILED: "It could not be done",
}


def _problem(error: DisjoinError, errand: Errand) -> dict[str, Any]:
    """Return an error for the browser; of where it was only the line, as the file's name is the server's own."""
    words = str(error)
    source = getattr(error, "source", None)
    if source:
        words = words.removeprefix(f"{source}: ").replace(str(source), "the file")
    words = re.sub(re.escape(str(errand.home.path)) + r"[^\s,]*", "the studio's folder", words)
    before = {"published_before": True} if isinstance(error, PublishedBefore) else {}
    is_about_data = errand.job["data"] is not None and errand.job["kind"] != "look"
    ways = ways_out(words, errand.data["kind"] if is_about_data else "")
    told = {"title": _TITLES[_state(error)], "detail": in_plain_words(words), "where": getattr(error, "line", None)}
    return told | before | ({"ways": ways} if ways else {})


if __name__ == "__main__":
    os.umask(0o077)
    listen()
    sys.exit(main(sys.argv[1], Home(Path(sys.argv[2]))))
