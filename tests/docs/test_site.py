"""The site: every role has a first page, and every page and proof is in the navigation. `make docs` builds it."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
INDEX = (DOCS / "index.md").read_text(encoding="utf-8")


ROLES = ("data owner", "data protection officer", "recipient", "ARX user", "engineer", "researcher", "contributor")


@pytest.mark.parametrize("role", ROLES)
def test_every_role_finds_a_first_page_in_one_click(role):
    [row] = [line for line in INDEX.splitlines() if f"(**{role}**)" in line]
    first = re.search(r"\]\(([^)]+)\)", row)
    assert first is not None
    assert (DOCS / first[1]).is_file()


def test_every_page_is_in_the_navigation():
    listed = set()
    for page in ("index.md", "gallery/index.md"):
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S):
            entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
            listed |= {found for entry in entries for found in (DOCS / page).parent.glob(f"{entry}.md")}
    assert set(DOCS.rglob("*.md")) - {DOCS / "index.md"} == listed


def test_every_proof_is_on_a_page_of_the_site():
    proofs = {path.parent.name for path in (DOCS.parent / "src" / "disjoin" / "methods").glob("*/PROOF.md")}
    assert proofs == {path.stem for path in (DOCS / "proofs").glob("*.md")}


def test_pages_load_nothing_from_elsewhere():
    settings = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert "http" not in settings
