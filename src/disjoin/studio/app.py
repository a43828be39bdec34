"""Routes of the web app."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from disjoin.errors import DisjoinError
from disjoin.studio import api_data, api_jobs, api_publishing, api_releases, pages, uploads
from disjoin.studio.answers import Studio, failed, problem
from disjoin.studio.guard import Guard

LOOK = 30.0  # seconds between two looks at idle readers
PAGES = [
    Route("/", pages.start),
    Route("/data/{id}", pages.data),
    Route("/data/{id}/promise", pages.guarantee),
    Route("/data/{id}/against/{release}", pages.against),
    Route("/jobs/{id}", pages.job),
    Route("/releases/{id}", pages.release),
    Route("/releases/{id}/parts", pages.parts),
    Route("/releases/{id}/parts/{n:int}", pages.parts),
    Route("/releases/{id}/attack", pages.attack),
    Route("/releases/{id}/use", pages.use),
    Route("/releases/{id}/take", pages.take),
    Route("/check", pages.check),
    Route("/check/{id}", pages.check),
    Route("/help", pages.help_page),
    Route("/help/{name:path}", pages.help_page),
]


def packaged(package: str, name: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    async def handler(request: Request) -> Response:
        return Response(files(package).joinpath(name).read_bytes(), media_type=media_type)

    return handler


API = [
    Route("/api/uploads/{set}/{n:int}", uploads.upload, methods=["PUT"]),
    Route("/api/data", api_data.add_data, methods=["POST"]),
    Route("/api/data/{id}", api_data.get_data, methods=["GET"]),
    Route("/api/data/{id}", api_data.change_data, methods=["PATCH"]),
    Route("/api/data/{id}", api_data.forget, methods=["DELETE"]),
    Route("/api/data/{id}/files", api_data.add_file, methods=["POST"]),
    Route("/api/data/{id}/risk", api_publishing.inspect, methods=["POST"]),
    Route("/api/data/{id}/survey", api_publishing.survey, methods=["POST"]),
    Route("/api/data/{id}/hierarchies", api_publishing.hierarchies_file, methods=["GET"]),
    Route("/api/data/{id}/hierarchies", api_publishing.hierarchies, methods=["POST"]),
    Route("/api/data/{id}/trials", api_publishing.trials, methods=["POST"]),
    Route("/api/data/{id}/releases", api_publishing.publish, methods=["POST"]),
    Route("/api/data/{id}/against/{release}", api_publishing.against, methods=["POST"]),
    Route("/api/data/{id}/simulate/{release}", api_publishing.simulate, methods=["POST"]),
    Route("/api/data/{id}/plan", api_publishing.planned, methods=["POST"]),
    Route("/api/data/{id}/plan/{release}", api_publishing.plan, methods=["GET"]),
    Route("/api/data/{id}/dossier/{release}", api_publishing.dossier, methods=["GET"]),
    Route("/api/data/{id}/dossier/{release}", api_publishing.start_dossier, methods=["POST"]),
    Route("/api/jobs", api_jobs.jobs, methods=["GET"]),
    Route("/api/jobs/{id}", api_jobs.job, methods=["GET"]),
    Route("/api/jobs/{id}", api_jobs.cancel, methods=["DELETE"]),
    Route("/api/jobs/{id}/again", api_jobs.again, methods=["POST"]),
    Route("/api/jobs/{id}/result", api_jobs.result, methods=["GET"]),
    Route("/api/jobs/{id}/file", api_jobs.file, methods=["GET"]),
    Route("/api/jobs/{id}/events", api_jobs.events, methods=["GET"]),
    Route("/api/releases", api_releases.releases, methods=["GET"]),
    Route("/api/releases/{id}", api_releases.release, methods=["GET"]),
    Route("/api/releases/{id}", api_releases.remove_release, methods=["DELETE"]),
    Route("/api/releases/{id}/parts", api_releases.parts, methods=["POST"]),
    Route("/api/releases/{id}/parts/{n:int}", api_releases.part, methods=["GET"]),
    Route("/api/releases/{id}/terms", api_releases.suggest, methods=["POST"]),
    Route("/api/releases/{id}/candidates", api_releases.candidates, methods=["POST"]),
    Route("/api/releases/{id}/support", api_releases.support, methods=["POST"]),
    Route("/api/releases/{id}/mine", api_releases.mine, methods=["POST"]),
    Route("/api/releases/{id}/rules", api_releases.rules, methods=["POST"]),
    Route("/api/releases/{id}/reconstructions", api_releases.reconstruct, methods=["POST"]),
    Route("/api/releases/{id}/deposit", api_releases.deposit, methods=["POST"]),
    Route("/api/releases/{id}/download", api_releases.download, methods=["GET"]),
    Route("/api/releases/{id}/report.html", api_releases.report_page, methods=["GET"]),
    Route("/api/check", api_releases.check, methods=["POST"]),
    Route("/api/health", api_jobs.health, methods=["GET"]),
    Route("/api/openapi.json", packaged("disjoin.studio", "openapi.json", "application/json"), methods=["GET"]),
]


def app_of(studio: Studio) -> Starlette:
    @asynccontextmanager
    async def while_it_runs(app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(each) for each in (studio.queue.run(), _close_idle(studio))]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await studio.desks.end_all()
            studio.store.close()

    static = Mount("/static", StaticFiles(packages=[("disjoin.studio", "static")]))
    app = Starlette(
        routes=[*PAGES, *API, Route("/static/page.css", packaged("disjoin.report", "page.css", "text/css")), static],
        middleware=[Middleware(Guard, door=studio.door, failed=failed)],
        exception_handlers={DisjoinError: failed, HTTPException: _not_there},
        lifespan=while_it_runs,
    )
    app.state.studio = studio
    return app


async def _not_there(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    words = {404: "There is nothing at this address.", 405: "This cannot be done here."}.get(status, "It was refused.")
    return problem(request, status, words)


async def _close_idle(studio: Studio) -> None:
    while True:
        await asyncio.sleep(LOOK)
        studio.desks.close_idle()
