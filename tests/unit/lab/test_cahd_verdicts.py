"""Verdicts on CAHD follow from the rows, both ways."""

from __future__ import annotations

from typing import Any

import pytest

from disjoin.advise.results import Rows
from disjoin.lab import experiment_named
from disjoin.lab.cahd import ANATOMY, AT_RANDOM, BEFORE, BY_CHANCE, BY_CONTENT, DRAWN, IN_FILE, RIGHT
from disjoin.lab.cahd import GUESSED as AT_RANDOM_GUESS
from disjoin.lab.rows import Row
from disjoin.lab.times import OCCURRENCES


def row(measure: str, value: float | None, data: str = "wv1", **setting: Any) -> Row:
    about = {"data": data, "known_as": data.upper() if data.startswith("wv") else None, "records": 10, "terms": 5}
    return {**about, **setting, "measure": measure, "value": value}


def verdicts(name: str, rows: Rows) -> list[str]:
    return [claim.judge(rows).verdict for claim in experiment_named(name).claims]


def divergences(data: str, values: dict[int, float], order: str = "bipartite") -> Rows:
    return [
        row("kl", value, data, p=p, order=order, **{"sensitive items": number})
        for number in (10, 20)
        for p, value in values.items()
    ]


def with_other_orders(rows: Rows, content: float, random: float) -> Rows:
    """Add rows of the other orders whose divergences are that many times as large."""
    factors = {BY_CONTENT: content, AT_RANDOM: random}
    return rows + [
        {**found, "order": order, "value": found["value"] * factor}
        for order, factor in factors.items()
        for found in rows
    ]


def test_divergences_are_held_against_the_paper_on_its_own_datasets() -> None:
    above, below = divergences("wv1", {4: 0.2, 6: 0.3}), divergences("wv2", {4: 0.1, 6: 0.2})
    assert verdicts("cahd-kl", with_other_orders(above + below, 2, 2))[:2] == ["met", "met"]
    crossing = divergences("wv2", {4: 0.1, 6: 0.3})
    assert verdicts("cahd-kl", with_other_orders(above + crossing, 2, 2))[:2] == ["not met", "met"]
    assert verdicts("cahd-kl", with_other_orders(above, 2, 2))[:2] == ["not comparable", "met"]
    others = divergences("mine", {4: 0.2, 6: 0.3})
    assert verdicts("cahd-kl", with_other_orders(others, 2, 2))[:2] == ["not comparable"] * 2


def test_growth_with_p_is_from_the_least_to_the_largest_and_steps_down_are_told() -> None:
    claim = experiment_named("cahd-kl").claims[1]
    dented = claim.judge(divergences("wv1", {4: 0.2, 8: 0.3, 6: 0.1}))  # in any order
    assert dented.verdict == "met"
    assert "it falls at 2 of 4 steps" in dented.ours  # one for 10 and one for 20 sensitive items
    assert claim.judge(divergences("wv1", {4: 0.2, 6: 0.3, 8: 0.2})).verdict == "not met"


@pytest.mark.parametrize(
    ("content", "random", "expected"), [(1.1, 1.1, ["met", "met"]), (1.0, 1.2, ["met", "not met"])]
)
def test_the_order_of_similarity_must_win_at_every_setting(content: float, random: float, expected: list[str]) -> None:
    rows = with_other_orders(divergences("mine", {4: 0.2, 6: 0.3}), content, random)
    assert verdicts("cahd-kl", rows)[2:] == expected


@pytest.mark.parametrize(
    ("last_r", "last_alpha", "other_order", "expected"),
    [
        (0.4, 0.1, 0.2, ["met", "met", "met"]),
        (0.2, 0.3, 0.1, ["not met", "not met", "not met"]),
        (0.4, 0.1, None, ["met", "met", "not comparable"]),
    ],
)
def test_r_alpha_and_the_order_are_judged_by_divergence(
    last_r: float, last_alpha: float, other_order: float | None, expected: list[str]
) -> None:
    rows = [row("kl", value, against="r", r=r) for r, value in ((2, 0.3), (8, last_r))]
    rows += [row("kl", value, against="alpha", alpha=alpha) for alpha, value in ((5, last_alpha), (1, 0.2))]
    orders = {"bipartite": 0.2, "aat": other_order}
    rows += [row("kl", value, against="order", order=order) for order, value in orders.items()]
    assert verdicts("cahd-settings", rows) == expected


