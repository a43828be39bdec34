"""What jobs do with tables before one is published: build hierarchies, and try what crowds of several sizes cost."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from disjoin.errors import GuaranteeUnreachable

if TYPE_CHECKING:
    from disjoin.model import Hierarchy, Release, Table
    from disjoin.web.work import Errand, Facts


def inspected_table(errand: Errand) -> Facts:
    """Return the columns of a table with the roles that they have or seem to have, and whom they single out."""
    from disjoin.web.suspects import columns_of

    table = errand.table()
    listed = columns_of(table)
    roles = errand.data.get("roles") or {column["name"]: column["suggested"] for column in listed}
    return {"columns": listed, "rows": len(table), "roles": roles} | _singled_out(errand, table, roles)


def _singled_out(errand: Errand, table: Table, roles: dict[str, str]) -> Facts:
    from disjoin.inspection import inspect

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
    from disjoin.web.work_on_people import singled_out

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
    from disjoin.web.work_on_people import people_of

    errand.tell("reading", 0, 0)
    return people_of(errand.data).table


def hierarchies(errand: Errand) -> Facts:
    """Build hierarchies of columns, as somebody clicked them together, and show their first rows."""
    from disjoin import hierarchy
    from disjoin.files.release_hierarchies import file_name

    table = _table_of(errand)
    folder = Path(errand.data["folder"]) / "hierarchies"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    previews = {}
    for column, way in errand.request["columns"].items():
        built = _flat(table, column) if "flat" in way else hierarchy.build(table, column, **way)
        hierarchy.write(built, folder / f"{file_name(column)}.csv", overwrite=True)
        compared = hierarchy.check(built, table, column)
        previews[column] = {
            "rows": [list(row) for row in built.rows()[:5]],
            "height": compared.height,
            "missing": list(compared.missing[:5]),
            "complete": compared.is_complete,
        }
    errand.store.change_data(errand.job["data"], hierarchies=errand.request["columns"])
    return {"columns": previews}


def trials(errand: Errand) -> Facts:
    """Publish with every k that is asked for, keep no release, and tell what each keeps as it comes."""
    from disjoin.carrying_out import input_of
    from disjoin.pipeline import publish
    from disjoin.web.plans import plan_of

    asked, rows = errand.request, []
    plans = [
        plan_of(errand.home, errand.data, {"method": asked["method"] | {"k": k}}, errand.home.path / "releases" / "one")
        for k in asked["ks"]
    ]
    table = input_of(plans[0])
    for done, (k, plan) in enumerate(zip(asked["ks"], plans, strict=True)):
        errand.tell("advising", done, len(plans), f"k = {k}")
        try:
            rows.append({"k": k} | _kept(publish(table, plan.method, progress=errand.tell).release))
        except GuaranteeUnreachable as failure:
            rows.append({"k": k, "failure": str(failure)})
        errand.tell.found("tried", rows[-1])
    return {"rows": rows}


def _kept(release: Release) -> Facts:
    from disjoin.report.facts import facts_of

    report = facts_of(release)
    found = report.statistics
    kept = {"sentence": report.sentence, "granularity": found["granularity"], "failure": None}
    if report.form == "mixed":
        return kept | {
            "classes": found["rows"]["alike"],
            "median": found["people_with_a_row"]["median"],
            "clusters": report.statistics["clusters"]["total"],
        }
    return kept | {
        "classes": found["classes"]["total"],
        "median": found["class_sizes"]["median"],
        "tight": found["classes"]["share_in_classes_of_k"],
    }
