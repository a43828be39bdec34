"""A process that has an original open, for its steward: `python -P -m disjoin.web.original_reader PATH READING`."""

from __future__ import annotations

import json
import sys
from typing import Any

from disjoin.errors import InvalidParameter
from disjoin.web.reader import MOST_KNOWN, answers

Facts = dict[str, Any]
SHOWN = 5  # records


class OriginalDesk:
    """Records of an original, and what they say about somebody of whom terms are known."""

    def __init__(self, path: str, reading: Facts) -> None:
        from disjoin.files.reading import read

        self.data = read(path, **reading)
        self.names = self.data.vocabulary.to_pylist()
        self.numbers = {name: number for number, name in enumerate(self.names)}

    def who(self, asked: Facts) -> Facts:
        """Return how many records have all known terms and, of a few, everything that they hold."""
        import numpy as np

        known = asked.get("known")
        if not isinstance(known, list) or not 1 <= len(known) <= MOST_KNOWN:
            raise InvalidParameter(f"between 1 and {MOST_KNOWN} terms may be known.")
        wanted = {self.numbers.get(term, -1) for term in known}
        if -1 in wanted:
            return {"records": 0, "shown": []}
        rows = self.data.records
        hits = np.isin(self.data.items, list(wanted))
        found = np.flatnonzero(np.bincount(rows.owners()[hits], minlength=len(self.data)) == len(wanted))
        shown = [self._record(int(row)) for row in found[:SHOWN]] if asked.get("show") else []
        return {"records": int(found.size), "shown": shown}

    def record(self, asked: Facts) -> Facts:
        """Return one record."""
        number = int(asked.get("number", 0))
        if not 0 <= number < len(self.data):
            raise InvalidParameter(f"there are {len(self.data):,} records, counted from 0.")
        return {"terms": self._record(number), "number": number, "of": len(self.data)}

    def _record(self, row: int) -> list[str]:
        first, last = self.data.offsets[row], self.data.offsets[row + 1]
        return sorted(self.names[item] for item in self.data.items[first:last])


if __name__ == "__main__":
    answers(lambda: OriginalDesk(sys.argv[1], json.loads(sys.argv[2])), ("who", "record"))
