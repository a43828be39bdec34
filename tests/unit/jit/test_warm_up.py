"""Warming up compiles ahead, counts, and tells."""

import json
import logging
import re

import numpy as np
import pytest

from disjoin import progress
from disjoin.cli import warm_up as warming
from disjoin.cli.main import run
from disjoin.jit.decision import decision
from disjoin.progress import Count, Lines
from unit.jit.loops import stepped, total


@pytest.fixture
def tiny(monkeypatch):
    """A warm-up of one loop, that leaves the decision of this process as it was."""
    monkeypatch.setattr(decision, "limit", decision.limit)
    monkeypatch.setattr(decision, "compiled", decision.compiled)
    monkeypatch.setattr(decision, "may_compile", decision.may_compile)
    monkeypatch.setattr(warming, "PARTS", {"tiny": lambda folder: total(np.arange(3), 0)})


def test_the_command_says_what_it_did_and_where_it_is_kept(tiny, capsys):
    assert run(["warm-up"]) == 0
    assert re.search(
        r"(\d+ loops were compiled|Everything was compiled already), and kept in \S+", capsys.readouterr().out
    )


def test_the_command_says_so_as_json(tiny, capsys):
    assert run(["warm-up", "--json"]) == 0
    assert json.loads(capsys.readouterr().out).keys() == {"compiled", "folder"}


def test_loops_are_counted_with_those_that_they_call():
    told = []
    count = Count()
    count.listener = lambda *words: told.append(words)
    count.begin(total, [total, stepped])
    count.begin(stepped, [stepped])
    count.end(stepped)
    count.end(total)
    assert [words[1:3] for words in told] == [(0, 2), (0, 2), (1, 2), (2, 2)]
    assert told[0][3] == "1 of 2, once per machine"


def test_where_nobody_shows_progress_a_line_is_logged_now_and_then(monkeypatch, caplog):
    clock = iter([0.0, 1.0, 4.0, 5.0, 30.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    lines = Lines()
    with caplog.at_level(logging.WARNING, logger="disjoin"):
        for done in range(5):
            lines("compiling", done, 96, f"{done + 1} of 96, once per machine")
    assert caplog.messages == ["Compiling 3 of 96, once per machine.", "Compiling 5 of 96, once per machine."]


def test_without_an_extra_what_needs_it_is_left_out(monkeypatch):
    """As in an image that has no opendp."""
    from disjoin import api

    called = []
    for name in ("cahd", "generalize_items", "diffpart"):
        monkeypatch.setattr(api, name, lambda *_, name=name, **__: called.append(name))
    monkeypatch.setattr("disjoin.pipeline.evaluate", lambda *_: None)
    monkeypatch.setattr(warming, "find_spec", lambda name: None)
    warming.PARTS["groups"](None)
    assert set(called) == {"cahd", "generalize_items"}
    monkeypatch.setattr(warming, "find_spec", lambda name: name)
    warming.PARTS["groups"](None)
    assert called[-1] == "diffpart"
