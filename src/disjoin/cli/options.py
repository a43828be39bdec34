"""Options that several commands share: how to read a file, the settings of a method, the ledger of budgets."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from disjoin.cli.database_options import database_options
from disjoin.cli.screen import say
from disjoin.errors import InvalidParameter
from disjoin.escaping import legible
from disjoin.files.databases import Query
from disjoin.files.options import BLANK_WAYS, READERS, SIMILAR_WAYS
from disjoin.files.term_lists import terms_from
from disjoin.files.wording import quoted
from disjoin.methods.settings import ROLE_HELP, Setting, settings_of

if TYPE_CHECKING:
    from disjoin.model import Hierarchy
if TYPE_CHECKING:
    from pathlib import Path

    from disjoin.ledger.ledger import Ledger, Publishing
    from disjoin.model import MixedRecords, Release, Table, Transactions
    from disjoin.plan import Plan


Command = TypeVar("Command", bound=Callable[..., Any])


def options(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Apply options in the order in which the help shows them."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


blank_words_option = click.option(
    "--blank-words", metavar="usual|a,b", help="Words that are blanks, too; usual: NULL, NA, N/A, NaN, None and -."
)

file_options = options(
    click.option("--sheet", metavar="NAME", help="Spreadsheets (xlsx, xls, ods): which sheet, if there are several."),
    click.option("--encoding", metavar="NAME", help="Text that is not UTF-8: its encoding, such as cp1252 or utf-16."),
)

LEFT_OUT = "Terms that go, such as numbers of cards: a file with one term per line, or a,b."
plain_reading_options = options(
    click.option("--format", "format", type=click.Choice(list(READERS)), help="The file's format (default: detected)."),
    click.option(
        "--id-column",
        metavar="NAME",
        multiple=True,
        callback=lambda context, parameter, given: given or None,
        help="Long tables: the column that names the record. Repeat it if several columns name it together.",
    ),
    click.option("--term-column", metavar="NAME", help="The column of terms (long tables), or of lists (Parquet)."),
    click.option("--field", metavar="NAME", help="JSON Lines: the member that holds the terms."),
    click.option("--separator", metavar="CHAR", help="Basket and long files: what separates fields."),
    click.option(
        "--max-bytes",
        type=click.IntRange(1),
        metavar="N",
        help="Refuse input that unpacks to more bytes (default: 8 GiB).",
    ),
    click.option("--split", metavar="CHAR|none", help="Cells are lists with CHAR between terms; none: they are not."),
    click.option(
        "--blank", type=click.Choice(BLANK_WAYS), help="What becomes of cells without a term (default: error)."
    ),
    blank_words_option,
    click.option(
        "--similar-ids",
        type=click.Choice(SIMILAR_WAYS),
        help="Long tables: what becomes of ids that differ only in spelling (default: error).",
    ),
    click.option(
        "--per-record",
        is_flag=True,
        callback=lambda context, parameter, given: given or None,
        help="Long tables: protect each record on its own, although some are of the same person.",
    ),
    click.option(
        "--role",
        metavar="COLUMN=ROLE",
        multiple=True,
        callback=lambda context, parameter, given: given or None,
        help=f"Long tables: {ROLE_HELP}.",
    ),
    click.option(
        "--leave-out", metavar="FILE|a,b", multiple=True, callback=lambda *a: given_terms(*a) or None, help=LEFT_OUT
    ),
    file_options,
    *database_options,
)

reading_options = options(
    plain_reading_options,
    click.option(
        "--keep",
        metavar="COLUMN[:WIDTH],...",
        help="Other columns that become terms, such as age=60..69 and sex=f: numbers in ranges of 10, or of WIDTH "
        "(age:5; age:exact as they are). m counts them like other terms.",
    ),
)

table_options = options(
    click.option("--hierarchies", metavar="FOLDER", help="A file for each column that has a hierarchy: COLUMN.csv."),
    click.option("--separator", metavar="CHAR", help="What separates fields (default: detected)."),
    click.option(
        "--max-bytes",
        type=click.IntRange(1),
        metavar="N",
        help="Refuse input that unpacks to more bytes (default: 8 GiB).",
    ),
    blank_words_option,
    file_options,
    *database_options,
)

speaking_options = options(
    click.option("--quiet", "-q", is_flag=True, help="No progress, no summary."),
    click.option("--json", "as_json", is_flag=True, help="Facts as JSON on standard output."),
)

output_options = options(
    click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The release folder to write."),
    click.option("--overwrite", is_flag=True, help="Replace a release that is there."),
)

threads_option = click.option(
    "--threads",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Threads (default: one per core). The output is the same.",
)


def only_given(**values: Any) -> dict[str, Any]:
    """Drop the options that were not given."""
    return {name: value for name, value in values.items() if value is not None}


def settings_options(method: type) -> Callable[[Command], Command]:
    """Make one option for every setting of a method."""
    return options(*(_option(setting) for setting in settings_of(method)))


def _option(setting: Setting) -> Callable[[Any], Any]:
    named: dict[str, Any] = {"help": setting.help[0].upper() + setting.help[1:] + "."}
    if setting.choices:
        named |= {"type": click.Choice(setting.choices), "default": setting.default, "show_default": True}
    elif isinstance(setting.default, bool):
        is_pair = "/" in setting.flag  # --refine/--no-refine
        named |= {"default": setting.default, "show_default": is_pair} | ({} if is_pair else {"is_flag": True})
    elif setting.kind == "terms":
        named |= {"metavar": "FILE|a,b", "multiple": True, "callback": given_terms}
    elif setting.kind == "domain":
        named |= {"metavar": "FILE|a,b|seen", "multiple": True, "callback": _domain}
    elif setting.kind == "columns":
        named |= {"metavar": "a,b", "multiple": True, "callback": column_names}
    elif setting.kind == "roles":
        named |= {"metavar": "COLUMN=ROLE", "multiple": True}
    elif setting.kind == "column":
        named |= {"metavar": "NAME"}
    elif setting.kind == "hierarchy":
        named |= {"metavar": "FILE", "callback": _hierarchy}
    elif setting.kind == "fraction":
        written = None if setting.default is None else str(setting.default)
        named |= {"type": str, "metavar": "NUMBER", "default": written, "show_default": written is not None}
    else:
        named |= {"type": int, "metavar": "N", "default": setting.default, "show_default": setting.default is not None}
    return click.option(setting.flag, setting.name, **named)


def given_terms(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Read terms from files, one per line, and from comma-separated lists."""
    return tuple(term for value in given for term in terms_from(value))


