"""Worker process of one job: `python -P -m disjoin.studio.worker JOB HOME`.

It holds the lock of its folder while it lives, and reports its progress itself, so that the server may be restarted.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.atomic import held
from disjoin.errors import (
    DisjoinError,
    GuaranteeUnreachable,
    NotAnonymous,
    Placeholder,
    PublishedBefore,
    Remedy,
    place_of,
)
from disjoin.signals import listen
from disjoin.studio.home import Home
from disjoin.studio.store import CANCELLED, DONE, FAILED, IMPOSSIBLE, REFUSED, Memory

if TYPE_CHECKING:
    from disjoin.charts.svg import Chart
    from disjoin.studio.tasks import Errand

OFTEN = 0.1  # seconds between two words about the same stage
SELDOM = 1.0  # seconds between two drawings
UNEXPECTED = 70


class Teller:
    """Writes progress down, ten times a second at most; the beginning and the end of a stage always."""

    def __init__(self, store: Memory, job: str) -> None:
        self._store, self._job = store, job
        self._stage, self._told, self._drawn = "", 0.0, 0.0

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        now = time.monotonic()
        if stage == self._stage and now - self._told < OFTEN and done != total:
            return
        self._stage, self._told = stage, now
        self._store.tell(self._job, stage, done, total, {"words": note} if note else None)

    def found(self, what: str, facts: Any) -> None:
        self._store.tell(self._job, what, 0, 0, facts)

    def drawn(self, chart: Callable[[], Chart], words: str = "") -> None:
        """Draw what was found so far, once in a while; `words` are what to know about it."""
        from disjoin.studio.tasks import picture

        if time.monotonic() - self._drawn >= SELDOM:
            self.found("drawn", picture(chart(), words))
            self._drawn = time.monotonic()


def main(job: str, home: Home) -> int:
    lock = home.job(job) / "lock"
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
    from disjoin.studio.tasks import WORK, Errand

    facts = store.job(job)
    errand = Errand(home, store, facts, Teller(store, job))

    def failed(code: int, title: str, words: str) -> int:
        store.end(job, FAILED, code=code, error={"title": title, "detail": words})
        return code

    try:
        result = WORK[facts["kind"]](errand)
    except KeyboardInterrupt as stopped:
        store.end(job, CANCELLED, code=getattr(stopped, "exit_code", 130))
        return 130
    except DisjoinError as error:
        store.end(job, _state(error), code=error.exit_code, error=_problem(error, errand))
        return error.exit_code
    except OSError as failure:
        words = f"The operating system reports: {failure.strerror or type(failure).__name__}. Nothing was written."
        return failed(2, "It could not be done", words)
    except MemoryError:
        return failed(2, "It could not be done", "This needs more memory than there is. Try a part of the data.")
    except Exception as mistake:  # ours: its text may hold data
        words = f"disjoin failed unexpectedly ({place_of(mistake)}). Please report this line."
        return failed(UNEXPECTED, "A mistake in disjoin", words)
    store.end(job, DONE, result=result)
    return 0


def _state(error: DisjoinError) -> str:
    if isinstance(error, NotAnonymous):
        return REFUSED
    return IMPOSSIBLE if isinstance(error, GuaranteeUnreachable) else FAILED


_TITLES = {
    REFUSED: "Refused: nothing was written",
    IMPOSSIBLE: "This guarantee cannot be reached for this data",
    FAILED: "It could not be done",
}


_READING = frozenset(("blank", "blank_words", "encoding", "field", "id", "per_record", "role", "similar_ids", "split"))
_METHOD = frozenset(
    ("allow_missing_sensitive", "min_people", "one_row_per_person", "role", "sensitive_match", "similar_ids")
) | {"whole_cells"}
_THRESHOLD = 10  # people, where the message leaves the number open


def _problem(error: DisjoinError, errand: Errand) -> dict[str, Any]:
    """Return an error for the browser, with a button for each remedy; the file's name is the server's own."""
    is_about_data = errand.job["data"] is not None and errand.job["kind"] != "look"
    kind = errand.data["kind"] if is_about_data else ""
    changes = [(remedy, _change(remedy, kind)) for remedy in error.remedies]
    other_ways = [remedy for remedy, change in changes if not change]
    others = " or ".join(way.effect + " on the page of the data" * (way.option == "role") for way in other_ways)
    words = error.message + f" You can {others}." * bool(others)
    source = getattr(error, "source", None)
    if source:
        words = words.removeprefix(f"{source}: ").replace(str(source), "the file")
    words = re.sub(re.escape(str(errand.home.path)) + r"[^\s,]*", "the studio's folder", words)
    before = {"published_before": True} if isinstance(error, PublishedBefore) else {}
    buttons = [{"say": _label(remedy)} | change for remedy, change in changes if change]
    told = {"title": _TITLES[_state(error)], "detail": words, "where": getattr(error, "line", None)}
    return told | before | ({"remedies": buttons} if buttons else {})


def _label(remedy: Remedy) -> str:
    """Return the words of a button: the effect, with the number that the button chooses."""
    words = remedy.effect.replace(" N ", f" {_THRESHOLD} ") if remedy.option == "min_people" else remedy.effect
    return words[:1].upper() + words[1:]


def _change(remedy: Remedy, kind: str) -> dict[str, Any]:
    """Return what a remedy changes: reading, method or person; nothing if no button can make the change.

    >>> _change(Remedy("blank", "skip", "leave blanks out"), "long")
    {'reading': {'blank': 'skip'}}
    """
    name, value = remedy.option, remedy.value
    if name == "person":
        return {"person": value}
    if name == "min_people" and isinstance(value, Placeholder):
        value = _THRESHOLD
    if isinstance(value, Placeholder) or name not in _READING | _METHOD:
        return {}
    if name == "role" and "=terms" not in str(value):
        return {}  # the data owner confirms on the page of the data that a column does not identify people
    of_method = {"table": _METHOD, "mixed": _METHOD - {"similar_ids"}}.get(kind, _METHOD - _READING)
    return {"method" if name in of_method else "reading": remedy.options | {name: value}}


if __name__ == "__main__":
    os.umask(0o077)
    listen()
    sys.exit(main(sys.argv[1], Home(Path(sys.argv[2]))))
