"""FILE, or --db and --sql instead of it: where commands take their data from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from disjoin.errors import InvalidParameter
from disjoin.files.databases import Query

_KEPT = "disjoin.database"


def _keep(context: click.Context, parameter: click.Parameter, given: str | None) -> None:
    if given is not None:
        context.meta.setdefault(_KEPT, {})[parameter.name] = given


database_options: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--db",
        metavar="URI",
        is_eager=True,
        expose_value=False,
        callback=_keep,
        help="A database instead of a file: postgresql://..., sqlite:FILE, duckdb:FILE, or env:NAME.",
    ),
    click.option(
        "--sql", metavar="QUERY", is_eager=True, expose_value=False, callback=_keep, help="With --db: which rows."
    ),
)


def source_argument() -> Callable[[Any], Any]:
    """Return the argument FILE, in whose place --db and --sql may be given."""
    return click.argument("source", metavar="FILE", required=False, callback=_source)


def optional_source_argument() -> Callable[[Any], Any]:
    """Return the argument FILE for commands that have other options in its place, beside --db and --sql."""
    return click.argument("source", metavar="[FILE]", required=False, callback=_optional_source)


def original_option(help: str, *, required: bool = False) -> Callable[[Any], Any]:
    """Return the option --original, in whose place --db and --sql may be given."""
    callback = _required_original if required else _original
    return click.option("--original", metavar="FILE", callback=callback, help=help)


def _source(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query:
    found = _chosen(context, given, "FILE")
    if found is None:
        raise click.MissingParameter(ctx=context, param=parameter)
    return found


def _optional_source(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query | None:
    return _chosen(context, given, "FILE")


def _required_original(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query:
    found = _original(context, parameter, given)
    if found is None:
        raise click.MissingParameter(ctx=context, param=parameter)
    return found


def _original(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query | None:
    return _chosen(context, given, "--original")


def _chosen(context: click.Context, given: str | None, name: str) -> str | Query | None:
    """Return the file, or the query if both halves of one are given."""
    asked = context.meta.get(_KEPT)
    if asked is None:
        return given
    if given is not None:
        raise InvalidParameter(f"{name} and --db both say where the data are: leave one of them out.")
    if len(asked) < 2:
        other = "--sql" if "db" in asked else "--db"
        raise InvalidParameter(f"--db says where the data are and --sql which rows: add {other}.")
    return Query(asked["db"], asked["sql"])
