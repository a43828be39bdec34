"""Generators of synthetic data for demonstrations, benchmarks and tests."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.resources import files
from typing import Any


def packaged_rows(name: str) -> list[dict[str, str]]:
    text = files("disjoin.generate").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _write(module: str, function: str, *arguments: Any, **settings: Any) -> None:
    getattr(import_module(f"disjoin.generate.{module}"), function)(*arguments, **settings)


# Name -> function that writes that many records from a seed to a file. Modules are imported when called.
GENERATORS: dict[str, Callable[..., None]] = {
    "baskets": partial(_write, "baskets", "write_baskets"),
    "visits": partial(_write, "hospital", "write_visits"),
    "stays": partial(_write, "hospital", "write_stays"),
    "quest": partial(_write, "quest", "write_quest_records"),
    "census": partial(_write, "census", "write_census"),
}
