"""API for publishing (/api/data): trials, publishing, comparison with the original."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from disjoin.errors import InvalidParameter
from disjoin.studio.answers import Studio, body, facts_of, one_id, queued, studio_of, texts, wanted, whole
from disjoin.studio.store import NotThere
from disjoin.studio.zips import pack

TREES = {"intervals", "bands", "dates", "mask", "groups", "flat"}


async def inspect(request: Request) -> Response:
    """Count whom knowledge singles out; of a table with roles that are not confirmed, if `quasi` names columns."""
    studio, data, asked = studio_of(request), one_id(request, "id"), await body(request)
    if "quasi" not in asked:
        return queued(studio, "inspect", {"known": whole(asked, "known", 3, 1, 6)}, data=data)
    if studio.store.data(data)["facts"]["kind"] not in ("table", "mixed"):
        raise InvalidParameter("columns can be known of tables, and this is none.")
    return queued(studio, "risk", {name: texts(asked, name) for name in ("quasi", "sensitive")}, data=data)


async def survey(request: Request) -> Response:
    def checked(asked: dict[str, Any]) -> dict[str, Any]:
        from disjoin.advise.trial import Grid

        numbers = {name: tuple(wanted(asked, name, list, [])) for name in ("ks", "ms")}
        names = {name: tuple(texts(asked, name)) for name in ("clusterings", "sensitive")}
        given: dict[str, Any] = {name: value for name, value in (numbers | names).items() if value}
        if sum(map(len, numbers.values())) > 20:
            raise InvalidParameter("try at most 20 numbers at once.")
        extra = {"l": asked["l"]} if asked.get("l") is not None else {}
        Grid(**given, **extra)  # complains
        return {name: list(value) for name, value in given.items()} | extra

    return await _job(request, "survey", checked)


async def trials(request: Request) -> Response:
    """Try what several k cost a table: {"method": {...}, "ks": [5, 10, 20]}."""
    studio, facts = studio_of(request), facts_of(request)

    def checked(asked: dict[str, Any]) -> dict[str, Any]:
        from disjoin.studio.plans import plan_of

        ks, method = wanted(asked, "ks", list, [5, 10, 20]), wanted(asked, "method", dict, {})
        if not 1 <= len(ks) <= 10 or facts["kind"] not in ("table", "mixed"):
            raise InvalidParameter("try 1 to 10 numbers, of a table.")
        for k in ks:
            plan_of(studio.home, facts, {"method": method | {"k": k}}, studio.home.path / "one")  # complains
        return {"ks": ks, "method": method}

    return await _job(request, "trials", checked)


async def publish(request: Request) -> Response:
    """Publish by a plan: {"method": {...}}, the table [method] of plan.toml."""
    studio, facts = studio_of(request), facts_of(request)

    def checked(asked: dict[str, Any]) -> dict[str, Any]:
        from disjoin.studio.plans import plan_of

        request = {"method": wanted(asked, "method", dict, {})}
        plan = plan_of(studio.home, facts, request, studio.home.path / "releases" / "one")
        if plan.method.takes != {"table": "table", "mixed": "mixed"}.get(facts["kind"], "records"):
            raise InvalidParameter("this method takes another kind of data. Say what the file is on its page.")
        return request

    answer = await _job(request, "publish", checked)
    for job in studio.store.jobs("queued", "running", data=one_id(request, "id")):
        if job["kind"] in ("survey", "trials"):  # the choice is made
            await studio.queue.cancel(job["id"])
    return answer


async def planned(request: Request) -> Response:
    studio, facts = studio_of(request), facts_of(request)
    method = wanted(await body(request), "method", dict, {})

    def written() -> dict[str, str]:
        from disjoin.studio.plans import command_of, plan_of, saved_plan

        plan = plan_of(studio.home, facts, {"method": method}, studio.home.path / "releases" / "one")
        return {"plan": saved_plan(plan, facts), "command": command_of(plan, facts)}

    return JSONResponse(await asyncio.to_thread(written))


async def hierarchies(request: Request) -> Response:
    """Build hierarchies of columns: {"columns": {"age": {"intervals": [5, 20]}, "postcode": {"mask": true}}}."""

    def checked(asked: dict[str, Any]) -> dict[str, Any]:
        columns = wanted(asked, "columns", dict, {})
        for way in columns.values():
            if not isinstance(way, dict) or len(way) != 1 or not way.keys() <= TREES:
                raise InvalidParameter("a hierarchy is made by intervals, bands, dates, mask or groups, or it is flat.")
        return {"columns": columns}

    return await _job(request, "hierarchies", checked)


async def _job(request: Request, kind: str, checked: Callable[[dict[str, Any]], dict[str, Any]]) -> Response:
    facts_of(request)
    wish = await asyncio.to_thread(checked, await body(request))
    return queued(studio_of(request), kind, wish, data=one_id(request, "id"))


async def against(request: Request) -> Response:
    """Return how many records of the original have the known terms, or one record."""
    studio, facts, asked = studio_of(request), facts_of(request), await body(request)
    studio.store.release(one_id(request, "release"))
    if "record" not in asked:
        given = {key: value for key, value in asked.items() if key in ("known", "show", "number")}
        return JSONResponse(await ask_original(studio, facts, "who", **given))
    if facts["kind"] == "table":
        raise InvalidParameter("this is asked of records, and the original is a table.")
    number = whole(asked, "record", 0, 0, 1 << 40)
    return JSONResponse(await ask_original(studio, facts, "record", number=number))


async def ask_original(studio: Studio, facts: dict[str, Any], question: str, **asked: Any) -> dict[str, Any]:
    columns = [name for name, role in (facts.get("roles") or {}).items() if role in ("quasi", "sensitive")]
    trees = Path(facts["folder"]) / "hierarchies"
    about = {"kind": facts["kind"], "columns": columns, "hierarchies": str(trees) if trees.is_dir() else None}
    reading = facts["reading"] | (about if facts["kind"] in ("table", "mixed") else {})
    return await studio.desks.ask("original_reader", (facts["path"], json.dumps(reading)), question, **asked)


async def simulate(request: Request) -> Response:
    asked = await body(request)
    wish = {"terms": whole(asked, "terms", None, 1, 6), "draws": whole(asked, "draws", 1000, 1, 6000)}
    return queued(studio_of(request), "simulate", wish, **_both(request))


async def start_dossier(request: Request) -> Response:
    return queued(studio_of(request), "dossier", {}, **_both(request))


def _both(request: Request) -> dict[str, str]:
    return {"data": one_id(request, "id"), "release": one_id(request, "release")}


async def dossier(request: Request) -> Response:
    studio, release = studio_of(request), one_id(request, "release")
    file = studio.home.data(one_id(request, "id")) / f"dossier-{release}.html"
    if not file.is_file():
        raise NotThere("the dossier has not been written yet.")
    return FileResponse(file, media_type="application/octet-stream", filename="dossier-private.html")


async def hierarchies_file(request: Request) -> Response:
    """Return the hierarchies that were built, as a zip to put next to plan.toml."""
    facts_of(request)
    place = studio_of(request).home.data(one_id(request, "id"))
    if not (place / "hierarchies").is_dir():
        raise NotThere("no hierarchies were built.")
    archive = place / "hierarchies.zip"
    archive.unlink(missing_ok=True)
    await asyncio.to_thread(pack, place / "hierarchies", archive, "hierarchies")
    return FileResponse(archive, media_type="application/zip", filename="hierarchies.zip")


async def plan(request: Request) -> Response:
    made = facts_of(request)["releases"].get(one_id(request, "release"))
    if made is None:
        raise NotThere("this release was not made from these data.")
    disposition = {"content-disposition": 'attachment; filename="plan.toml"'}
    return Response(made["plan"], media_type="application/toml", headers=disposition)
