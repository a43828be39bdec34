"""Tiny people with demographics and terms, and published mixed data as nested trees."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from disjoin.model import Mixed, MixedRecords
from disjoin.model.intervals import interval_from

TERMS = "abcd"


@st.composite
def tiny_people(draw, least: int = 4, most: int = 7, empty: bool | None = None) -> MixedRecords:
    """A few people; few values and terms, so that they meet."""
    n = draw(st.integers(least, most))
    ages = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    sexes = draw(st.lists(st.sampled_from("fm"), min_size=n, max_size=n))
    may_be_empty = draw(st.booleans()) if empty is None else empty
    sets = st.frozensets(st.sampled_from(TERMS), min_size=0 if may_be_empty else 1, max_size=3)
    terms = draw(st.lists(sets, min_size=n, max_size=n))
    return MixedRecords.from_people({"age": list(map(str, ages)), "sex": sexes}, terms)


def people_of(data: MixedRecords, columns: tuple[str, ...]) -> list[tuple[tuple[str, ...], frozenset[str]]]:
    """People as (values, terms)."""
    rows = zip(*(data.table.column(name).to_pylist() for name in columns), strict=True)
    names = data.records.vocabulary.to_pylist()
    return [(row, frozenset(names[item] for item in has)) for row, has in zip(rows, data.records, strict=True)]


def nested_of(published: Mixed, columns: tuple[str, ...]) -> list[dict[str, Any]]:
    """Published mixed data as nested trees whose leaves have rows."""
    trees = published.clusters.to_nested()
    cells = list(zip(*(published.rows.column(name).to_pylist() for name in columns), strict=True))
    sets = published.people.rows()
    numbers = iter(range(len(published)))

    def fill(tree: dict[str, Any]) -> None:
        here = next(numbers)
        entries = [entry for entry, leaf in enumerate(published.leaves.tolist()) if leaf == here]
        tree["rows"] = [(cells[entry], list(sets[entry][0]), sets[entry][1]) for entry in entries]
        for child in tree.get("children", ()):
            fill(child)

    for tree in trees:
        fill(tree)
    return trees


def covers(row: tuple[str, ...], values: tuple[str, ...]) -> bool:
    """Whether a published row may belong to a person: equal values, anything, or an interval around them."""
    return all(map(_covers, row, values))


def _covers(published: str, value: str) -> bool:
    if published in (value, "*"):
        return True
    ends, number = interval_from(published), interval_from(value)
    return ends is not None and number is not None and ends[0] <= number[0] <= ends[1]
