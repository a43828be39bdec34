"""One run as data: a TOML file that says what to read, what to do and where to write.

[input]
path = "baskets.csv"

[method]
name = "disassociation"
k = 5
m = 2

[output]
path = "release"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from disjoin.engines.spark.settings import SparkSettings
from disjoin.errors import InvalidParameter, UnreadableInput, described
from disjoin.escaping import json_text
from disjoin.files.databases import Query
from disjoin.files.hierarchies import read_hierarchy
from disjoin.files.term_lists import domain_from, terms_from
from disjoin.methods import METHODS
from disjoin.methods.contract import Method
from disjoin.methods.settings import settings_of
from disjoin.model.guarantee import require_integer
from disjoin.storage import scheme_of

READING = (
    *("format", "id_column", "term_column", "field", "separator", "max_bytes"),
    *("split", "blank", "blank_words", "similar_ids", "per_record", "sheet", "encoding", "role", "leave_out"),
)
READING_TABLES = ("separator", "max_bytes", "blank_words", "sheet", "encoding", "hierarchies", "population")
READING_PEOPLE = ("items", "id", "terms", "split", *READING_TABLES[:-1], "similar_ids")
_PATHS = ("hierarchies", "items", "population")  # of what is read, relative to the plan


@dataclass(frozen=True, slots=True)
class Plan:
    """What to read (`source` and options of `disjoin.read`), how to publish it, and where it goes."""

    source: str | Query
    method: Method
    destination: Path
    reading: Mapping[str, Any] = field(default_factory=dict)
    overwrite: bool = False
    threads: int = 0
    spark: SparkSettings | None = None  # None: this machine

    @classmethod
    def from_file(cls, path: Path) -> Plan:
        """Read a plan; paths in it are relative to the folder that it is in."""
        try:
            facts = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError as failure:
            raise UnreadableInput(f"cannot read the plan: {failure.strerror}.", source=str(path)) from failure
        except UnicodeDecodeError as failure:
            raise UnreadableInput(
                "a plan is a TOML file in UTF-8, and this is not UTF-8.", source=str(path)
            ) from failure
        except ValueError as failure:  # bad TOML, or a number of more digits than Python reads
            raise UnreadableInput(
                f"a plan is a TOML file, and this is not valid: {failure}.", source=str(path)
            ) from failure
        try:
            return cls.from_facts(facts, path.parent)
        except InvalidParameter as mistake:
            raise InvalidParameter(f"{path}: {mistake}") from None

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any], folder: Path) -> Plan:
        """Build a plan from the tables input, method, output and, if there is one, engine."""
        _only("the plan", facts, ("input", "method", "output", "engine"))
        source, method, output = (dict(_table(facts, name)) for name in ("input", "method", "output"))
        engine = dict(_table(facts, "engine"))
        _only("[output]", output, ("path", "overwrite"))
        spark = _spark(engine, folder)
        if not isinstance(output.get("overwrite", False), bool):
            raise InvalidParameter(f"[output] overwrite must be true or false, got {described(output['overwrite'])}.")
        how = _method(method.pop("name", "disassociation"))
        _only("[input]", source, ("path", "database", "query", *reading_names(how)))
        for name in _PATHS:
            if name in source:
                source[name] = str(folder / _text(name, source[name]))
        if isinstance(source.get("leave_out"), str):
            source["leave_out"] = list(terms_from(source["leave_out"], folder))
        _only("[method]", method, [setting.name for setting in settings_of(how)])
        return cls(
            source=_source(source, folder),
            method=how(**method | _from_files(how, method, folder)),
            destination=folder / _path(output, "output"),
            reading=source,
            overwrite=output.get("overwrite", False),
            threads=require_integer("threads", engine.get("threads", 0), 0, "it is the number of threads."),
            spark=spark,
        )

    def to_toml(self, files: Mapping[str, str] | None = None) -> str:
        """Return the plan as the text of a file that `from_file` reads.

        Settings that have their usual values are left out, but for k, m and p. A setting that was read from a file, a
        hierarchy of terms, is written as the name that `files` has for it.
        """
        declared = {setting.name: setting for setting in settings_of(type(self.method))}
        method: dict[str, Any] = {"name": self.method.name}
        for name, setting in declared.items():
            value = (files or {}).get(name, getattr(self.method, name))
            if name in ALWAYS_WRITTEN or value != setting.default:
                method[name] = value
        tables = {"input": {**_written_source(self.source), **self.reading}, "method": method}
        tables["output"] = {"path": str(self.destination)} | ({"overwrite": True} if self.overwrite else {})
        if self.spark is not None:
            given = {name: getattr(self.spark, name) for name in SPARK}
            tables["engine"] = {"name": "spark"} | {name: value for name, value in given.items() if value}
        elif self.threads:
            tables["engine"] = {"threads": self.threads}
        return "\n".join(
            f"[{name}]\n" + "".join(f"{key} = {_in_toml(key, value)}\n" for key, value in table.items())
            for name, table in tables.items()
        )


ALWAYS_WRITTEN = ("k", "m", "p")
SPARK = ("master", "staging", "shard_records", "conf")  # of the table [engine]


def _in_toml(name: str, value: object) -> str:
    """Return a value as TOML: its strings are JSON's, but for characters that JSON leaves as they are."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (str, Fraction)):
        return json_text(str(value)).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return f"[{', '.join(_in_toml(name, each) for each in value)}]"
    raise InvalidParameter(f"{name} was read from a file, and a plan must name it: say which file it is.")


