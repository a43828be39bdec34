"""Profile of raw data: contents and uniqueness (`disjoin.inspect`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.attack.population import estimated_uniqueness, population_risk
from disjoin.attack.table_risk import people_column, table_risk
from disjoin.attack.uniqueness import Uniqueness, mixed_uniqueness, uniqueness
from disjoin.charts.text_drawing import padded, shorten
from disjoin.errors import InvalidParameter
from disjoin.measure.evaluation import PRIVATE
from disjoin.methods.sensitive_terms import CountedTerms
from disjoin.model import Hierarchy, MixedRecords, Table, Transactions
from disjoin.model.card import card
from disjoin.model.column_roles import TableForm, TableRoles, roles_of
from disjoin.model.input_checks import looks_personal
from disjoin.model.k_anonymity import column_names
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Ints64
from disjoin.progress import Progress, silent
from disjoin.readers.hierarchies import read_hierarchies
from disjoin.readers.people import PeopleInRows, people_in
from disjoin.readers.read import read
from disjoin.readers.tables import read_table
from disjoin.report.facts import (
    intake_of,
    noticed_in,
    noticed_words,
    people_words,
    possible_blanks_in,
    table_blank_words,
    treated_words,
)
from disjoin.report.profile_tables import inspection_page, population_facts, table_inspection, table_inspection_text
from disjoin.text import counted, printable

if TYPE_CHECKING:
    import pyarrow as pa


# The roles of columns as facts and as text: one line per column.

_COLUMN, _TERM = 24, 30  # characters of a name


def role_facts(roles: TableRoles) -> dict[str, Any]:
    """Return whose rows these are, and the role of every column; no cell value is in it."""
    return {
        "form": roles.form.value,
        "person": roles.person,
        "people": roles.people,
        "alone_together": roles.alone_together,
        "columns": [
            {"name": column.name, "role": column.role.value, "certainty": column.certainty.value}
            | {name: getattr(column, name) for name in ("why", "is_sensitive", "distinct", "alone", "asks")}
            for column in roles.columns
        ],
    }


def role_lines(roles: TableRoles) -> list[str]:
    people = ""
    if roles.form is TableForm.LONG and roles.people is not None:
        people = f" of {counted(roles.people, 'person', 'people')}"
    lines = [f"Roles of columns, found by their values ({counted(roles.rows, 'row')}{people})"]
    for column in roles.columns:
        name = padded(shorten(printable(column.name), _COLUMN), _COLUMN)
        sensitive = ", sensitive" if column.is_sensitive and column.role.value != "sensitive" else ""
        about = f"{column.role.value}{sensitive} ({column.certainty.value}): {printable(column.why)}"
        lines.append(f"  {name} {about}; alone: {column.alone:.0%} of the cells")
    return lines


def mixed_words(found: PeopleInRows) -> str:
    person = printable(found.roles.person or "")
    same, others = (", ".join(map(printable, names)) for names in (found.quasi, found.left_out))
    return (
        f"Mixed data: people ({person}) have several rows, columns that are the same in all of them ({same}) and terms "
        f"({printable(found.terms)}). The risk counts both; publish with `disjoin mixed`."
    ) + (f"\nNot counted: {others}. An attacker who knows these finds more people." if others else "")


# What thresholds of people (`min_people`) would cost, and whether terms look as if they name people.

THRESHOLDS = (5, 7, 10, 11, 30, 50)  # people: what public rules ask for


def rare_terms(data: CountedTerms) -> dict[str, Any]:
    """Return for each threshold how many terms and occurrences it leaves out, and why terms may name people."""
    supports = data.supports()
    costs = [
        {"people": least, "terms": int((few := supports < least).sum()), "occurrences": int(supports[few].sum())}
        for least in THRESHOLDS
    ]
    return {"min_people": costs, "personal_terms": looks_personal(data.vocabulary.to_pylist(), supports.tolist())}


def rare_terms_text(facts: Mapping[str, Any], terms: int, occurrences: int) -> list[str]:
    lines = ["What a threshold of people leaves out (min_people = N)"]
    for row in facts["min_people"]:
        share = row["occurrences"] / occurrences if occurrences else 0.0
        lines.append(
            f"  N = {row['people']:>2}  {row['terms']:>10,} of {counted(terms, 'term')}, {share:.2%} of the occurrences"
        )
    if facts["personal_terms"]:
        lines.append(
            f"The column of terms {facts['personal_terms']}: it is not published without min_people or leave_out."
        )
    return lines


# What is in a file of records, and whom a little knowledge singles out, as facts and as text.

TOP = 10


def inspection_facts(
    intake: dict[str, Any], data: CountedTerms, size: dict[str, float], found: tuple[Uniqueness, ...]
) -> dict[str, Any]:
    """Return the facts about records, from what was counted; they are about raw data and not for publishing."""
    supports = data.supports()
    order = np.lexsort((np.arange(supports.size), -supports))[:TOP]
    most = [{"term": data.vocabulary[int(term)].as_py(), "records": int(supports[term])} for term in order]
    known = {"record_size": size, "most_frequent": most, "known_terms": [asdict(one) for one in found]}
    return intake | noticed_in(data) | rare_terms(data) | known


def inspection_text(facts: dict[str, Any]) -> str:
    size = facts["record_size"]
    lines = [
        f"{people_words(facts)}, {counted(facts['terms'], 'term')}, "
        f"{counted(facts['occurrences'], 'occurrence')} (read as {facts['format']})",
        f"Terms in a record: {size['least']} to {size['most']:,}, {size['mean']:.1f} on average, "
        f"median {size['median']:g}",
    ]
    lines += [*treated_words(facts), *noticed_words(facts)]
    lines += ["", "Most frequent terms"]
    most = max(entry["records"] for entry in facts["most_frequent"])
    for entry in facts["most_frequent"]:
        bar = "█" * max(1, round(24 * entry["records"] / most))
        share = entry["records"] / facts["records"]
        name = padded(shorten(printable(entry["term"]), _TERM), _TERM)
        lines.append(f"  {name} {entry['records']:>10,}  {share:6.1%}  {bar}")
    rare = rare_terms_text(facts, facts["terms"], facts["occurrences"])
    lines += ["", *rare]
    found = ["Records that known terms single out"]
    for row in facts["known_terms"]:
        terms = "1 term " if row["known"] == 1 else f"{row['known']} terms"
        share = row["unique_records"] / row["records"] if row["records"] else 0.0
        of = ("a sample of " if row["sampled"] else "") + counted(row["records"], "record")
        found.append(f"  knowing {terms} singles out {row['unique_records']:>10,} of {of} ({share:.1%})")
    return "\n".join(
        [*lines[:2], "", *_already(facts["known_terms"]), "", *found, *([""] * bool(lines[2])), *lines[2:]]
    )


def _already(found: list[dict[str, Any]]) -> list[str]:
    known = [row for row in found if row["largest_k"] is not None]
    if not known:
        return ["Only a sample was examined, so whether the whole file is k^m-anonymous is not known."]
    lines: list[str] = []
    for row in known:
        if row["largest_k"] <= 1:
            return [*lines, f"As it is, the file is not k^m-anonymous for m = {row['known']} or more, for any k."]
        lines.append(f"As it is, the file is k^m-anonymous for m = {row['known']} up to k = {row['largest_k']:,}.")
    return lines


@dataclass(frozen=True, slots=True)
class Inspection:
    """What `disjoin.inspect` found: private facts about raw data. `str()` words them; `found["records"]` is one."""

    facts: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)

    def __repr__(self) -> str:
        one, other = ("row", "column") if "quasi" in self.facts else ("record", "term")
        return f"Inspection({counted(self[one + 's'], one)}, {counted(self[other + 's'], other)})"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        names = ("rows", "columns") if "quasi" in self.facts else ("records", "terms")
        numbers = [(name, f"{self[name]:,}") for name in names]
        notes = ["print() shows everything, and to_table() has the records that known terms or columns single out."]
        sentence = "What is in the data, and which records known terms or columns single out."
        return card("Inspection", sentence, numbers, warning=PRIVATE, notes=notes)

    def __getitem__(self, name: str) -> Any:
        return self.facts[name]

    @property
    def known(self) -> list[dict[str, Any]]:
        """What each piece of knowledge singles out: a row for each number of known terms, or set of known columns."""
        rows: list[dict[str, Any]] = self.facts["known_columns" if "quasi" in self.facts else "known_terms"]
        return rows

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON, as `disjoin inspect` writes it."""
        return dict(self.facts)

    def to_html(self, name: str = "") -> str:
        """Return everything as one private page that loads nothing, and prints; `name` is what the data are called."""
        return inspection_page(self.text, self.known, name)

    def to_table(self) -> pa.Table:
        import pyarrow as pa

        return pa.Table.from_pylist(self.known)


