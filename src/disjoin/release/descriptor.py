"""Descriptor of a release (datapackage.json), read without trust."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.forms.form import Form
from disjoin.forms.registry import form_of
from disjoin.model.guarantees import AnyGuarantee, fractions, guarantee_from
from disjoin.model.published import Violation
from disjoin.parquet.tables import files_in, in_parts, table_at
from disjoin.release.deposit import DEPOSIT_FILES, Deposit, deposit_in
from disjoin.release.destination import NOT_A_FOLDER, NOT_TO_BE_SEEN, fingerprint, objection_to_files
from disjoin.text import is_utf8

DESCRIPTOR = "datapackage.json"
FORMATS = (1, 2)  # 2: a table is in parts
DOCUMENTS = {
    "README.md": ("text/markdown", "What was done, what is promised and what is not, how to read the tables."),
    "report.html": ("text/html", "The facts of this release as a page with charts; works offline."),
    "report.json": ("application/json", "The facts of this release."),
}


_MOST = 2**40  # records and terms
_SHORT_FRACTION = re.compile(r"[0-9]{1,18}(/[0-9]{1,18})?")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+]{0,29}")
_LARGEST = 64 << 20  # bytes of a descriptor or a page; ours have a few thousand, more with many sensitive terms


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The contents of datapackage.json, checked for their types."""

    format: int
    form: Form
    version: str
    method: str
    parameters: Mapping[str, Any]
    guarantee: AnyGuarantee
    counts: Mapping[str, int]
    resources: Mapping[str, Mapping[str, Any]]  # by path; parts of tables are separate
    in_parts: Sequence[Mapping[str, Any]]  # resources with a list of paths
    deposit: Deposit | None  # facts from the data owner, if the release was prepared for a repository

    @property
    def suppressed_records(self) -> int:
        return self.counts["suppressed_records"]

    @property
    def documents(self) -> frozenset[str]:
        return frozenset((*DOCUMENTS, *(DEPOSIT_FILES if self.deposit else ())))


def objection_to(folder: Path) -> str | None:
    """Return why a folder must not be overwritten and what to do; None if it is empty or an unchanged release."""
    if not folder.is_dir():
        return NOT_A_FOLDER
    try:
        present = files_in(folder)
        if not present:
            return None
        descriptor = read_descriptor(folder)
        known = {*descriptor.documents, *descriptor.form.paths(descriptor.guarantee)}
        files = {path: file for path, file in present.items() if path != DESCRIPTOR}
        return objection_to_files(files, descriptor.resources, lambda path: table_at(path) in known, "release")
    except PermissionError:
        return NOT_TO_BE_SEEN
    except UnreadableInput:
        return "it is not a release from disjoin. Choose another place."


def is_release(folder: Path) -> bool:
    """Return whether a folder states that it is a release of disjoin, complete or not."""
    try:
        return bool(_package(folder))
    except (UnreadableInput, OSError):
        return False


def read_descriptor(folder: Path) -> Descriptor:
    package = _package(folder)
    block = package["disjoin"]
    number = _typed(folder, block, "format", int)
    least, most = FORMATS
    if number > most:
        raise _unreadable(folder, f"the release has format {number}, but this disjoin reads {most}; use a newer one.")
    if number < least:
        raise _unreadable(folder, f"expected release format {least} or {most}, found {number}.")
    guarantee = _guarantee(folder, _typed(folder, block, "guarantee", dict))
    resources, in_parts = _resources(package)
    form = form_of(map(table_at, files_in(folder)), map(table_at, resources), guarantee)
    if not form.fits(guarantee):
        kind = guarantee.to_json()["type"]
        raise _unreadable(folder, f"the stated guarantee {kind} is not possible for a release of {form.name}.")
    version: str = _typed(folder, block, "version", str)
    if not _VERSION.fullmatch(version):  # otherwise it could contain hidden text
        raise _unreadable(folder, 'expected "version" to be a version such as "1.2.3", found another text.')
    try:
        deposit = deposit_in(package)
    except InvalidParameter as failure:
        raise _unreadable(folder, f"the facts of a deposit are not complete: {failure}") from failure
    return Descriptor(
        format=number,
        form=form,
        version=version,
        method=_typed(folder, block, "method", str),
        parameters=_typed(folder, block, "parameters", dict),
        guarantee=guarantee,
        counts=_counts(folder, form, _typed(folder, block, "counts", dict)),
        resources=resources,
        in_parts=in_parts,
        deposit=deposit,
    )


def mismatches(
    folder: Path, descriptor: Descriptor, rows: Mapping[str, int], files: Collection[str]
) -> list[Violation]:
    """Return differences of the folder from its description: bytes, hashes, `rows` by path, undeclared files (F1)."""
    found, parted = _misstated_parts(descriptor, rows), in_parts(rows)
    present = {path: file for path, file in files_in(folder).items() if path != DESCRIPTOR}
    for name in sorted(present.keys() | descriptor.resources.keys()):
        known = name in files or name in descriptor.documents or table_at(name) in parted
        if name not in descriptor.resources:
            found.append(Violation("F1", name, f"the folder has {name!r}, which {DESCRIPTOR} does not declare"))
        elif not known:  # unknown names are never opened
            found.append(Violation("F1", name, f"{DESCRIPTOR} declares {name!r}, which such a release does not have"))
        elif name not in present or not present[name].is_file():
            found.append(Violation("F1", name, f"{DESCRIPTOR} declares {name!r}, but it is missing"))
        elif present[name].is_symlink():  # the recipient would not get its target
            found.append(Violation("F1", name, "is a link to another place"))
        else:
            found += _differences(name, present[name], descriptor.resources[name], rows.get(name))
    return found


