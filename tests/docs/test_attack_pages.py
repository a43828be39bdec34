"""The page of attacks has a heading for every attacker; its commands are run with those of all pages."""

import re
from pathlib import Path

import pytest

from disjoin.attack import overview
from disjoin.studio.help_pages import anchor

PAGE = (Path(__file__).parent.parent.parent / "docs" / "explanation" / "attacks.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \[([^\]]+)\]\(#([^)]+)\) \| `([^`]+)` \|", PAGE, flags=re.MULTILINE)
OPTIONS = {"--known", "--with"}  # attackers who run only if asked for


def test_the_table_has_every_attacker_of_the_overview():
    assert {name for _, _, name in ROWS} == {*overview.ATTACKERS} | OPTIONS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_every_attacker_has_a_heading_and_says_what_it_knows_and_where_it_ends(row):
    title, place, _ = row
    assert anchor(title) == place
    [text] = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)
    for part in ("Knows|Has", "Method", "Reading", "Limits"):
        assert re.search(rf"\*\*({part})\.?\*\*", text), part
