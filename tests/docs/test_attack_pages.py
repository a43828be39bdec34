"""The pages of attacks show what the command says: every block with `disjoin attack` is run and compared."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from disjoin.attack import overview
from disjoin.cli.main import run
from disjoin.generate.baskets import write_baskets

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = sorted((DOCS / "attacks").glob("*.md"))
SHOWN = [
    pytest.param(page, id=page.stem, marks=() if page.stem == "index" else pytest.mark.every_page)
    for page in (*PAGES, DOCS / "how-to" / "risk.md")
]


def blocks(page):
    return re.findall(r"^```\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The releases of the index page, by its own commands."""
    folder = tmp_path_factory.mktemp("attacks")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        [made] = [block for page in PAGES for block in blocks(page) if block.startswith("disjoin generate")]
        for line in made.splitlines():
            assert run(shlex.split(line)[1:]) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", SHOWN)
def test_a_page_shows_what_the_command_says(page, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    shown = [block for block in blocks(page) if block.startswith(("disjoin attack", "disjoin risk"))]
    assert shown
    capsys.readouterr()
    for block in shown:
        command, _, output = block.partition("\n")
        assert run(shlex.split(command)[1:]) == 0
        assert capsys.readouterr().out.split() == output.split()


def test_the_baskets_of_the_pages_are_those_of_the_generator(place, tmp_path):
    write_baskets(1500, 1, tmp_path / "baskets.csv")
    assert (place / "baskets.csv").read_bytes() == (tmp_path / "baskets.csv").read_bytes()


def test_the_index_names_every_page_and_every_attacker_of_the_overview():
    index = next(page for page in PAGES if page.stem == "index").read_text(encoding="utf-8")
    for page in PAGES:
        assert page.stem == "index" or f"]({page.name})" in index
    for attacker in overview.ATTACKERS.values():
        assert f"[{attacker.title}]".lower() in index.lower()
