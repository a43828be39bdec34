"""Options that several commands share."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.screen import flag_of, setting_flag
from disjoin.errors import InvalidParameter
from disjoin.methods.settings import ROLE_HELP, Setting, settings_of
from disjoin.readers.databases import Query
from disjoin.readers.options import BLANK_WAYS, READERS, SIMILAR_WAYS
from disjoin.readers.term_lists import domain_from, terms_from

if TYPE_CHECKING:
    from disjoin.model import AnyGuarantee, Hierarchy, MixedRecords, Release
    from disjoin.release.reader import ReleaseContents

Decorator = Callable[[Any], Any]  # adds an option to a function


def options(*decorators: Decorator) -> Decorator:
    def decorate(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def section(title: str, *decorators: Decorator) -> Decorator:
    """Add options that help lists together, under a title (`SectionedCommand`)."""

    def decorate(command: Any) -> Any:
        before = len(getattr(command, "__click_params__", ()))
        decorated = options(*decorators)(command)
        for each in getattr(decorated, "__click_params__", [])[before:]:
            each.section = title
        return decorated

    return decorate


class SectionedCommand(click.Command):
    """A command whose help lists options by section; those without one come last."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for each in sorted(self.get_params(ctx), key=lambda each: not hasattr(each, "section")):
            if (record := each.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(each, "section", "Other options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def number_option(*names: str, help: str, default: float | None = None, type: Any = int) -> Decorator:
    return click.option(*names, type=type, default=default, show_default=default is not None, metavar="N", help=help)


def path_option(*names: str, help: str, metavar: str | None = None, required: bool = False) -> Decorator:
    """Return an option for a file or folder to write, or a file that is opened by the command itself."""
    return click.option(*names, type=click.Path(path_type=Path), metavar=metavar, required=required, help=help)


def choice_option(*names: str, choices: Iterable[str], help: str, default: str | None = None) -> Decorator:
    shown = default is not None
    return click.option(*names, type=click.Choice([*choices]), default=default, show_default=shown, help=help)


def columns_option(flag: str, help: str) -> Decorator:
    """Return an option that names columns between commas, and may be repeated."""
    return click.option(flag, multiple=True, metavar="a,b", callback=column_names, help=help)


def only_given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def taken(given: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: given.pop(name) for name in names}


def names_in(given: Iterable[str]) -> tuple[str, ...]:
    """Read names between commas; in double quotes a name may have commas in it."""
    rows = csv.reader(given, skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


def column_names(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    return names_in(given)


def given_terms(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Read terms from files, one per line, and from comma-separated lists."""
    return tuple(term for value in given for term in terms_from(value))


def _or_none(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    return given or None


# FILE, or --db and --sql instead of it: where commands take their data from.

_KEPT = "disjoin.database"


def _keep(context: click.Context, parameter: click.Parameter, given: str | None) -> None:
    if given is not None:
        context.meta.setdefault(_KEPT, {})[parameter.name] = given


def _database_option(flag: str, metavar: str, help: str) -> Decorator:
    return click.option(flag, metavar=metavar, is_eager=True, expose_value=False, callback=_keep, help=help)


database_options = options(
    _database_option(
        "--db", "URI", "A database to read instead of a file: postgresql://..., sqlite:FILE, duckdb:FILE or env:NAME."
    ),
    _database_option("--sql", "QUERY", "The query that selects the rows to read, with --db."),
)


def source_argument(*, is_required: bool = True) -> Decorator:
    """Return the argument FILE, in whose place --db and --sql may be given, or other options if it is not required."""

    def chosen(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query | None:
        found = _chosen(context, given, "FILE")
        if found is None and is_required:
            raise click.MissingParameter(ctx=context, param=parameter)
        return found

    metavar = "FILE" if is_required else "[FILE]"
    return click.argument("source", metavar=metavar, required=False, callback=chosen)


def original_option(help: str) -> Decorator:
    """Return the option --original, in whose place --db and --sql may be given."""

    def chosen(context: click.Context, parameter: click.Parameter, given: str | None) -> str | Query | None:
        return _chosen(context, given, "--original")

    return click.option("--original", metavar="FILE", callback=chosen, help=help)


def _chosen(context: click.Context, given: str | None, name: str) -> str | Query | None:
    """Return the file, or the query if both halves of one are given."""
    asked = context.meta.get(_KEPT)
    if asked is None:
        return given
    if given is not None:
        raise InvalidParameter(f"{name} and --db both name the data: leave one of them out.")
    if len(asked) < 2:
        other = "--sql" if "db" in asked else "--db"
        raise InvalidParameter(f"--db and --sql are used together: add {other}.")
    return Query(asked["db"], asked["sql"])


class _RenamedOption(click.Option):
    """An option that is also accepted under an older name, which help and messages do not show."""

    def __init__(self, declarations: Any, *, older: str, **named: Any) -> None:
        super().__init__(declarations, **named)
        self.older = older

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        shown, self.opts = self.opts, [*self.opts, self.older]
        super().add_to_parser(parser, ctx)
        self.opts = shown


def _column_option(flag: str, help: str, **named: Any) -> Decorator:
    """Return an option that names a column, and has an older name."""
    return click.option(flag, cls=_RenamedOption, older=_OLDER[flag], metavar="NAME", help=help, **named)


_OLDER = {"--id": "--id-column", "--terms": "--term-column"}
blank_words_option = click.option(
    "--blank-words", metavar="usual|a,b", help="Words to treat as blank cells (usual: NULL, NA, N/A, NaN, None and -)."
)
file_options = options(
    click.option(
        "--sheet", metavar="NAME", help="The sheet to read from a spreadsheet (xlsx, xls, ods) that has several."
    ),
    click.option(
        "--encoding", metavar="NAME", help="The encoding of text that is not UTF-8, such as cp1252 or utf-16."
    ),
)


def limit_option(what: str) -> Decorator:
    help = f"Refuse {what} that unpacks to more bytes (default: 8 GiB)."
    return number_option("--max-bytes", type=click.IntRange(1), help=help)


plain_reading_options = options(
    choice_option("--format", "format", choices=READERS, help="The format of the file (default: detected)."),
    _column_option(
        "--id",
        "The column that identifies the record or person; repeat it if several columns do so together.",
        multiple=True,
        callback=lambda context, parameter, given: given[0] if len(given) == 1 else given or None,
    ),
    _column_option("--terms", "The column of single terms (long tables) or of lists of terms (Parquet)."),
    click.option("--field", metavar="NAME", help="The JSON Lines field that holds the terms."),
    click.option(
        "--separator",
        metavar="CHAR",
        help="The character between fields of basket files and long tables (default: detected).",
    ),
    limit_option("input"),
    click.option(
        "--split",
        metavar="CHAR|none",
        help="The character between the terms of a cell, or none if each cell is one term.",
    ),
    choice_option("--blank", choices=BLANK_WAYS, help="What to do with cells that have no term (default: error)."),
    blank_words_option,
    choice_option(
        "--similar-ids",
        choices=SIMILAR_WAYS,
        help="What to do with ids that differ only in spelling, in long tables (default: error).",
    ),
    click.option(
        "--per-record",
        is_flag=True,
        callback=_or_none,
        help="Protect each record on its own, although several belong to the same person (long tables).",
    ),
    click.option("--role", metavar="COLUMN=ROLE", multiple=True, callback=_or_none, help=f"Long tables: {ROLE_HELP}."),
    click.option(
        "--leave-out",
        metavar="FILE|a,b",
        multiple=True,
        callback=lambda *given: given_terms(*given) or None,
        help="Terms to leave out, such as card numbers: a file with one term per line, or a,b.",
    ),
    file_options,
    database_options,
)

reading_options = options(
    plain_reading_options,
    click.option(
        "--keep",
        metavar="COLUMN[:WIDTH],...",
        help="Columns to turn into terms, such as age=60..69, which m counts, too: numbers become ranges of WIDTH "
        "(default: 10; age:exact keeps them).",
    ),
)

table_options = options(
    click.option(
        "--hierarchies", metavar="FOLDER", help="A folder with a file COLUMN.csv for each column that has a hierarchy."
    ),
    click.option("--separator", metavar="CHAR", help="The character between fields (default: detected)."),
    limit_option("input"),
    blank_words_option,
    file_options,
    database_options,
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print the facts as JSON on standard output.")
speaking_options = options(
    click.option("--quiet", "-q", is_flag=True, help="Print no progress and no summary."), json_option
)
threads_option = click.option(
    "--threads",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="The number of threads (default: one per core); the output does not depend on it.",
)
category_folder_option = click.option(
    "--hierarchies", metavar="FOLDER", help="A folder with a hierarchy COLUMN.csv for each column of the table."
)


def settings_options(method: type) -> Decorator:
    return options(*map(_option, settings_of(method)))


def _read_hierarchy(context: click.Context, parameter: click.Parameter, given: str | None) -> Hierarchy | None:
    if given is None:
        return None
    from disjoin.readers.hierarchies import read_hierarchy

    return read_hierarchy(given)


_BY_KIND: dict[str, dict[str, Any]] = {
    "terms": {"metavar": "FILE|a,b", "multiple": True, "callback": given_terms},
    "domain": {
        "metavar": "FILE|a,b|seen",
        "multiple": True,
        "callback": lambda context, parameter, given: domain_from(given),
    },
    "columns": {"metavar": "a,b", "multiple": True, "callback": column_names},
    "roles": {"metavar": "COLUMN=ROLE", "multiple": True},
    "text": {"metavar": "TEXT"},
    "pairs": {"metavar": "NAME=VALUE", "multiple": True},
    "column": {"metavar": "NAME"},
    "hierarchy": {"metavar": "FILE", "callback": _read_hierarchy},
}


def _option(setting: Setting) -> Decorator:
    flag, default = setting_flag(setting), setting.default
    named: dict[str, Any] = {"help": setting.help[0].upper() + setting.help[1:] + "."}
    if setting.choices:
        named |= {"type": click.Choice(setting.choices), "default": default, "show_default": True}
    elif isinstance(default, bool):
        is_pair = "/" in flag  # --refine/--no-refine
        named |= {"default": default, "show_default": is_pair} | ({} if is_pair else {"is_flag": True})
    elif setting.kind in _BY_KIND:
        named |= _BY_KIND[setting.kind]
    else:
        metavar, kind = ("NUMBER", str) if setting.kind == "fraction" else ("N", int)
        written = None if default is None else kind(default)
        named |= {"type": kind, "metavar": metavar, "default": written, "show_default": written is not None}
    short = (flag[1:],) if len(flag) == 3 else ()  # -t as well as --t
    return click.option(*short, flag, setting.name, **named)


_OF_TABLES = ("separator", "max_bytes", "blank_words", "sheet", "encoding")  # of all that may be said about a file


def table_reading(reading: dict[str, Any], why: str) -> dict[str, Any]:
    """Return the reading options of a table file; raises if others were given."""
    for name, value in reading.items():
        if name not in _OF_TABLES and value is not None:
            raise InvalidParameter(f"{flag_of(name)} is not for tables, and {why}. Leave it out.")
    return {name: reading[name] for name in _OF_TABLES if reading.get(name) is not None}


# Options that say where people with columns and terms are: in one file or in two.

_ITEMS = click.option("--items", metavar="FILE", help="The file with a row per person and term, used with --people.")
people_options = options(
    click.option("--people", metavar="FILE", help="The file with a row per person, instead of FILE."),
    _ITEMS,
    _column_option("--id", "The column that identifies the person, which is not published."),
    _column_option("--terms", "The column of terms: lists in FILE, single terms in --items."),
    click.option(
        "--split",
        metavar="CHAR|none",
        help="The character between the terms of a cell of FILE, or none if each cell is one term.",
    ),
)
people_reading_options = options(
    table_options,
    choice_option(
        "--similar-ids", choices=SIMILAR_WAYS, help="What to do with ids that differ only in spelling (default: error)."
    ),
)
original_people_options = options(
    click.option(
        "--people", metavar="FILE", help="The file with a row per person, instead of --original (mixed data)."
    ),
    _ITEMS,
)
ABOUT_PEOPLE = ("items", "people")


def refuse_people(about: dict[str, Any]) -> None:
    """Raise if options for mixed data were given for a release that has none."""
    for name in ABOUT_PEOPLE:
        if about[name] is not None:
            raise InvalidParameter(f"--{name} is for mixed data, and this release has none. Use --original.")


def people_source(source: str | Query | None, given: dict[str, Any]) -> str | Query:
    people = given.pop("people")
    if (source is None) == (people is None):
        raise click.UsageError("Give FILE, a table with a list of terms in a column, or --people and --items.")
    if people is not None and given.get("items") is None:
        raise click.UsageError("--people has no terms: add --items, the file with a row per person and term.")
    if people is None and given.get("items") is not None:
        raise click.UsageError("--items is joined with --people: use --people instead of FILE.")
    return people if source is None else source


# The original of a release, and categories that replaced rare terms, or rare values of columns.


def original_of(
    release: Release | ReleaseContents,
    original: str | Query | None,
    people: dict[str, Any],
    reading: dict[str, Any],
    identifiers: tuple[str, ...] = (),
) -> Any:
    from disjoin.forms.registry import FORMS
    from disjoin.model import MixedRecords, Role, Table

    kind = FORMS[release.published.form].original
    if kind is not MixedRecords:
        refuse_people(people)
    if original is None and not any(people.values()):
        return None
    if kind is MixedRecords:
        return _original_people(release.guarantee, original, people, reading)
    if kind is Table:
        from disjoin.readers.tables import read_table

        table = read_table(original, **table_reading(reading, "this release is one"))
        return table.with_roles(dict.fromkeys(identifiers, Role.IDENTIFIER))
    if identifiers:
        raise InvalidParameter("--identifiers is for tables, and this release is none. Leave it out.")
    from disjoin.readers.read import read

    return read(original, **only_given(**reading))


def _original_people(
    guarantee: AnyGuarantee, original: str | Query | None, about: dict[str, Any], reading: dict[str, Any]
) -> MixedRecords:
    from disjoin.model import MixedAnonymity
    from disjoin.readers.people import read_people

    assert isinstance(guarantee, MixedAnonymity), "mixed data has its own guarantee"
    more = only_given(**reading)
    for name in more:
        if name not in ("id", "terms", "split", "similar_ids", *_OF_TABLES):
            raise InvalidParameter(f"{flag_of(name)} is not for mixed data, and this release has it. Leave it out.")
    columns = (*guarantee.quasi, *guarantee.sensitive_columns)
    return read_people(people_source(original, about), about["items"], columns=columns, **more)


def with_categories(published: object, data: Any, hierarchy: str | None, folder: str | None) -> Any:
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
