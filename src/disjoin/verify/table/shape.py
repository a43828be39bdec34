"""T1, T2, T7: types, values and canonical order."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np

from disjoin.model import KAnonymity, Role, Table
from disjoin.model.intervals import interval_from
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.model.ragged import used_by
from disjoin.verify.inspection import SHOWN, Finding
from disjoin.verify.table.classes import descents, shown
from disjoin.verify.table.original import ANYTHING, MISSING, lowest_nodes


def check_rows(table: Table) -> list[Finding]:
    return [] if len(table) else [Finding("T1", "the table has no rows, so nothing is published.")]


def check_columns(table: Table, guarantee: KAnonymity | XYAnonymity) -> list[Finding]:
    """T1: the table has the columns of the guarantee, in these roles."""
    if isinstance(guarantee, XYAnonymity):
        return _absent(table, (*guarantee.x, *guarantee.y))
    findings = _absent(table, (*guarantee.quasi, *guarantee.sensitive))
    for role, guaranteed in ((Role.QUASI_IDENTIFIER, guarantee.quasi), (Role.SENSITIVE, guarantee.sensitive)):
        having = set(table.schema.with_role(role))
        lacking = [name for name in guaranteed if name in table.schema.names and name not in having]
        extra = [name for name in table.schema.names if name in having and name not in guaranteed]
        for names, problem in ((lacking, "does not have the role"), (extra, "is not guaranteed, but has the role")):
            findings += [Finding("T1", f"column {name!r} {problem} {role.value}.") for name in names]
    if guarantee.person in table.schema.names:
        findings.append(Finding("T1", f"column {guarantee.person!r} identifies people and must not be published."))
    return findings


def check_values(table: Table) -> list[Finding]:
    """T1: no column names people, no value is empty, and every listed value occurs."""
    named = table.schema.with_role(Role.IDENTIFIER)
    findings = [Finding("T1", f"column {name!r} names people and must not be published.") for name in named]
    for name, codes, values in zip(table.schema.names, table.codes, table.values, strict=True):
        unused = np.flatnonzero(~used_by(len(values), codes))
        if unused.size:
            message = f"column {name!r} lists {unused.size} values that no row has: they reveal what was left out."
            findings.append(Finding("T1", message, example=_named(values[int(code)].as_py() for code in unused)))
        if len(values) and not values[0].as_py():  # values are sorted: the empty one is the first
            findings.append(Finding("T1", f"column {name!r} has empty values; a missing one is written {MISSING!r}."))
    return findings


def check_readable(table: Table) -> list[Finding]:
    """T2: quasi-identifiers contain names of their hierarchies or, without one, numbers and intervals."""
    findings = []
    for name in table.schema.with_role(Role.QUASI_IDENTIFIER):
        texts = [text or "" for text in table.values_of(name).to_pylist()]
        tree = table.hierarchies.get(name)
        if tree is not None:
            nodes = lowest_nodes(tree)
            strange, wanted = [text for text in texts if text not in nodes], "a name in its hierarchy"
        else:
            others = [text for text in texts if text not in (MISSING, ANYTHING)]
            strange, wanted = [text for text in others if interval_from(text) is None], "a number or an interval"
        if strange:
            many = "1 value is" if len(strange) == 1 else f"{len(strange)} values are"
            message = f"in column {name!r} {many} not {wanted}."
            findings.append(Finding("T2", message, example=_named(strange)))
    return findings


def check_order(table: Table) -> list[Finding]:
    """T7: rows ascend by their values, column by column."""
    later, _ = descents(table.codes, len(table))
    if not later.size:
        return []
    others = f" ({later.size - 1} more are out of order)" if later.size > 1 else ""
    message = f"the row before must come after it: the order may reveal where rows come from{others}."
    row = int(later[0]) + 1
    return [Finding("T7", message, row, example=shown(table, table.schema.names, row), part="row")]


def _absent(table: Table, names: tuple[str, ...]) -> list[Finding]:
    return [
        Finding("T1", f"there is no column {name!r}, but the guarantee names it.")
        for name in names
        if name not in table.schema.names
    ]


def _named(texts: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(text or "(empty)" for text in islice(texts, SHOWN))
