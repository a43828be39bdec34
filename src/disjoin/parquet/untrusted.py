"""Untrusted Parquet and Arrow files: a child process with limits reads them first, because damage can crash Arrow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from disjoin.errors import Placeholder, Remedy, UnreadableInput
from disjoin.parquet.untrusted_child import OUT_OF_PROPORTION, READY, SOUND, TOO_LARGE, WORD

CHILD = "disjoin.parquet.untrusted_child"
_SECONDS = 60
_BYTES_PER_SECOND = 1 << 20  # far slower than any machine reads
_FRUGAL = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}  # each thread reserves addresses


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """The task of the child: the kind of the files, and its limits on bytes and seconds."""

    kind: str  # a file on standard input that is `arrow` or `parquet`, or `tables` of a release, by their paths
    memory: int
    seconds: int
    child: str = CHILD

    @classmethod
    def at(cls, kind: str, memory: int, size: int) -> ChildLimits:
        return cls(kind, memory, _SECONDS + size // _BYTES_PER_SECOND)

    def command(self, paths: Sequence[str]) -> list[str]:
        # -P: no modules from the current folder
        return [sys.executable, "-P", "-m", self.child, str(self.memory), str(self.seconds), self.kind, *paths]


@dataclass(frozen=True, slots=True)
class ChildResult:
    """How a child ended: its exit code (None: time limit), and the number of files that it finished."""

    code: int | None
    seen: int

    def is_good(self, n_files: int) -> bool:
        return self.code == SOUND and self.seen == n_files


RAISE_LIMIT = Remedy("max_bytes", Placeholder("N"), "raise the limit, if you trust the file")


def require_harmless(file: IO[bytes], kind: str, name: str, max_bytes: int) -> None:
    """Raise `UnreadableInput` if reading an open Parquet or Arrow file would crash, hang or fill the memory."""
    look = ChildLimits.at(kind, max_bytes, os.fstat(file.fileno()).st_size)
    ending = ended(look, file=file)
    if not ending.is_good(1):
        remedies = [RAISE_LIMIT] if _is_too_large(ending) else []
        raise UnreadableInput(_sentence(look, ending, kind), source=name, remedies=remedies)


def require_harmless_tables(files: Sequence[Path], memory_limit: int) -> None:
    """Raise `UnreadableInput` if reading one of these tables of a release would crash, hang or fill the memory."""
    if not files:
        return
    look = ChildLimits.at("tables", memory_limit, sum(file.stat().st_size for file in files))
    ending = ended(look, [str(file.absolute()) for file in files])
    if not ending.is_good(len(files)):
        guilty = files[min(ending.seen, len(files) - 1)]
        advice = " Raise the limit if you trust it." if _is_too_large(ending) else ""
        raise UnreadableInput(_sentence(look, ending, "Parquet") + advice, source=str(guilty))


def ended(look: ChildLimits, paths: Sequence[str] = (), file: IO[bytes] | None = None) -> ChildResult:
    """Run the child until it ends or its time is up; if this process is interrupted, the child ends too."""
    try:
        # In a separate session, so that Ctrl-C reaches only this process, which then ends the child.
        process = subprocess.Popen(
            look.command(paths),
            stdin=subprocess.DEVNULL if file is None else file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # error output of a library, about pages and thrift
            env={**os.environ, **_FRUGAL, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )
    except (OSError, ValueError, TypeError) as failure:
        raise _no_child(getattr(failure, "strerror", None) or "there is no Python interpreter") from None
    with process:
        try:
            said, _ = process.communicate(timeout=look.seconds)
        except subprocess.TimeoutExpired:
            return ChildResult(None, 0)
        finally:
            process.kill()
    words = said.decode(errors="replace").split()
    if READY not in words:
        raise _no_child(f"it ended at once, with exit code {process.returncode}")
    return ChildResult(process.returncode, words.count(WORD))


def _no_child(reason: str) -> UnreadableInput:
    return UnreadableInput(
        f"Parquet and Arrow files are first opened in a separate process, but none can be started ({reason}). "
        "Free some memory, or save the data as text."
    )


def _is_too_large(ending: ChildResult) -> bool:
    return ending.code == TOO_LARGE or ending.code == -getattr(signal, "SIGKILL", 9)


def _sentence(look: ChildLimits, ending: ChildResult, kind: str) -> str:
    wanted = f"expected a whole {kind} file"
    if _is_too_large(ending):
        return f"{wanted}, found one that takes more than {look.memory:,} bytes to read, the limit."
    if ending.code == OUT_OF_PROPORTION:
        found = "one that takes far more memory to read than usual for its kind and size"
        return f"{wanted}, found {found}. Copy it again, or save it without compression."
    if ending.code is None or ending.code == -getattr(signal, "SIGXCPU", 24):
        found = f"one that is damaged: reading it does not end within {look.seconds} seconds"
        return f"{wanted}, found {found}. Copy it again, or save it in another format."
    names = {-number: number.name for number in signal.Signals}
    crash = names.get(ending.code, f"exit code {ending.code}")
    return f"{wanted}, found one that is damaged (reading it crashes: {crash}). Copy it again."
