"""Options that several commands share."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from disjoin.cli.screen import say
from disjoin.errors import InvalidParameter
from disjoin.methods.settings import ROLE_HELP, Setting, settings_of
from disjoin.readers.databases import Query
from disjoin.readers.options import BLANK_WAYS, READERS, SIMILAR_WAYS
from disjoin.readers.term_lists import terms_from
from disjoin.text import printable, quoted

if TYPE_CHECKING:
    from pathlib import Path

    from disjoin.ledger.ledger import Ledger, Publishing
    from disjoin.model import AnyGuarantee, Hierarchy, MixedRecords, Release, Table, Transactions
    from disjoin.plan import Plan
    from disjoin.readers.databases import Query


# FILE, or --db and --sql instead of it: where commands take their data from.

_KEPT = "disjoin.database"


def _keep(context: click.Context, parameter: click.Parameter, given: str | None) -> None:
    if given is not None:
        context.meta.setdefault(_KEPT, {})[parameter.name] = given


database_options: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--db",
        metavar="URI",
        is_eager=True,
        expose_value=False,
        callback=_keep,
        help="A database instead of a file: postgresql://..., sqlite:FILE, duckdb:FILE, or env:NAME.",
    ),
    click.option(
        "--sql", metavar="QUERY", is_eager=True, expose_value=False, callback=_keep, help="With --db: which rows."
    ),
)


def source_argument() -> Callable[[Any], Any]:
    """Return the argument FILE, in whose place --db and --sql may be given."""
    return click.argument("source", metavar="FILE", required=False, callback=_source)


def optional_source_argument() -> Callable[[Any], Any]:
    """Return the argument FILE for commands that have other options in its place, beside --db and --sql."""
    return click.argument("source", metavar="[FILE]", required=False, callback=_optional_source)


def original_option(help: str, *, required: bool = False) -> Callable[[Any], Any]:
    """Return the option --original, in whose place --db and --sql may be given."""
    callback = _required_original if required else _original
    return click.option("--original", metavar="FILE", callback=callback, help=help)


def _source(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query:
    found = _chosen(context, given, "FILE")
    if found is None:
        raise click.MissingParameter(ctx=context, param=parameter)
    return found


def _optional_source(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query | None:
    return _chosen(context, given, "FILE")


def _required_original(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query:
    found = _original(context, parameter, given)
    if found is None:
        raise click.MissingParameter(ctx=context, param=parameter)
    return found


def _original(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query | None:
    return _chosen(context, given, "--original")


def _chosen(context: click.Context, given: str | None, name: str) -> str | Query | None:
    """Return the file, or the query if both halves of one are given."""
    asked = context.meta.get(_KEPT)
    if asked is None:
        return given
    if given is not None:
        raise InvalidParameter(f"{name} and --db both say where the data are: leave one of them out.")
    if len(asked) < 2:
        other = "--sql" if "db" in asked else "--db"
        raise InvalidParameter(f"--db says where the data are and --sql which rows: add {other}.")
    return Query(asked["db"], asked["sql"])


Command = TypeVar("Command", bound=Callable[..., Any])


def options(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Apply options in the order in which the help shows them."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


class _RenamedOption(click.Option):
    """An option that is also accepted under an older name, which help and messages do not show."""

    def __init__(self, declarations: Any, *, older: str, **named: Any) -> None:
        super().__init__(declarations, **named)
        self.older = older

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        shown, self.opts = self.opts, [*self.opts, self.older]
        super().add_to_parser(parser, ctx)
        self.opts = shown


def renamed_option(flag: str, older: str, **named: Any) -> Callable[[Command], Command]:
    """Return an option that names a column, and has an older name."""
    return click.option(flag, cls=_RenamedOption, older=older, metavar="NAME", **named)


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
    renamed_option(
        "--id",
        "--id-column",
        multiple=True,
        callback=lambda context, parameter, given: given[0] if len(given) == 1 else given or None,
        help="The column that names the record or person. Repeat it if several columns name a record together.",
    ),
    renamed_option("--terms", "--term-column", help="The column of terms (long tables), or of lists (Parquet)."),
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
    elif setting.kind == "text":
        named |= {"metavar": "TEXT"}
    elif setting.kind == "pairs":
        named |= {"metavar": "NAME=VALUE", "multiple": True}
    elif setting.kind == "column":
        named |= {"metavar": "NAME"}
    elif setting.kind == "hierarchy":
        named |= {"metavar": "FILE", "callback": _hierarchy}
    elif setting.kind == "fraction":
        written = None if setting.default is None else str(setting.default)
        named |= {"type": str, "metavar": "NUMBER", "default": written, "show_default": written is not None}
    else:
        named |= {"type": int, "metavar": "N", "default": setting.default, "show_default": setting.default is not None}
    short = (setting.flag[1:],) if len(setting.flag) == 3 else ()  # -t as well as --t
    return click.option(*short, setting.flag, setting.name, **named)


def given_terms(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Read terms from files, one per line, and from comma-separated lists."""
    return tuple(term for value in given for term in terms_from(value))


def _hierarchy(context: click.Context, parameter: click.Parameter, given: str | None) -> Hierarchy | None:
    """Read a hierarchy of terms."""
    if given is None:
        return None
    from disjoin.readers.hierarchies import read_hierarchy

    return read_hierarchy(given)


