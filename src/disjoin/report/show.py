"""`disjoin.show`: drawings of parts of a release, and its card in a notebook."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter, described
from disjoin.forms.form import Form
from disjoin.forms.registry import FORMS
from disjoin.model import Published, Release
from disjoin.model.card import card
from disjoin.model.guarantees import names_of
from disjoin.model.parameters import require_integer
from disjoin.release.reader import read_release
from disjoin.text import printable

if TYPE_CHECKING:
    from rich.console import Console

NOT_PROVEN = "This release states that its guarantee is not proven; it is for comparison only."
NARROWEST = 20
ANY = "part"  # stands for the form's own name of its parts


@dataclass(frozen=True, slots=True)
class View:
    """Parts of a release that are to be seen: one with all its rows, typical ones, or the first."""

    form: Form
    parts: Sized
    places: list[int]
    is_one: bool
    counts_rest: bool
    is_proven: bool

    def to_json(self) -> dict[str, Any]:
        doubt = {} if self.is_proven else {"proven": False}
        return {self.form.part[1]: [self.form.show.as_json(self.parts, place) for place in self.places]} | doubt

    def draw(self, console: Console) -> None:
        self.form.show.draw(console, self.parts, self.places, full=self.is_one)
        rest = self.form.show.left(self.parts, self.places) if self.counts_rest and self.places else ""
        if rest:
            console.print(f"{rest} Options for others: {self.form.part[0]} N, first N, typical.", soft_wrap=True)
        if not self.is_proven:
            console.print(NOT_PROVEN, soft_wrap=True)


def show(
    release: str | Path | Release | Published,
    *,
    cluster: int | None = None,
    group: int | None = None,
    class_: int | None = None,
    node: int | None = None,
    row: int | None = None,
    part: int | None = None,
    typical: bool = False,
    first: int | None = None,
    width: int = 100,
) -> str:
    """Return a drawing of parts of a release, as text; it is not verified.

    release: a folder, a `Release`, or bare published data.
    cluster, group, class_, node, row: the number of the one to show with all its rows; each form has one of these.
    part: the same, whatever the form calls it.
    typical: show what is good to look at: a cluster and a joint one, a group, a class and so on.
    first: how many to show; 3, of noisy records 10, if not given.
    width: how many characters a line may have.

    >>> from disjoin.model import Groups
    >>> group = {"records": [[["milk"], 1], [["tea"], 2]], "sensitive": {"pills": 1}}
    >>> print(show(Groups.from_nested([group]), group=0).splitlines()[0])
    group 0: 3 records
    """
    from rich.console import Console

    numbers = {"cluster": cluster, "group": group, "class": class_, "node": node, "row": row}
    asked = {name: _number(name, given, 0) for name, given in (numbers | {ANY: part}).items() if given is not None}
    first = None if first is None else _number("first", first, 1)
    width = _number("width", width, NARROWEST)
    text = io.StringIO()
    plain: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}
    console = Console(file=text, width=width, color_system=None, force_terminal=False, **plain)
    view_of(release, asked, typical=typical, first=first).draw(console)
    return printable(text.getvalue().removesuffix("\n"), lines=True)


def view_of(
    release: str | Path | Release | Published, asked: Mapping[str, int], *, typical: bool, first: int | None
) -> View:
    if not isinstance(release, (str, Path, Release, Published)):
        raise InvalidParameter(f"expected a release or the path of one, got {described(release)}.")
    if isinstance(release, Published):
        published, is_proven = release, True  # nothing says that it is not proven
    else:
        contents = release if isinstance(release, Release) else read_release(release)
        published, is_proven = contents.published, contents.guarantee.proven
    form = FORMS[published.form]
    parts = form.show.opened(published)
    number = _asked_for(parts, form, asked)
    if number is not None:
        return View(form, parts, [number], True, False, is_proven)
    places = form.show.typical(parts) if typical else form.show.chosen(parts, first or form.show.first)
    return View(form, parts, places, False, not typical, is_proven)


def _asked_for(parts: Sized, form: Form, asked: Mapping[str, int]) -> int | None:
    part, several = form.part
    names = dict(each.part for each in FORMS.values())
    for other in asked:
        if other not in (part, ANY):
            raise InvalidParameter(f"this release has {several} and no {names[other]}: use --{part} N.")
    number = asked.get(part, asked.get(ANY))
    if number is not None and number >= len(parts):
        what = f"the {several} 0 to {len(parts) - 1}" if len(parts) else f"no {several}"
        raise InvalidParameter(f"the release has {what}, there is no {part} {number}.")
    return number


def _number(name: str, given: object, least: int) -> int:
    return require_integer(name, given, least, "it is counted in whole numbers.")


CARD_LINES = 14  # of a drawing
CARD_WIDTH = 88
UNPROVEN = "The guarantee of this release is not proven: it is for experiments."


def release_card(release: Release) -> str:
    """Return the card of a release; all that is on it may be published."""
    is_proven = release.guarantee.proven
    lines = show(release, typical=True, width=CARD_WIDTH).splitlines()
    shown = lines if len(lines) <= CARD_LINES else [*lines[:CARD_LINES], "..."]
    return card(
        " · ".join(filter(None, (f"Release by {release.method}", names_of(release.guarantee.to_json())))),
        release.guarantee.sentence(),
        [(name.replace("_", " "), f"{number:,}") for name, number in release.counts.items()],
        is_verified=True if is_proven else None,
        warning="" if is_proven else UNPROVEN,
        drawing="\n".join(shown),
    )
