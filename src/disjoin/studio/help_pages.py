"""Help pages: pages of the docs, included in the package."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from disjoin.studio.store import NotThere

FIRST = ("explanation/guarantees", "reference/reading-a-report", "reference/glossary", "how-to/publish-again")
FOLDERS = ("explanation", "methods", "measures")
SHIPPED = (*(f"{name}.md" for name in FIRST if not name.startswith(FOLDERS)), *FOLDERS)  # files and folders of the docs
_HERE = Path(__file__).parent


class HelpPage(NamedTuple):
    """A page of the docs: its title, and the rest as HTML."""

    title: str
    html: str


def docs() -> Path:
    """Return the folder of the docs: in the package or, if that is the repository's, next to it."""
    return _HERE / "help" if (_HERE / "help").is_dir() else _HERE.parents[2] / "docs"


@cache
def names() -> tuple[str, ...]:
    root = docs()
    files = [
        file for name in SHIPPED for file in ([root / name] if name.endswith(".md") else (root / name).glob("*.md"))
    ]
    return tuple(sorted(file.relative_to(root).as_posix().removesuffix(".md") for file in files if file.is_file()))


def titles() -> dict[str, str]:
    return {name: rendered(name).title for name in names()}


@cache
def rendered(name: str) -> HelpPage:
    """Return a page of the docs; links to others that are shipped lead there, and no link leads anywhere else."""
    if name not in names():
        raise NotThere("there is no such page of help.")
    tokens = (reader := MarkdownIt("js-default")).parse((docs() / f"{name}.md").read_text(encoding="utf-8"))
    title = _title(tokens[1])
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(_title(tokens[place + 1])))
        if token.type == "inline":
            token.children = _linked(token.children or [], posixpath.dirname(name))
    html = reader.renderer.render(tokens[3:], reader.options, {})
    # What is wide can be scrolled by keys, too; an empty cell is no heading.
    html = html.replace("<pre>", '<pre tabindex="0">').replace("<th></th>", "<td></td>")
    scrolled = '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="rows">'
    return HelpPage(title, html.replace("<table>", scrolled).replace("</table>", "</table></div>"))


def _title(heading: Token) -> str:
    return "".join(token.content for token in heading.children or [])


def anchor(title: str) -> str:
    """Return the anchor of a heading.

    >>> anchor("Groups (CAHD), and `p`")
    'groups-cahd-and-p'
    """
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _linked(words: list[Token], folder: str) -> list[Token]:
    kept, is_open = [], False
    for token in words:
        if token.type == "link_open":
            address = _address(str(token.attrGet("href")), folder)
            is_open = bool(address)
            token.attrSet("href", address)
        if is_open or token.type not in ("link_open", "link_close"):
            kept.append(token)
    return kept


def _address(link: str, folder: str) -> str:
    """Return where a link of the docs leads in the studio, empty if nowhere."""
    path, _, place = link.partition("#")
    if not path:
        return link
    name = posixpath.normpath(posixpath.join(folder, path)).removesuffix(".md")
    return f"/help/{name}" + (f"#{place}" if place else "") if name in names() else ""
