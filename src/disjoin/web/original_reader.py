"""A process that has an original open, for its steward: `python -P -m disjoin.web.original_reader PATH READING`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter
from disjoin.web.desks import answers
from disjoin.web.reader import MOST_KNOWN

if TYPE_CHECKING:
    from disjoin.model import Table
    from disjoin.model.ragged import Flags

Facts = dict[str, Any]
SHOWN = 5  # records


class OriginalDesk:
    """Records of an original, and what they say about somebody of whom terms are known."""

    def __init__(self, path: str, reading: Facts) -> None:
        self.people: Table | None = None
        if "columns" in reading:
            from disjoin.files.people import read_people

            mixed = read_people(path, **reading)
            self.people, self.data = mixed.table, mixed.records
        else:
            from disjoin.files.reading import read

            self.data = read(path, **reading)
        self.names = self.data.vocabulary.to_pylist()
        self.numbers = {name: number for number, name in enumerate(self.names)}

    def get_ready(self) -> None:
        """Do nothing ahead: every question reads the records themselves."""

    def who(self, asked: Facts) -> Facts:
        """Return how many records have all known terms and, of a few, everything that they hold."""
        import numpy as np

        known = asked.get("known")
        if not isinstance(known, list) or not 1 <= len(known) <= MOST_KNOWN:
            raise InvalidParameter(f"between 1 and {MOST_KNOWN} terms may be known.")
        is_like, terms = self._with_values(known)
        wanted = {self.numbers.get(term, -1) for term in terms}
        if -1 in wanted:
            return {"records": 0, "shown": []}
        owners, items = self.data.records.owners(), self.data.items
        for item in sorted(wanted):
            has_it = np.zeros(len(self.data), np.bool_)
            has_it[owners[items == item]] = True
            is_like &= has_it
        found = np.flatnonzero(is_like)
        shown = (
            [[*self._values(int(row)), *self._record(int(row))] for row in found[:SHOWN]] if asked.get("show") else []
        )
        return {"records": int(found.size), "shown": shown}

    def _with_values(self, known: list[str]) -> tuple[Flags, list[str]]:
        """Return who has the known values, written column=value, and the known terms."""
        import numpy as np

        is_like, terms = np.ones(len(self.data), np.bool_), []
        for text in known:
            name, _, value = text.partition("=")
            if self.people is None or name not in self.people.schema.names:
                terms.append(text)
                continue
            values = self.people.values_of(name).to_pylist()
            is_like &= self.people.codes_of(name) == (values.index(value) if value in values else -1)
        return is_like, terms

    def _values(self, row: int) -> list[str]:
        if self.people is None:
            return []
        table = self.people
        return [
            f"{name}={table.values_of(name)[int(table.codes_of(name)[row])].as_py()}" for name in table.schema.names
        ]

    def record(self, asked: Facts) -> Facts:
        """Return one record."""
        number = int(asked.get("number", 0))
        if not 0 <= number < len(self.data):
            raise InvalidParameter(f"there are {len(self.data):,} records, counted from 0.")
        shown = {"terms": self._record(number), "values": self._values(number)}
        return shown | {"number": number, "of": len(self.data)}

    def _record(self, row: int) -> list[str]:
        first, last = self.data.offsets[row], self.data.offsets[row + 1]
        return sorted(self.names[item] for item in self.data.items[first:last])


if __name__ == "__main__":
    answers(lambda: OriginalDesk(sys.argv[1], json.loads(sys.argv[2])), ("who", "record"))
