"""Tasks on tables and on people with columns and terms: inspect them, build hierarchies, try settings."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from disjoin.advise import publisher_of, table_trials
from disjoin.advise.chart import chart_of_tables
from disjoin.advise.table_trials import TriedTable
from disjoin.advise.trial import in_turn
from disjoin.attack.table_risk import people_column
from disjoin.attack.uniqueness import mixed_uniqueness
from disjoin.errors import DisjoinError, GuaranteeUnreachable, UnreadableInput
from disjoin.methods.generalization import Generalization
from disjoin.methods.settings import setting_values
from disjoin.model import Hierarchy, MixedRecords, Release, Table
from disjoin.model.column_roles import ColumnKind, RoleChoice, roles_in
from disjoin.parquet.hierarchies import file_name
from disjoin.pipeline import publish
from disjoin.readers.detect import look
from disjoin.readers.people import PeopleInRows, people_in_rows, plain_columns, read_people
from disjoin.report.facts import facts_of
from disjoin.report.profile import inspect, mixed_words
from disjoin.studio.column_proposals import columns_of
from disjoin.studio.plans import plan_of
from disjoin.studio.tasks import Errand, Facts

KNOWN = 2  # terms besides the columns
OF_TABLES = ("sheet", "encoding", "blank_words", "separator")
STARRED = "0.01"  # of the rows, at most
SHOWN = ("granularity", "starred", "mean_risk", "worst_alpha")  # columns of the page


def with_role(roles: Facts | None, role: str) -> list[str]:
    return [name for name, given in (roles or {}).items() if given == role]


def reading_of_columns(reading: Facts) -> Facts:
    return {name: reading[name] for name in OF_TABLES if name in reading}


# Two files: people, and a row per person and term.


def look_at_two(paths: list[str], reading: Facts) -> Facts:
    """Return which of two files has people and which their terms, and by which column they are joined."""
    looks = [look(path, **reading).to_json() for path in paths]
    both = [name for name in looks[0]["columns"] if name in looks[1]["columns"]]
    if not both:
        raise UnreadableInput(
            "two files are joined by a column that both have, and these have none in common. Give it one name in both."
        )
    joined = both[0] if len(both) == 1 else _joining(paths, both, reading)
    repeats = [_most_frequent(each, joined) for each in looks]
    few, many = sorted((0, 1), key=lambda place: (repeats[place], -len(looks[place]["columns"])))
    others = [name for name in looks[many]["columns"] if name != joined]
    return looks[few] | {
        "kind": "mixed",
        "why": f"Two files: a row per person, and a row per person and term, joined by {joined}.",
        "id": joined,
        "terms": others[0] if others else "",
        "split": "",
        "items": {"columns": looks[many]["columns"], "first": looks[many]["first"]},
        "other_way_round": few == 1,
    }


def _joining(paths: list[str], both: list[str], reading: Facts) -> str:
    """Return the column by which two files are joined: one has each value once, and both have the same ones."""
    tables = [plain_columns(path, **reading_of_columns(reading)) for path in paths]
    return max(both, key=lambda name: _fit(tables, name))


def _fit(tables: list[Table], name: str) -> tuple[float, int]:
    """Return how far the values of a column identify the rows of one table, and how many both tables have."""
    if not all(name in table.schema.names and len(table) for table in tables):
        return (0.0, 0)
    first, second = (set(table.values_of(name).to_pylist()) for table in tables)
    single = max(len(values) / len(table) for values, table in zip((first, second), tables, strict=True))
    return (round(single, 2) if first & second else 0.0, len(first & second))


def _most_frequent(look: Facts, column: str) -> int:
    place = look["columns"].index(column)
    return max(Counter(row[place] for row in look["first"] if len(row) > place).values(), default=0)


# What columns are, and whom they single out.


def inspected_table(errand: Errand) -> Facts:
    table = errand.table()
    found = roles_in(table)
    listed = columns_of(table, found)
    roles = errand.data.get("roles") or {column["name"]: column["suggested"] for column in listed}
    about = {"columns": listed, "rows": len(table), "roles": roles, "person": people_column(table, roles=found)}
    return about | {"mixed": proposal(people_in_rows(table))} | _singled_out(errand, table, roles)


def inspected_people(errand: Errand) -> Facts:
    data = errand.data
    errand.tell("reading", 0, 0)
    reading = data["reading"]
    table = plain_columns(data["path"], **reading_of_columns(reading))
    terms, joined = "" if "items" in reading else reading.get("terms", ""), reading.get("id", "")
    named = {joined: RoleChoice(ColumnKind.PERSON)} if joined in table.schema.names else {}
    listed = columns_of(table, roles_in(table, named), is_mixed=True)
    if terms and terms not in table.schema.names:
        listed.append({"name": terms, "kind": "lists", "distinct": 0, "samples": [], "suggested": "terms", "why": ""})
    for column in listed:
        if column["name"] == terms:
            column |= {"suggested": "terms", "why": "its cells are the terms of people"}
        elif column["name"] == joined:
            column |= {"suggested": "identifier", "why": "it identifies the person of a row"}
    roles = data.get("roles") or {column["name"]: column["suggested"] for column in listed}
    return {"columns": listed, "rows": len(table), "roles": roles} | _singled_out_people(errand, data, roles)


def proposal(found: PeopleInRows | None) -> Facts | None:
    """Return the risk of a long table as mixed data, and how it is read then; None if it is something else."""
    if found is None:
        return None
    alone, people = mixed_uniqueness(found.people, found.quasi, KNOWN), len(found.people)
    return {
        "reading": {"id": found.roles.person, "terms": found.terms},
        "quasi": list(found.quasi),
        "why": mixed_words(found),
        "known_terms": [{"known": known, "unique_people": n, "people": people} for known, n in enumerate(alone)],
    }


def _singled_out(errand: Errand, table: Table, roles: Facts) -> Facts:
    quasi, sensitive, person = with_role(roles, "quasi"), with_role(roles, "sensitive"), errand.data.get("person")
    if not quasi:
        return {}
    found = inspect(table, quasi, sensitive=sensitive, person=person, progress=errand.tell)
    return {"facts": found.to_json(), "text": str(found)}


def _singled_out_people(errand: Errand, data: Facts, roles: Facts) -> Facts:
    """Return who is at risk; a problem is returned in words, because the roles may cause it."""
    quasi, sensitive = with_role(roles, "quasi"), with_role(roles, "sensitive")
    if not quasi:
        return {"problem": "Choose at least one column that an attacker may know."}
    try:
        people = people_of(data | {"roles": roles})
        found = inspect(people, quasi, sensitive=sensitive, known=KNOWN, progress=errand.tell)
    except DisjoinError as error:
        return {"problem": str(error).replace(data["path"], "the file")}
    return {"facts": found.to_json(), "text": str(found), "vocabulary": people.records.vocabulary.to_pylist()[:20_000]}


def risk(errand: Errand) -> Facts:
    roles = {name: role for role in ("sensitive", "quasi") for name in errand.request[role]}
    if errand.data["kind"] == "table":
        return _singled_out(errand, errand.table(), roles)
    errand.tell("reading", 0, 0)
    return _singled_out_people(errand, errand.data, roles)


def people_of(data: Facts) -> MixedRecords:
    columns = with_role(data.get("roles"), "quasi") + with_role(data.get("roles"), "sensitive")
    return read_people(data["path"], **data["reading"], columns=columns)


# Hierarchies, and settings that are tried.


def hierarchies(errand: Errand) -> Facts:
    from disjoin.readers import hierarchies

    if errand.data["kind"] == "table":
        table = errand.table()
    else:
        errand.tell("reading", 0, 0)
        table = people_of(errand.data).table
    folder = Path(errand.data["folder"]) / "hierarchies"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    previews = {}
    for column, way in errand.request["columns"].items():
        if "flat" in way:  # values stay as they are, or become *
            values = table.values_of(column).to_pylist()
            built = Hierarchy.from_rows([(value, "*") for value in values if value != "?"])
        else:
            built = hierarchies.build(table, column, **way)
        hierarchies.write(built, folder / f"{file_name(column)}.csv", overwrite=True)
        compared = hierarchies.check(built, table, column)
        previews[column] = {
            "rows": [list(row) for row in built.rows()[:5]],
            "height": compared.height,
            "missing": list(compared.missing[:5]),
            "complete": compared.is_complete,
        }
    errand.store.change_data(errand.job["data"], hierarchies=errand.request["columns"])
    return {"columns": previews}


def trials(errand: Errand) -> Facts:
    """Publish with every k, and with suppression and limits unless these are set; draw results, keep no release."""
    from disjoin.studio.tasks import picture

    asked, so_far = errand.request, list[TriedTable]()
    wish = {"method": asked["method"] | {"k": asked["ks"][0]}}
    plan = plan_of(errand.home, errand.data, wish, errand.home.path / "releases" / "one")
    table, method = plan.read(), plan.method
    limits = _limits(method)

    def heard(entry: TriedTable) -> None:
        errand.tell.found("tried", _in_cells(entry, limits))
        so_far.append(entry)
        if not all(each.failure for each in so_far):
            errand.tell.drawn(lambda: chart_of_tables(so_far))

    if errand.data["kind"] == "mixed":
        tried = _tried_people(errand, table, method, asked["ks"], heard)
    else:
        shares: list[Facts] = [{}] if setting_values(method).get("suppress") else [{}, {"suppress": STARRED}]
        varied = {"k", *shares[-1], *(name for limit in limits for name in limit)}
        common = {name: value for name, value in setting_values(method).items() if name not in varied}
        grid = [{"k": k, **limit, **share} for k in asked["ks"] for limit in limits for share in shares]
        tried = table_trials.tried_tables(table, grid, common, errand.tell, heard)  # type: ignore[arg-type]
    if all(entry.failure for entry in tried):
        return {"rows": [_in_cells(entry, limits) for entry in tried], "advice": [], "chart": None}
    best, kept = table_trials.recommended(tried), table_trials.frontier(tried)
    marks = [{"on_frontier": entry in kept, "recommended": entry is best} for entry in tried]
    rows = [_in_cells(entry, limits) | marked for entry, marked in zip(tried, marks, strict=True)]
    return {"rows": rows, "advice": [table_trials.why(best)], "chart": picture(chart_of_tables(tried, best))}


def _tried_people(
    errand: Errand, people: Any, method: Any, ks: list[int], heard: Callable[[TriedTable], None]
) -> list[TriedTable]:
    def entry_of(k: int) -> TriedTable:
        try:
            asked = replace(method, k=k)
            publisher = publisher_of(asked)
            release = publish(people, asked, progress=errand.tell, is_trial=True, publisher=publisher).release
            entry = TriedTable({"k": k}, _kept(release, len(people)))
        except GuaranteeUnreachable as failure:
            entry = TriedTable({"k": k}, {}, str(failure))
        heard(entry)
        return entry

    return in_turn("advising", ks, entry_of, lambda k: f"k = {k}", errand.tell)


def _kept(release: Release, people: int) -> dict[str, float | None]:
    found = facts_of(release).statistics
    kept = found["granularity"]
    return {
        table_trials.KEPT: kept,
        table_trials.OTHERS: kept,
        "starred": 0.0,
        table_trials.FOUND: found["rows"]["alike"] / people,
    }


def _limits(method: Any) -> list[Facts]:
    """Return the limits on sensitive columns to try; nothing else where the data owner set one besides l."""
    if not isinstance(method, Generalization) or replace(method, l=1).is_about_sensitive:
        return [{}]
    return table_trials.limits_for(method.sensitive, method.l if method.l > 1 else None)


def _in_cells(entry: TriedTable, limits: list[Facts]) -> Facts:
    unset = {name: 1 if name == "l" else "" for limit in limits for name in limit}  # as the form of the page has it
    settings = unset | {"suppress": ""} | dict(entry.settings)
    cells = (
        [] if entry.failure else [table_trials.COLUMNS[column].written(entry.values.get(column)) for column in SHOWN]
    )
    told = {"name": entry.name, "settings": settings, "cells": cells, "failure": entry.failure or None}
    return {column: entry.values.get(column) for column in table_trials.COLUMNS} | dict(entry.settings) | told