def inspect(
    data: object,
    quasi: Iterable[str] | str = (),
    *,
    sensitive: Iterable[str] | str = (),
    person: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | str | Path | None = None,
    population: object = None,
    population_size: int | None = None,
    known: int = 3,
    sample: int | None = None,
    progress: Progress = silent,
) -> Inspection:
    """Return what is in the data, and how many records a little knowledge singles out.

    data: what `disjoin.read` takes: a path, a list of sets or a table; with `quasi`, what `disjoin.read_table` takes;
        or people with columns and terms (`disjoin.read_people`), whom known columns and terms single out together.
    quasi: the columns that somebody may know of a person; then the data are a table of people.
    sensitive: tables: the columns that nobody should learn.
    person: tables: the column that identifies people; found by its values, if not given.
    hierarchies: tables: of sensitive columns, by column or in a folder: t-closeness is told in these, too.
    population: tables: a table with a row per person that the file is a part of: k-map, presence, journalist's risk.
    population_size: tables: how many people that are, if there is no such table: how many are unique is estimated.
    known: up to that many known terms, or columns.
    sample: records: examine that many only; all, if not given.
    progress: an object that is told how far the work is.

    >>> inspection = inspect([{"tea", "milk"}, {"tea", "jam"}, {"milk", "jam"}, {"tea", "milk"}], known=2)
    >>> inspection, [row["unique_records"] for row in inspection.known]
    (Inspection(4 records, 3 terms), [0, 2])
    >>> inspect({"age": ["31", "34", "31"], "sex": ["m", "f", "m"]}, ["age", "sex"])["unique_rows"]
    1
    """
    quasi = [quasi] if isinstance(quasi, str) else list(quasi)
    if not quasi:
        mixed = data if isinstance(data, PeopleInRows) else people_in(data)
        if mixed is not None and not any((sensitive, person, hierarchies, population, population_size)):
            return _of_rows_of_people(mixed, known, sample, progress)
        given = {"sensitive": tuple(sensitive) or None, "population": population, "person": person}
        given |= {"hierarchies": hierarchies, "population_size": population_size}
        for name, value in given.items():
            if value is not None:
                raise InvalidParameter(
                    f"{name} is for tables. Name the columns that an attacker may know, too (quasi)."
                )
        return _of_records(read(data), known, sample, progress)
    if sample is not None:
        raise InvalidParameter("sample is for records, and quasi is for tables. Leave one of them out.")
    if isinstance(data, MixedRecords):
        return _of_people(data, quasi, sensitive, known, progress)
    table = _with_trees(read_table(data), sensitive, hierarchies)
    roles = roles_of(table)
    owner = person or people_column(table, (*quasi, *column_names("sensitive", sensitive)), roles)
    risk = table_risk(table, quasi, sensitive, known, progress, owner)
    facts = table_inspection(risk) | {"roles": role_facts(roles), "possible_blanks": possible_blanks_in(table)}
    facts |= _outside(table, quasi, risk.sizes, population, population_size)
    blanks = table_blank_words(facts["possible_blanks"]) if facts["possible_blanks"] else ""
    parts = (table_inspection_text(facts), blanks, "\n".join(role_lines(roles)))
    return Inspection(facts, "\n\n".join(filter(None, parts)))


