"""What an inspection is given, and by whom a form of published data is inspected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

from disjoin.model import Promise, Published, Table, Transactions, Verdict
from disjoin.model.arrays import Ints64


@dataclass(frozen=True, slots=True)
class Known:
    """The original and where its records went, as far as whoever asks knows them."""

    original: Transactions | Table | None = None
    part_of_record: Ints64 | None = None  # (records,) the leaf, group or published row of each, -1 for a suppressed one
    suppressed_records: int = 0
    exact: bool | None = None  # whether to try all possible originals
    stated: Promise | None = None  # what the release says of itself, if that may be less than what it is held against


class Inspection(NamedTuple):
    """What can be promised of a form, what its original is, and the function that judges it."""

    promises: tuple[type[Any], ...]
    original: type[Transactions] | type[Table]
    inspect: Callable[[Any, Any, Known], Verdict]


def inspection_of(published: Published) -> Inspection:
    """Return the inspection of what is published; its noun names the module."""
    found: Inspection = import_module(published.inspection).INSPECTION
    return found
