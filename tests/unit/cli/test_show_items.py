"""`disjoin show` and generalised terms: readable, complete for programs, not to be upset by what is in a release."""

# ruff: noqa: RUF001 - the sign before a count is wanted

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from disjoin.cli.main import run
from disjoin.forms.items.pictures import MANY
from disjoin.model import GeneralizedItems, Hierarchy
from disjoin.release.reader import write_release
from unit.report.item_releases import figure, sealed

DOCUMENTS = {"README.md": "", "report.html": "", "report.json": ""}


@pytest.fixture
def written(tmp_path):
    """Write generalised terms as they are, safe or not."""

    def write(published: GeneralizedItems):
        return write_release(sealed(published), tmp_path / "release", documents=DOCUMENTS)

    return write


def shown(capfd, *arguments):
    assert run(["show", *(str(argument) for argument in arguments)]) == 0
    return capfd.readouterr().out


def test_a_category_is_drawn_with_the_cut_and_the_records_that_hold_it(capfd, written):
    out = shown(capfd, written(figure()), "--node", 0)
    assert [re.sub(" {3,}", "  ", line) for line in out.splitlines()[:12]] == [
        "category 0: A, stands for 2 terms, in 4 records",
        "*",
        "├─ ● A  ×4",
        "│  ┆ a1",
        "│  ┆ a2",
        "├─ ○ B: 2 terms, published further down",
        "╰─ ● c  ×0",
        "╭─ records with it ╮",
        "│ A, b1, b2  ×2 │",
        "│ A, b1  ×1 │",
        "│ A, b2  ×1 │",
        "╰──────────────────╯",
    ]
    assert "Terms after ┆ are below the cut" in " ".join(out.split())


def test_a_term_that_is_published_as_itself_is_called_one(capfd, written):
    out = shown(capfd, written(figure()), "--node", 1)
    assert out.startswith("term 1: b1, as it was, in 3 records\n*\n  B\n  ├─ ● b1")
    assert "┆ b" not in out


def test_the_first_nodes_are_shown_and_the_others_counted(capfd, written):
    release = written(figure())
    out = " ".join(shown(capfd, release).split())
    assert "term 2: b2" in out
    assert "1 more. Options for others: node N, first N, typical." in out
    assert "term 3: c" not in out
    assert shown(capfd, release, "--typical").startswith("category 0: A")


def test_programs_get_all_of_a_node(capfd, written):
    listed = json.loads(shown(capfd, written(figure()), "--json", "--first", 9))["nodes"]
    assert [entry["published"] for entry in listed] == ["A", "b1", "b2", "c"]
    assert listed[0] == {
        "node": 0,
        "published": "A",
        "is_category": True,
        "path": ["*"],
        "terms": ["a1", "a2"],
        "support": 4,
        "records": [
            {"terms": ["A", "b1"], "count": 1},
            {"terms": ["A", "b1", "b2"], "count": 2},
            {"terms": ["A", "b2"], "count": 1},
        ],
    }
    assert (listed[3]["is_category"], listed[3]["support"], listed[3]["records"]) == (False, 0, [])


def test_what_a_release_does_not_have_is_refused_in_one_sentence(capfd, written):
    release = written(figure())
    for arguments, words in (
        ((release, "--group", 0), "this release has nodes and no groups: use --node N."),
        ((release, "--row", 0), "this release has nodes and no rows: use --node N."),
        ((release, "--node", 4), "the release has the nodes 0 to 3, there is no node 4."),
    ):
        assert run(["show", *map(str, arguments)]) == 2
        assert capfd.readouterr().err.strip() == f"Error: {words}"


def test_a_giant_category_is_cut_on_the_screen_and_whole_for_programs(capfd, written):
    terms = [f"t{i:05d}" for i in range(2 * MANY)]
    tree = Hierarchy.from_rows([[term, "x" * 300, "*"] for term in terms] + [["z", "*"]])
    mapping = dict.fromkeys(terms, "x" * 300) | {"z": "z"}
    release = written(GeneralizedItems.from_mapping([(["x" * 300], 9), (["x" * 300, "z"], 9)], mapping, tree))
    out = shown(capfd, release, "--node", 0)
    assert MANY < len(out.splitlines()) < MANY + 20
    assert f"… and {MANY:,} more" in out
    assert "the JSON output has all of them" in " ".join(out.split())
    assert len(shown(capfd, release).splitlines()) < 40
    assert len(json.loads(shown(capfd, release, "--json"))["nodes"][0]["terms"]) == 2 * MANY


def test_names_that_the_hierarchy_does_not_have_and_control_characters_are_shown_and_not_obeyed(capfd, written):
    """Nobody has inspected what is shown: mapping, records and hierarchy need not fit together."""
    tree = Hierarchy.from_rows([["a", "\x1b[2J", "\u202e"], ["b", "\x1b[2J", "\u202e"]])
    mapping = {"a": "\x1b[2J", "b": "[b]elsewhere[/b]", "strange": "\x07"}
    release = written(GeneralizedItems.from_mapping([(["\x1b[2J"], 2**39), (["neither"], 1)], mapping, tree))
    for arguments in ((), ("--node", 0), ("--typical",), ("--node", 2)):
        out = shown(capfd, release, *arguments)
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "\u202e" not in out
    assert "[b]elsewhere[/b]" in shown(capfd, release)
    assert json.loads(shown(capfd, release, "--json"))["nodes"][0]["terms"] == ["strange"]


def test_who_only_looks_does_not_wait_for_the_compiler():
    loaded = "import sys, disjoin.forms.items.pictures, disjoin.forms.noisy.pictures; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0