def _written_source(source: str | Query) -> dict[str, str]:
    """Return the source as [input] has it; an address, which may hold a password, is in no file."""
    if not isinstance(source, Query):
        return {"path": source}
    if not source.database.startswith("env:"):
        raise InvalidParameter(
            "a plan must not hold the address of a database: put it into a variable, and say env:NAME."
        )
    return {"database": source.database, "query": source.sql}


def _source(table: dict[str, Any], folder: Path) -> str | Query:
    """Take the path out of [input], or the database and the query that stand in its place."""
    database, query = table.pop("database", None), table.pop("query", None)
    if database is None and query is None:
        given = _path(table, "input")
        return given if given == "-" or scheme_of(given) else str(folder / given)
    if "path" in table or database is None or query is None:
        raise InvalidParameter("[input] has a path, or a database and a query: say one of the two, whole.")
    return Query(database, query)


def _spark(engine: Mapping[str, Any], folder: Path) -> SparkSettings | None:
    """Return what the table [engine] says of Spark, None if it is this machine."""
    if engine.get("name", "local") == "local":
        _only("[engine]", engine, ("name", "threads"))
        return None
    if engine["name"] != "spark":
        raise InvalidParameter(f"[engine] name must be local or spark, got {described(engine['name'])}.")
    _only("[engine]", engine, ("name", *SPARK))
    given = {name: engine[name] for name in SPARK if name in engine}
    if not isinstance(given.get("conf", []), list):
        raise InvalidParameter('[engine] conf is a list of settings, for example conf = ["spark.ui.enabled=false"].')
    return SparkSettings(**given).in_folder(folder)


def reading_names(method: type[Any]) -> tuple[str, ...]:
    """Return the options for reading what a method takes."""
    of_records = (*READING, "keep") if METHODS.listed[method.name].keeps_columns else READING
    return {"table": READING_TABLES, "mixed": READING_PEOPLE}.get(method.takes, of_records)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidParameter(f"[input] {name} must be a path, got {described(value)}.")
    return value


def _method(name: object) -> type[Any]:
    if not isinstance(name, str) or name not in METHODS:
        raise InvalidParameter(f"[method] name must be one of {', '.join(METHODS)}, got {described(name)}.")
    return METHODS[name]


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
