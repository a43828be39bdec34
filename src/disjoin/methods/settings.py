"""A parameter, declared once: the command line, plans, docs and reports read it from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from typing import Any, Literal, NamedTuple

from disjoin.errors import InvalidParameter

Kind = Literal["number", "terms", "column", "columns", "fraction", "hierarchy", "domain"]


class Setting(NamedTuple):
    """What everybody needs to know about a parameter."""

    name: str
    default: Any
    help: str
    flag: str
    least: int | None
    choices: tuple[str, ...]
    kind: Kind


def setting(
    default: Any,
    help: str,
    *,
    flag: str,
    least: int | None = None,
    choices: Sequence[str] = (),
    kind: Kind = "number",
) -> Any:
    """Declare a field of a method, with what to say about it.

    Its `kind` tells how people write it: a whole number, terms (a file, or between commas), the name of a column or
    several between commas, a fraction (0.5, 1/2), the file of a hierarchy of terms, or a domain: terms, such a file, or
    `seen`. Choices and flags (a default that is true or false) speak for themselves.
    """
    facts = {"help": help, "flag": flag, "least": least, "choices": tuple(choices), "kind": kind}
    return field(default=default, metadata=facts)


def settings_of(method: type) -> list[Setting]:
    """List the parameters of a method, in the order of their declaration; fields without a word are for tests alone."""
    named = [f for f in fields(method) if f.metadata]
    return [Setting(f.name, f.default, *(f.metadata[key] for key in Setting._fields[2:])) for f in named]


def misstated(method: Callable[..., Any], stated: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with stored parameters: a method made of them must store just these again."""
    try:
        if dict(method(**stated).parameters()) != dict(stated):
            return ["the parameters are not written as the method writes them"]
    except InvalidParameter as failure:
        return [f"the parameters are none that the method takes: {str(failure).removesuffix('.')}"]
    except TypeError:  # one has a name that no parameter has
        return ["the parameters are none that the method takes"]
    return []
