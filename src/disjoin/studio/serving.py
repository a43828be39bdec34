"""Server start: a loopback address and a link that works once."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from disjoin._version import __version__
from disjoin.atomic import held
from disjoin.errors import InvalidParameter, MissingExtra
from disjoin.studio.home import Home, is_held, usual_home

__all__ = ["Home", "Wish", "serve", "usual_home"]

DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Wish:
    """How the studio was asked to start."""

    home: Path
    folder: Path | None = None
    max_upload: int = 2 << 30
    jobs: int = 1
    warm_up: bool = True


def serve(wish: Wish, opened: Callable[[str], None]) -> None:
    """Serve until somebody stops it; `opened` is told the link that lets a browser in."""
    try:
        import uvicorn

        from disjoin.studio.answers import Studio
        from disjoin.studio.app import app_of
        from disjoin.studio.guard import Door
        from disjoin.studio.jobs import Queue
        from disjoin.studio.reader_pool import Desks
        from disjoin.studio.store import Memory
    except ImportError as missing:
        raise MissingExtra("the studio needs more than disjoin itself: pip install 'disjoin[studio]'") from missing
    if wish.folder is not None and not wish.folder.is_dir():
        raise InvalidParameter(f"expected a folder of files, found no folder at {wish.folder}.")
    os.umask(0o077)
    home = Home(wish.home.resolve()).prepare()
    running = home.path / "running"
    running.touch(mode=0o600)
    if is_held(running):
        host = (home.path / "address").read_text(encoding="ascii")
        opened(Door(home, host, home.secret("secret")).new_link())
        return
    with held(running), _listening(home) as listener:
        address, port = listener.getsockname()
        host = f"{address}:{port}"
        home.write(home.path / "address", host.encode())
        _tidy(home)
        store = Memory(home.database)
        queue = Queue(home, store, wish.jobs)
        queue.tidy()
        door = Door(home, host, home.secret("secret"))
        studio = Studio(home, store, queue, Desks(), door, wish.folder, wish.max_upload)
        if wish.warm_up:
            _warm_up(home, store)
        config = uvicorn.Config(
            app_of(studio), access_log=False, log_level="error", timeout_graceful_shutdown=1, server_header=False,
            date_header=False, ws="none", log_config=None,
        )  # fmt: skip
        opened(door.new_link())
        uvicorn.Server(config).run(sockets=[listener])


def _listening(home: Home) -> socket.socket:
    """Return a socket on this computer alone: where the studio was before, so that open pages find it, or anywhere."""
    file = home.path / "address"
    if file.exists():
        address, _, port = file.read_text(encoding="ascii").rpartition(":")
        if address.startswith("127.") and port.isdigit():
            try:
                return _bound(address, int(port))
            except OSError:
                pass
    return _bound(_own_address(), 0)


def _bound(address: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(128)  # who follows the link at once waits, and is not refused
    except OSError:
        listener.close()
        raise
    return listener


def _own_address() -> str:
    """Return a loopback address of our own where there are many: cookies tell addresses apart, but not ports."""
    if sys.platform not in ("linux", "win32"):
        return "127.0.0.1"
    return f"127.{1 + secrets.randbelow(254)}.{secrets.randbelow(256)}.{1 + secrets.randbelow(254)}"


def _tidy(home: Home) -> None:
    """Remove keys of former starts, and uploads that nobody used."""
    for key in (home.path / "keys").iterdir():
        key.unlink(missing_ok=True)
    for place in (home.path / "uploads").iterdir():
        if time.time() - place.stat().st_mtime > DAY:
            shutil.rmtree(place, ignore_errors=True)


def _warm_up(home: Home, store: object) -> None:
    """Let everything be compiled once, in the background."""
    from disjoin.studio.store import ENDED, Memory

    assert isinstance(store, Memory), "the memory of the studio"
    mark = home.path / f"compiled-{__version__}"
    last = store.last_job("warm_up")
    if last is not None and last["state"] == "done":
        mark.touch()
    if not mark.exists() and (last is None or last["state"] in ENDED):
        store.add_job("warm_up", {})
