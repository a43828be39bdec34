"""Commands `ledger start`, `ledger show` and `ledger forget`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.options import json_option
from disjoin.cli.screen import print_json, say
from disjoin.errors import UnreadableInput
from disjoin.text import counted, printable

if TYPE_CHECKING:
    from disjoin.ledger.ledger import Ledger
    from disjoin.ledger.overlap import Overlap
    from disjoin.ledger.store import LedgerEntry

KEEP = (
    "The ledger contains a secret key and hashes of ids and records: anyone who has it can test whether a "
    "person is in your data. Keep it and its backups as safe as the data, and never publish it."
)
_STATES = {
    "there": "The folder still has this release.",
    "changed": "The folder now has another release.",
    "gone": "The folder no longer exists.",
    "unknown": "",
}


@click.group("ledger")
def ledger_command() -> None:
    """Keep a private record of releases, to avoid publishing the same people twice.

    The ledger is a file next to your data. Commands that publish look for it there and in the folders above. They stop
    before they publish people or records again, and add every release that they write. Nothing of it is published.
    """


@ledger_command.command("start")
@click.argument("folder", type=click.Path(path_type=Path), default=Path(), metavar="[FOLDER]")
def start(folder: Path) -> None:
    """Start a ledger in FOLDER (default: the current folder): the file disjoin-ledger, with its own key."""
    from disjoin.ledger.ledger import Ledger

    ledger = Ledger.start(folder)
    say(f"The ledger is {printable(ledger.path)}. {KEEP}", err=True)


@ledger_command.command("show")
@click.argument("path", required=False, metavar="[FOLDER]")
@json_option
def show(path: str | None, as_json: bool) -> None:
    """List the releases in the ledger of FOLDER (default: the nearest one) and what they have in common."""
    ledger = _ledger(path)
    extents, among = ledger.extents(), ledger.overlaps_among()
    releases = [(entry, *extents[entry.number], among[entry.number]) for entry in ledger.entries()]
    if as_json:
        print_json({"ledger": str(ledger.path), "releases": [_facts(ledger, *release) for release in releases]})
        return
    say(f"{counted(len(releases), 'release')} in {printable(ledger.path)}")
    for release in releases:
        say("", *_lines(ledger, *release))


@ledger_command.command("forget")
@click.argument("numbers", type=int, nargs=-1, required=True, metavar="NUMBER...")
@click.option("--ledger", "path", metavar="PATH", help="The ledger or its folder (default: the nearest one).")
def forget(numbers: tuple[int, ...], path: str | None) -> None:
    """Remove releases from the ledger by number, because they were withdrawn before anyone received them.

    Later releases are no longer compared with them. A release that others have received stays published.
    """
    _ledger(path).forget(*numbers)
    say(f"Forgotten: {', '.join(map(str, numbers))}.", err=True)


def _ledger(path: str | None) -> Ledger:
    from disjoin.ledger.ledger import Ledger

    ledger = Ledger.near("-") if path is None else Ledger.open(path)
    if ledger is None:
        raise UnreadableInput(
            "expected a ledger in this folder or above, found none. Start one with disjoin ledger start, or name it."
        )
    return ledger


def _lines(ledger: Ledger, entry: LedgerEntry, ids: int | None, records: int, common: list[Overlap]) -> list[str]:
    from disjoin.ledger.overlap import counts_of, name_of

    extent = ", ".join([*([] if ids is None else [counted(ids, "id")]), counted(records, "record")])
    state = "It is still running, or was stopped." if not entry.finished else _STATES[ledger.state_of(entry)]
    lines = [f"{name_of(entry)}", f"  {extent}. {state}".rstrip()]
    lines += [f"  {entry.promise}"] if entry.promise else []
    lines += ["  Published although the ledger already listed some of it (--again)."] if entry.again else []
    return lines + [f"  In common with {overlap.release.number}: {counts_of(overlap)}." for overlap in common]


def _facts(ledger: Ledger, entry: LedgerEntry, ids: int | None, records: int, common: list[Overlap]) -> dict[str, Any]:
    names = ("made", "finished", "method", "parameters")
    facts = {"release": entry.number, **{name: getattr(entry, name) for name in names}, "guarantee": entry.promise}
    facts |= {"folder": entry.place}
    facts |= {"folder_state": ledger.state_of(entry), "digest": entry.digest, "ids": ids, "records": records}
    shared = [
        {
            "with": overlap.release.number,
            "kind": overlap.kind,
            "ids": overlap.ids,
            "records": overlap.records,
            "records_by_chance": overlap.by_chance,
        }
        for overlap in common
    ]
    return facts | {"again": entry.again, "in_common": shared}
