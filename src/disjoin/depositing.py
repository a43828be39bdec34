"""What repositories ask for beside a release: Croissant, Data Package, CITATION.cff, metadata for Zenodo and Dataverse.

Who made the data, what they are called and under which licence they may be used is given by the steward, and never
guessed. The rest is taken from the release. The files are put beside the folder, not in it, and nothing is sent.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from disjoin.errors import InvalidParameter, OutputExists, described
from disjoin.escaping import json_text, legible
from disjoin.files.release_parts import paths_of
from disjoin.forms.registry import FORMS
from disjoin.model import Release
from disjoin.pipeline import load
from disjoin.releases.descriptor import DESCRIPTOR
from disjoin.releases.folder import as_destination, fingerprint, whole_or_nothing

_TYPES = {"string": "sc:Text", "int32": "sc:Integer", "int64": "sc:Integer", "double": "sc:Float"}
_CONTACT = re.compile(r"[^@\s]+@[^@\s]+")
CROISSANT = "http://mlcommons.org/croissant/1.1"
_TERMS = (
    *("citeAs", "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes"),
    *("isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated"),
    *("replace", "samplingRate", "separator", "source", "subField", "transform", "equivalentProperty"),
)


@dataclass(frozen=True, slots=True)
class Deposit:
    """What only the steward can say of a release."""

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
            date.fromisoformat(self.date)
        except (TypeError, ValueError):
            raise InvalidParameter(f"date must be written as 2026-01-31, got {described(self.date)}.") from None

    @property
    def cited(self) -> str:
        """How to cite the data, in one line."""
        return self.citation or f"{'; '.join(self.authors)} ({self.date[:4]}): {self.title}."


def deposit(release: str | Path, facts: Deposit, output: str | Path) -> list[str]:
    """Write the files for repositories into a new folder, and return their names.

    release: the folder; it is inspected, and nothing is written for one that does not hold (`NotAnonymous`).
    """
    folder, place = Path(release), as_destination(output)
    accepted = load(folder)
    if place.exists():
        raise OutputExists(f"{legible(place)} already exists. Choose another place.", place)
    about = _description(accepted)
    texts = {
        "croissant.json": json_text(_croissant(folder, accepted, facts, about), indent=2) + "\n",
        "datapackage.json": json_text(_package(folder, facts), indent=2) + "\n",
        "CITATION.cff": _citation(facts, about),
        "zenodo.json": json_text(_zenodo(facts, about), indent=2) + "\n",
        "dataverse.json": json_text(_dataverse(facts, about), indent=2) + "\n",
    }
    with whole_or_nothing(place, what="The deposit") as made:
        for name, text in texts.items():
            (made / name).write_text(text, encoding="utf-8")
    return list(texts)


def _description(release: Release) -> str:
    return (
        f"{release.guarantee.sentence()} Published by {release.method} with disjoin and checked by its independent "
        "verifier. What is not promised is in README.md of the release."
    )


def _croissant(folder: Path, release: Release, facts: Deposit, about: str) -> dict[str, Any]:
    names = [name for name in FORMS[release.published.form].tables if name.endswith(".parquet")]
    context: dict[str, Any] = {"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/"}
    context |= {"cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/"}
    context |= {"dct": "http://purl.org/dc/terms/", "conformsTo": "dct:conformsTo"}
    context |= {term: f"cr:{term}" for term in _TERMS} | {"dataType": {"@id": "cr:dataType", "@type": "@vocab"}}
    context |= {"data": {"@id": "cr:data", "@type": "@json"}, "examples": {"@id": "cr:examples", "@type": "@json"}}
    creators = [{"@type": "sc:Person", "name": name} for name in facts.authors]
    return {
        "@context": context,
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


def _package(folder: Path, facts: Deposit) -> dict[str, Any]:
    """Return the descriptor of the release with what the steward says, in the words of Data Package 2."""
    stated: dict[str, Any] = json.loads((folder / DESCRIPTOR).read_text(encoding="utf-8"))
    said = {
        "title": facts.title,
        "created": f"{facts.date}T00:00:00Z",
        "licenses": [{"name": facts.licence}],
        "contributors": [
            {"title": name, "roles": ["author"]} | ({"email": facts.contact} if number == 0 else {})
            for number, name in enumerate(facts.authors)
        ],
        "citation": facts.cited,
    }
    return stated | said


def _files(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the files of a table; of one in parts also the set that they are."""
    paths = paths_of(folder, table)
    files = [_file(folder, path) for path in paths]
    if paths == [table]:
        return files
    together: dict[str, Any] = {"@type": "cr:FileSet", "@id": table, "name": table}
    together |= {"containedIn": [{"@id": path} for path in paths], "encodingFormat": "application/x-parquet"}
    return [*files, together | {"includes": f"{Path(table).stem}/*.parquet"}]


def _file(folder: Path, path: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "encodingFormat": "application/x-parquet",
        "sha256": fingerprint(folder / path)["hash"].removeprefix("sha256:"),
    }


def _records(folder: Path, table: str) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields, (first, *_), name = [], paths_of(folder, table), Path(table).stem
    for column in pq.read_schema(folder / first):
        is_list = pa.types.is_list(column.type)
        kind = str(column.type.value_type if is_list else column.type)
        found = {"@type": "cr:Field", "@id": f"{name}/{column.name}", "name": column.name}
        found |= {"dataType": _TYPES.get(kind, "sc:Text")} | ({"repeated": True} if is_list else {})
        source = {"fileObject" if first == table else "fileSet": {"@id": table}, "extract": {"column": column.name}}
        fields.append(found | {"source": source})
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


def _zenodo(facts: Deposit, about: str) -> dict[str, Any]:
    return {
        "metadata": {
            "title": facts.title,
            "upload_type": "dataset",
            "publication_date": facts.date,
            "description": about,
            "creators": [{"name": name} for name in facts.authors],
            "license": facts.licence.lower(),
        }
    }


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