def _outside(
    table: Table, quasi: list[str], sizes: Ints64, population: object, population_size: int | None
) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if population is not None:
        facts["population"] = population_facts(population_risk(table, quasi, read_table(population)))
    if population_size is not None:
        size = require_integer("population_size", population_size, 1, "it counts people.")
        facts["population_uniqueness"] = {"size": size, **asdict(estimated_uniqueness(sizes, size))}
    return facts


def _with_trees(
    table: Table, sensitive: Iterable[str] | str, hierarchies: Mapping[str, Hierarchy] | str | Path | None
) -> Table:
    if hierarchies is None:
        return table
    named = [name for name in column_names("sensitive", sensitive) if name in table.schema.names]
    if isinstance(hierarchies, (str, Path)):
        hierarchies = read_hierarchies(hierarchies, named)
    return table.with_hierarchies({name: tree for name, tree in hierarchies.items() if name in named})


def _of_people(
    data: MixedRecords, quasi: list[str], sensitive: Iterable[str] | str, known: int, progress: Progress
) -> Inspection:
    risk = table_risk(data.table, quasi, sensitive, known, progress, None)
    alone = mixed_uniqueness(data, quasi, known, lambda done, of: progress("examining", done, of))
    rows = [{"known": n, "unique_people": found, "people": len(data)} for n, found in enumerate(alone)]
    facts = table_inspection(risk) | {
        "terms": data.records.n_terms,
        "people_without_terms": data.without_terms,
        "ids_without_row": data.intake.without_row,
        "known_terms": rows,
        **rare_terms(data.records),
    }
    shares = [f"{count / len(data):.1%}" for count in alone]
    further = "".join(f", with {terms} {share}" for terms, share in enumerate(shares) if terms > 1)
    lines = [
        f"{counted(len(data), 'person', 'people')} with {counted(data.records.n_terms, 'different term')}.",
        f"An attacker who knows {', '.join(map(printable, quasi))} of a person singles out {shares[0]} of them; "
        f"with 1 term in addition {shares[1]}{further}.",
        "",
        *rare_terms_text(facts, data.records.n_terms, int(data.records.items.size)),
    ]
    return Inspection(facts, "\n".join(lines) + "\n\n" + table_inspection_text(facts))


