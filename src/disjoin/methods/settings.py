"""Settings of methods, declared once for command line, plans, docs and reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeVar

from disjoin.errors import InvalidParameter, described
from disjoin.model.parameters import Guarantee, require_integer


@dataclass(frozen=True, slots=True)
class LazyEntry:
    """An entry of a list, known before its code is imported. `home` is the code, or its address ("math:sqrt")."""

    name: str
    sentence: str
    home: Any

    def load(self) -> Any:
        """Return the function or class.

        >>> LazyEntry("square root", "the number whose square is given", "math:sqrt").load()(9)
        3.0
        """
        return import_object(self.home)


def import_object(home: Any) -> Any:
    """Return the object that "module:name" names; anything but text is returned unchanged."""
    if not isinstance(home, str):
        return home
    module, name = home.split(":")
    return getattr(import_module(module), name)


Entry = TypeVar("Entry", bound=LazyEntry)


def by_name(*entries: Entry) -> dict[str, Entry]:
    return {each.name: each for each in entries}


_KINDS: dict[str, Kind] = {"Fraction": "fraction", "Hierarchy": "hierarchy", "Domain": "domain"}
Kind = Literal["number", "text", "pairs", "terms", "column", "columns", "roles", "fraction", "hierarchy", "domain"]

ROLE_HELP = (
    "the role of a column whose values may identify people; a certain finding needs the number of different "
    "values, as in Konto=measure:482"
)


def role_texts(given: Any) -> tuple[str, ...]:
    """Return choices of roles as texts, each `COLUMN=ROLE` or `COLUMN=ROLE:DISTINCT`.

    >>> role_texts({"Konto": "measure:482"})
    ('Konto=measure:482',)
    """
    if not given:
        return ()
    from disjoin.model.column_roles import choices_from  # imported late: it loads the array libraries

    return tuple(f"{name}={choice}" for name, choice in choices_from(given).items())


class Setting(NamedTuple):
    """A parameter as the command line, plans, docs and reports show it."""

    name: str
    default: Any
    help: str
    flag: str
    least: int | None
    choices: tuple[str, ...]
    kind: Kind
    why: str


def setting(
    default: Any,
    help: str,
    *,
    flag: str = "",
    least: int | None = None,
    choices: Collection[str] = (),
    kind: Kind | None = None,
    why: str = "",
) -> Any:
    """Declare a field of a method, with its help. Its `kind`, unless its type determines it, is the form of input: a
    whole number, terms (a file, or between commas), the name of a column or several between commas, roles of columns
    (COLUMN=ROLE, repeated), a fraction (0.5, 1/2), the file of a hierarchy of terms, or a domain: terms, such a file,
    or `seen`. Engines also have text, and pairs (NAME=VALUE, repeated). Choices and flags (a default that is true or
    false) need no kind. The option has the name of the field, unless `flag` gives a letter (`-k`) or another name.
    `why` ends the message about a number below `least`; a bound without it is checked by the guarantee (k, m, p) or the
    method."""
    facts = {"help": help, "flag": flag, "least": least, "choices": choices, "kind": kind, "why": why}
    return field(default=default, metadata=facts)


def settings_of(method: type) -> list[Setting]:
    """List the parameters of a method, in the order of their declaration; fields without help are for tests only."""
    found = []
    for each in (each for each in fields(method) if each.metadata):
        kind = each.metadata["kind"] or _KINDS.get(str(each.type).split(" | ")[0], "number")
        facts = {**each.metadata, "kind": kind, "choices": tuple(each.metadata["choices"])}
        found.append(Setting(each.name, each.default, **facts))
    return found


def setting_values(method: Any) -> dict[str, Any]:
    """Return the values of a method's settings by name."""
    return {each.name: getattr(method, each.name) for each in settings_of(type(method))}


def check_settings(method: Any) -> None:
    """Raise `InvalidParameter` unless choices, flags and numbers are as declared; numbers become plain ints."""
    for declared in settings_of(type(method)):
        name, value = declared.name, getattr(method, declared.name)
        if declared.choices and not (isinstance(value, str) and value in declared.choices):
            raise InvalidParameter(f"{name} must be one of {', '.join(declared.choices)}, got {described(value)}.")
        if isinstance(declared.default, bool) and not isinstance(value, bool):
            raise InvalidParameter(f"{name} must be true or false, got {described(value)}.")
        is_left_out = value is None and declared.default is None
        if declared.least is not None and declared.why and not is_left_out:
            object.__setattr__(method, name, require_integer(name, value, declared.least, declared.why))


def misstated(method: Callable[..., Any], stated: Mapping[str, Any]) -> list[str]:
    """Return errors in stored parameters: a method made from them must store exactly these."""
    try:
        if dict(method(**stated).parameters()) != dict(stated):
            return ["the parameters are not written as the method writes them"]
    except InvalidParameter as failure:
        return [f"the method does not accept the parameters: {str(failure).removesuffix('.')}"]
    except TypeError:  # an unknown name
        return ["the method has no parameters of these names"]
    return []


def contradictions_of(
    method: Callable[..., Any],
    guarantee: Guarantee,
    kind: Any,
    stated: Mapping[str, Any],
    names: Collection[str],
    suppressed: int,
) -> list[str]:
    """Return contradictions of stored parameters with a guarantee, which also has `names`; no record may be missing."""
    if not isinstance(guarantee, kind):
        return [f"the method guarantees {kind.kind}, but {guarantee.to_json()['type']} is stated"]
    missing = [f"{suppressed} records are suppressed, but this method suppresses none"] if suppressed else []
    return [*misstated(method, stated), *different(stated, guarantee.to_json(), names), *missing]


def different(stated: Mapping[str, Any], guaranteed: Mapping[str, Any], names: Collection[str]) -> list[str]:
    """Return which parameters, or threshold of people, differ from the guaranteed ones."""
    return [
        f"the parameter {name} is {stated.get(name)!r}, but {guaranteed.get(name)!r} is guaranteed"
        for name in (*names, "min_people", "rare")
        if stated.get(name) != guaranteed.get(name)
    ]
