"""Deposits: Croissant, CITATION.cff, Zenodo and Dataverse files, from the release and facts that the data owner states.

They can be made again from datapackage.json and the tables, so the verifier compares them byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any

from disjoin.errors import InvalidParameter, described
from disjoin.forms.form import Form
from disjoin.parquet.tables import paths_of
from disjoin.release.destination import document_resource, fingerprint
from disjoin.text import json_text

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
        try:
            is_day = isinstance(self.date, str) and date.fromisoformat(self.date).isoformat() == self.date
        except ValueError:
            is_day = False
        if not is_day:
            raise InvalidParameter(f"date must be written as 2026-01-31, got {described(self.date)}.")

    @property
    def cited(self) -> str:
        return self.citation or f"{'; '.join(self.authors)} ({self.date[:4]}): {self.title}."

    def to_package(self) -> dict[str, Any]:
        authors = [{"title": name, "roles": ["author"]} for name in self.authors]
        return {
            "title": self.title,
            "created": f"{self.date}T00:00:00Z",
            "licenses": [{"name": self.licence}],
            "contributors": [authors[0] | {"email": self.contact}, *authors[1:]],
            "citation": self.cited,
        }


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
        return Deposit(package["title"], authors, licence, contact, day, package["citation"])
    except (KeyError, IndexError, TypeError) as failure:
        message = "a title, authors, a licence, a contact, a date and a citation belong to it."
        raise InvalidParameter(message) from failure


_TYPES = {"string": "sc:Text", "int32": "sc:Integer", "int64": "sc:Integer", "double": "sc:Float"}
CROISSANT = "http://mlcommons.org/croissant/1.1"


def add_deposit(folder: Path, facts: Deposit) -> None:
    from disjoin.release.descriptor import DESCRIPTOR, read_descriptor  # which reads the facts of a deposit

    descriptor = read_descriptor(folder)
    about = (
        f"{descriptor.guarantee.sentence()} Published by {descriptor.method} with disjoin and checked by its "
        "independent verifier. The limits are in README.md."
    )
    zenodo: dict[str, Any] = {
        "title": facts.title,
        "upload_type": "dataset",
        "publication_date": facts.date,
        "description": about,
    }
    zenodo |= {"creators": [{"name": name} for name in facts.authors], "license": facts.licence.lower()}
    texts = {
        "CITATION.cff": _citation(facts, about),
        "croissant.json": _json(_croissant(folder, descriptor.form, facts, about)),
        "dataverse.json": _json(_dataverse(facts, about)),
        "zenodo.json": _json({"metadata": zenodo}),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    package: dict[str, Any] = json.loads((folder / DESCRIPTOR).read_text(encoding="utf-8"))
    listed = [one for one in package["resources"] if str(one["path"]) not in DEPOSIT_FILES]
    package |= facts.to_package() | {
        "resources": [*listed, *(document_resource(folder / name, *DEPOSIT_FILES[name]) for name in texts)]
    }
    (folder / DESCRIPTOR).write_text(_json(package, sort_keys=True), encoding="utf-8", newline="\n")


def _json(facts: dict[str, Any], *, sort_keys: bool = False) -> str:
    return json_text(facts, indent=2, sort_keys=sort_keys) + "\n"


def _croissant(folder: Path, form: Form, facts: Deposit, about: str) -> dict[str, Any]:
    names = [name for name in form.tables if name.endswith(".parquet")]
    context = files("disjoin.release").joinpath("croissant_context.json").read_text(encoding="utf-8")
    creators = [{"@type": "sc:Person", "name": name} for name in facts.authors]
    return {
        "@context": json.loads(context),
        "@type": "sc:Dataset",
        "conformsTo": CROISSANT,
        "name": facts.title,
        "description": about,
        "license": facts.licence,
        "datePublished": facts.date,
        "creator": creators[0] if len(creators) == 1 else creators,
        "citeAs": facts.cited,
        "rai:personalSensitiveInformation": about,
        "distribution": [one for name in names for one in _files(folder, name)],
        "recordSet": [_records(folder, name) for name in names],
    }


def _files(folder: Path, table: str) -> list[dict[str, Any]]:
    paths = paths_of(folder, table)
    files: list[dict[str, Any]] = [
        {
            "@type": "cr:FileObject",
            "@id": path,
            "name": path,
            "contentUrl": path,
            "encodingFormat": "application/x-parquet",
            "sha256": fingerprint(folder / path)["hash"].removeprefix("sha256:"),
        }
        for path in paths
    ]
    if paths == [table]:
        return files
    together: dict[str, Any] = {"@type": "cr:FileSet", "@id": table, "name": table}
    together |= {"containedIn": [{"@id": path} for path in paths], "encodingFormat": "application/x-parquet"}
    return [*files, together | {"includes": f"{Path(table).stem}/*.parquet"}]


def _records(folder: Path, table: str) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields, (first, *_), name = [], paths_of(folder, table), Path(table).stem
    for column in pq.read_schema(folder / first):
        is_list = pa.types.is_list(column.type)
        kind = str(column.type.value_type if is_list else column.type)
        found = {"@type": "cr:Field", "@id": f"{name}/{column.name}", "name": column.name}
        found |= {"dataType": _TYPES.get(kind, "sc:Text")} | ({"repeated": True} if is_list else {})
        whole = "fileObject" if first == table else "fileSet"
        fields.append(found | {"source": {whole: {"@id": table}, "extract": {"column": column.name}}})
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}


def _citation(facts: Deposit, about: str) -> str:
    """Return CITATION.cff; what is written in JSON's quotes is YAML, too."""
    authors = "".join(f"  - name: {json_text(name)}\n" for name in facts.authors)
    return (
        'cff-version: 1.2.0\nmessage: "Please cite this dataset as below."\ntype: dataset\n'
        f"title: {json_text(facts.title)}\nauthors:\n{authors}license: {json_text(facts.licence)}\n"
        f"date-released: {json_text(facts.date)}\nabstract: {json_text(about)}\n"
        f"contact:\n  - name: {json_text(facts.authors[0])}\n    email: {json_text(facts.contact)}\n"
    )


def _dataverse(facts: Deposit, about: str) -> dict[str, Any]:
    def field(name: str, value: object, kind: str = "primitive", *, multiple: bool = False) -> dict[str, Any]:
        return {"typeName": name, "multiple": multiple, "typeClass": kind, "value": value}

    authors = [{"authorName": field("authorName", name)} for name in facts.authors]
    contact = {"datasetContactEmail": field("datasetContactEmail", facts.contact)}
    words = {"dsDescriptionValue": field("dsDescriptionValue", about)}
    fields = [
        field("title", facts.title),
        field("author", authors, "compound", multiple=True),
        field("datasetContact", [contact], "compound", multiple=True),
        field("dsDescription", [words], "compound", multiple=True),
    ]
    blocks = {"citation": {"displayName": "Citation Metadata", "fields": fields}}
    return {"datasetVersion": {"license": {"name": facts.licence}, "metadataBlocks": blocks}}