def _of_rows_of_people(mixed: PeopleInRows, known: int, sample: int | None, progress: Progress) -> Inspection:
    """Return the risk of people in a long table, with the columns that are the same in all rows of each (P3)."""
    if sample is not None:
        raise InvalidParameter("sample is for records, and this is mixed data: people with columns. Leave it out.")
    found = _of_people(mixed.people, list(mixed.quasi), (), known, progress)
    columns = {"person": mixed.roles.person, "terms": mixed.terms, "left_out": list(mixed.left_out)}
    facts = found.facts | {"mixed": columns, "roles": role_facts(mixed.roles)}
    parts = (mixed_words(mixed), found.text)
    return Inspection(facts, "\n\n".join((*parts, "\n".join(role_lines(mixed.roles)))))


def _of_records(data: Transactions, known: int, sample: int | None, progress: Progress) -> Inspection:
    if not len(data):
        raise InvalidParameter("there are no records.")
    found = uniqueness(data, known, sample=sample, progress=lambda done, of: progress("examining", done, of))
    lengths = data.records.lengths
    size = {
        "least": int(lengths.min()),
        "median": float(np.median(lengths)),
        "mean": float(lengths.mean()),
        "most": int(lengths.max()),
    }
    facts = inspection_facts(intake_of(data), data, size, found)
    return Inspection(facts, inspection_text(facts))
