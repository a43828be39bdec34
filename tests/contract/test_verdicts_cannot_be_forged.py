"""Whoever writes a release cannot make `verify` say anything but its verdict."""

import json
import re

import pytest

from disjoin.cli.main import run
from helpers.tampering import edit

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # what users are told is tested by itself

SPOOF = "age\x1b[2J\x1b[H\x1b[1;32mThe guarantee holds.\x1b[0m Every row is safe.\x1b[8m"
OWN_STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def release_of(place, *names):
    """Publish a table whose columns have these names; the first is a quasi-identifier."""
    quoted = ",".join('"' + name.replace('"', '""') + '"' for name in (*names, "ill"))
    rows = [f"{20 + number % 3}{',x' * (len(names) - 1)},flu" for number in range(9)]
    (place / "people.csv").write_text("\n".join([quoted, *rows]) + "\n", newline="")
    asked, others = quoted.split(",", 1)
    assert run(["generalize", "people.csv", "--quasi", asked, "--others", others, "-k", "2", "-q", "-o", "out"]) == 0
    return place / "out"


@pytest.mark.parametrize("on_a_terminal", [False, True])
def test_a_release_that_fails_cannot_paint_a_verdict_of_its_own(place, capfd, monkeypatch, on_a_terminal):
    folder = release_of(place, SPOOF)
    edit(folder, lambda package: package["disjoin"]["guarantee"].update(k=50))
    if on_a_terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
    capfd.readouterr()
    assert run(["verify", str(folder)]) == 3
    said = capfd.readouterr().out
    assert OWN_STYLE.sub("", said).startswith("The guarantee does not hold.")
    first, _, rest = said.partition("\n")
    assert ("\x1b" in first) is on_a_terminal
    assert "\x1b" not in rest
    assert "\\x1b[2J" in rest


@pytest.mark.parametrize("name", ["[/]", "[/red]", "[bold]", "[link=http://x]a", "[", "a]", ":smile:"])
def test_brackets_in_a_name_are_brackets(place, capfd, name):
    folder = release_of(place, name)
    assert run(["verify", str(folder)]) == 0
    said = capfd.readouterr()
    assert said.out.startswith("The guarantee holds. ")
    assert name in said.out
    assert "Error" not in said.err


def test_json_is_for_terminals_too_and_says_exactly_what_is_there(place, capfd):
    folder = release_of(place, "age\x9b2J\u202e\x1b[2J\x7f")
    capfd.readouterr()
    assert run(["verify", str(folder), "--json"]) == 0
    said = capfd.readouterr().out
    assert not set(said) & set("\x9b\u202e\x1b\x7f")
    assert json.loads(said)["guarantee"]["quasi"] == ["age\x9b2J\u202e\x1b[2J\x7f"]
