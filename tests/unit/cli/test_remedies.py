"""Remedies of errors: one record, written as a flag, as an argument of Python, or on a button."""

import pickle

import pytest

from disjoin.cli.main import run
from disjoin.cli.publish import command_of
from disjoin.cli.screen import as_option, error_text
from disjoin.errors import CannotWrite, InvalidParameter, OutputExists, Placeholder, Remedy, UnreadableInput

SKIP, TERM = Remedy("blank", "skip", "leave blanks out"), Remedy("blank", "term", "make blanks a term")


def test_python_writes_arguments():
    error = UnreadableInput("found a blank.", source="a.csv", line=7, remedies=[SKIP, TERM])
    assert error.message == "a.csv, line 7: found a blank."
    assert str(error) == f"{error.message} Use blank='skip' (leave blanks out) or blank='term' (make blanks a term)."
    assert str(InvalidParameter("k must be at least 2.")) == "k must be at least 2."


def test_errors_with_remedies_survive_pickling(tmp_path):
    for error in (
        InvalidParameter("no.", remedies=[SKIP]),
        CannotWrite("no.", remedies=[SKIP]),
        UnreadableInput("no.", source="a.csv").offering(SKIP),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.remedies) == (type(error), str(error), (SKIP,))
    assert OutputExists("no.", tmp_path, [SKIP]).remedies == (SKIP,)


@pytest.mark.parametrize(
    ("option", "value", "flag"),
    [
        ("algorithm", "two-level", "--method two-level"),  # the command calls it otherwise
        ("one_row_per_person", True, "--one-row-per-person"),
        ("stub", False, "--no-stub"),
        ("role", ["a b=terms", "c=terms"], "--role 'a b=terms' --role c=terms"),
        ("min_people", Placeholder("N"), "--min-people N"),
        ("engine", "spark", "--engine spark"),  # which this command does not have
        ("overwrite", True, "--overwrite"),
    ],
)
def test_the_command_line_writes_flags_of_the_command(option, value, flag):
    assert as_option(command_of("generalization"), option, value) == flag


def test_options_that_go_together_are_one_remedy():
    remedy = Remedy("id", "p", "publish only the terms", (("terms", "t"),))
    error = InvalidParameter("no.", remedies=[remedy])
    assert str(error) == "no. Use id='p', terms='t' (publish only the terms)."
    words = error_text(error, command_of("disassociation"))
    assert words == "no. Use --id p --terms t (publish only the terms)."


def test_an_error_of_a_command_names_its_flags(tmp_path, capfd):
    (tmp_path / "a.csv").write_text("tea,,milk\nmilk,tea\n")
    assert run(["disassociate", str(tmp_path / "a.csv"), "-o", str(tmp_path / "r")]) == 2
    said = capfd.readouterr().err
    assert said.endswith("Use --blank skip (leave blanks out) or --blank term (make blanks a term).\n")
    assert said.count("\n") == 1
