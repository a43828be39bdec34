"""How the pages become a site: `make docs`. Everything is local, so it can be read where there is no network."""

from __future__ import annotations

import re
from pathlib import Path

from disjoin import __version__

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

METHODS = Path(__file__).parent.parent / "src" / "disjoin" / "methods"
_BESIDE = re.compile(r"\]\(\.\./(\w+)/PROOF\.md")  # from one proof to another
_PROOF = re.compile(r"\]\((?:\.\./)+src/disjoin/methods/(\w+)/PROOF\.md")


def _inside_the_site(app: object, page: str, source: list[str]) -> None:
    """Put the proofs, which stand beside the code, in the place of the pages that name them, and let links lead there."""
    if page.startswith("proofs/"):
        proof = (METHODS / page.removeprefix("proofs/") / "PROOF.md").read_text(encoding="utf-8")
        source[0] = _BESIDE.sub(r"](\1.md", proof.replace("](../../../../docs/", "](../"))
    up = "../" * page.count("/")
    source[0] = _PROOF.sub(rf"]({up}proofs/\1.md", source[0])


def setup(app: object) -> None:
    """Hand the pages over before they are parsed."""
    app.connect("source-read", _inside_the_site)  # type: ignore[attr-defined]