def guessed(right: dict[str, float], chance: float, kl: dict[str, float]) -> Rows:
    """Rows of an attack at one setting: right guesses on drawn items by grouping, and on an item given by chance."""
    about = {"p": 10, "sensitive": DRAWN}
    rows = [row(RIGHT, value, grouping=grouping, **about) for grouping, value in right.items()]
    rows += [row("kl", value, grouping=grouping, **about) for grouping, value in kl.items()]
    rows += [row(AT_RANDOM_GUESS, 0.1, grouping="blind", **about)]
    by_chance = {"p": 10, "sensitive": BY_CHANCE, "grouping": "blind"}
    return [*rows, row(RIGHT, chance, **by_chance), row(AT_RANDOM_GUESS, 0.1, **by_chance)]


@pytest.mark.parametrize(
    ("blind", "anatomy", "chance", "kl", "expected"),
    [
        (0.3, 0.2, 0.1, 0.1, ["met", "met", "met", "met"]),
        (0.3, 0.4, 0.1, 0.2, ["met", "met", "not met", "not met"]),
        (0.15, 0.1, 0.2, 0.1, ["not met", "not met", "met", "met"]),
    ],
)
def test_the_attack_is_judged_against_chance_and_groupings_against_each_other(
    blind: float, anatomy: float, chance: float, kl: float, expected: list[str]
) -> None:
    rows = guessed({"blind": blind, ANATOMY: anatomy}, chance, {"blind": 0.1, ANATOMY: kl})
    assert verdicts("cahd-attack", rows) == expected


def timed(against: str, power: float, records: int) -> Rows:
    """Seconds that grow with a power of the occurrences, for data of three sizes."""
    found = []
    for step in (1, 2, 4):
        about = {"data": f"{against} {step}", "against": against, "records": records}
        found.append(row(OCCURRENCES, 1000 * step) | about)
        found.append(row("processor seconds", float(step**power)) | about)
    return found


@pytest.mark.parametrize(
    ("power", "records", "verdict"), [(1, 10**6, "met"), (1.2, 10**6, "not met"), (1, 1000, "not comparable")]
)
def test_time_is_linear_if_twice_the_items_take_twice_as_long(power: float, records: int, verdict: str) -> None:
    rows = timed("records", power, records) + timed("length", 1, 10**6)
    assert verdicts("cahd-time", rows) == [verdict, "met", "not comparable"]


@pytest.mark.parametrize(("seconds", "verdict"), [(0.1, "met"), (300.0, "not met")])
def test_the_peer_is_beaten_on_its_dataset_only(seconds: float, verdict: str) -> None:
    rows = timed("records", 1, 10**6) + timed("length", 1, 10**6)
    ours = [row("seconds", value, against="p", **{"sensitive items": 10}) for value in (0.05, seconds)]
    assert verdicts("cahd-time", rows + ours)[2] == verdict
    assert verdicts("cahd-time", rows + [{**found, "known_as": None} for found in ours])[2] == "not comparable"


@pytest.mark.parametrize(
    ("after", "expected"),
    [(5.0, ["met", "met", "met"]), (8.0, ["met", "not met", "not met"]), (20.0, ["not met", "not met", "not met"])],
)
def test_the_band_is_compared_with_the_file_and_with_sorted_records(after: float, expected: list[str]) -> None:
    bands = {IN_FILE: 10.0, BEFORE: 8.0, "bipartite": after}
    rows = [row("bandwidth", value, order=order) for order, value in bands.items()]
    rows += [row("mean span of a record", value, order=order) for order, value in bands.items() if order != IN_FILE]
    assert verdicts("cahd-bandwidth", rows) == expected
