"""Plans of the studio: what a page asks for as a plan, and that plan for the steward, as a file and as a command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from disjoin.plan import Plan
    from disjoin.web.home import Home

Facts = dict[str, Any]


def plan_of(home: Home, data: Facts, request: Facts, destination: Path) -> Plan:
    """Return the plan of a request: the same tables as in plan.toml, but for the paths, which are the server's."""
    from disjoin.plan import Plan

    reading = dict(data["reading"])
    asked = request["method"]
    method = data.get("said", {}).get(asked.get("name"), {}) | asked
    if data["kind"] in ("table", "mixed") and (folder := Path(data["folder"]) / "hierarchies").is_dir():
        reading["hierarchies"] = str(folder)
    if method.get("hierarchy"):
        method["hierarchy"] = str(Path(data["folder"]) / "items.csv")
    facts = {"input": {"path": data["path"], **reading}, "method": method, "output": {"path": str(destination)}}
    return Plan.from_facts(facts, home.path)


def saved_plan(plan: Plan, data: Facts) -> str:
    """Return plan.toml for the steward: with the names that files have for them."""
    named = {"hierarchies": "hierarchies", "items": data.get("items_name")}
    reading = {key: named.get(key, value) for key, value in plan.reading.items()}
    files = {"hierarchy": "items.csv"} if getattr(plan.method, "hierarchy", None) is not None else {}
    return replace(plan, source=data["name"], destination=Path("release"), reading=reading).to_toml(files)


def command_of(plan: Plan, data: Facts) -> str:
    """Return the command that does the same."""
    import shlex

    from disjoin.methods import METHODS
    from disjoin.methods.settings import settings_of
    from disjoin.plan import ALWAYS_WRITTEN

    people = ["--people"] if "items" in plan.reading else []
    words = ["disjoin", METHODS.listed[plan.method.name].command, *people, data["name"]]
    named = {"hierarchies": "hierarchies", "items": data.get("items_name")}
    for key, value in plan.reading.items():
        written = ",".join(value) if isinstance(value, (list, tuple)) else str(named.get(key, value))
        words += [f"--{key.replace('_', '-')}", *([] if value is True else [written])]
    for setting in settings_of(type(plan.method)):
        value = getattr(plan.method, setting.name)
        if setting.name in ALWAYS_WRITTEN or value != setting.default:
            words += _flags(setting.flag, setting.kind, value)
    return shlex.join([*words, "-o", "release"])


def _flags(flag: str, kind: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [flag.split("/")[0 if value else -1]]
    if kind in ("terms", "columns", "domain"):
        return [flag, ",".join(value)]
    return [flag, "items.csv" if kind == "hierarchy" else str(value)]
