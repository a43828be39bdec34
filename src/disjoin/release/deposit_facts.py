"""Deposit metadata given by the data owner: title, authors, licence, contact, date, citation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from disjoin.errors import InvalidParameter, described

DEPOSIT_FILES = {
    "CITATION.cff": ("application/yaml", "How to cite the data."),
    "croissant.json": ("application/ld+json", "Title, licence, tables and columns in the terms of Croissant."),
    "dataverse.json": ("application/json", "Metadata for a Dataverse."),
    "zenodo.json": ("application/json", "Metadata for Zenodo."),
}
_CONTACT = re.compile(r"[^@\s]+@[^@\s]+")
_STATED = ("created", "licenses", "contributors", "citation")  # members of datapackage.json, next to the title


@dataclass(frozen=True, slots=True)
class Deposit:
    """What only the data owner can state of a release."""

    title: str
    authors: tuple[str, ...]  # as "Family, Given", or the name of an institution
    licence: str  # an SPDX identifier, such as CC-BY-4.0
    contact: str  # an e-mail address
    date: str  # ISO 8601
    citation: str = ""  # how to cite them; authors, year and title if not given

    def __post_init__(self) -> None:
        object.__setattr__(self, "authors", tuple(self.authors))
        for name in ("title", "licence"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                raise InvalidParameter(f"{name} must be a text, got {described(getattr(self, name))}.")
        if not isinstance(self.citation, str):
            raise InvalidParameter(f"citation must be a text, got {described(self.citation)}.")
        if not self.authors or not all(isinstance(one, str) and one.strip() for one in self.authors):
            raise InvalidParameter("authors must name at least one person or institution, as in 'Curie, Marie'.")
        if not isinstance(self.contact, str) or not _CONTACT.fullmatch(self.contact):
            raise InvalidParameter(f"contact must be an e-mail address, got {described(self.contact)}.")
        if not _is_day(self.date):
            raise InvalidParameter(f"date must be written as 2026-01-31, got {described(self.date)}.")

    @property
    def cited(self) -> str:
        """How to cite the data, in one line."""
        return self.citation or f"{'; '.join(self.authors)} ({self.date[:4]}): {self.title}."

    def to_package(self) -> dict[str, Any]:
        """Return the facts as members of datapackage.json, in the terms of Data Package 2."""
        authors = [{"title": name, "roles": ["author"]} for name in self.authors]
        return {
            "title": self.title,
            "created": f"{self.date}T00:00:00Z",
            "licenses": [{"name": self.licence}],
            "contributors": [authors[0] | {"email": self.contact}, *authors[1:]],
            "citation": self.cited,
        }


def _is_day(text: object) -> bool:
    try:
        return isinstance(text, str) and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def deposit_in(package: Mapping[str, Any]) -> Deposit | None:
    """Return what datapackage.json states of a deposit, None if it describes a plain release; raise if it is damaged.

    >>> deposit_in(Deposit("Visits", ("Curie, Marie",), "MIT", "a@example.org", "2026-01-31").to_package()).date
    '2026-01-31'
    """
    if not any(name in package for name in _STATED):
        return None
    try:
        authors = tuple(one["title"] for one in package["contributors"])
        contact, licence = package["contributors"][0]["email"], package["licenses"][0]["name"]
        day = str(package["created"]).removesuffix("T00:00:00Z")
        stated = Deposit(package["title"], authors, licence, contact, day, package["citation"])
    except (KeyError, IndexError, TypeError) as failure:
        raise InvalidParameter(
            "a title, authors, a licence, a contact, a date and a citation belong to it."
        ) from failure
    return stated
