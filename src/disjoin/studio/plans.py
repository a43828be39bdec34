"""Plans of the studio: form fields to a plan, and the plan as a file and a command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.cli.screen import flag_of, option_words, setting_flag

if TYPE_CHECKING:
    from disjoin.plan import Plan
    from disjoin.studio.home import Home

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
    """Return the settings of a method that a page asks for by what they say of themselves."""
    from disjoin.methods import METHODS
    from disjoin.methods.settings import settings_of

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
    files = {"hierarchy": named["hierarchy"]} if "hierarchy" in plan.changed_settings() else {}
    return replace(plan, source=data["name"], destination=Path("release"), reading=reading).to_toml(files)


def command_of(plan: Plan, data: Facts) -> str:
    from disjoin.methods import METHODS
    from disjoin.methods.settings import settings_of

    people = [flag_of("people")] if "items" in plan.reading else []
    words = ["disjoin", METHODS.listed[plan.method.name].command, *people, data["name"]]
    named = _named(data)
    words += reading_words(plan.reading, named)
    declared = {setting.name: setting for setting in settings_of(type(plan.method))}
    for name, value in plan.changed_settings().items():
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
