"""Plan: a run as data (what to read, by which method, where to write); `Plan.run` is the only entry point."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from disjoin.advise import publisher_of
from disjoin.atomic import scheme_of
from disjoin.engine import ENGINES, RemoteEngine
from disjoin.errors import InvalidParameter, UnreadableInput, described
from disjoin.methods import METHODS
from disjoin.methods.contract import Method
from disjoin.methods.settings import settings_of
from disjoin.model import Hierarchy, MixedRecords, Release, Role, Table, Transactions
from disjoin.model.parameters import require_integer
from disjoin.pipeline import Outcome, publish, write
from disjoin.progress import Progress, silent
from disjoin.readers.databases import Query
from disjoin.readers.hierarchies import hierarchies_of, read_hierarchy
from disjoin.readers.people import read_people
from disjoin.readers.read import read
from disjoin.readers.tables import read_table
from disjoin.readers.term_lists import domain_from, terms_from
from disjoin.report.facts import intake_of
from disjoin.verify.inspection import Original

READING = (
    *("format", "id", "terms", "field", "separator", "max_bytes"),
    *("split", "blank", "blank_words", "similar_ids", "per_record", "sheet", "encoding", "role", "leave_out"),
)
READING_TABLES = ("separator", "max_bytes", "blank_words", "sheet", "encoding", "hierarchies", "population")
READING_PEOPLE = ("items", "id", "terms", "split", *READING_TABLES[:-1], "similar_ids")
_PATHS = ("hierarchies", "items", "population")  # paths to read, relative to the plan
_OLDER = {"id_column": "id", "term_column": "terms"}  # names in plans of earlier versions


# Options about the format; if all are given, no record of the input can influence how others are read.
DECIDED_BY: dict[str, dict[str, str]] = {
    "basket": {"format": "format = basket", "separator": "separator"},
    "long": {"id": "id", "terms": "terms"},
    **{name: {"format": f"format = {name}"} for name in ("fimi", "spmf", "jsonl")},
}

# Called with the data that were read; the release is made and written inside the context that it returns. The function
# that the context yields receives the release and its folder.
Recorder = Callable[[Original], AbstractContextManager[Callable[[Release, Path], object]]]


@contextmanager
def no_recorder(data: Original) -> Iterator[Callable[[Release, Path], object]]:
    del data  # the context must not keep the data in memory
    yield lambda release, path: None


@dataclass(frozen=True, slots=True)
class Plan:
    """What to read, the method that publishes it, and the folder for the release (without one, nothing is written).
    `source` is a path, a query or data in memory; `reading` has options of `disjoin.read`, `read_table` or
    `read_people`, and hierarchies and the population of tables."""

    source: str | Query | Original
    method: Method
    destination: Path | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    overwrite: bool = False
    threads: int = 0
    engine: RemoteEngine | None = None  # None: this machine

    @classmethod
    def from_file(cls, path: Path) -> Plan:
        """Read a plan; its paths are relative to its folder."""
        try:
            facts = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError) as failure:  # bad TOML, or a number of more digits than Python reads
            words = f"a plan must be a valid TOML file, but this one is not: {failure}."
            if isinstance(failure, OSError):
                words = f"cannot read the plan: {failure.strerror}."
            elif isinstance(failure, UnicodeDecodeError):
                words = "a plan must be a TOML file in UTF-8, but this one is not UTF-8."
            raise UnreadableInput(words, source=str(path)) from failure
        try:
            return cls.from_facts(facts, path.parent)
        except InvalidParameter as mistake:
            raise InvalidParameter(f"{path}: {mistake}") from None

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any], folder: Path) -> Plan:
        _only("the plan", facts, ("input", "method", "output", "engine"))
        source, method, output = (dict(_table(facts, name)) for name in ("input", "method", "output"))
        place = dict(_table(facts, "engine"))
        _only("[output]", output, ("path", "overwrite"))
        engine = _engine(place, folder)
        if not isinstance(output.get("overwrite", False), bool):
            raise InvalidParameter(f"[output] overwrite must be true or false, got {described(output['overwrite'])}.")
        name = method.pop("name", "disassociation")
        if not isinstance(name, str) or name not in METHODS:
            raise InvalidParameter(f"[method] name must be one of {', '.join(METHODS)}, got {described(name)}.")
        how = METHODS[name]
        for older, name in _OLDER.items():
            if older in source and name in source:
                raise InvalidParameter(f"[input] has {name} and {older}, its older name. Leave {older} out.")
        source = {_OLDER.get(name, name): value for name, value in source.items()}
        _only("[input]", source, ("path", "database", "query", *reading_names(how)))
        for name in _PATHS:
            if not isinstance(source.get(name, ""), str):
                raise InvalidParameter(f"[input] {name} must be a path, got {described(source[name])}.")
            if name in source:
                source[name] = str(folder / source[name])
        if isinstance(source.get("leave_out"), str):
            source["leave_out"] = list(terms_from(source["leave_out"], folder))
        _only("[method]", method, [setting.name for setting in settings_of(how)])
        return cls(
            source=_source(source, folder),
            method=how(**method | _from_files(how, method, folder)),
            destination=folder / _path(output, "output"),
            reading=source,
            overwrite=output.get("overwrite", False),
            threads=require_integer("threads", place.get("threads", 0), 0, "it is the number of threads."),
            engine=engine,
        )

    def read(self) -> Transactions | Table | MixedRecords:
        """Read the input of the method, with hierarchies and the population; data in memory are not read again."""
        source, reading, method = self.source, dict(self.reading), self.method
        trees, population = reading.pop("hierarchies", None), reading.pop("population", None)
        if method.takes == "mixed":
            columns = (*method.quasi, *method.sensitive_columns)  # type: ignore[attr-defined]
            people = source if isinstance(source, MixedRecords) else read_people(source, **reading, columns=columns)
            return people.with_hierarchies(self._with_hierarchies(people.table, trees).hierarchies)
        if method.takes == "table":
            table = source if isinstance(source, Table) else read_table(source, **reading)
            if population is not None:
                table = table.with_population(population if isinstance(population, Table) else read_table(population))
            return self._with_hierarchies(table, trees)
        if isinstance(source, Transactions):
            return source
        return read(source, keep_order=method.needs_written_order, allow_empty=method.may_be_empty, **reading)

    def _with_hierarchies(self, table: Table, trees: Mapping[str, Hierarchy] | str | Path | None) -> Table:
        if isinstance(trees, (str, Path)):
            named = (*self.method.hierarchy_columns, *table.schema.with_role(Role.QUASI_IDENTIFIER))
            trees = hierarchies_of(table, dict.fromkeys(named), trees)
        trees = {} if trees is None else trees
        if not isinstance(trees, Mapping):
            raise InvalidParameter(f"hierarchies must be a folder or by column, got {type(trees).__name__}.")
        return table.with_hierarchies({**table.hierarchies, **trees})

    def notes(self, data: Original) -> list[str]:
        """Return notes for the data owner, such as a detected format when no record may influence others."""
        missing: list[str] = []
        if isinstance(self.source, (str, Query)) and self.method.may_be_empty and isinstance(data, Transactions):
            options = DECIDED_BY.get(data.intake.format, {})
            missing = [words for name, words in options.items() if name not in self.reading]
        detected = (
            "the format was detected from the file, so one record may change how all others are read. "
            f"Give {' and '.join(missing)} to avoid that."
        )
        return [*self.method.warnings(data), *([detected] if missing else [])]

    def run(
        self,
        progress: Progress = silent,
        recorder: Recorder = no_recorder,
        select: Callable[[Original], Original] | None = None,
    ) -> Outcome:
        """Read, publish, verify and write; `select` returns the part of the data that is published."""
        if self.engine is not None:
            return self._write(self.engine.publish(self, progress), progress)
        reading = progress if isinstance(self.source, (str, Query)) else silent
        reading("reading", 0, 0)
        data = self.read()
        reading("reading", 1, 1)
        data = data if select is None else select(data)
        with recorder(data) as record:
            publisher = publisher_of(self.method)  # chooses a clustering if the method leaves it open
            outcome = publish(data, self.method, progress=progress, threads=self.threads, publisher=publisher)
            outcome = replace(outcome, intake=intake_of(data))
            del data  # the release is read and verified again after writing, which needs the memory
            outcome = self._write(outcome, progress)
            if outcome.path is not None:
                record(outcome.release, outcome.path)
        return outcome

    def _write(self, outcome: Outcome, progress: Progress) -> Outcome:
        if self.destination is None:
            return outcome
        progress("writing", 0, 0)
        return replace(outcome, path=write(outcome.release, self.destination, overwrite=self.overwrite))


def _source(table: dict[str, Any], folder: Path) -> str | Query:
    database, query = table.pop("database", None), table.pop("query", None)
    if database is None and query is None:
        given = _path(table, "input")
        return given if given == "-" or scheme_of(given) else str(folder / given)
    if "path" in table or database is None or query is None:
        raise InvalidParameter("[input] has a path, or a database and a query: give one of the two, whole.")
    return Query(database, query)


def _engine(table: Mapping[str, Any], folder: Path) -> RemoteEngine | None:
    name = table.get("name", "local")
    if name == "local":
        _only("[engine]", table, ("name", "threads"))
        return None
    if not isinstance(name, str) or name not in ENGINES:
        raise InvalidParameter(f"[engine] name must be {' or '.join(['local', *ENGINES])}, got {described(name)}.")
    settings = [setting.name for setting in settings_of(ENGINES[name])]
    _only("[engine]", table, ("name", *settings))
    return ENGINES[name](**{each: table[each] for each in settings if each in table}).in_folder(folder)


def reading_names(method: type[Any]) -> tuple[str, ...]:
    of_records = (*READING, "keep") if METHODS.listed[method.name].keeps_columns else READING
    return {"table": READING_TABLES, "mixed": READING_PEOPLE}.get(method.takes, of_records)


def _table(facts: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = facts.get(name, {} if name in ("method", "engine") else None)
    if not isinstance(table, Mapping):
        raise InvalidParameter(f"the plan needs a table [{name}].")
    return table


def _path(table: dict[str, Any], name: str) -> str:
    path = table.pop("path", None)
    if not isinstance(path, str) or not path:
        example = "baskets.csv" if name == "input" else "release"
        raise InvalidParameter(f'[{name}] needs a path, for example path = "{example}".')
    return path


def _only(where: str, table: Mapping[str, Any], known: Any) -> None:
    for name in table:
        if name not in known:
            raise InvalidParameter(f"{where} has no setting {described(name)}; known are {', '.join(known)}.")


def _from_files(how: type[Any], given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Read the settings that may be files, relative to the plan: terms (or text with commas), hierarchies, domains."""
    found: dict[str, Any] = {}
    for setting in settings_of(how):
        value = given.get(setting.name)
        if setting.kind == "terms" and isinstance(value, str):
            found[setting.name] = terms_from(value, folder)
        elif setting.kind == "domain" and isinstance(value, str):
            found[setting.name] = domain_from([value], folder)
        elif setting.kind == "hierarchy" and isinstance(value, str):
            found[setting.name] = read_hierarchy(folder / value)
    return found
