"""Command `studio`."""

from __future__ import annotations

import importlib
import webbrowser
from pathlib import Path

import click

from disjoin.cli.screen import say


@click.command("studio")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--no-open", is_flag=True, help="Open no browser: print the link, which works once, as the first line.")
@click.option("--home", type=click.Path(path_type=Path), help="Where the studio keeps its things (default: yours).")
@click.option(
    "--max-upload", type=click.IntRange(1), default=2048, show_default=True, metavar="MB", help="The largest upload."
)
@click.option("--jobs", type=click.IntRange(1, 16), default=1, show_default=True, help="Jobs that run at once.")
@click.option("--no-warm-up", is_flag=True, help="Compile nothing ahead.")
@click.option("--forget", is_flag=True, help="Delete everything that the studio keeps, and stop.")
def studio_command(
    folder: Path | None,
    no_open: bool,
    home: Path | None,
    max_upload: int,
    jobs: int,
    no_warm_up: bool,
    forget: bool,
) -> None:
    """Open the studio in your browser: publish, attack, use and check releases by clicking.

    It listens on this computer only, and sends nothing anywhere. Files in FOLDER can be read where they are; others
    are dropped on the page and copied to a folder that only you can read. Stop it with Ctrl-C.
    """
    serving = importlib.import_module("disjoin.studio.serving")  # a room beside this one; it imports nothing of ours

    place = home or serving.usual_home()
    if forget:
        serving.Home(place).remove()
        say(f"Forgotten: everything in {place}.")
        return

    def opened(link: str) -> None:
        say(link)
        if not no_open:
            webbrowser.open(link)
        say("The studio is open in your browser. Stop it with Ctrl-C." if not no_open else "Stop it with Ctrl-C.")

    wish = serving.Wish(place, folder, max_upload << 20, jobs, not no_warm_up)
    serving.serve(wish, opened)
