"""Deposit files that repositories ask for: Croissant, CITATION.cff, Zenodo, Dataverse.

The data owner states title, authors, licence, contact, date and citation; the release gives the rest. So the files can
be made again from datapackage.json and the tables, and the verifier compares them byte for byte.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from disjoin.forms.form import Form
from disjoin.model.guarantees import AnyGuarantee
from disjoin.parquet.tables import paths_of
from disjoin.release.deposit_facts import DEPOSIT_FILES, Deposit
from disjoin.release.descriptor import DESCRIPTOR, read_descriptor
from disjoin.release.destination import fingerprint
from disjoin.text import json_text

_TYPES = {"string": "sc:Text", "int32": "sc:Integer", "int64": "sc:Integer", "double": "sc:Float"}
CROISSANT = "http://mlcommons.org/croissant/1.1"
_TERMS = (
    *("citeAs", "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes"),
    *("isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated"),
    *("replace", "samplingRate", "separator", "source", "subField", "transform", "equivalentProperty"),
)


def add_deposit(folder: Path, facts: Deposit) -> None:
    """Add the files to a release folder, and state them and the facts in its datapackage.json."""
    descriptor = read_descriptor(folder)
    about = _description(descriptor.guarantee, descriptor.method)
    texts = {
        "CITATION.cff": _citation(facts, about),
        "croissant.json": _json(_croissant(folder, descriptor.form, facts, about)),
        "dataverse.json": _json(_dataverse(facts, about)),
        "zenodo.json": _json(_zenodo(facts, about)),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    package: dict[str, Any] = json.loads((folder / DESCRIPTOR).read_text(encoding="utf-8"))
    listed = [one for one in package["resources"] if str(one["path"]) not in DEPOSIT_FILES]
    package |= facts.to_package() | {"resources": [*listed, *(_resource(folder / name) for name in texts)]}
    (folder / DESCRIPTOR).write_text(_json(package, sort_keys=True), encoding="utf-8", newline="\n")


def _json(facts: dict[str, Any], *, sort_keys: bool = False) -> str:
    return json_text(facts, indent=2, sort_keys=sort_keys) + "\n"


def _resource(file: Path) -> dict[str, Any]:
    mediatype, meaning = DEPOSIT_FILES[file.name]
    named = {"name": file.name.lower().replace(".", "-"), "path": file.name, "format": file.suffix[1:]}
    return named | {"mediatype": mediatype, "encoding": "utf-8", "description": meaning} | fingerprint(file)


def _description(guarantee: AnyGuarantee, method: str) -> str:
    return (
        f"{guarantee.sentence()} Published by {method} with disjoin and checked by its independent verifier. "
        "The limits are in README.md."
    )


def _croissant(folder: Path, form: Form, facts: Deposit, about: str) -> dict[str, Any]:
    names = [name for name in form.tables if name.endswith(".parquet")]
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
