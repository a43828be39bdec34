"""Plans of the studio: form fields to a plan, and the plan as a file and a command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from disjoin.cli.screen import flag_of, option_words, setting_flag
from disjoin.errors import InvalidParameter
from disjoin.methods import METHODS
from disjoin.methods.settings import setting_values, settings_of
from disjoin.readers.databases import Query
from disjoin.text import json_text

if TYPE_CHECKING:
    from disjoin.plan import Plan
    from disjoin.studio.home import Home
    from disjoin.verify.inspection import Original

Facts = dict[str, Any]
OF_POPULATION = ("k_map", "least_presence", "most_presence")


# Settings that have a place of their own on the page, or none there: what is drawn by chance is for experiments.
ON_PAGE = {
    "disassociation": ("k", "m", "clustering", "max_cluster_size", "sensitive", "l", "min_people", "hierarchy"),
    "cahd": ("p", "sensitive", "random_sensitive", "seed", "min_people", "hierarchy"),
    "apriori": ("k", "m", "hierarchy", "fan_out", "min_people"),
    "diffpart": ("epsilon", "domain"),
    "generalization": (
        *("k", "quasi", "sensitive", "identifiers", "others", "drop_unassigned", "role", "person", "alpha", "l"),
        "min_people",
    ),
    "mixed": (
        *("k", "m", "quasi", "role", "link", "sensitive", "l", "sensitive_columns", "alpha", "column_l"),
        *("min_people", "hierarchy"),
    ),
}


def other_settings(method: str) -> list[Any]:
    """Return the settings of a method that a page shows in its generic form."""
    return [each for each in settings_of(METHODS[method]) if each.name not in ON_PAGE[method]]


def plan_of(home: Home, data: Facts, request: Facts, destination: Path) -> Plan:
    """Return the plan of a request: the same tables as in plan.toml, but for the paths, which are the server's."""
    from disjoin.plan import Plan

    reading = dict(data["reading"])
    asked = request["method"]
    method = data.get("said", {}).get(asked.get("name"), {}) | asked
    if data["kind"] in ("table", "mixed") and (folder := Path(data["folder"]) / "hierarchies").is_dir():
        reading["hierarchies"] = str(folder)
    files = data.get("files", {})
    if "population" in files and any(method.get(name) is not None for name in OF_POPULATION):
        reading["population"] = files["population"]["path"]
    if "hierarchy" in files and (asked.get("name") == "apriori" or method.get("rare") == "category"):
        method = {name: value for name, value in method.items() if name != "fan_out"}
        method["hierarchy"] = files["hierarchy"]["path"]
    facts = {"input": {"path": data["path"], **reading}, "method": method, "output": {"path": str(destination)}}
    return Plan.from_facts(facts, home.path)


def _named(data: Facts) -> Facts:
    brought = {what: file["name"] for what, file in data.get("files", {}).items()}
    return {"hierarchies": "hierarchies", "items": data.get("items_name")} | brought


def saved_plan(plan: Plan, data: Facts) -> str:
    named = _named(data)
    reading = {key: named.get(key, value) for key, value in plan.reading.items()}
    files = {"hierarchy": named["hierarchy"]} if "hierarchy" in changed_settings(plan) else {}
    return in_toml(replace(plan, source=data["name"], destination=Path("release"), reading=reading), files)


def changed_settings(plan: Plan) -> dict[str, Any]:
    """Return k, m and p, and the settings of the method that do not have their default."""
    usual = {setting.name: setting.default for setting in settings_of(type(plan.method))}
    given = setting_values(plan.method)
    return {name: value for name, value in given.items() if name in ("k", "m", "p") or value != usual[name]}


def in_toml(plan: Plan, files: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the plan as TOML for `from_file`; a hierarchy read from a file is written as its name in `files`."""
    changed = changed_settings(plan)
    method = {"name": plan.method.name, **changed, **{name: files[name] for name in changed if name in files}}
    tables = {"input": {**_written_source(plan.source), **plan.reading}, "method": method}
    tables["output"] = {"path": str(plan.destination)} | ({"overwrite": True} if plan.overwrite else {})
    if plan.engine is not None:
        given = {each.name: getattr(plan.engine, each.name) for each in settings_of(type(plan.engine))}
        tables["engine"] = {"name": plan.engine.name} | {name: value for name, value in given.items() if value}
    elif plan.threads:
        tables["engine"] = {"threads": plan.threads}
    return "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {_value_in_toml(key, value)}\n" for key, value in table.items())
        for name, table in tables.items()
    )


def _value_in_toml(name: str, value: object) -> str:
    """Return a value as TOML: strings as in JSON, and more characters escaped."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (str, Fraction)):
        return json_text(str(value)).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return f"[{', '.join(_value_in_toml(name, each) for each in value)}]"
    raise InvalidParameter(f"{name} was read from a file, and a plan must name it: give the file.")


def _written_source(source: str | Query | Original) -> dict[str, str]:
    """Return the source as [input] has it; an address, which may hold a password, is in no file."""
    if isinstance(source, str):
        return {"path": source}
    if not isinstance(source, Query):
        raise InvalidParameter("a plan names a file or a query, found data in memory. Write them to a file first.")
    if not source.database.startswith("env:"):
        raise InvalidParameter(
            "a plan must not hold the address of a database: put it into a variable, and write env:NAME."
        )
    return {"database": source.database, "query": source.sql}


def command_of(plan: Plan, data: Facts) -> str:
    people = [flag_of("people")] if "items" in plan.reading else []
    words = ["disjoin", METHODS.listed[plan.method.name].command, *people, data["name"]]
    named = _named(data)
    words += reading_words(plan.reading, named)
    declared = {setting.name: setting for setting in settings_of(type(plan.method))}
    for name, value in changed_settings(plan).items():
        is_repeated = declared[name].kind == "roles"
        words += option_words(setting_flag(declared[name]), named.get(name, value), is_repeated=is_repeated)
    return shlex.join([*words, "-o", "release"])


def reading_words(reading: Mapping[str, Any], named: Facts) -> list[str]:
    values = {name: named.get(name, value) for name, value in reading.items()}
    options = [option_words(flag_of(name), value, is_repeated=name == "role") for name, value in values.items()]
    return [word for words in options for word in words]


def reading_command(verb: str, data: Facts, **more: Any) -> str:
    words = reading_words(data["reading"] | more, {"items": data.get("items_name")})
    return shlex.join(["disjoin", verb, data["name"], *words])
