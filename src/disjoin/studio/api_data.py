"""API for originals (/api/data): upload, inspection, deletion."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from disjoin.errors import InvalidParameter
from disjoin.studio.answers import Studio, body, facts_of, one_id, queued, studio_of, texts, wanted, whole
from disjoin.studio.home import new_id
from disjoin.studio.store import DONE, NotThere
from disjoin.studio.uploads import uploaded

LOOKING = 120.0  # seconds
MOST_FILES = 2
KINDS = ("records", "long", "table", "mixed")
DEMOS = ("baskets", "visits", "census", "stays")
ROLES = ("identifier", "quasi", "sensitive", "other", "terms")
AS_ROLES = {"quasi": "describes person", "sensitive": "sensitive", "other": "describes event", "terms": "terms"}
BESIDE = ("population", "hierarchy")  # files that belong to an original
OF_FILES = ("sheet", "encoding", "separator")
READING = ("id", "terms", "field", "split", "blank", "blank_words", "similar_ids", "format", "keep", *OF_FILES)
OF_PEOPLE = ("id", "terms", "split", "similar_ids", "blank_words", "items")


def listed_files(studio: Studio) -> list[str]:
    """Return the files of the folder that the studio was started with; no links that lead out of it."""
    if studio.folder is None:
        return []
    folder = studio.folder.resolve()
    found = [each for each in folder.iterdir() if each.is_file() and not each.name.startswith(".")]
    return sorted(each.name for each in found if each.resolve().is_relative_to(folder))


async def add_data(request: Request) -> Response:
    studio, asked = studio_of(request), await body(request)
    reading = {name: wanted(asked, name, str) for name in OF_FILES if asked.get(name)}
    data = new_id()
    folder = studio.home.data(data)
    folder.mkdir(mode=0o700)
    try:
        files = await asyncio.to_thread(_arrived, studio, data, asked)
        look = await _looked(studio, data, [path for _, path in files], reading)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (name, path), *others = reversed(files) if look.get("other_way_round") else files
    facts: dict[str, Any] = {"name": name, "path": path, "folder": str(folder), "look": look, "releases": {}}
    for items, place in others:
        facts["items_name"], reading["items"] = items, place
    kind = "mixed" if asked.get("demo") == "stays" else look["kind"]
    studio.store.add_data(data, facts | _read_as(look, kind, reading))
    studio.store.add_job("inspect", {}, data=data)
    return JSONResponse({"id": data, "kind": kind, "why": look["why"], "preview": look["first"]}, 201)


async def _looked(studio: Studio, data: str, paths: list[str], reading: dict[str, Any]) -> dict[str, Any]:
    job = studio.store.add_job("look", {"paths": paths, "reading": reading}, data=data, light=True)
    found = await studio.queue.wait(job, LOOKING)
    if found["state"] != DONE:
        raise InvalidParameter((found["error"] or {}).get("detail", "the file could not be looked at."))
    return dict(found["result"])


def _arrived(studio: Studio, data: str, asked: dict[str, Any]) -> list[tuple[str, str]]:
    if "demo" in asked:
        if asked["demo"] not in DEMOS:
            raise InvalidParameter(f"made-up data are {', '.join(DEMOS)}.")
        from disjoin.generate import GENERATORS

        place = studio.home.source(data, "made-up.csv")
        GENERATORS[asked["demo"]](3000, 1, place)
        return [(f"made-up-{asked['demo']}.csv", str(place))]
    if "path" in asked:
        files, number = listed_files(studio), whole(asked, "path", None, 0, 1 << 20)
        if studio.folder is None or number is None or number >= len(files):
            raise NotThere("there is no such file in the folder.")
        chosen = [files[number]]
        if (other := whole(asked, "items", None, 0, len(files) - 1)) is not None and other != number:
            chosen.append(files[other])
        return [(name, str(studio.folder.resolve() / name)) for name in chosen]
    found = uploaded(studio, str(wanted(asked, "upload", str, "")))
    if len(found) > MOST_FILES:
        raise InvalidParameter("drop one file, or two that belong together: people, and a row per person and term.")
    arrived = [_moved(studio, data, file, number) for number, file in enumerate(found)]
    shutil.rmtree(Path(found[0]["path"]).parent, ignore_errors=True)
    return arrived


def _moved(studio: Studio, data: str, file: dict[str, str], number: int) -> tuple[str, str]:
    place = studio.home.source(data, file["name"], number)
    shutil.move(file["path"], place)
    return Path(file["name"].replace("\\", "/")).name or "file", str(place)


def _read_as(look: dict[str, Any], kind: str, reading: dict[str, Any]) -> dict[str, Any]:
    columns = look["columns"]
    if kind == "mixed":
        return {"kind": kind, "reading": _as_people(look, reading), "roles": None}
    if kind == "records" and look["kind"] != "records":
        reading = {"format": "basket"} | reading
    if kind == "long" and look["kind"] != "long" and len(columns) == 2:
        reading = {"id": columns[0], "terms": columns[1]} | reading
    return {"kind": kind, "reading": reading}


def _as_people(look: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    columns, guess = look["columns"], {}
    if look["kind"] == "long":
        guess = {"id": columns[0], "terms": columns[-1]}
    elif look["terms"]:
        guess = {"terms": look["terms"], "split": look["split"]}
    guess |= {"id": look["id"]} if "items" in reading else {}
    known = {name: value for name, value in reading.items() if name in (*OF_PEOPLE, *OF_FILES)}
    return {name: value for name, value in (guess | known).items() if value}


async def get_data(request: Request) -> Response:
    data, facts = one_id(request, "id"), facts_of(request)
    job = studio_of(request).store.last_job("inspect", data=data)
    known = {key: facts[key] for key in ("name", "kind", "reading", "look")} | {"roles": facts.get("roles")}
    return JSONResponse({"id": data, **known, "inspection": None if job is None else job["id"]})


async def change_data(request: Request) -> Response:
    studio, data, facts = studio_of(request), one_id(request, "id"), facts_of(request)
    asked, changes = await body(request), dict[str, Any]()
    if "kind" in asked or "reading" in asked:
        kind, given = _reading(studio, data, facts, asked)
        changes |= await looked_again(studio, data, facts, given)
        changes |= _read_as(changes.get("look", facts["look"]), kind, given)
    if "leave_out" in asked:
        left = {name: value for name, value in facts["reading"].items() if name != "leave_out"}
        terms = texts(asked, "leave_out", 20_000)
        changes["reading"] = left | ({"leave_out": terms} if terms else {})
    if "roles" in asked:
        changes["roles"] = wanted(asked, "roles", dict, {})
        if not all(role in ROLES for role in changes["roles"].values()):
            raise InvalidParameter(f"a role is one of {', '.join(ROLES)}.")
        changes["person"] = wanted(asked, "person", str)
        changes["said"] = _said(facts, changes["roles"], wanted(asked, "overrides", dict, {}))
        if facts["kind"] == "mixed":
            changes["reading"] = _with_roles(facts, changes, asked)
    studio.store.change_data(data, **changes)
    studio.desks.close(facts["path"])
    return queued(studio, "inspect", {}, data=data)


def _reading(studio: Studio, data: str, facts: dict[str, Any], asked: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the kind of an original and how it is read; options that were not sent stay unchanged."""
    kind, reading = asked.get("kind", facts["kind"]), wanted(asked, "reading", dict, {})
    if kind not in KINDS:
        raise InvalidParameter(f"kind must be one of {', '.join(KINDS)}.")
    for key, value in reading.items():
        if key not in READING or not isinstance(value, str):
            raise InvalidParameter(f"the options that describe a file are {', '.join(READING)}, each a text.")
    fits = (*OF_FILES, *{"mixed": ["items"], "table": []}.get(kind, ["leave_out"]))
    kept = {key: value for key, value in facts["reading"].items() if key in fits and key not in reading}
    given = kept | {key: value for key, value in reading.items() if value}
    if kind == "mixed" and "items" not in given:  # columns that the last inspection found by their values
        job = studio.store.last_job("inspect", data=data)
        mixed = ((job or {}).get("result") or {}).get("mixed") or {"reading": {}}
        given = mixed["reading"] | given
    return kind, given