def _domain(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...] | Literal["seen"]:
    """Read a domain."""
    from disjoin.readers.term_lists import domain_from

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
class LedgerOptions:
    """What somebody said about the ledger."""

    path: str | None
    is_unwanted: bool
    again: bool

    @classmethod
    def taken_from(cls, given: dict[str, Any]) -> LedgerOptions:
        """Take the options about the ledger out of all that were given; raise if they do not go together."""
        wish = cls(given.pop("ledger"), given.pop("no_ledger"), given.pop("again"))
        if wish.is_unwanted and (wish.path is not None or wish.again):
            other = "--again" if wish.path is None else "--ledger"
            raise InvalidParameter(f"{other} asks for a ledger and --no-ledger does without: leave one of them out.")
        return wish

    def opened_for(self, source: object) -> Ledger | None:
        """Return the ledger that was named, or the one near the source, or None."""
        if self.is_unwanted:
            return None
        from disjoin.ledger.ledger import Ledger

        near = source if isinstance(source, str) else "-"  # of a query: the ledger of the working directory
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
        assert plan.destination is not None, "a ledger records releases that are written"
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
            ledger, number = printable(self.publishing.ledger.path), self.publishing.entry.number
            say(f"The ledger {ledger} knows it as release {number}.")


# Options that say where people with columns and terms are: in one file or in two.

people_options = options(
    click.option("--people", metavar="FILE", help="Instead of FILE: the file with a row per person."),
    click.option("--items", metavar="FILE", help="With --people: the file with a row per person and term."),
    renamed_option("--id", "--id-column", help="The column that identifies the person; it is not published."),
    renamed_option("--terms", "--term-column", help="The column of terms: lists in FILE, single ones in --items."),
    click.option(
        "--split", metavar="CHAR|none", help="The character between the terms of a cell of FILE; none: a cell is one."
    ),
)

people_reading_options = options(
    table_options,
    click.option(
        "--similar-ids",
        type=click.Choice(SIMILAR_WAYS),
        help="What becomes of ids that differ only in spelling (default: error).",
    ),
)


original_people_options = options(
    click.option("--people", metavar="FILE", help="Mixed data, instead of --original: the file of people."),
    click.option("--items", metavar="FILE", help="With --people: the file with a row per person and term."),
)
ABOUT_PEOPLE = ("people", "items")


def original_people(
    guarantee: AnyGuarantee, original: str | Query | None, about: dict[str, Any], reading: dict[str, Any]
) -> MixedRecords:
    """Read the original of mixed data; which columns count is said by the promise."""
    from disjoin.model import MixedAnonymity
    from disjoin.readers.people import read_people

    assert isinstance(guarantee, MixedAnonymity), "mixed data has its own promise"
    more = only_given(**reading)
    for name in more:
        if name not in ("id", "terms", "split", "similar_ids", *_OF_TABLES):
            flag = name.replace("_", "-")
            raise InvalidParameter(f"--{flag} is not for mixed data, and this release has it. Leave it out.")
    source = people_source(original, about)
    columns = (*guarantee.quasi, *guarantee.sensitive_columns)
    return read_people(source, about["items"], columns=columns, **more)


def refuse_people(about: dict[str, Any]) -> None:
    """Raise if options for mixed data were given for a release that has none."""
    for name in ABOUT_PEOPLE:
        if about[name] is not None:
            raise InvalidParameter(f"--{name} is for mixed data, and this release has none. Use --original.")


def people_source(source: str | Query | None, given: dict[str, Any]) -> str | Query:
    """Return the file with the rows of people: FILE, or the one of --people, which is taken out of the options."""
    people = given.pop("people")
    if (source is None) == (people is None):
        raise click.UsageError("Give FILE, a table with a list of terms in a column, or --people and --items.")
    if people is not None and given.get("items") is None:
        raise click.UsageError("--people has no terms: add --items, the file with a row per person and term.")
    if people is None and given.get("items") is not None:
        raise click.UsageError("--items is joined with --people: say --people instead of FILE.")
    return people if source is None else source


# Categories that replaced rare terms, or rare values of columns: read for the original of a release.


def with_categories(published: object, data: object, hierarchy: str | None, folder: str | None) -> object:
    """Return the original with the categories that rare terms, or values of columns, may have been replaced by."""
    from disjoin.model import Generalized, MixedRecords, Table, Transactions
    from disjoin.readers.hierarchies import read_hierarchies, read_hierarchy

    if folder is not None:
        if not isinstance(data, Table) or not isinstance(published, Generalized):
            raise InvalidParameter("--hierarchies is for the original of a table: add --original, or leave it out.")
        others = [name for name in data.schema.names if name not in published.quasi]
        data = data.with_hierarchies({**data.hierarchies, **read_hierarchies(folder, others)})
    if hierarchy is None:
        return data
    if isinstance(data, Transactions):
        return data.with_hierarchy(read_hierarchy(hierarchy))
    if isinstance(data, MixedRecords):
        return data.with_categories(read_hierarchy(hierarchy))
    raise InvalidParameter("--hierarchy is for the terms of an original: add --original, or leave it out.")
