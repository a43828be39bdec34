"""Manual pages: one per command, all that --help says, in words that troff prints as they are."""

from __future__ import annotations

import re
import shutil
import subprocess

import click
import pytest

from disjoin.cli.main import commands, disjoin, run
from disjoin.cli.manual import manual

REQUESTS = {".TH", ".ad", ".nh", ".SH", ".PP", ".TP", ".nf", ".fi"}
ESCAPES = re.compile(r"\\(?:f[BR]|&|e|-|\((?:ha|ti|aq|ga))")


@pytest.fixture(scope="module")
def pages():
    return manual()


def as_read(line):
    """A line as troff prints it."""
    signs = {"\\e": "\\", "\\-": "-", "\\(ha": "^", "\\(ti": "~", "\\(aq": "'", "\\(ga": "`"}
    return ESCAPES.sub(lambda found: signs.get(found[0], ""), line)


def words_of(page):
    return " ".join(" ".join(as_read(line) for line in page.splitlines() if not line.startswith(".")).split())


def test_every_command_has_a_page(pages):
    assert {"disjoin", *(f"disjoin-{name}" for name in commands())} <= set(pages)
    assert "disjoin-hierarchy-check" in pages


def test_pages_have_nothing_that_troff_would_take_for_an_order(pages):
    for name, page in pages.items():
        for line in page.splitlines():
            assert line, name
            assert not line.startswith("'"), (name, line)
            assert not line.startswith(".") or line.split()[0] in REQUESTS, (name, line)
            assert "\\" not in ESCAPES.sub("", line), (name, line)


def test_sections_stand_in_the_order_of_manuals(pages):
    usual = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "SEE ALSO"]
    for name, page in pages.items():
        found = re.findall(r"^\.SH (.*)", page, flags=re.MULTILINE)
        assert found == [title for title in usual if title in found], name
        assert set(usual[:4]) <= set(found)


def test_a_page_has_every_option_with_its_words(pages):
    context = disjoin.make_context("disjoin", [], resilient_parsing=True)
    command = disjoin.get_command(context, "disassociate")
    inner = command.make_context("disassociate", [], parent=context, resilient_parsing=True)
    read = words_of(pages["disjoin-disassociate"])
    records = [each.get_help_record(inner) for each in command.get_params(inner) if isinstance(each, click.Option)]
    assert len(records) > 20
    for flags, words in filter(None, records):
        assert f"{flags} {' '.join(words.split())}" in read


@pytest.mark.skipif(not shutil.which("groff"), reason="there is no groff to read the pages")
def test_groff_reads_all_without_a_warning(pages):
    """One process reads them all, one after the other."""
    read = subprocess.run(["groff", "-man", "-ww", "-z"], input="".join(pages.values()), capture_output=True, text=True)
    assert (read.returncode, read.stderr) == (0, "")


def test_the_command_replaces_its_pages_and_leaves_others_alone(tmp_path, capsys):
    place = tmp_path / "man1"
    place.mkdir()
    (place / "ls.1").write_text("list")
    (place / "disjoin.1").write_text("old")
    assert run(["man", "-o", str(place)]) == 0
    assert f"{len(manual())} manual pages" in capsys.readouterr().out
    assert (place / "ls.1").read_text() == "list"
    assert {path.stem for path in place.iterdir()} == {"ls", *manual()}
    assert (place / "disjoin.1").read_text() == manual()["disjoin"]
