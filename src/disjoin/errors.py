"""Exceptions of disjoin, each with its exit code and remedies: what was expected, what was found, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from disjoin.text import shortened, with_article

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from disjoin.ledger.overlap import Overlap
    from disjoin.model.published import Verdict


class Placeholder(str):
    """A value that the user has to choose, such as FILE or N."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Remedy:
    """An option that avoids an error: its Python name, a value, the effect as a verb phrase, and further options."""

    option: str
    value: object
    effect: str
    also: tuple[tuple[str, object], ...] = ()

    @property
    def options(self) -> dict[str, object]:
        return {self.option: self.value, **dict(self.also)}


def in_python(option: str, value: object) -> str:
    """Return an option as a keyword argument.

    >>> in_python("blank", "skip"), in_python("hierarchy", Placeholder("FILE"))
    ("blank='skip'", 'hierarchy=FILE')
    """
    return f"{option}={value!r}"


def use_one_of(
    remedies: Iterable[Remedy], written: Callable[[str, object], str] = in_python, between: str = ", "
) -> str:
    """Return the sentence that lists remedies, with each option written as the reader types it.

    >>> use_one_of([Remedy("blank", "skip", "leave blanks out")])
    "Use blank='skip' (leave blanks out)."
    """
    each = [
        f"{between.join(written(*pair) for pair in remedy.options.items())} ({remedy.effect})" for remedy in remedies
    ]
    return f"Use {', '.join(each[:-1])}{' or ' * (len(each) > 1)}{each[-1]}." if each else ""


class DisjoinError(Exception):
    """Base of all errors for the user: `remedies` avoid it, and the command line returns `exit_code`."""

    exit_code = 2

    def __init__(self, *args: object, remedies: Iterable[Remedy] = ()) -> None:
        self.remedies = tuple(remedies)
        super().__init__(*args)

    @property
    def message(self) -> str:
        """What was expected and what was found, without the remedies."""
        return str(self.args[0]) if self.args else ""

    def offering(self, *remedies: Remedy) -> Self:
        self.remedies += remedies
        return self

    def __str__(self) -> str:
        return f"{self.message} {use_one_of(self.remedies)}".strip()


class InvalidParameter(DisjoinError, ValueError):
    """A parameter is outside its range, or two parameters contradict one another."""


class UnreadableInput(DisjoinError, ValueError):
    """A file is not as expected; has the file and, if there is one, the line.

    `columns` are those of the table that the file may be instead of records.
    """

    columns: tuple[str, ...] = ()

    def __init__(
        self, message: str, *, source: str | None = None, line: int | None = None, remedies: Iterable[Remedy] = ()
    ) -> None:
        self.source = source
        self.line = line
        self.finding = message  # without its place
        place = "" if source is None else source + (f", line {line}" if line is not None else "") + ": "
        super().__init__(place + message, remedies=remedies)


MOST_PROBLEMS = 100  # of a file, after which reading stops
_KINDS_SHOWN = 5  # of problems, and lines of each
_Mistake = TypeVar("_Mistake", bound=DisjoinError)


def all_lines(errors: Sequence[UnreadableInput]) -> UnreadableInput:
    """Return one error for all bad lines of a file: every kind of problem once, with its lines and its remedies.

    >>> bad = [UnreadableInput("found 2 fields.", source="a.csv", line=line) for line in (4, 9)]
    >>> str(all_lines(bad))
    'a.csv: 2 lines cannot be read. Lines 4 and 9: found 2 fields.'
    """
    if len(errors) == 1:
        return errors[0]
    found: dict[str, list[int]] = {}
    for error in errors:
        found.setdefault(error.finding, []).append(error.line or 0)
    parts = [f"{_lines_in_words(lines)}: {words}" for words, lines in [*found.items()][:_KINDS_SHOWN]]
    if left := sum(map(len, [*found.values()][_KINDS_SHOWN:])):
        parts.append(f"{left:,} more have other problems.")
    many = f"{len(errors):,}" if len(errors) < MOST_PROBLEMS else f"At least {MOST_PROBLEMS:,}"
    message = f"{many} lines cannot be read. {' '.join(parts)}"
    whole = UnreadableInput(message, source=errors[0].source, remedies=_merged(errors))
    whole.line = errors[0].line
    return whole


def _lines_in_words(lines: Sequence[int]) -> str:
    shown = [f"{line:,}" for line in lines[:_KINDS_SHOWN]]
    if len(lines) > _KINDS_SHOWN:
        shown.append(f"{len(lines) - _KINDS_SHOWN:,} more")
    *first, last = shown
    return f"Lines {', '.join(first)} and {last}" if first else f"Line {last}"


