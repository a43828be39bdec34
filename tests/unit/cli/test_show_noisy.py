"""`disjoin show` and noisy records: the rows with the largest counts, and a word about what they are not."""

# ruff: noqa: RUF001 - the sign before a count is wanted

from __future__ import annotations

import json

import pytest

from disjoin.cli.main import run
from disjoin.model import Bag, NoisyRecords
from disjoin.release.reader import write_release
from unit.report.noisy_releases import figure, sealed

DOCUMENTS = {"README.md": "", "report.html": "", "report.json": ""}


@pytest.fixture
def written(tmp_path):
    """Write noisy records as they are."""

    def write(published: NoisyRecords):
        return write_release(sealed(published), tmp_path / "release", documents=DOCUMENTS)

    return write


def shown(capfd, *arguments):
    assert run(["show", *(str(argument) for argument in arguments)]) == 0
    return capfd.readouterr().out


def test_the_rows_with_the_largest_counts_are_drawn(capfd, written):
    out = shown(capfd, written(figure()))
    assert out.splitlines()[:6] == [
        "╭─ row ┬─ terms ───────────╮",
        "│ 0    │ tea           ×40 │",
        "│ 1    │ milk          ×25 │",
        "│ 2    │ milk, tea     ×12 │",
        "│ 3    │ jam, milk, rye ×7 │",
        "╰──────┴───────────────────╯",
    ]
    assert "no row proves that anybody had such a record" in " ".join(out.split())


def test_one_row_is_drawn_with_all_its_terms(capfd, written):
    release = written(figure())
    assert shown(capfd, release, "--row", 3).startswith("row 3: 3 terms, ×7\n╭─ terms ╮\n│ jam    │\n│ milk   │\n")
    several = shown(capfd, release, "--typical")
    assert "│ 2    │ milk, tea" in several
    assert "│ 0 " not in several


def test_more_rows_than_are_drawn_are_counted(capfd, written):
    release = written(NoisyRecords(Bag.from_rows([([f"t{i:02d}"], i + 1) for i in range(25)])))
    out = " ".join(shown(capfd, release).split())
    assert "15 more. Options for others: row N, first N, typical." in out
    assert "24 more" in " ".join(shown(capfd, release, "--first", 1).split())
    assert "│ 9 │ t15" in " ".join(shown(capfd, release, "--typical").split())  # there are none of several terms


def test_programs_get_rows_with_their_counts(capfd, written):
    listed = json.loads(shown(capfd, written(figure()), "--json", "--first", 2))
    assert listed == {"rows": [{"row": 0, "terms": ["tea"], "count": 40}, {"row": 1, "terms": ["milk"], "count": 25}]}


def test_a_release_without_a_row_says_so(capfd, written):
    release = written(NoisyRecords(Bag.from_rows([])))
    for arguments in ((), ("--typical",)):
        assert "This release has no rows" in shown(capfd, release, *arguments)
    assert json.loads(shown(capfd, release, "--json")) == {"rows": []}
    assert run(["show", str(release), "--row", "0"]) == 2
    assert capfd.readouterr().err.strip() == "Error: the release has no rows, there is no row 0."


def test_control_characters_and_absurd_numbers_are_shown_and_not_obeyed(capfd, written):
    rows = [(["\x1b[2J", "[b]x[/b]", "\u202eevil"], 2**39), ([f"w{i:04d}" for i in range(3000)], 1), (["\x07"], 0)]
    release = written(NoisyRecords(Bag.from_rows(rows)))
    for arguments in ((), ("--row", 0), ("--row", 1), ("--typical",)):
        out = shown(capfd, release, *arguments)
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "\u202e" not in out
    assert "[b]x[/b]" in shown(capfd, release)
    assert "… and 2,000 more" in shown(capfd, release, "--row", 1)
