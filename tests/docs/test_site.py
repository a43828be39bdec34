"""The site: every role finds a first page in one click, and every proof is on a page. `make docs` builds it."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
INDEX = (DOCS / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "role", ["steward", "data protection officer", "engineer", "receiver", "researcher", "contributor"]
)
def test_everybody_finds_a_first_page_in_one_click(role):
    [row] = [line for line in INDEX.splitlines() if f"(**{role}**)" in line]
    first = re.search(r"\]\(([^)]+)\)", row)
    assert first is not None
    assert (DOCS / first[1]).is_file()


def test_every_proof_is_on_a_page_of_the_site():
    proofs = {path.parent.name for path in (DOCS.parent / "src" / "disjoin" / "methods").glob("*/PROOF.md")}
    assert proofs == {path.stem for path in (DOCS / "proofs").glob("*.md")}


def test_pages_load_nothing_from_elsewhere():
    settings = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert "http" not in settings
