"""The lines that somebody sees while work goes on."""

import io
import sys

import pytest
import rich.progress

from disjoin.cli.screen import STAGES, shown
from disjoin.engine import Local
from disjoin.methods.apriori import Apriori
from disjoin.methods.diffpart import DiffPart, NoNoise
from disjoin.model import Transactions
from disjoin.progress import silent


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def bars(monkeypatch):
    """What rich was asked to draw."""
    made = []

    class Seen(rich.progress.Progress):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            made.append(self)

    monkeypatch.setattr(rich.progress, "Progress", Seen)
    return made


def test_joining_tells_passes_and_joints_and_stops_when_the_next_stage_begins(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with shown(quiet=False) as progress:
        progress("reading", 0, 0)
        progress("refining", 1, 0, "pass 1, 5 joints")
        progress("refining", 12, 0, "pass 12, 345 joints")
        reading, joining = bars[0].tasks
        assert joining.description == "Joining clusters (pass 12, 345 joints)"
        assert not joining.finished
        progress("verifying", 0, 1)
        assert joining.finished
        assert not reading.finished  # it has not said that it has done anything


def test_nobody_is_told_where_nobody_looks(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with shown(quiet=True) as progress:
        assert progress is silent
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with shown(quiet=False) as progress:
        assert progress is silent
    assert not bars


@pytest.mark.parametrize(
    "method", [Apriori(k=2), DiffPart(domain="seen", noise=NoNoise())], ids=["apriori", "diffpart"]
)
def test_what_methods_tell_is_shown_in_words(method):
    told = set()
    baskets = Transactions.from_sets([["tea", "milk"], ["tea"], ["rye"]] * 2)
    method.publish(baskets, Local(1), lambda stage, *_: told.add(stage))
    assert told and told <= STAGES.keys()
