"""METHODS: what the list says is true of the classes, and looking at it loads none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from disjoin.cli.main import OTHERS
from disjoin.methods import METHODS
from disjoin.methods.settings import settings_of


@pytest.mark.parametrize("name", METHODS)
def test_a_record_says_what_is_true_of_its_class(name):
    record, method = METHODS.listed[name], METHODS[name]
    assert (record.name, method.name) == (name, name)
    assert record.budget is None or record.budget in {setting.name for setting in settings_of(method)}
    assert record.sentence.endswith(".")
    assert "FILE" in method.help


def test_no_two_commands_have_one_name():
    commands = [record.command for record in METHODS.listed.values()]
    assert len({*commands, *OTHERS}) == len(commands) + len(OTHERS)


def test_classes_are_found_by_the_names_of_their_methods():
    from disjoin.methods.cahd import Cahd

    assert METHODS["cahd"] is Cahd
    with pytest.raises(KeyError, match="bogus"):
        _ = METHODS["bogus"]


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], {"numba", "pyarrow", "numpy", "disjoin.methods.disassociation"}),
        (["disassociate", "--help"], {"disjoin.methods.cahd", "disjoin.methods.apriori"}),
        (["cahd", "--help"], {"disjoin.methods.disassociation"}),
    ],
)
def test_help_loads_no_more_than_it_tells_of(arguments, heavy):
    program = f"import sys; from disjoin.cli.main import run; run({arguments}); print('loaded', *sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert heavy & set(told.rpartition("loaded ")[2].split()) == set()
