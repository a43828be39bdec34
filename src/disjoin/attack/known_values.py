"""The attacker who knows values of a person's row, in a table: in which rows the person can be, and what these tell.

A value that is published coarser may be the person's, so all rows that can hold what is known are candidates. Shares of
sensitive values among them take these rows for equally likely.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disjoin.analyst.people_supports import value_shares
from disjoin.attack.known_items import MOST_LEARNED, Findings, about_crowds, how_many, nobody, who
from disjoin.errors import InvalidParameter
from disjoin.model import Generalized, KAnonymity, Table
from disjoin.model.generalized import EVERYTHING
from disjoin.model.ragged import Flags


def rows_with(published: Generalized, promise: KAnonymity, known: tuple[str, ...]) -> Findings:
    """Return what somebody finds who knows values of a row, each written column=value."""
    table = published.table
    values = values_in(table, known)
    possibly, surely = rows_that_can(table, values)
    low, high = int(surely.sum()), int(possibly.sum())
    if not high:
        return nobody(known, "no row can hold all of that")
    learned = [entry for name in promise.sensitive for entry in _shares(table, name, possibly)]
    shared = tuple(text for text, share in learned if share == 1)
    is_kept = high >= promise.k or bool(_starred(table, promise.quasi)[possibly].all())
    learns = f"and learns for sure: {', '.join(shared)}" if shared else "and learns nothing for sure"
    sentence = f"{who(known)} finds {how_many(low, high, 'candidate')}, {learns}."
    within = values.keys() <= set(promise.quasi)
    verdict = about_crowds(promise.k, high, len(known), "values", is_kept=is_kept, within=within)
    found = Findings(known, low, high, within, is_kept, sentence, verdict, shared=shared)
    return replace(found, learned=tuple(sorted(learned, key=lambda entry: -entry[1])[:MOST_LEARNED]))


def values_in(table: Table, known: tuple[str, ...]) -> dict[str, str]:
    """Return known values by column; each is written column=value."""
    found = {}
    for text in known:
        name = next((name for name in table.schema.names if text.startswith(f"{name}=")), None)
        if name is None or name in found:
            columns = ", ".join(table.schema.names)
            raise InvalidParameter(f"expected a known value per column, such as age=34, of {columns}; found {text!r}.")
        found[name] = text.removeprefix(f"{name}=")
    return found


def rows_that_can(table: Table, values: dict[str, str]) -> tuple[Flags, Flags]:
    """Return the rows that can hold all values, and those that surely do."""
    possibly, surely = np.ones(len(table), np.bool_), np.ones(len(table), np.bool_)
    for name, value in values.items():
        shares = value_shares(table, name, value)[table.codes_of(name)]
        possibly, surely = possibly & (shares > 0), surely & (shares >= 1)
    return possibly, surely


def _starred(table: Table, quasi: tuple[str, ...]) -> Flags:
    stars = [np.array([text == EVERYTHING for text in table.values_of(name).to_pylist()]) for name in quasi]
    found: Flags = np.all([star[table.codes_of(name)] for star, name in zip(stars, quasi, strict=True)], axis=0)
    return found


def _shares(table: Table, name: str, possibly: Flags) -> list[tuple[str, float]]:
    """Return the values of a column among some rows with their shares."""
    counts, values = np.bincount(table.codes_of(name)[possibly]), table.values_of(name)
    return [
        (f"{name}={values[int(code)].as_py()}", float(counts[code] / counts.sum())) for code in np.flatnonzero(counts)
    ]
