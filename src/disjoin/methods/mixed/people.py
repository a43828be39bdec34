"""Preparation of mixed data: columns used, order of people, possible terms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from disjoin.arrays.ordering import by_content
from disjoin.errors import GuaranteeUnreachable, InvalidParameter, Placeholder, Remedy
from disjoin.methods.generalization.choices import slow_note
from disjoin.methods.generalization.encoding import order_by_content
from disjoin.methods.generalization.requirements import NAME_QUASI
from disjoin.methods.role_checks import require_person, require_publishable, require_terms
from disjoin.model import Hierarchy, MixedRecords, Role, Table, Transactions
from disjoin.model.column_roles import ColumnKind, RoleChoice, choices_from, roles_in
from disjoin.model.generalized import MISSING
from disjoin.model.intervals import interval_from, number_from
from disjoin.model.mixed_anonymity import Exclusion, exclusions_from
from disjoin.model.ragged import Flags, Ints64
from disjoin.model.spelling import folded
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.methods.mixed import MixedDisassociation


def chosen_columns(method: MixedDisassociation, data: MixedRecords) -> MixedRecords:
    """Return the people with the published columns; a column of words gets a hierarchy of two levels: value and `*`."""
    table, published = data.table, (*method.quasi, *method.sensitive_columns)
    if not method.quasi:
        raise InvalidParameter(
            "at least one column must be a quasi-identifier, but none is named.", remedies=[NAME_QUASI]
        )
    if method.is_about_columns and not method.sensitive_columns:
        raise InvalidParameter(
            "alpha and column_l need sensitive columns, but none is named.",
            remedies=[Remedy("sensitive_columns", Placeholder("COLUMNS"), "name them")],
        )
    for name in published:
        table.schema.position(name)  # raises for an unknown column
    terms = data.records.vocabulary.to_pylist()
    for name in published:
        if any(term.startswith(f"{name}=") for term in terms):  # the syntax of a question about a column
            raise InvalidParameter(
                f"terms that begin with {name}= look like values of the column {name!r}. Rename the column, "
                "or the terms."
            )
    roles = dict.fromkeys(method.quasi, Role.QUASI_IDENTIFIER) | dict.fromkeys(method.sensitive_columns, Role.SENSITIVE)
    places = [place for place, name in enumerate(table.schema.names) if name in roles]
    trees = {name: table.hierarchies[name] for name in method.quasi if name in table.hierarchies}
    for name in words_without_tree(table, method.quasi):
        trees[name] = Hierarchy.from_rows([(value, "*") for value in used_values(table, name)])
    schema = replace(table.schema, columns=tuple(table.schema.columns[place] for place in places))
    codes, values = tuple(table.codes[place] for place in places), tuple(table.values[place] for place in places)
    return replace(data, table=Table(schema, codes, values, trees).with_roles(roles))


def require_roles(method: MixedDisassociation, data: MixedRecords) -> None:
    choices, intake = choices_from(method.role), data.intake
    tables = intake.tables or (data.table,)
    for name in choices:
        if not any(name in table.schema.names for table in tables):
            tables[0].schema.position(name)  # raises for an unknown column
    decided = choices | ({intake.id_column: RoleChoice(ColumnKind.PERSON)} if intake.id_column else {})
    unprotected = () if method.is_about_columns else method.sensitive_columns
    for table in tables:
        known = {name: choice for name, choice in decided.items() if name in table.schema.names}
        found = roles_in(table, known)
        if not intake.id_column:
            require_person(found, choices, "id")
        require_publishable(found, (*method.quasi, *method.sensitive_columns), as_they_are=unprotected)
        if intake.terms_column in table.schema.names:
            require_terms(found[intake.terms_column])


def words_without_tree(table: Table, quasi: tuple[str, ...]) -> list[str]:
    """Return the quasi-identifiers that have no hierarchy and values that are not numbers."""
    return [
        name
        for name in quasi
        if name not in table.hierarchies
        and any(number_from(value) is None for value in used_values(table, name) if value != MISSING)
    ]


def used_values(table: Table, name: str) -> list[str]:
    used = np.bincount(table.codes_of(name), minlength=len(table.values_of(name))) > 0
    return [value for value, is_used in zip(table.values_of(name).to_pylist(), used, strict=True) if is_used]


def notes_about(method: MixedDisassociation, data: MixedRecords) -> list[str]:
    table, intake, notes = data.table, data.intake, []
    chosen = chosen_columns(method, data)
    if intake.without_row:
        ids = counted(intake.without_row, "id has", "ids have")
        notes.append(f"{ids} terms and no row among the people: their columns are unknown, and they are left out.")
    if data.without_terms:
        people = counted(data.without_terms, "person has", "people have")
        notes.append(f"{people} no terms. They are published, and the release states that some people may have none.")
    dropped = [*intake.unread, *(name for name in table.schema.names if name not in chosen.table.schema.names)]
    if dropped:
        notes.append(f"not published, because they have no role: {', '.join(dropped)}.")
    for name in words_without_tree(table, method.quasi):
        notes.append(
            f"{name} has no hierarchy: a value is published as it is or as *, and the release lists the values that "
            "occur. Give a hierarchy to keep more, or to hide which values occur."
        )
    if method.sensitive_columns and not method.is_about_columns:
        columns = ", ".join(method.sensitive_columns)
        notes.append(f"nothing is asked for {columns}: people of a class may all have the same value. Ask for alpha.")
    for exclusion in exclusions_from(method.exclusions):  # its spelling may be wrong
        absent = [] if _are_about(exclusion, chosen.records).any() else [f"no person has {exclusion.term}"]
        if not has_values(chosen.table, exclusion).any():
            absent.append(f"{exclusion.column} is never {' or '.join(exclusion.values)}")
        if absent:
            notes.append(f"the exclusion {exclusion} has no effect: {' and '.join(absent)}. Check its spelling.")
    slow = slow_note(method.algorithm, chosen.table, method.quasi)
    return [*notes, slow] if slow else notes


def order_of_people(data: MixedRecords) -> Ints64:
    order = by_content(data.records, np.arange(len(data), dtype=np.int32))
    content = np.empty(len(data), dtype=np.int32)
    content[order] = np.cumsum(data.records.records.take(order).differ_from_previous()) - 1
    return order_by_content([*data.table.codes, content])


def taken(data: MixedRecords, people: Ints64) -> MixedRecords:
    table, rows = data.table, data.records.records.take(people)
    records = Transactions(rows.offsets, rows.items, data.records.vocabulary, data.records.sensitive)
    return replace(
        data,
        table=Table(table.schema, tuple(codes[people] for codes in table.codes), table.values, table.hierarchies),
        records=records,
    )


def parts_by_exclusion(method: MixedDisassociation, data: MixedRecords) -> list[Ints64]:
    """Split people by excluded values, so that no cluster has a term together with a row that excludes it."""
    joined: dict[tuple[str, str], Exclusion] = {}
    for each in exclusions_from(method.exclusions):
        key = (folded(each.term), each.column)
        values = {*each.values, *(joined[key].values if key in joined else ())}
        joined[key] = Exclusion(each.term, each.column, tuple(sorted(values)))
    keys = np.zeros(len(data), dtype=np.int64)
    for exclusion in joined.values():
        excluded = has_values(data.table, exclusion)
        _refuse_holders(data, exclusion, excluded)
        keys = np.unique(2 * keys + excluded, return_inverse=True)[1].ravel()  # renumbered against overflow
    parts = [np.flatnonzero(keys == key) for key in np.unique(keys)]
    small = min(part.size for part in parts)
    if small < method.min_cluster_size:
        raise GuaranteeUnreachable(
            f"an attacker who knows the exclusions can single out a group of {small:,} people, and "
            f"{method.min_cluster_size} are needed. Use fewer exclusions, or a smaller k."
        )
    return parts


def has_values(table: Table, exclusion: Exclusion) -> Flags:
    """Return which people have one of the values of an exclusion; a number may be in an interval such as [0, 17]."""
    spans = [ends for ends in map(interval_from, exclusion.values) if ends is not None]
    tree = table.hierarchies.get(exclusion.column)
    above = {} if tree is None else {row[0]: {folded(name) for name in row} for row in tree.rows()}
    wanted = {folded(value) for value in exclusion.values}

    def is_one(value: str) -> bool:
        if folded(value) in wanted or above.get(value, set()) & wanted:
            return True
        number = number_from(value)
        return tree is None and number is not None and any(low <= number <= high for low, high in spans)

    is_wanted = [is_one(value) for value in table.values_of(exclusion.column).to_pylist()]
    return np.array(is_wanted, dtype=np.bool_)[table.codes_of(exclusion.column)]


def _are_about(exclusion: Exclusion, records: Transactions) -> Flags:
    return np.array([exclusion.is_about(term) for term in records.vocabulary.to_pylist()], dtype=np.bool_)


def _refuse_holders(data: MixedRecords, exclusion: Exclusion, excluded: Flags) -> None:
    about = _are_about(exclusion, data.records)[data.records.items]
    wrong = int(((data.records.records.sums(about) > 0) & excluded).sum())
    if wrong:
        raise InvalidParameter(
            f"an exclusion states that {exclusion.in_words()}, but in the data it does: "
            f"{counted(wrong, 'person does', 'people do')}. Correct the data, or leave the exclusion out."
        )
