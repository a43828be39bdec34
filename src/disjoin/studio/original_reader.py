"""Reader process of an original: `python -P -m disjoin.studio.original_reader PATH READING`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from disjoin.analyst.cell_values import rows_matching
from disjoin.analyst.supports import conditions_in
from disjoin.errors import InvalidParameter
from disjoin.model import Table
from disjoin.model.ragged import Flags
from disjoin.parquet.hierarchies import file_name
from disjoin.readers import hierarchies
from disjoin.readers.people import read_people
from disjoin.readers.read import read
from disjoin.readers.tables import read_table
from disjoin.studio.reader import MOST_KNOWN
from disjoin.studio.reader_pool import answers

Facts = dict[str, Any]
SHOWN = 5  # records


class OriginalDesk:
    """Records of an original, and what they reveal about a person of whom terms are known."""

    def __init__(self, path: str, reading: Facts) -> None:
        kind, trees = reading.pop("kind", "records"), reading.pop("hierarchies", None)
        self.people: Table | None = None
        if kind == "table":
            self.shown = reading.pop("columns")
            self.people, self.data = read_table(path, **reading), None
        elif kind == "mixed":
            self.shown = reading["columns"]
            mixed = read_people(path, **reading)
            self.people, self.data = mixed.table, mixed.records
        else:
            self.data = read(path, **reading)
        if self.people is not None and trees is not None:
            files = {name: Path(trees) / f"{file_name(name)}.csv" for name in self.people.schema.names}
            built = {name: hierarchies.read(file) for name, file in files.items() if file.is_file()}
            self.people = self.people.with_hierarchies(built)
        self.names = [] if self.data is None else self.data.vocabulary.to_pylist()
        self.numbers = {name: number for number, name in enumerate(self.names)}

    def get_ready(self) -> None:
        """Do nothing ahead: every question reads the records themselves."""

    def who(self, asked: Facts) -> Facts:
        """Return how many records have all known terms, and the full content of a few."""
        known = asked.get("known")
        if not isinstance(known, list) or not 1 <= len(known) <= MOST_KNOWN:
            raise InvalidParameter(f"between 1 and {MOST_KNOWN} terms may be known.")
        is_like, terms = self._with_values(known)
        wanted = {self.numbers.get(term, -1) for term in terms}
        if -1 in wanted:
            return {"records": 0, "shown": []}
        for item in wanted:
            assert self.data is not None, "only records have items"
            has_it = np.zeros(len(self.data), np.bool_)
            has_it[self.data.records.owners()[self.data.items == item]] = True
            is_like &= has_it
        found = np.flatnonzero(is_like)
        shown = found[:SHOWN].tolist() if asked.get("show") else []
        return {"records": int(found.size), "shown": [[*self._values(row), *self._record(row)] for row in shown]}

    def _with_values(self, known: list[str]) -> tuple[Flags, list[str]]:
        if self.people is None:
            assert self.data is not None, "what has no columns is records"
            return np.ones(len(self.data), np.bool_), known
        values, terms = conditions_in(self.people, known)
        return rows_matching(self.people, values).certainly, terms

    def _values(self, row: int) -> list[str]:
        if self.people is None:
            return []
        table = self.people
        return [f"{name}={table.values_of(name)[int(table.codes_of(name)[row])].as_py()}" for name in self.shown]

    def record(self, asked: Facts) -> Facts:
        number = int(asked.get("number", 0))
        assert self.data is not None, "only records are asked for"
        if not 0 <= number < len(self.data):
            raise InvalidParameter(f"there are {len(self.data):,} records, counted from 0.")
        shown = {"terms": self._record(number), "values": self._values(number)}
        return shown | {"number": number, "of": len(self.data)}

    def _record(self, row: int) -> list[str]:
        if self.data is None:
            return []
        first, last = self.data.offsets[row], self.data.offsets[row + 1]
        return sorted(self.names[item] for item in self.data.items[first:last])


if __name__ == "__main__":
    answers(lambda: OriginalDesk(sys.argv[1], json.loads(sys.argv[2])), ("who", "record"))
