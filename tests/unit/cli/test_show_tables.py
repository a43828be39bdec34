"""`disjoin show` and tables: readable, complete for programs, and not to be upset by what is in a release."""

# ruff: noqa: RUF001 - the sign before a count is wanted

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given

from disjoin.cli.main import run
from disjoin.forms.table.facts import classes_of
from disjoin.forms.table.pictures import COLUMNS, MANY, as_json, draw_class, typical_class
from disjoin.model.generalized import Generalized
from disjoin.model.table import Column, Role, Schema, Table
from disjoin.release.reader import write_release
from helpers.hypothesis_profile import examples
from helpers.releases import figure_3
from helpers.releases import sealed as sealed_clusters
from unit.report.group_releases import figure as group_figure
from unit.report.group_releases import sealed as sealed_groups
from unit.report.table_releases import (
    QUASI,
    SENSITIVE,
    canonical,
    classes_by_hand,
    different_by_hand,
    figure,
    generalized,
    sealed,
)

DOCUMENTS = {"README.md": "", "report.html": "", "report.json": ""}


@pytest.fixture
def written(tmp_path):
    """Write a table as it is, safe or not."""

    def write(published: Generalized):
        return write_release(sealed(published), tmp_path / "release", documents=DOCUMENTS)

    return write


def shown(capfd, *arguments):
    assert run(["show", *(str(argument) for argument in arguments)]) == 0
    return capfd.readouterr().out


def test_a_class_is_drawn_with_what_its_rows_share_and_then_its_rows(capfd, written):
    out = shown(capfd, written(figure()), "--class", 1)
    assert out.splitlines() == [
        "class 1: 2 rows",
        "╭─ Job ┬─ Birth ┬─ Postcode ╮",
        "│ Cat1 │ 1955   │ 543*      │",
        "╰──────┴────────┴───────────╯",
        "╭─ rows ┬─ Illness ┬─ Note ╮",
        "│    ×1 │ flu      │ a     │",
        "│    ×1 │ flu      │ b     │",
        "╰───────┴──────────┴───────╯",
    ]


def test_the_first_classes_are_shown_and_the_others_counted(capfd, written):
    release = written(figure())
    out = " ".join(shown(capfd, release, "--first", 1).split())
    assert "2 more. Options for others: class N, first N, typical." in out
    assert "class 1:" not in out
    assert "more." not in shown(capfd, release)
    typical = shown(capfd, release, "--typical")
    assert typical.startswith(f"class {typical_class(classes_of(figure()))}: ")


@examples(30)
@given(generalized())
def test_programs_get_all_of_a_class(published):
    classes = classes_of(published)
    for number, (values, rows) in enumerate(classes_by_hand(published).items()):
        assert as_json(classes, number) == {
            "class": number,
            "size": len(rows),
            "values": dict(zip(published.quasi, values, strict=True)),
            "rows": different_by_hand(rows, published.quasi),
        }


def test_the_json_of_a_release_lists_its_classes(capfd, written):
    listed = json.loads(shown(capfd, written(figure()), "--json", "--first", 2))
    assert listed == {"classes": [as_json(classes_of(figure()), number) for number in range(2)]}
    assert listed["classes"][0] == {
        "class": 0,
        "size": 2,
        "values": {"Job": "Cat1", "Birth": "*", "Postcode": "4350"},
        "rows": [{"values": {"Illness": "HIV", "Note": "a"}, "count": 2}],
    }


def test_what_a_release_does_not_have_is_refused_in_one_sentence(capfd, written, tmp_path):
    table = written(figure())
    clusters = write_release(sealed_clusters(figure_3()), tmp_path / "clusters", documents=DOCUMENTS)
    groups = write_release(sealed_groups(group_figure()), tmp_path / "groups", documents=DOCUMENTS)
    for arguments, words in (
        ((table, "--cluster", 0), "this release has classes and no clusters: use --class N."),
        ((table, "--group", 0), "this release has classes and no groups: use --class N."),
        ((clusters, "--class", 0), "this release has clusters and no classes: use --cluster N."),
        ((groups, "--class", 0), "this release has groups and no classes: use --group N."),
        ((table, "--class", 3), "the release has the classes 0 to 2, there is no class 3."),
    ):
        assert run(["show", *map(str, arguments)]) == 2
        assert capfd.readouterr().err.strip() == f"Error: {words}"


@pytest.mark.slow  # without the compiler
def test_a_giant_class_is_cut_on_the_screen_and_whole_for_programs(capfd, written):
    rows = 3 * MANY
    columns = {"q": ["7"] * rows, "s": [f"v{i:05d}" for i in range(rows)], "long": ["x" * 300] * rows}
    release = written(Generalized(Table.from_columns(columns, {"q": QUASI, "s": SENSITIVE})))
    out = shown(capfd, release, "--class", 0)
    assert len(out.splitlines()) < MANY + 20
    assert f"… and {2 * MANY:,} more" in out
    assert "the JSON output has all of them" in " ".join(out.split())
    assert len(shown(capfd, release).splitlines()) < 20
    assert len(json.loads(shown(capfd, release, "--json"))["classes"][0]["rows"]) == rows


def test_a_class_of_a_million_equal_rows_and_columns_without_end():
    codes = tuple(np.zeros(10**6, dtype=np.int32) for _ in range(100))
    names = [Column("q", QUASI), *(Column(f"c{i:02d}") for i in range(1, 100))]
    classes = classes_of(Generalized(Table(Schema(tuple(names)), codes, (["7"],) * 100)))
    drawing = draw_class(classes, 0, 80, MANY)
    assert drawing.startswith("class 0: 1,000,000 rows\n")
    assert f"… and {99 - COLUMNS} more columns" in drawing
    assert len(drawing.splitlines()) < 4 * COLUMNS
    assert as_json(classes, 0)["rows"][0]["count"] == 10**6


def test_control_characters_are_shown_and_not_obeyed(capfd, written):
    nasty = ["\x1b[2J", "[b]x[/b]", "\u202eevil", "\x07"]
    columns = {"q\x1b[31m": ["7"] * 4, "s": nasty, "other\u202e": nasty[::-1]}
    published = canonical(Table.from_columns(columns, {"q\x1b[31m": QUASI, "s": SENSITIVE}))
    release = written(published)
    for arguments in ((), ("--class", 0), ("--typical",)):
        out = shown(capfd, release, *arguments)
        assert not {"\x1b", "\x07", "\u202e"} & set(out)
    assert "[b]x[/b]" in shown(capfd, release, "--class", 0)


def test_a_table_of_quasi_identifiers_alone_and_one_of_strange_values_are_shown(capfd, written):
    alone = Table.from_columns({"q": ["7", "7", "nonsense"]}, {"q": QUASI})
    out = shown(capfd, written(Generalized(alone)), "--typical", "--first", 3)
    assert out.startswith("class 0: 2 rows\n")
    assert "─ rows" not in out
    classes = classes_of(Generalized(alone))
    assert as_json(classes, 1) == {
        "class": 1,
        "size": 1,
        "values": {"q": "nonsense"},
        "rows": [{"values": {}, "count": 1}],
    }


def test_rows_of_no_class_are_one_class_and_an_empty_table_has_none():
    bare = Table.from_columns({"other": ["a", "b"]}, {"other": Role.OTHER})
    assert classes_of(Generalized(bare)).sizes.tolist() == [2]
    assert len(classes_of(Generalized(Table.from_columns({"q": []}, {"q": QUASI})))) == 0


def test_who_only_looks_does_not_wait_for_the_compiler():
    loaded = "import sys, disjoin.forms.table.pictures; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0
