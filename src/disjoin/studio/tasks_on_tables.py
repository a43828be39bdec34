"""Tasks on tables: build hierarchies, try settings."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.advise.tables import TriedTable
from disjoin.errors import GuaranteeUnreachable
from disjoin.pipeline import publish

if TYPE_CHECKING:
    from disjoin.model import Hierarchy, Release, Table
    from disjoin.studio.tasks import Errand, Facts


def inspected_table(errand: Errand) -> Facts:
    """Return the columns of a table with the roles that they have or seem to have, and whom they single out."""
    from disjoin.attack.table_risk import people_column
    from disjoin.model.column_roles import roles_in
    from disjoin.readers.people import people_in_rows
    from disjoin.studio.identifying_columns import columns_of
    from disjoin.studio.tasks_on_people import proposal

    table = errand.table()
    found = roles_in(table)
    listed = columns_of(table, found)
    roles = errand.data.get("roles") or {column["name"]: column["suggested"] for column in listed}
    about = {"columns": listed, "rows": len(table), "roles": roles, "person": people_column(table, roles=found)}
    return about | {"mixed": proposal(people_in_rows(table))} | _singled_out(errand, table, roles)


def _singled_out(errand: Errand, table: Table, roles: dict[str, str]) -> Facts:
    from disjoin.report.profile import inspect

    quasi, sensitive = ([name for name, given in roles.items() if given == role] for role in ("quasi", "sensitive"))
    if not quasi:
        return {}
    found = inspect(table, quasi, sensitive=sensitive, person=errand.data.get("person"), progress=errand.tell)
    return {"facts": found.to_json(), "text": str(found)}


def risk(errand: Errand) -> Facts:
    """Return whom columns single out by roles that nobody has confirmed yet."""
    roles = {name: role for role in ("sensitive", "quasi") for name in errand.request[role]}
    if errand.data["kind"] == "table":
        return _singled_out(errand, errand.table(), roles)
    from disjoin.studio.tasks_on_people import singled_out

    errand.tell("reading", 0, 0)
    return singled_out(errand, errand.data | {"roles": roles})


def _flat(table: Table, column: str) -> Hierarchy:
    """Return the hierarchy of a column whose values stay as they are, or become *."""
    from disjoin.model import Hierarchy

    return Hierarchy.from_rows([(value, "*") for value in table.values_of(column).to_pylist() if value != "?"])


def _table_of(errand: Errand) -> Table:
    """Return the table, or the columns of people."""
    if errand.data["kind"] == "table":
        return errand.table()
    from disjoin.studio.tasks_on_people import people_of

    errand.tell("reading", 0, 0)
    return people_of(errand.data).table


def hierarchies(errand: Errand) -> Facts:
    """Build hierarchies of columns, as somebody clicked them together, and show their first rows."""
    from disjoin.parquet.hierarchies import file_name
    from disjoin.readers import hierarchies

    table = _table_of(errand)
    folder = Path(errand.data["folder"]) / "hierarchies"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    previews = {}
    for column, way in errand.request["columns"].items():
        built = _flat(table, column) if "flat" in way else hierarchies.build(table, column, **way)
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
    """Publish with every k that is asked for, keep no release, and tell and draw what each keeps as it comes.

    A table is also tried with a few rows suppressed, as `disjoin advise` does, unless a share is asked for; and
    with limits on sensitive columns, unless the data owner set one.
    """
    from disjoin.advise.chart import chart_of_tables
    from disjoin.advise.tables import frontier, recommended, tried_tables, why
    from disjoin.methods.settings import setting_values
    from disjoin.studio.plans import plan_of
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
        tried = tried_tables(table, grid, common, errand.tell, heard)  # type: ignore[arg-type]
    if all(entry.failure for entry in tried):
        return {"rows": [_in_cells(entry, limits) for entry in tried], "advice": [], "chart": None}
    best, kept = recommended(tried), frontier(tried)
    marks = [{"on_frontier": entry in kept, "recommended": entry is best} for entry in tried]
    rows = [_in_cells(entry, limits) | marked for entry, marked in zip(tried, marks, strict=True)]
    return {"rows": rows, "advice": [why(best)], "chart": picture(chart_of_tables(tried, best))}


STARRED = "0.01"  # of the rows, at most
SHOWN = ("granularity", "starred", "mean_risk", "worst_alpha")  # columns of the page


def _tried_people(
    errand: Errand, people: Any, method: Any, ks: list[int], heard: Callable[[TriedTable], None]
) -> list[TriedTable]:
    """Publish people with every k."""
    from disjoin.advise import publisher_of
    from disjoin.advise.trial import in_turn

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
    from disjoin.advise.tables import FOUND, KEPT, OTHERS
    from disjoin.report.facts import facts_of

    found = facts_of(release).statistics
    kept = found["granularity"]
    return {KEPT: kept, OTHERS: kept, "starred": 0.0, FOUND: found["rows"]["alike"] / people}


def _limits(method: Any) -> list[Facts]:
    """Return the limits on sensitive columns to try; nothing else where the data owner set one besides l."""
    from disjoin.advise.tables import limits_for
    from disjoin.methods.generalization import Generalization

    if not isinstance(method, Generalization) or replace(method, l=1).is_about_sensitive:
        return [{}]
    return limits_for(method.sensitive, method.l if method.l > 1 else None)


def _in_cells(entry: TriedTable, limits: list[Facts]) -> Facts:
    """Return a setting that was tried as a row of the page: its name, what it sets, and its figures as texts."""
    from disjoin.advise.tables import COLUMNS, setting_in_words

    settings = dict(entry.settings)
    name = setting_in_words(settings)
    share = settings.pop("suppress", "")
    unset = {name: 1 if name == "l" else "" for limit in limits for name in limit}  # as the form of the page has it
    settings = unset | settings | {"suppress": share}
    cells = [] if entry.failure else [COLUMNS[column].written(entry.values.get(column)) for column in SHOWN]
    told = {"name": name, "settings": settings, "cells": cells, "failure": entry.failure or None}
    return {column: entry.values.get(column) for column in COLUMNS} | dict(entry.settings) | told
