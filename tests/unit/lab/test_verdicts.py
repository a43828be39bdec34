"""Verdicts follow from the rows: a claim can be met, not met, or not comparable."""

from __future__ import annotations

from typing import Any

import pytest

from disjoin.advise.results import Rows
from disjoin.lab import EXPERIMENTS, experiment_named
from disjoin.lab.claims import EXPECTED
from disjoin.lab.rows import Row


def row(measure: str, value: float, **setting: Any) -> Row:
    return {"data": "d", "known_as": "WV1", "records": 10, "terms": 5, **setting, "measure": measure, "value": value}


def verdicts(name: str, rows: Rows) -> list[str]:
    return [claim.judge(rows).verdict for claim in experiment_named(name).claims]


def unknown(rows: Rows) -> Rows:
    return [{**found, "known_as": None} for found in rows]


def test_losses_are_held_against_what_the_paper_states_on_its_own_data_only() -> None:
    good, bad = ([row("tkd", tkd), row("re_1_20", re)] for tkd, re in ((0.05, 0.18), (0.1, 0.19)))
    assert verdicts("information-loss", good) == ["met", "met"]
    assert verdicts("information-loss", bad) == ["not met", "not met"]
    assert verdicts("information-loss", unknown(good)) == ["not comparable"] * 2
    others = [{**found, "data": "other"} for found in unknown(bad)]
    assert verdicts("information-loss", good + others) == ["met", "met"]


@pytest.mark.parametrize(("power", "verdict"), [(0.0, "met"), (0.4, "met"), (0.9, "not met")])
def test_growth_with_k_is_slow_up_to_its_square_root(power: float, verdict: str) -> None:
    rows = [row(name, 0.01 * k**power, k=k) for k in (2, 5, 10) for name in ("tkd", "re")]
    assert verdicts("loss-by-k", rows) == [verdict]
    assert verdicts("loss-by-k", unknown(rows)) == ["not comparable"]


@pytest.mark.parametrize(
    ("power", "size", "verdict"), [(1, 10**5, "met"), (2, 10**5, "not met"), (1, 10, "not comparable")]
)
def test_time_is_linear_if_doubling_the_records_doubles_it(power: int, size: int, verdict: str) -> None:
    sizes = (size, 2 * size, 4 * size)
    rows = [
        row(name, (n / 10**5) ** grown, against="records") | {"records": n}
        for name, grown in (("processor seconds", power), ("seconds", 3))
        for n in sizes
    ]
    assert verdicts("time", rows) == [verdict]


@pytest.mark.parametrize(("tlost", "verdict"), [(0.13, "met"), (0.19, "not met"), (0.3, "not met")])
def test_strategies_are_held_against_abandon_at_the_same_k(tlost: float, verdict: str) -> None:
    def tlosts(limit: str, k: int, abandoned: float, added: float) -> Rows:
        setting = {"limit": limit, "k": k, "refined": False}
        values = {"abandon": abandoned, "adding": added}
        return [row("tlost", value, strategy=name, **setting) for name, value in values.items()]

    rows = tlosts("20 k", 2, 0.2, tlost) + tlosts("20 k", 3, 0.9, 0.9) + tlosts("2 k + 1", 2, 0.4, 0.1)
    assert verdicts("strategies", rows) == [verdict, "met"]
    assert verdicts("strategies", unknown(rows)) == ["not comparable"] * 2


def test_what_no_paper_states_is_called_our_expectation() -> None:
    for name in EXPERIMENTS:
        for claim in experiment_named(name).claims:
            assert claim.paper == EXPECTED or claim.paper.startswith(("TLMS12", "AS23", "GTK08", "VER13"))


@pytest.mark.parametrize(("ten", "verdict"), [(0.4, "met"), (0.6, "not met")])
def test_averaging_is_judged_by_re_as_it_is_defined(ten: float, verdict: str) -> None:
    about = {"terms ranked": "200-220"}
    rows = [row("re", value, reconstructions=n, **about) for n, value in ((1, 0.5), (10, ten))]
    rows += [row("re of pairs in the original", 0.1, reconstructions=n, **about) for n in (1, 10)]
    assert verdicts("loss-by-reconstructions", rows) == [verdict]


@pytest.mark.parametrize(("error", "verdict"), [(0.2, "met"), (0.3, "not met"), (0.4, "not met")])
def test_refining_must_lower_the_error_of_pairs(error: float, verdict: str) -> None:
    rows = [row("weighted pair error", value, way=way) for way, value in (("not refined", 0.3), ("levels", error))]
    assert verdicts("refine", rows) == [verdict]


@pytest.mark.parametrize(("best", "verdict"), [(0.05, "met"), (0.1, "not met")])
def test_every_cluster_size_gets_its_chance(best: float, verdict: str) -> None:
    rows = [row(name, value, against="size") for name in ("tkd", "re_1_20") for value in (0.5, best, 0.4)]
    assert verdicts("cluster-size", rows) == [verdict, "met"]
