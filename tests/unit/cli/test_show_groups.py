"""`disjoin show` and groups: readable, complete for programs, and not to be upset by what is in a release."""

# ruff: noqa: RUF001 - the sign before a count is wanted

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from disjoin.cli.main import run
from disjoin.forms.groups.pictures import MANY, typical_group
from disjoin.model import Groups
from disjoin.release.reader import write_release
from helpers.releases import figure_3
from helpers.releases import sealed as sealed_clusters
from unit.report.group_releases import figure, sealed

DOCUMENTS = {"README.md": "", "report.html": "", "report.json": ""}


@pytest.fixture
def written(tmp_path):
    """Write groups as they are, safe or not."""

    def write(published: Groups):
        return write_release(sealed(published), tmp_path / "release", documents=DOCUMENTS)

    return write


def shown(capfd, *arguments):
    assert run(["show", *(str(argument) for argument in arguments)]) == 0
    return capfd.readouterr().out


def test_a_group_is_drawn_with_its_records_beside_its_sensitive_items(capfd, written):
    out = shown(capfd, written(figure()), "--group", 0)
    assert out.splitlines()[:6] == [
        "group 0: 3 records",
        "╭─ records ──────────────┬─ sensitive items ───────╮",
        "│ Cream, Strawberries ×1 │ Pregnancy Test ×1 33.3% │",
        "│ Meat, Strawberries  ×1 │                         │",
        "│ (nothing)           ×1 │                         │",
        "╰────────────────────────┴─────────────────────────╯",
    ]
    assert "Rows next to each other do not" in out


def test_the_first_groups_are_shown_and_the_others_counted(capfd, written):
    release = written(figure())
    out = " ".join(shown(capfd, release, "--first", 1).split())
    assert "1 more. Options for others: group N, first N, typical." in out
    assert "group 1:" not in out
    assert "more." not in shown(capfd, release)
    typical = shown(capfd, release, "--typical")
    assert typical.startswith(f"group {typical_group(figure())}: ")


def test_programs_get_all_of_a_group(capfd, written):
    listed = json.loads(shown(capfd, written(figure()), "--json"))
    assert listed == {
        "groups": [
            {
                "group": number,
                "size": group["size"],
                "records": [{"terms": terms, "count": count} for terms, count in group["records"]],
                "sensitive": [{"term": term, "count": count} for term, count in group["sensitive"].items()],
            }
            for number, group in enumerate(figure().to_nested())
        ]
    }


def test_what_a_release_does_not_have_is_refused_in_one_sentence(capfd, written, tmp_path):
    release = written(figure())
    clusters = write_release(sealed_clusters(figure_3()), tmp_path / "clusters", documents=DOCUMENTS)
    for arguments, words in (
        ((release, "--cluster", 0), "this release has groups and no clusters: use --group N."),
        ((clusters, "--group", 0), "this release has clusters and no groups: use --cluster N."),
        ((release, "--group", 2), "the release has the groups 0 to 1, there is no group 2."),
    ):
        assert run(["show", *map(str, arguments)]) == 2
        assert capfd.readouterr().err.strip() == f"Error: {words}"


@pytest.mark.slow  # without the compiler
def test_a_giant_group_is_cut_on_the_screen_and_whole_for_programs(capfd, written):
    rows = [[[f"t{i:05d}", "x" * 300], 1] for i in range(3 * MANY)]
    release = written(Groups.from_nested([{"records": rows, "sensitive": {"s": 1}}]))
    out = shown(capfd, release, "--group", 0)
    assert len(out.splitlines()) < MANY + 20
    assert f"… and {2 * MANY:,} more" in out
    assert "the JSON output has all of them" in " ".join(out.split())
    assert len(shown(capfd, release).splitlines()) < 20
    assert len(json.loads(shown(capfd, release, "--json"))["groups"][0]["records"]) == 3 * MANY


def test_absurd_numbers_and_control_characters_are_shown_and_not_obeyed(capfd, written):
    nasty = ["\x1b[2J", "[b]x[/b]", "\u202eevil"]
    many = [f"w{i:04d}" for i in range(5000)]
    groups = [
        {"size": 2**39, "records": [[nasty, 2**39], [many, 1]], "sensitive": {"\x1b[31mred": 2**39}},
        {"size": 0, "records": [[["a"], 0]], "sensitive": {"\x07": 3}},
        {"size": -5, "records": [[[], -5]], "sensitive": {}},
    ]
    release = written(Groups.from_nested(groups))
    for arguments in ((), ("--group", 0), ("--typical",)):
        out = shown(capfd, release, *arguments)
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "\u202e" not in out
    assert "[b]x[/b]" in shown(capfd, release, "--group", 0)
    assert "group 2: -5 records" in shown(capfd, release)


def test_who_only_looks_does_not_wait_for_the_compiler():
    loaded = (
        "import sys, disjoin.forms.clusters.pictures, disjoin.forms.groups.pictures; sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0
