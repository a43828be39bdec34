"""Command `studio`: start the server on a loopback address, and give a link that works once."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import sys
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import click

from disjoin._version import __version__
from disjoin.atomic import held
from disjoin.cli.screen import say
from disjoin.errors import InvalidParameter, MissingExtra
from disjoin.studio.home import Home, is_held, usual_home
from disjoin.studio.store import DONE, ENDED, Memory

DAY = 86_400.0


@click.command("studio")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--no-open", is_flag=True, help="Open no browser, and print the link, which works once, as the first line."
)
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    help="The folder in which the studio keeps its files (default: your own).",
)
@click.option(
    "--max-upload",
    type=click.IntRange(1),
    default=2048,
    show_default=True,
    metavar="MB",
    help="The largest size of an upload.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 16), default=1, show_default=True, help="The number of jobs that run at once."
)
@click.option("--no-warm-up", is_flag=True, help="Do not compile code ahead.")
@click.option("--forget", is_flag=True, help="Delete everything that the studio keeps, and stop.")
def studio_command(
    folder: Path | None, no_open: bool, home: Path | None, max_upload: int, jobs: int, no_warm_up: bool, forget: bool
) -> None:
    """Open the studio in your browser: a local web app to publish, attack, use and verify releases.

    It listens on this computer only and sends nothing anywhere. Files in FOLDER are read where they are. Others are
    dropped on the page and copied to a folder that only you can read. Stop it with Ctrl-C.
    """
    place = home or usual_home()
    if forget:
        Home(place).remove()
        say(f"Forgotten: everything in {place}.")
        return

    def opened(link: str) -> None:
        say(link)
        if not no_open:
            webbrowser.open(link)
        say("The studio is open in your browser. Stop it with Ctrl-C." if not no_open else "Stop it with Ctrl-C.")

    serve(place, opened, folder=folder, max_upload=max_upload << 20, jobs=jobs, warm_up=not no_warm_up)


def serve(
    place: Path,
    opened: Callable[[str], None],
    *,
    folder: Path | None = None,
    max_upload: int = 2 << 30,
    jobs: int = 1,
    warm_up: bool = True,
) -> None:
    """Serve until stopped; `opened` gets the link that lets a browser in."""
    try:
        import uvicorn

        from disjoin.studio.answers import Studio
        from disjoin.studio.app import app_of
        from disjoin.studio.guard import Door
        from disjoin.studio.jobs import Queue
        from disjoin.studio.reader_pool import Desks
    except ImportError as missing:
        raise MissingExtra("the studio needs more than disjoin itself: pip install 'disjoin[studio]'") from missing
    if folder is not None and not folder.is_dir():
        raise InvalidParameter(f"expected a folder of files, found no folder at {folder}.")
    os.umask(0o077)
    home = Home(place.resolve()).prepare()
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
        queue = Queue(home, store, jobs)
        queue.tidy()
        door = Door(home, host, home.secret("secret"))
        studio = Studio(home, store, queue, Desks(), door, folder, max_upload)
        if warm_up:
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
    address, _, port = (file.read_text(encoding="ascii") if file.exists() else "").rpartition(":")
    if address.startswith("127.") and port.isdigit():
        with suppress(OSError):
            return _bound(address, int(port))
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
    """Return a loopback address of our own where there are many: cookies distinguish addresses, but not ports."""
    if sys.platform not in ("linux", "win32"):
        return "127.0.0.1"
    return f"127.{1 + secrets.randbelow(254)}.{secrets.randbelow(256)}.{1 + secrets.randbelow(254)}"


def _tidy(home: Home) -> None:
    for key in (home.path / "keys").iterdir():
        key.unlink(missing_ok=True)
    for place in (home.path / "uploads").iterdir():
        if time.time() - place.stat().st_mtime > DAY:
            shutil.rmtree(place, ignore_errors=True)


def _warm_up(home: Home, store: Memory) -> None:
    mark = home.path / f"compiled-{__version__}"
    last = store.last_job("warm_up")
    if last is not None and last["state"] == DONE:
        mark.touch()
    if not mark.exists() and (last is None or last["state"] in ENDED):
        store.add_job("warm_up", {})
