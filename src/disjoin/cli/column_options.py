"""Options that name the columns of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from disjoin.cli.options import Command, column_names
from disjoin.errors import InvalidParameter

_OF_TABLES = ("separator", "max_bytes", "blank_words")  # of all that may be said about a file


def columns_option(flag: str, help: str) -> Callable[[Command], Command]:
    """Return an option that names columns between commas, and may be repeated."""
    return click.option(flag, multiple=True, metavar="a,b", callback=column_names, help=help)


def table_reading(reading: dict[str, Any], why: str) -> dict[str, Any]:
    """Return what may be said about a file that is a table; raises if something else was given."""
    for name, value in reading.items():
        if name not in _OF_TABLES and value is not None:
            raise InvalidParameter(f"--{name.replace('_', '-')} is not for tables, and {why}. Leave it out.")
    return {name: reading[name] for name in _OF_TABLES if reading.get(name) is not None}
