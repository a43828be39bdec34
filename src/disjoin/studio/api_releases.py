"""API for releases (/api/releases); it cannot open an original."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from disjoin.errors import InvalidParameter
from disjoin.studio.answers import Studio, body, one_id, queued, studio_of, texts, wanted, whole
from disjoin.studio.guard import SANDBOX
from disjoin.studio.home import new_id
from disjoin.studio.store import NotThere
from disjoin.studio.zips import pack


async def ask(studio: Studio, release: str, question: str, **asked: Any) -> dict[str, Any]:
    studio.store.release(release)
    folder = str(studio.home.release(release) / "release")
    return await studio.desks.ask("reader", (folder,), question, **asked)


def asking(question: str, *members: str) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that asks the process of a release, and hands on these members of what was sent."""

    async def handler(request: Request) -> Response:
        sent = await body(request) if members else {}
        asked = {name: sent.get(name) for name in members}
        return JSONResponse(await ask(studio_of(request), one_id(request, "id"), question, **asked))

    return handler


release = asking("facts")  # the report of a release, and its verdict
candidates = asking("candidates", "known")
support = asking("support", "itemsets")


async def releases(request: Request) -> Response:
    listed = studio_of(request).store.releases()
    facts = [{"id": each["id"]} | {name: each["facts"][name] for name in ("form", "sentence")} for each in listed]
    return JSONResponse({"releases": facts})


async def remove_release(request: Request) -> Response:
    studio, name = studio_of(request), one_id(request, "id")
    studio.store.release(name)
    studio.desks.close(name)
    shutil.rmtree(studio.home.release(name), ignore_errors=True)
    studio.store.forget_release(name)
    return Response(status_code=204)


async def parts(request: Request) -> Response:
    sent = await body(request)
    asked = {"from": whole(sent, "from", 0, 0, 1 << 40), "find": wanted(sent, "find", str)}
    return JSONResponse(await ask(studio_of(request), one_id(request, "id"), "list_parts", **asked))


async def part(request: Request) -> Response:
    asked = {"number": int(request.path_params["n"]), "plain": True}
    found = await ask(studio_of(request), one_id(request, "id"), "part", **asked)
    return JSONResponse(found["facts"])


async def suggest(request: Request) -> Response:
    typed = str(wanted(await body(request), "typed", str, ""))
    return JSONResponse(await ask(studio_of(request), one_id(request, "id"), "suggest", typed=typed))


async def mine(request: Request) -> Response:
    asked = await body(request)
    wish = {"top": whole(asked, "top", 100, 1, 10_000), "max_size": whole(asked, "max_size", None, 1, 20)}
    return _queued(request, "mine", wish | {"min_support": whole(asked, "min_support", None, 1, 1 << 40)})


async def rules(request: Request) -> Response:
    asked = await body(request)
    share = asked.get("min_support", 0.015)
    if not isinstance(share, (int, float)) or isinstance(share, bool) or not 0.001 <= share <= 1:
        raise InvalidParameter("min_support must be a share from 0.001 to 1.")
    return _queued(request, "rules", {"top": whole(asked, "top", 100, 1, 10_000), "min_support": share})


async def reconstruct(request: Request) -> Response:
    asked = await body(request)
    form = wanted(asked, "format", str, "csv")
    if form not in ("csv", "parquet", "fimi"):
        raise InvalidParameter("format must be csv, parquet or fimi.")
    wish = {"n": whole(asked, "n", 1, 1, 20), "seed": whole(asked, "seed", 0, 0, 1 << 31), "format": form}
    return _queued(request, "reconstruct", wish)


async def deposit(request: Request) -> Response:
    """Write a zip of the release for a repository: {"title", "authors", "licence", "contact", "date"}."""
    from disjoin.api import Deposit

    asked = await body(request)
    wish = {name: wanted(asked, name, str, "") for name in ("title", "licence", "contact", "date", "citation")}
    wish |= {"authors": texts(asked, "authors", 100)}
    Deposit(**wish)  # complains
    return _queued(request, "deposit", wish)


def _queued(request: Request, kind: str, wish: dict[str, Any]) -> Response:
    return queued(studio_of(request), kind, wish, release=one_id(request, "id"))


async def download(request: Request) -> Response:
    studio, name = studio_of(request), one_id(request, "id")
    studio.store.release(name)
    place = studio.home.release(name)
    archive = place / "release.zip"
    if not archive.exists():
        part = place / f"{new_id()}.part"
        await asyncio.to_thread(pack, place / "release", part, "release")
        part.replace(archive)
    return FileResponse(archive, media_type="application/zip", filename="release.zip")


async def report_page(request: Request) -> Response:
    """Return report.html of the folder, in a sandbox: its origin is not trusted."""
    studio, name = studio_of(request), one_id(request, "id")
    studio.store.release(name)
    headers = {"content-security-policy": SANDBOX}
    return FileResponse(studio.home.release(name) / "release" / "report.html", media_type="text/html", headers=headers)


async def check(request: Request) -> Response:
    """Verify a release: uploaded files, a zip or one of the studio; `require` may set k, m, l or p."""
    from disjoin.studio.uploads import uploaded

    studio, asked = studio_of(request), await body(request)
    require = wanted(asked, "require", dict, {})
    for name in require:
        if name not in ("k", "m", "l", "p"):
            raise InvalidParameter("k, m, l and p can be required.")
        whole(require, name, None, 1, 1 << 31)
    wish: dict[str, Any] = {"require": require}
    if "upload" in asked:
        wish["files"] = uploaded(studio, str(wanted(asked, "upload", str, "")))
    elif "release" in asked:
        wish["release"] = studio.store.release(str(wanted(asked, "release", str, "")))["id"]
    else:
        raise NotThere("name what to check: an upload or a release.")
    return queued(studio, "check", wish, data=wanted(asked, "original", str))