def all_problems(errors: Sequence[_Mistake]) -> _Mistake:
    """Return one error for several, in their order: every message once, and every remedy."""
    if len(errors) == 1:
        return errors[0]
    messages = list(dict.fromkeys(error.message for error in errors))
    first, *others = messages[:_KINDS_SHOWN]
    if not isinstance(errors[0], UnreadableInput):  # these begin with the name of a file
        others = [message[:1].upper() + message[1:] for message in others]
    shown = " ".join([first, *others])
    more = f" There are {len(messages) - _KINDS_SHOWN:,} more problems." if len(messages) > _KINDS_SHOWN else ""
    return type(errors[0])(shown + more, remedies=_merged(errors))


def _merged(errors: Iterable[DisjoinError]) -> list[Remedy]:
    """Return the remedies of all errors; those that name columns by the same option become one."""
    found: dict[tuple[str, str], list[Remedy]] = {}
    for remedy in (remedy for error in errors for remedy in error.remedies):
        is_same = remedy.value in [each.value for each in found.get((remedy.option, remedy.effect), [])]
        if not is_same:
            found.setdefault((remedy.option, remedy.effect), []).append(remedy)
    merged = []
    for (option, effect), each in found.items():
        values = [value for one in each for value in (one.value if isinstance(one.value, list) else [one.value])]
        merged.append(each[0] if len(each) == 1 else Remedy(option, values, effect))
    return merged


class OutputExists(DisjoinError, FileExistsError):
    """The output path already exists."""

    def __init__(self, message: str, path: Path, remedies: Iterable[Remedy] = ()) -> None:
        self.path = path
        super().__init__(message, remedies=remedies)


class CannotWrite(DisjoinError, OSError):
    """The disk is full, read-only or missing; nothing remains."""


class GuaranteeUnreachable(DisjoinError):
    """The guarantee cannot be reached for these data; nothing is published."""

    exit_code = 4


class NotAnonymous(DisjoinError):
    """The verifier found violations, which are in `verdict`."""

    exit_code = 3

    def __init__(self, message: str, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(message)


class PublishedBefore(DisjoinError):
    """The ledger has some of the data from an earlier release; `overlaps` lists which, and how much."""

    def __init__(self, message: str, overlaps: tuple[Overlap, ...], remedies: Iterable[Remedy] = ()) -> None:
        self.overlaps = overlaps
        super().__init__(message, remedies=remedies)


class MissingExtra(DisjoinError, ImportError):
    """An optional dependency is missing; the message has the install command."""


def require_installed(name: str) -> Any:
    """Return an optional library, or raise with the install command."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise MissingExtra(
            f"{name} is not installed here. Install it (pip install {name}), or use to_arrow()."
        ) from None


class DisjoinWarning(UserWarning):
    """A note although nothing went wrong; the command line prints it as a sentence."""


def place_of(mistake: BaseException) -> str:
    """Return the kind of an unexpected error and where in the package it arose, without its text, which may show data.

    >>> place_of(KeyError("Ann Smith"))
    'KeyError'
    """
    found = type(mistake).__name__
    at = mistake.__traceback__
    while at is not None:
        file = at.tb_frame.f_code.co_filename.replace("\\", "/")
        if "/disjoin/" in file:
            found = f"{type(mistake).__name__} in {file.rpartition('/disjoin/')[2]}, line {at.tb_lineno}"
        at = at.tb_next
    return found


def described(value: object) -> str:
    """Return a value for a message: a short text or number as written; of anything else only its type.

    >>> described(-1), described("tea"), described(None), described([{"Ann Smith"}])
    ('-1', "'tea'", 'None', 'a list')
    """
    from fractions import Fraction  # late, because every module imports errors

    if isinstance(value, str):
        return repr(shortened(value))
    if value is None or type(value) in (bool, int, float, Fraction):
        return shortened(str(value) if isinstance(value, Fraction) else repr(value))
    return kind_of(value)


def require_kind(value: object, kinds: Any, wanted: str, advice: str = "") -> None:
    """Raise unless a value is of one of these types; `wanted` names them, `advice` is how to get one.

    >>> require_kind("baskets.csv", dict, "a dict")
    Traceback (most recent call last):
    disjoin.errors.InvalidParameter: expected a dict, got a str.
    """
    if not isinstance(value, kinds):
        raise InvalidParameter(f"expected {wanted}, got {kind_of(value)}.{' ' * bool(advice)}{advice}")


def kind_of(value: object) -> str:
    """Return the type of a value for a message, which shows nothing else of the data.

    >>> kind_of(3.5), kind_of({}), kind_of(None), kind_of(OSError())
    ('a float', 'a dict', 'None', 'an OSError')
    """
    name = type(value).__name__
    if value is None or name.endswith("s"):  # bytes, Transactions
        return "None" if value is None else name
    return with_article(name)
