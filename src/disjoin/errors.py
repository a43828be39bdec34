"""Every error that disjoin raises on purpose: what was wanted, what was found, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from disjoin.ledger.overlap import Overlap
    from disjoin.model.verdict import Verdict


class DisjoinError(Exception):
    """Base of all errors that speak to the user; `exit_code` is what the command line returns."""

    exit_code = 2


class InvalidParameter(DisjoinError, ValueError):
    """A parameter is outside its range, or two of them do not go together."""


class UnreadableInput(DisjoinError, ValueError):
    """A file is not what it should be; knows the file and, where there is one, the line."""

    def __init__(self, message: str, *, source: str | None = None, line: int | None = None) -> None:
        self.source = source
        self.line = line
        place = "" if source is None else source + (f", line {line}" if line is not None else "") + ": "
        super().__init__(place + message)


class OutputExists(DisjoinError, FileExistsError):
    """The place to write to is taken."""

    def __init__(self, message: str, path: Path) -> None:
        self.path = path
        super().__init__(message)

    def __str__(self) -> str:
        return str(self.args[0])


class CannotWrite(DisjoinError, OSError):
    """The disk is full, read-only or gone; nothing was left behind."""


class GuaranteeUnreachable(DisjoinError):
    """The promise cannot be kept for this data; nothing is published."""

    exit_code = 4


class NotAnonymous(DisjoinError):
    """The inspector refused; `verdict` carries the violations."""

    exit_code = 3

    def __init__(self, message: str, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(message)


class PublishedBefore(DisjoinError):
    """The ledger knows some of the data from an earlier release; `overlaps` says from which, and how much."""

    def __init__(self, message: str, overlaps: tuple[Overlap, ...]) -> None:
        self.overlaps = overlaps
        super().__init__(message)


class MissingExtra(DisjoinError, ImportError):
    """An optional dependency is absent; the message carries the install command."""
