"""Experiments make data; those of tests are a part of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disjoin.attack import simulated
from disjoin.generate import baskets, census, quest
from disjoin.generate.quest import Quest

PART = 60
PART_OF_QUEST = 30  # with fewer, no term is rare enough for the experiments of CAHD


@pytest.fixture
def part_of_the_data(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a small part of the records and a fourth of the terms, and draw few of them: no loop is worth compiling."""
    if request.config.getoption("compiled"):
        return
    monkeypatch.setattr(simulated, "DRAWS", 150)
    write_quest, write_baskets, write_census = quest.write_quest, baskets.write_baskets, census.write_census

    def smaller(settings: Quest) -> Quest:
        return replace(settings, records=settings.records // PART_OF_QUEST, terms=settings.terms // 4, patterns=50)

    monkeypatch.setattr(quest, "write_quest", lambda settings, *rest: write_quest(smaller(settings), *rest))
    monkeypatch.setattr(baskets, "write_baskets", lambda records, *rest: write_baskets(records // PART, *rest))
    monkeypatch.setattr(census, "write_census", lambda records, *rest: write_census(records // PART, *rest))
