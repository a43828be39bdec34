"""Uploads: size limits while receiving, names chosen by the server."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from urllib.parse import unquote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from disjoin.errors import CannotWrite
from disjoin.studio.answers import Studio, TooLarge, one_id, size_in_words, studio_of
from disjoin.studio.home import is_id
from disjoin.studio.store import NotThere

MOST_FILES = 200
ROOM_TO_LEAVE = 256 << 20  # bytes of the disk that stay free


async def upload(request: Request) -> Response:
    """Take one file, counted while it comes; its name is only ever shown."""
    studio = studio_of(request)
    upload_set, number = one_id(request, "set"), int(request.path_params["n"])
    if number >= MOST_FILES:
        raise TooLarge(f"at most {MOST_FILES} files at once.")
    place = studio.home.upload(upload_set, number)
    announced = int(request.headers.get("content-length", "0") or 0)
    _require_room(studio, announced)
    place.parent.mkdir(exist_ok=True, mode=0o700)
    name = unquote(request.headers.get("x-name", ""))[-255:] or "file"
    size, checksum = 0, hashlib.sha256()
    try:
        with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
            async for block in request.stream():
                size += len(block)
                if size > studio.max_upload:
                    raise _too_large(studio)
                checksum.update(block)
                target.write(block)
    except (OSError, ClientDisconnect, TooLarge) as failure:
        place.unlink(missing_ok=True)
        if isinstance(failure, TooLarge):
            raise
        raise CannotWrite("the file could not be kept: the disk is full, or the transfer broke off.") from failure
    studio.home.write(place.with_suffix(".name"), json.dumps(name).encode())
    return JSONResponse({"bytes": size, "sha256": checksum.hexdigest()})


def _require_room(studio: Studio, announced: int) -> None:
    if announced > studio.max_upload:
        raise _too_large(studio)
    free = shutil.disk_usage(studio.home.path).free
    if announced + ROOM_TO_LEAVE > free:
        raise TooLarge(f"the disk has {size_in_words(free)} left, which is not enough for this file.")


def _too_large(studio: Studio) -> TooLarge:
    limit = size_in_words(studio.max_upload)
    return TooLarge(
        f"a file may have up to {limit}. Start `disjoin studio FOLDER` with the folder that "
        "it is in: then it is read where it is, without a copy."
    )


def uploaded(studio: Studio, upload_set: str) -> list[dict[str, str]]:
    if not is_id(upload_set):
        raise NotThere("there is no such upload.")
    folder = studio.home.upload(upload_set, 0).parent
    files = sorted(file for file in folder.glob("*") if file.suffix != ".name") if folder.is_dir() else []
    if not files:
        raise NotThere("there is no such upload. Choose the file again.")
    return [
        {"path": str(file), "name": json.loads(file.with_suffix(".name").read_text(encoding="utf-8"))} for file in files
    ]
