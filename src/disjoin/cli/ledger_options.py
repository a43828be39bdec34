"""Options of the commands that publish: which ledger is asked before, and told after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.options import options
from disjoin.cli.screen import say
from disjoin.errors import InvalidParameter
from disjoin.escaping import legible
from disjoin.files.wording import quoted

if TYPE_CHECKING:
    from pathlib import Path

    from disjoin.ledger.ledger import Ledger, Publishing
    from disjoin.model import Release, Table, Transactions
    from disjoin.plan import Plan

ledger_options = options(
    click.option(
        "--ledger", metavar="PATH", help="The private ledger (default: the one beside the input, or in a folder above)."
    ),
    click.option("--no-ledger", is_flag=True, help="Neither ask a ledger nor tell it."),
    click.option("--again", is_flag=True, help="Publish although the ledger knows some of the data from before."),
)


@dataclass(frozen=True, slots=True)
class LedgerWish:
    """What somebody said about the ledger."""

    path: str | None
    is_unwanted: bool
    again: bool

    @classmethod
    def taken_from(cls, given: dict[str, Any]) -> LedgerWish:
        """Take the options about the ledger out of all that were given; raise if they do not go together."""
        wish = cls(given.pop("ledger"), given.pop("no_ledger"), given.pop("again"))
        if wish.is_unwanted and (wish.path is not None or wish.again):
            other = "--again" if wish.path is None else "--ledger"
            raise InvalidParameter(f"{other} asks for a ledger and --no-ledger does without: leave one of them out.")
        return wish

    def opened_for(self, source: str) -> Ledger | None:
        """Return the ledger that was named, or the one near the source, or None."""
        if self.is_unwanted:
            return None
        from disjoin.ledger.ledger import Ledger

        ledger = Ledger.near(source) if self.path is None else Ledger.open(self.path)
        if ledger is None and self.again:
            raise InvalidParameter(
                f"--again is a word to a ledger, and there is none beside {quoted(source)} or above. "
                "Name it with --ledger, or leave --again out."
            )
        return ledger

    @contextmanager
    def told(self, ledger: Ledger | None, data: Transactions | Table, plan: Plan) -> Iterator[LedgerRun]:
        """Ask the ledger, which may stop everything, and let it know of the release that is made meanwhile."""
        if ledger is None:
            yield LedgerRun()
            return
        with ledger.publishing(data, plan.method, plan.destination, again=self.again) as publishing:
            del data  # the method may need the room
            for overlap in publishing.overlaps:
                say(f"Warning: {overlap}", err=True)
            yield LedgerRun(publishing)


@dataclass(frozen=True, slots=True)
class LedgerRun:
    """A release that is being made, with or without a ledger."""

    publishing: Publishing | None = None

    def finish(self, release: Release, path: Path) -> None:
        """Say that the release is in its folder."""
        if self.publishing is not None:
            self.publishing.finish(release, path)

    def facts(self) -> dict[str, Any]:
        """Return what the steward may know, as JSON; nothing without a ledger."""
        if self.publishing is None:
            return {}
        entry, file = self.publishing.entry, self.publishing.ledger.path
        return {"ledger": {"file": str(file), "release": entry.number, "again": entry.again}}

    def tell(self) -> None:
        """Print under which number the ledger has the release."""
        if self.publishing is not None:
            ledger, number = legible(self.publishing.ledger.path), self.publishing.entry.number
            say(f"The ledger {ledger} knows it as release {number}.")
