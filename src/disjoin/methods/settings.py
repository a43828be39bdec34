"""A parameter, declared once: the command line, plans, docs and reports read it from here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields
from typing import Any, NamedTuple


class Setting(NamedTuple):
    """What everybody needs to know about a parameter."""

    name: str
    default: Any
    help: str
    flag: str
    least: int | None
    choices: tuple[str, ...]


def setting(default: Any, help: str, *, flag: str, least: int | None = None, choices: Sequence[str] = ()) -> Any:
    """Declare a field of a method, with what to say about it."""
    return field(default=default, metadata={"help": help, "flag": flag, "least": least, "choices": tuple(choices)})


def settings_of(method: type) -> list[Setting]:
    """List the parameters of a method, in the order of their declaration."""
    return [Setting(f.name, f.default, *(f.metadata[key] for key in Setting._fields[2:])) for f in fields(method)]
