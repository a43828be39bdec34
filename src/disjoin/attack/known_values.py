"""The attacker who knows values of a person's row, in a table: which rows could be this person, and what they reveal.

A row is a candidate if its cells may stand for what is known (`disjoin.analyst.cell_values`). Shares of sensitive
values take the candidates for equally likely.
"""

from __future__ import annotations

import numpy as np

from disjoin.analyst.cell_values import rows_matching
from disjoin.analyst.people_supports import conditions_in
from disjoin.attack.known_items import MOST_LEARNED
from disjoin.attack.known_terms import Candidates
from disjoin.errors import InvalidParameter
from disjoin.model import Generalized, KAnonymity, Table
from disjoin.model.ragged import Flags


def rows_with(published: Generalized, promise: KAnonymity, known: tuple[str, ...]) -> Candidates:
    """Return the rows that could be a person of whom values are known, each written column=value."""
    table = published.table
    values = _values_in(table, known)
    rare = None if promise.min_people is None else promise.min_people.rare
    possibly, certainly, _ = rows_matching(table, values, rare)
    possible, covered = int(possibly.sum()), values.keys() <= set(promise.quasi)
    learned = [entry for name in promise.sensitive for entry in _shares(table, name, possibly)]
    return Candidates(
        known,
        possible,
        int(certainly.sum()),
        promise.k,
        is_kept=not covered or not possible or possible >= promise.k,
        within_guarantee=covered,
        sure=tuple(text for text, share in learned if share == 1 and text not in known),
        learned=tuple(sorted(learned, key=lambda entry: -entry[1])[:MOST_LEARNED]),
    )


def _values_in(table: Table, known: tuple[str, ...]) -> dict[str, str]:
    values, others = conditions_in(table, known)
    if others:
        columns = ", ".join(table.schema.names)
        raise InvalidParameter(f"expected a known value per column, such as age=34, of {columns}; found {others[0]!r}.")
    return values


def _shares(table: Table, name: str, possibly: Flags) -> list[tuple[str, float]]:
    """Return the values of a column among some rows with their shares."""
    counts, values = np.bincount(table.codes_of(name)[possibly]), table.values_of(name)
    return [
        (f"{name}={values[int(code)].as_py()}", float(counts[code] / counts.sum())) for code in np.flatnonzero(counts)
    ]
