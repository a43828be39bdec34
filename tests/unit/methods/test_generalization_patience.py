"""What will take minutes is told before the work."""

from __future__ import annotations

from random import Random

import pytest

from disjoin.methods.generalization import Generalization
from disjoin.methods.generalization.choices import slow_note
from disjoin.model import Table


def numbers(rows: int, columns: int, most: int = 10**6) -> Table:
    random = Random(1)
    return Table.from_columns({f"c{j}": [str(random.randrange(most)) for _ in range(rows)] for j in range(columns)})


@pytest.mark.parametrize(
    ("algorithm", "rows", "columns", "most", "is_slow"),
    [
        ("local-search", 40_000, 8, 10**6, True),
        ("local-search", 40_000, 3, 10**6, False),
        ("local-search", 40_000, 8, 3, False),
        ("local-search", 12_000, 8, 10**6, False),
        ("kaca", 12_000, 8, 10**6, True),
        ("kaca", 5_000, 8, 10**6, False),
        ("kaca", 20_000, 3, 10**6, True),
        ("kaca", 20_000, 3, 5, False),
        ("two-level", 20_000, 8, 10**6, False),
    ],
)
def test_only_what_takes_long_is_said_to(algorithm, rows, columns, most, is_slow):
    table = numbers(rows, columns, most)
    note = slow_note(algorithm, table, table.schema.names)
    assert ("The algorithm two-level takes seconds" in note) is is_slow


def test_the_method_says_so_before_the_work():
    table = numbers(20_000, 8)
    people = dict.fromkeys(table.schema.names, "describes person:20000")
    notes = Generalization(quasi=table.schema.names, role=people, algorithm="kaca").warnings(table)
    assert any("20,000 rows differ from one another" in note and "about 2 minutes" in note for note in notes)