def _said(facts: dict[str, Any], roles: dict[str, str], overrides: dict[str, Any]) -> dict[str, Any]:
    for name, distinct in overrides.items():
        if type(distinct) is not int or not 0 <= distinct < 1 << 53:
            raise InvalidParameter(f"overrides has the number of distinct values of each column, and not of {name!r}.")
    chosen = {name: AS_ROLES.get(roles.get(name, "")) for name in overrides}
    role = [f"{name}={kind}:{overrides[name]}" for name, kind in chosen.items() if kind]
    said: dict[str, Any] = facts.get("said", {})
    return said | {method: said.get(method, {}) | {"role": role} for method in ("generalization", "mixed")}


async def looked_again(studio: Studio, data: str, facts: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    now, before = ({key: each.get(key) for key in OF_FILES} for each in (reading, facts["reading"]))
    if now == before or "items" in reading:
        return {}
    return {"look": await _looked(studio, data, [facts["path"]], {key: now[key] for key in OF_FILES if now[key]})}


def _with_roles(facts: dict[str, Any], changes: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    reading = {name: value for name, value in facts["reading"].items() if name not in ("id", "terms", "split")}
    named = [name for name, role in changes["roles"].items() if role == "terms"]
    if len(named) > 1:
        raise InvalidParameter("one column has the terms, and several are marked so.")
    given = {"id": changes["person"], "terms": wanted(asked, "terms", str) or next(iter(named), None)}
    given["split"] = wanted(asked, "split", str)
    return reading | {name: value for name, value in given.items() if value}


async def add_file(request: Request) -> Response:
    """Take a file that belongs to an original: its population, or a hierarchy of its items; none to leave it out."""
    studio, data, asked = studio_of(request), one_id(request, "id"), await body(request)
    facts, what = facts_of(request), wanted(asked, "as", str, "")
    if what not in BESIDE:
        raise InvalidParameter(f"a file is one of {', '.join(BESIDE)}.")
    known = {name: file for name, file in facts.get("files", {}).items() if name != what}
    if (upload := wanted(asked, "upload", str)) is not None:
        found, *others = uploaded(studio, upload)
        if others:
            raise InvalidParameter("choose one file.")
        name, place = _moved(studio, data, found, 2 + BESIDE.index(what))
        shutil.rmtree(Path(found["path"]).parent, ignore_errors=True)
        known[what] = {"name": name, "path": place}
    studio.store.change_data(data, files=known)
    return JSONResponse({"files": {name: file["name"] for name, file in known.items()}})


async def forget(request: Request) -> Response:
    """Delete the copy of an original and everything that was computed from it; its releases, too, if asked for."""
    studio, data, facts = studio_of(request), one_id(request, "id"), facts_of(request)
    for job in studio.store.jobs("queued", "running", data=data):
        await studio.queue.cancel(job["id"])
    studio.desks.close(facts["path"])
    jobs = studio.store.jobs(data=data)
    for release in studio.store.releases(data) if "releases" in request.query_params else []:
        studio.desks.close(release["id"])
        shutil.rmtree(studio.home.release(release["id"]), ignore_errors=True)
        studio.store.forget_release(release["id"])
    for job in jobs:
        shutil.rmtree(studio.home.job(job["id"]), ignore_errors=True)
    shutil.rmtree(studio.home.data(data), ignore_errors=True)
    studio.store.forget_data(data)
    return Response(status_code=204)