def _misstated_parts(descriptor: Descriptor, rows: Mapping[str, int]) -> list[Violation]:
    said = [
        (one.get("name"), one["path"], [part.get("path") for part in _objects(one.get("parts"))], one.get("rows"))
        for one in descriptor.in_parts
    ]
    parts = sorted(in_parts(rows).items())
    found = [(name.removesuffix(".parquet"), paths, paths, sum(rows[path] for path in paths)) for name, paths in parts]
    wrong = []
    if said != found:
        wrong.append("its lists of parts differ from those of the tables: every part once, in order, with all rows")
    if descriptor.format != FORMATS[bool(found)]:
        tables = "a table in parts" if found else "no table in parts"
        wrong.append(f"it states format {descriptor.format}, but a release with {tables} has {FORMATS[bool(found)]}")
    return [Violation("F1", DESCRIPTOR, words) for words in wrong]


def _differences(name: str, file: Path, stated: Mapping[str, Any], rows: int | None) -> list[Violation]:
    """Compare a file with its statement: the size first, because a file of another size need not be read."""
    actual: dict[str, Any] = {"bytes": file.stat().st_size} | ({} if rows is None else {"rows": rows})
    if stated.get("bytes") == actual["bytes"]:
        actual |= fingerprint(file)
    return [
        Violation("F1", name, f"{DESCRIPTOR} states {key} {stated.get(key)!r}, but the file has {value!r}")
        for key, value in actual.items()
        if stated.get(key) != value
    ]


def require_short_documents(folder: Path) -> None:
    for file in map(folder.joinpath, DOCUMENTS):
        if file.is_file() and file.stat().st_size > _LARGEST:
            message = f"expected a page of at most {_LARGEST >> 20} MB, found {file.stat().st_size:,} bytes."
            raise UnreadableInput(message, source=str(file))


def _package(folder: Path) -> dict[str, Any]:
    file = folder / DESCRIPTOR
    if not file.is_file():
        raise UnreadableInput(f"expected a release folder with a {DESCRIPTOR}, found none.", source=str(folder))
    if file.is_symlink():  # the recipient would not get its target
        raise _unreadable(folder, "expected a file, found a link to another place. Copy the file itself.")
    try:
        if file.stat().st_size > _LARGEST:
            raise _unreadable(folder, f"expected at most {_LARGEST >> 20} MB, found {file.stat().st_size} bytes.")
        text = file.read_text(encoding="utf-8")
        package = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except (PermissionError, UnreadableInput):
        raise  # with the file, for the caller to explain
    except OSError as failure:
        raise _unreadable(folder, f"cannot be read: {failure.strerror or failure}.") from failure
    except (ValueError, RecursionError) as failure:
        raise _unreadable(folder, "expected JSON text in UTF-8; the file is damaged.") from failure
    if not isinstance(package, dict) or not isinstance(package.get("disjoin"), dict):
        raise _unreadable(folder, 'expected a block "disjoin", found none: this data package is not from disjoin.')
    return package


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a repeated member, because readers differ in which one they use."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a member occurs twice")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _resources(package: dict[str, Any]) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    listed = _objects(package.get("resources"))
    in_parts = [entry for entry in listed if isinstance(entry.get("path"), list)]
    paths: dict[str, Any] = {path: {} for entry in in_parts for path in entry["path"] if isinstance(path, str)}
    parts = [part for entry in in_parts for part in _objects(entry.get("parts"))]
    return paths | {one["path"]: one for one in (*listed, *parts) if isinstance(one.get("path"), str)}, in_parts


def _objects(entries: Any) -> list[dict[str, Any]]:
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _guarantee(folder: Path, facts: dict[str, Any]) -> AnyGuarantee:
    for name, what in (("sensitive", "terms"), ("quasi", "columns")):
        texts = facts.get(name, [])
        if not isinstance(texts, list) or not all(isinstance(text, str) and is_utf8(text) for text in texts):
            raise _unreadable(folder, f"expected the {name} {what} as a list of strings.")
    for name in sorted(fractions()):
        # Read as a number only if it is short: 1e999999999 would take years.
        if name in facts and not (isinstance(facts[name], str) and _SHORT_FRACTION.fullmatch(facts[name])):
            raise _unreadable(folder, f'expected "{name}" to be a fraction such as "1/2", found something else.')
    try:
        return guarantee_from(facts)
    except InvalidParameter as failure:
        raise _unreadable(folder, f"the stated guarantee is invalid: {failure}") from failure


def _counts(folder: Path, form: Form, counts: dict[str, Any]) -> dict[str, int]:
    names = sorted((*form.counted, "suppressed_records"))
    for name in names:
        if not 0 <= _typed(folder, counts, name, int) <= _MOST:
            raise _unreadable(folder, f'"{name}" must be between 0 and {_MOST:,}, found {counts[name]}.')
    return {name: counts[name] for name in names}


def _typed(folder: Path, block: dict[str, Any], name: str, kind: type) -> Any:
    value = block.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        words = {int: "a whole number", str: "a string", dict: "an object"}
        raise _unreadable(folder, f'expected "{name}" to be {words[kind]}, found {json.dumps(value)[:60]}.')
    return value


def _unreadable(folder: Path, message: str) -> UnreadableInput:
    return UnreadableInput(message, source=str(folder / DESCRIPTOR))
