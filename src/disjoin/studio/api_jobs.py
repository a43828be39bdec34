"""API for jobs: state, server-sent events, cancelling."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from disjoin.errors import InvalidParameter
from disjoin.progress import STAGES
from disjoin.studio.answers import Studio, body, one_id, queued, studio_of, wanted, whole
from disjoin.studio.api_data import looked_again
from disjoin.studio.store import DONE, ENDED, FAILED, INTERRUPTED, NotThere

PAUSE = 0.15  # seconds between two looks
COMMENT = 15.0  # seconds after which a silent stream shows that it lives
RETRY = 1000  # milliseconds
FOUND = ("tried", "drawn")  # stages that are parts of the result


def told(job: dict[str, Any]) -> dict[str, Any]:
    """Return what a program may know of a job; not what was asked, which may name terms."""
    known = ("id", "kind", "data", "release", "state", "created", "started", "ended", "exit_code", "error")
    page = None  # that shows what came of it
    if job["state"] == DONE and job["kind"] == "publish":
        page = f"/releases/{job['result']['release']}"
    elif job["state"] == DONE and job["kind"] == "check":
        page = f"/check/{job['id']}"
    return {name: job[name] for name in known} | {"result": page}


async def jobs(request: Request) -> Response:
    return JSONResponse({"jobs": [told(job) for job in studio_of(request).store.jobs()]})


async def job(request: Request) -> Response:
    return JSONResponse(told(studio_of(request).store.job(one_id(request, "id"))))


async def result(request: Request) -> Response:
    found = studio_of(request).store.job(one_id(request, "id"))
    if found["state"] != DONE:
        raise NotThere("this job has no result.")
    return JSONResponse(found["result"])


async def cancel(request: Request) -> Response:
    studio, name = studio_of(request), one_id(request, "id")
    await studio.queue.cancel(name)
    return JSONResponse(told(studio.store.job(name)))


async def again(request: Request) -> Response:
    """Queue a stopped job once more; `again` overrides the ledger, `way` numbers the remedy of its error to take."""
    studio = studio_of(request)
    found = studio.store.job(one_id(request, "id"))
    if found["state"] not in (INTERRUPTED, FAILED, "cancelled"):
        raise InvalidParameter("only a job that was stopped can be run again.")
    about, asked = {"data": found["data"], "release": found["release"]}, await body(request)
    wish = found["request"]
    if (way := whole(asked, "way", None, 0, 100)) is not None:
        wish = await _taken(studio, found, way)
    knowing = {"again": True} if wanted(asked, "again", bool, False) else {}
    return queued(studio, found["kind"], wish | knowing, **about)


async def _taken(studio: Studio, job: dict[str, Any], number: int) -> dict[str, Any]:
    wish: dict[str, Any] = job["request"]
    remedies, data = (job["error"] or {}).get("remedies", []), job["data"]
    if data is None or number >= len(remedies):
        raise InvalidParameter("this error has no such remedy.")
    facts, way, changes = studio.store.data(data)["facts"], remedies[number], dict[str, Any]()
    if "reading" in way:  # how the file is read
        changes["reading"] = _joined(facts["reading"], way["reading"])
        changes |= await looked_again(studio, data, facts, changes["reading"])
    if "method" in way:  # what the method may do
        said, name = facts.get("said", {}), wish["method"]["name"]
        changes["said"] = said | {name: _joined(said.get(name, {}), way["method"])}
    if "person" in way:  # whose a row is
        changes["person"] = way["person"]
        named = [name for name in wish["method"]["identifiers"] if name != way["person"]]
        wish = wish | {"method": wish["method"] | {"person": way["person"], "identifiers": named}}
    studio.store.change_data(data, **changes)
    studio.desks.close(facts["path"])
    return wish


def _joined(before: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return settings with others, which add to lists what they have not yet."""
    both = {name: [*before.get(name, []), *value] for name, value in more.items() if isinstance(value, list)}
    lists = {name: list(dict.fromkeys(values)) for name, values in both.items()}
    return before | more | lists


async def file(request: Request) -> Response:
    studio, name = studio_of(request), one_id(request, "id")
    found = studio.store.job(name)
    if found["state"] != DONE or "file" not in found["result"]:
        raise NotThere("this job has made no file.")
    made = found["result"]["file"]
    return FileResponse(studio.home.job(name) / made, media_type="application/zip", filename=made)


async def events(request: Request) -> Response:
    """Stream how far a job is; `Last-Event-ID` is the last event that was received."""
    studio, name = studio_of(request), one_id(request, "id")
    studio.store.job(name)
    heard = request.headers.get("last-event-id", "0")
    after = int(heard) if heard.isdigit() and len(heard) < 16 else 0
    return StreamingResponse(_stream(studio, name, after), media_type="text/event-stream")


async def _stream(studio: Studio, name: str, after: int) -> AsyncIterator[str]:
    yield f"retry: {RETRY}\n\n"
    spoken = time.monotonic()
    while True:
        try:
            state = studio.store.job(name)
        except NotThere:  # forgotten meanwhile
            return
        for event in studio.store.events(name, after):
            after, spoken = event["n"], time.monotonic()
            yield _message(event["stage"] if event["stage"] in FOUND else "progress", in_words(event), after)
        if state["state"] in ENDED:
            yield _message("end", told(state), after)
            return
        if time.monotonic() - spoken > COMMENT:
            spoken = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(PAUSE)


def in_words(event: dict[str, Any]) -> dict[str, Any]:
    if event["stage"] in FOUND:
        found: dict[str, Any] = event["note"] if event["stage"] == "tried" else {}  # a drawing is on the page
        return found
    note = (event["note"] or {}).get("words", "")
    words = STAGES.get(event["stage"], event["stage"])
    return {"stage": f"{words} ({note})" if note else words, "done": event["done"], "total": event["total"]}


def _message(kind: str, facts: Any, number: int) -> str:
    return f"id: {number}\nevent: {kind}\ndata: {json.dumps(facts)}\n\n"


async def health(request: Request) -> Response:
    studio = studio_of(request)
    warming = studio.store.last_job("warm_up")
    state = None if warming is None or warming["state"] in ENDED else told(warming)
    return JSONResponse({"status": "fine", "warm_up": state})
