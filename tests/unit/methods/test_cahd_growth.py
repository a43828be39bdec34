"""CAHD's groups take time in proportion to the records, whatever the records are: looks at records are counted."""

from __future__ import annotations

from typing import Any

import pytest

from disjoin.methods.cahd import cahd_groups
from helpers import cahd_rows
from oracle import cahd as twin

ONE, OTHER = frozenset({0}), frozenset({1})


def chain(links: int) -> tuple[list[tuple[frozenset[int], frozenset[int]]], int]:
    """Return rows of which each pass can make one group, with p = 3, and their number of ordinary items.

    A link is a row with one sensitive item, a row with the other, and a plain one. Every group must hold both items.
    The first row of a link prefers the plain rows of its own link and of the next, until that one is gone: so the last
    link makes a group, in the next pass the one before it, and so on.
    """
    rows = []
    for link in range(links):
        own, previous = 15 * link, 15 * (link - 1)
        to_next, to_plain, to_other = range(own, own + 4), range(own + 4, own + 7), range(own + 7, own + 9)
        other_to_plain, other_to_next = range(own + 9, own + 12), range(own + 12, own + 15)
        rows.append((frozenset([*to_next, *to_plain, *to_other]), ONE))
        rows.append((frozenset([*to_other, *other_to_plain, *other_to_next]), OTHER))
        wanted = [*range(previous, previous + 4), *range(previous + 12, previous + 15)] if link else []
        rows.append((frozenset([*to_plain, *other_to_plain, *wanted]), frozenset()))
    return rows, 15 * links


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Hear of every call that forms groups: what was left to look at, before and after."""
    calls: list[Any] = []
    form = cahd_groups.form_groups

    def forming(crowd: Any, *others: Any) -> int:
        before = int(crowd.tally[cahd_groups.LOOKS_LEFT])
        formed = int(form(crowd, *others))
        calls.append((before - int(crowd.tally[cahd_groups.LOOKS_LEFT]), formed))
        return formed

    monkeypatch.setattr(cahd_groups, "form_groups", forming)
    return calls


def looks(calls: list[Any]) -> int:
    return sum(looked for looked, _ in calls)


def test_a_chain_makes_one_group_per_pass_and_all_of_them_while_it_is_short(watched: list[Any]) -> None:
    rows, n_items = chain(12)
    found = cahd_rows.formed(rows, 3, 3, n_items, 2)
    assert found == [sorted(group) for group in twin.form_groups(rows, 3, 3, False)]
    assert len(found) == 12
    assert [formed for _, formed in watched] == [1] * 12


def test_looks_at_a_chain_of_any_length_are_in_proportion_to_its_rows(
    watched: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cahd_groups, "LOOKS", 40)
    monkeypatch.setattr(cahd_groups, "SMALL", 0)
    for links in (40, 80):
        watched.clear()
        rows, n_items = chain(links)
        found = cahd_rows.formed(rows, 3, 3, n_items, 2)
        assert looks(watched) <= 40 * len(rows) + len(rows)  # the last attempt may end beyond
        assert all(count * 3 <= size for size, count in (twin.degree(group, rows) for group in found))
        assert sorted(row for group in found for row in group) == list(range(len(rows)))


def test_a_chain_without_a_bound_takes_the_square_of_its_rows(watched: list[Any]) -> None:
    taken = []
    for links in (10, 20):
        watched.clear()
        rows, n_items = chain(links)
        cahd_rows.formed(rows, 3, 3, n_items, 2)
        taken.append(looks(watched))
    assert taken[1] > 3.5 * taken[0]