def _hierarchy(context: click.Context, parameter: click.Parameter, given: str | None) -> Hierarchy | None:
    """Read a hierarchy of terms."""
    if given is None:
        return None
    from disjoin.files.hierarchies import read_hierarchy

    return read_hierarchy(given)


def _domain(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...] | Literal["seen"]:
    """Read a domain."""
    from disjoin.files.term_lists import domain_from

    return domain_from(given)


def column_names(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Read names of columns between commas; in double quotes a name may have commas in it."""
    rows = csv.reader(given, skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


_OF_TABLES = ("separator", "max_bytes", "blank_words", "sheet", "encoding")  # of all that may be said about a file


def columns_option(flag: str, help: str) -> Callable[[Command], Command]:
    """Return an option that names columns between commas, and may be repeated."""
    return click.option(flag, multiple=True, metavar="a,b", callback=column_names, help=help)


def table_reading(reading: dict[str, Any], why: str) -> dict[str, Any]:
    """Return what may be said about a file that is a table; raises if something else was given."""
    for name, value in reading.items():
        if name not in _OF_TABLES and value is not None:
            raise InvalidParameter(f"--{name.replace('_', '-')} is not for tables, and {why}. Leave it out.")
    return {name: reading[name] for name in _OF_TABLES if reading.get(name) is not None}


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

    def opened_for(self, source: str | Query) -> Ledger | None:
        """Return the ledger that was named, or the one near the source, or None."""
        if self.is_unwanted:
            return None
        from disjoin.ledger.ledger import Ledger

        near = "-" if isinstance(source, Query) else source  # the ledger of the folder that one works in
        ledger = Ledger.near(near) if self.path is None else Ledger.open(self.path)
        if ledger is None and self.again:
            raise InvalidParameter(
                f"--again is a word to a ledger, and there is none beside {quoted(str(source))} or above. "
                "Name it with --ledger, or leave --again out."
            )
        return ledger

    @contextmanager
    def told(self, ledger: Ledger | None, data: Transactions | Table | MixedRecords, plan: Plan) -> Iterator[LedgerRun]:
        """Ask the ledger, which may stop everything, and let it know of the release that is made meanwhile."""
        if ledger is None:
            del data  # what waits here would keep it in memory until the release is written
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
