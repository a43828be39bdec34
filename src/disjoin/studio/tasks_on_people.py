"""Tasks on mixed data."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from disjoin.errors import DisjoinError, UnreadableInput

if TYPE_CHECKING:
    from disjoin.model import MixedRecords, Table
    from disjoin.readers.people import PeopleInRows
    from disjoin.studio.tasks import Errand, Facts

KNOWN = 2  # terms besides the columns
OF_TABLES = ("sheet", "encoding", "blank_words", "separator")


def look_at_two(paths: list[str], reading: Facts) -> Facts:
    """Say which of two files has people and which their terms, and by which column they are joined."""
    from disjoin.readers.look import look

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
    why = f"Two files: a row per person, and a row per person and term, joined by {joined}."
    return looks[few] | {
        "kind": "mixed",
        "why": why,
        "id": joined,
        "terms": others[0] if others else "",
        "split": "",
        "items": {"columns": looks[many]["columns"], "first": looks[many]["first"]},
        "other_way_round": few == 1,
    }


def _joining(paths: list[str], both: list[str], reading: Facts) -> str:
    """Return the column by which two files are joined: one has each value once, and both have the same ones."""
    from disjoin.readers.people import plain_columns

    tables = [plain_columns(path, **{name: reading[name] for name in OF_TABLES if name in reading}) for path in paths]
    return max((name for name in both), key=lambda name: _fit(tables, name))


def _fit(tables: list[Table], name: str) -> tuple[float, int]:
    """Return how far the values of a column identify the rows of one table, and how many both tables have."""
    if not all(name in table.schema.names and len(table) for table in tables):
        return (0.0, 0)
    first, second = (set(table.values_of(name).to_pylist()) for table in tables)
    single = max(len(values) / len(table) for values, table in zip((first, second), tables, strict=True))
    return (round(single, 2) if first & second else 0.0, len(first & second))


def proposal(found: PeopleInRows | None) -> Facts | None:
    """Return the risk of a long table as mixed data, and how it is read then; None if it is something else."""
    from disjoin.attack.uniqueness import mixed_uniqueness
    from disjoin.report.profile import mixed_words

    if found is None:
        return None
    alone, people = mixed_uniqueness(found.people, found.quasi, KNOWN), len(found.people)
    return {
        "reading": {"id": found.roles.person, "terms": found.terms},
        "quasi": list(found.quasi),
        "why": mixed_words(found.roles, found.quasi, found.terms, found.left_out),
        "known_terms": [{"known": known, "unique_people": n, "people": people} for known, n in enumerate(alone)],
    }


def _most_frequent(look: Facts, column: str) -> int:
    """Return how often one value of a column is in the first rows."""
    place = look["columns"].index(column)
    return max(Counter(row[place] for row in look["first"] if len(row) > place).values(), default=0)


def people_of(data: Facts) -> MixedRecords:
    """Read people with the columns that somebody said are known or secret."""
    from disjoin.readers.people import read_people

    roles = data.get("roles") or {}
    columns = [name for role in ("quasi", "sensitive") for name, given in roles.items() if given == role]
    return read_people(data["path"], **data["reading"], columns=columns)


def inspected_people(errand: Errand) -> Facts:
    """Return the columns with the roles that they have or seem to have and, once these are said, who is at risk."""
    from disjoin.model.column_roles import ColumnKind, RoleChoice, roles_in
    from disjoin.readers.people import plain_columns
    from disjoin.studio.identifying_columns import columns_of

    data = errand.data
    errand.tell("reading", 0, 0)
    reading = data["reading"]
    table = plain_columns(data["path"], **{name: reading[name] for name in OF_TABLES if name in reading})
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
    return {"columns": listed, "rows": len(table), "roles": roles} | singled_out(errand, data | {"roles": roles})


def singled_out(errand: Errand, data: Facts) -> dict[str, Any]:
    """Return who is at risk; what stops that is told in words, as the roles may be what is wrong."""
    from disjoin.report.profile import inspect

    quasi = [name for name, role in data["roles"].items() if role == "quasi"]
    if not quasi:
        return {"problem": "Say of at least one column that somebody may know it."}
    try:
        people = people_of(data)
        sensitive = [name for name, role in data["roles"].items() if role == "sensitive"]
        found = inspect(people, quasi, sensitive=sensitive, known=KNOWN, progress=errand.tell)
    except DisjoinError as error:
        return {"problem": str(error).replace(data["path"], "the file")}
    return {"facts": found.to_json(), "text": str(found), "vocabulary": people.records.vocabulary.to_pylist()[:20_000]}
