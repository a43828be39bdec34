"""How the pages become a site: `make docs`. Everything is local, so it can be read where there is no network."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from disjoin import __version__

from pygments.lexers.special import TextLexer

sys.path.insert(0, str(Path(__file__).parent))
from run_notebook import as_notebook

project = "disjoin"
author = copyright = "The disjoin developers"
version = release = __version__
extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["_build"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = f"disjoin {__version__}"
html_static_path: list[str] = []
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
nitpicky = True

STORIES = sorted(path for path in (Path(__file__).parent / "gallery").glob("*.md") if path.stem != "index")
METHODS = Path(__file__).parent.parent / "src" / "disjoin" / "methods"
_BESIDE = re.compile(r"\]\(\.\./(\w+)/PROOF\.md")  # from one proof to another
_PROOF = re.compile(r"\]\((?:\.\./)+src/disjoin/methods/(\w+)/PROOF\.md")


def _inside_the_site(app: object, page: str, source: list[str]) -> None:
    """Put the proofs in the place of the pages that name them, and let links lead there."""
    if page.startswith("proofs/"):
        proof = (METHODS / page.removeprefix("proofs/") / "PROOF.md").read_text(encoding="utf-8")
        source[0] = _BESIDE.sub(r"](\1.md", proof.replace("](../../../../docs/", "](../"))
    up = "../" * page.count("/")
    source[0] = _PROOF.sub(rf"]({up}proofs/\1.md", source[0])


def _as_notebooks(app: object, failure: Exception | None) -> None:
    """Write the stories as notebooks beside their pages, which link to them."""
    if failure is None:
        for page in STORIES:
            place = Path(app.outdir) / page.parent.name / f"{page.stem}.ipynb"  # type: ignore[attr-defined]
            place.write_text(as_notebook(page.read_text(encoding="utf-8")), encoding="utf-8")


def _with_a_link(app: object, page: str, source: list[str]) -> None:
    """Say above a story that it can be had as a notebook; the file is there when the site is built."""
    if any(page == f"gallery/{story.stem}" for story in STORIES):
        link = f'<a href="{page.removeprefix("gallery/")}.ipynb" download>Download this story as a notebook</a>'
        title, rest = source[0].split("\n", 1)
        source[0] = f"{title}\n\n{link}\n{rest}"


def setup(app: object) -> None:
    """Hand the pages over before they are parsed, and write notebooks when all is done."""
    app.add_lexer("csv", TextLexer)  # type: ignore[attr-defined]
    app.connect("source-read", _inside_the_site)  # type: ignore[attr-defined]
    app.connect("source-read", _with_a_link)  # type: ignore[attr-defined]
    app.connect("build-finished", _as_notebooks)  # type: ignore[attr-defined]
