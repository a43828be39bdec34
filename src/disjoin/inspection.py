"""What is in the data, and whom a little knowledge singles out: `disjoin.inspect`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.attack.mixed_uniqueness import mixed_uniqueness
from disjoin.attack.population import estimated_uniqueness, population_risk
from disjoin.attack.table_risk import people_column, table_risk
from disjoin.attack.uniqueness import uniqueness
from disjoin.errors import InvalidParameter
from disjoin.escaping import legible
from disjoin.files.hierarchies import read_hierarchies
from disjoin.files.reading import read
from disjoin.files.table_reading import read_table
from disjoin.measure.evaluation import PRIVATE
from disjoin.model import Hierarchy, MixedRecords, Table, Transactions
from disjoin.model.card import card
from disjoin.model.column_roles import TableRoles, roles_of
from disjoin.model.guarantee import require_integer
from disjoin.model.k_anonymity import column_names
from disjoin.model.ragged import Ints64
from disjoin.people_in_rows import PeopleInRows, people_in
from disjoin.progress import Progress, silent
from disjoin.report.facts import possible_blanks_in, table_blank_words
from disjoin.report.profile import inspection_of, inspection_text
from disjoin.report.profile_page import inspection_page
from disjoin.report.profile_roles import mixed_words, role_facts, role_lines
from disjoin.report.profile_tables import population_facts, table_inspection, table_inspection_text
from disjoin.report.rare_terms import rare_terms, rare_terms_text
from disjoin.words import counted

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Inspection:
    """What `disjoin.inspect` found: facts about raw data, which are not to be published.

    `str()` says them in words, `inspection["records"]` is one of them.
    """

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
        notes = ["print() says all of it, and to_table() has what each piece of knowledge singles out."]
        sentence = "What is in the data, and whom a little knowledge singles out."
        return card("Inspection", sentence, numbers, warning=PRIVATE, notes=notes)

    def __getitem__(self, name: str) -> Any:
        return self.facts[name]

    @property
    def known(self) -> list[dict[str, Any]]:
        """What each piece of knowledge singles out: a row for each number of known terms, or set of known columns."""
        rows: list[dict[str, Any]] = self.facts["known_columns" if "quasi" in self.facts else "known_terms"]
        return rows

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON, as `disjoin inspect --json` prints it."""
        return dict(self.facts)

    def to_html(self, name: str = "") -> str:
        """Return everything as one private page that loads nothing, and prints; `name` is what the data are called."""
        return inspection_page(self.text, self.known, name)

    def to_table(self) -> pa.Table:
        """Return `known` as an Arrow table."""
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
        about = {"person": person, "hierarchies": hierarchies, "population_size": population_size}
        _refuse_tables({"sensitive": tuple(sensitive) or None, "population": population, **about})
        return _of_records(read(data), known, sample, progress)
    if sample is not None:
        raise InvalidParameter("sample is for records, and quasi says that this is a table. Leave it out.")
    if isinstance(data, MixedRecords):
        return _of_people(data, quasi, sensitive, known, progress)
    table = _with_trees(read_table(data), sensitive, hierarchies)
    roles = roles_of(table)
    owner = person or people_column(table, (*quasi, *column_names("sensitive", sensitive)), roles)
    risk = table_risk(table, quasi, sensitive, known, progress, owner)
    facts = table_inspection(risk) | {"roles": role_facts(roles), "possible_blanks": possible_blanks_in(table)}
    return _of_table(facts | _outside(table, quasi, risk.sizes, population, population_size), roles)


def _of_table(facts: dict[str, Any], roles: TableRoles) -> Inspection:
    blanks = table_blank_words(facts["possible_blanks"]) if facts["possible_blanks"] else ""
    parts = (table_inspection_text(facts), blanks, "\n".join(role_lines(roles)))
    return Inspection(facts, "\n\n".join(part for part in parts if part))


def _refuse_tables(given: Mapping[str, object]) -> None:
    for name, value in given.items():
        if value is not None:
            raise InvalidParameter(f"{name} is for tables. Name the columns that somebody may know, too (quasi).")


def _outside(
    table: Table, quasi: list[str], sizes: Ints64, population: object, population_size: int | None
) -> dict[str, Any]:
    """Return what people outside the file add: a table of them, or how many they are."""
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
    """Return the table with the hierarchies of its sensitive columns."""
    if hierarchies is None:
        return table
    named = [name for name in column_names("sensitive", sensitive) if name in table.schema.names]
    if isinstance(hierarchies, (str, Path)):
        hierarchies = read_hierarchies(hierarchies, named)
    return table.with_hierarchies({name: tree for name, tree in hierarchies.items() if name in named})


def _of_people(
    data: MixedRecords, quasi: list[str], sensitive: Iterable[str] | str, known: int, progress: Progress
) -> Inspection:
    """Return what columns single out, and columns with terms."""
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
    lines = [
        f"{counted(len(data), 'person', 'people')} with {counted(data.records.n_terms, 'different term')}.",
        f"An attacker who knows {', '.join(map(legible, quasi))} of a person singles out {alone[0] / len(data):.1%} of "
        f"them; with 1 term in addition {alone[1] / len(data):.1%}"
        + "".join(f", with {n} {a / len(data):.1%}" for n, a in enumerate(alone) if n > 1)
        + ".",
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
    parts = (mixed_words(mixed.roles, mixed.quasi, mixed.terms, mixed.left_out), found.text)
    return Inspection(facts, "\n\n".join((*parts, "\n".join(role_lines(mixed.roles)))))


def _of_records(data: Transactions, known: int, sample: int | None, progress: Progress) -> Inspection:
    if not len(data):
        raise InvalidParameter("there are no records, so nobody is in them.")
    found = uniqueness(data, known, sample=sample, progress=lambda done, of: progress("examining", done, of))
    facts = inspection_of(data, found)
    return Inspection(facts, inspection_text(facts))
