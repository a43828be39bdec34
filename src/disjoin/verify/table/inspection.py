"""Invariants of tables: runs the checks of this package in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from disjoin.errors import InvalidParameter, kind_of
from disjoin.model import Generalized, KAnonymity, Role, Table, Verdict
from disjoin.model.k_anonymity import XYAnonymity, columns_in_words
from disjoin.model.ragged import Ints64
from disjoin.text import counted
from disjoin.verify.inspection import THRESHOLD, Finding, Inspection, Known, invariants_of
from disjoin.verify.table import original as compared
from disjoin.verify.table import shape
from disjoin.verify.table.assignment import check_assignment
from disjoin.verify.table.classes import Classes
from disjoin.verify.table.guarantee import check_guarantee, check_links, guaranteed_invariants, suppressed_classes
from disjoin.verify.table.original import Comparison
from disjoin.verify.table.people import check_people, with_population


def inspect_table(published: Generalized, guarantee: KAnonymity | XYAnonymity, known: Known) -> Verdict:
    """Verify a table, exactly: T1-T3, T7, T4-T6 and T8-T11 where guaranteed (or X1); with the original U1-U5."""
    if known.exact:
        raise InvalidParameter("the exact check is for clusters; all checks of a table are exact. Leave it out.")
    inspection = TableInspection(published.table, guarantee)
    if inspection.read_alone() and isinstance(known.original, Table):
        original = with_people(known.original, guarantee)
        comparison = Comparison.of(published.table, original, published.quasi, known.suppressed_records)
        inspection.compare(comparison, known.part_of_record)
        if isinstance(guarantee, KAnonymity) and guarantee.is_about_population and original.population is not None:
            verdict = inspection.verdict(published.anomalies)
            return with_population(verdict, published.table, published.quasi, original.population)
    return inspection.verdict(published.anomalies)


def with_people(original: Table, guarantee: KAnonymity | XYAnonymity) -> Table:
    """Return the original with the person column in the role of a direct identifier."""
    person = guarantee.person if isinstance(guarantee, KAnonymity) else None
    return original.with_roles({person: Role.IDENTIFIER}) if person in original.schema.names else original


class TableInspection:
    """One verification in progress: findings, checked invariants and facts."""

    def __init__(self, table: Table, guarantee: KAnonymity | XYAnonymity) -> None:
        self.table = table
        self.guarantee = guarantee
        self.findings: list[Finding] = []
        self.checked: list[str] = ["T1"]
        self.facts: dict[str, Any] = {}
        self.judged = table  # the table without suppressed rows
        self.kept: Ints64 | None = None  # (rows,) the numbers of these rows

    def leave_stars_out(self) -> None:
        """Drop the rows that are suppressed in all quasi-identifiers, and count them."""
        assert isinstance(self.guarantee, KAnonymity), "only its columns can be suppressed"
        classes = Classes.of(self.table, self.guarantee.quasi)
        is_star = suppressed_classes(classes)[classes.of_row]
        self.kept = np.flatnonzero(~is_star)
        self.judged = replace(self.table, codes=tuple(codes[self.kept] for codes in self.table.codes))
        self.facts["starred"] = int(np.count_nonzero(is_star))
        self.facts["starred_judged"] = False

    def read_alone(self) -> bool:
        """T1-T7, the release alone; return whether it can be compared."""
        self.findings += shape.check_rows(self.table) + shape.check_columns(self.table, self.guarantee)
        self.findings += shape.check_values(self.table)
        if not len(self.table):
            return False
        self.findings += shape.check_readable(self.table)
        self.checked.append("T2")
        self.keep_guarantee()
        self.findings += shape.check_order(self.table)
        self.checked.append("T7")
        return True

    def keep_guarantee(self) -> None:
        """T3-T6 and T8-T11, or X1, if the table has their columns."""
        wanted = self.guarantee
        columns = (*wanted.x, *wanted.y) if isinstance(wanted, XYAnonymity) else (*wanted.quasi, *wanted.sensitive)
        if not set(columns) <= set(self.table.schema.names):
            return
        if isinstance(wanted, XYAnonymity):
            findings, facts = check_links(self.table, wanted)
        else:
            findings, facts = check_guarantee(self.judged, wanted)
        if self.kept is not None:  # numbers among all rows differ
            findings = [f if f.node < 0 else f._replace(node=int(self.kept[f.node])) for f in findings]
        self.findings += findings
        self.facts |= facts
        self.facts["other_columns"] = [name for name in self.table.schema.names if name not in columns]
        self.checked += guaranteed_invariants(wanted)

    def compare(self, comparison: Comparison, parts: Ints64 | None) -> None:
        """U1, and U2 with a map that can be followed or U3 without; U3 needs the right number of rows."""
        self.findings += compared.check_extent(comparison)
        self.checked.append("U1")
        if parts is not None:
            strayed, can_be_followed = compared.check_map(comparison, parts)
            self.findings += strayed
            if can_be_followed:
                self.findings += compared.check_cells(comparison, parts)
                self.checked.append("U2")
                self.count_people(comparison, parts)
                return
        if len(comparison.published) + comparison.suppressed != len(comparison.original):
            return
        outcome = check_assignment(comparison)
        self.findings += outcome.findings
        self.facts["U3"] = outcome.facts
        self.checked += outcome.decided
        if not outcome.findings:
            self.count_people(comparison, None)

    def count_people(self, comparison: Comparison, parts: Ints64 | None) -> None:
        """U4 and U5, if people are counted and the columns exist."""
        wanted = self.guarantee
        if not isinstance(wanted, KAnonymity) or wanted.person is None:
            return
        if {*wanted.quasi, *wanted.sensitive} <= set(comparison.columns):
            found = check_people(comparison, wanted, parts)
            self.findings += found.findings
            self.checked += found.decided
            self.facts["people"] = found.facts

    def verdict(self, anomalies: tuple[Any, ...] = ()) -> Verdict:
        violations = tuple(finding.violation() for finding in self.findings)
        return Verdict(self.guarantee, (*anomalies, *violations), tuple(self.checked), self.facts)


def unseen(verdict: Verdict) -> list[str]:
    """Return sentences on what was not decided, and whether people were counted, if that is guaranteed."""
    facts, found = verdict.facts, verdict.facts.get("U3", {})
    sentences = _spellings(verdict) + _columns_left_out(verdict)
    if found.get("decided") is False:
        sentences.append(f"Not decided: U3, whether every row can come from one of the original: {found['how']}.")
    if facts.get("starred_judged") is False:
        what = "Their other columns are published, and a person who fits no other class is among them."
        sentences.append(f"Not verified: {facts['starred']:,} suppressed rows, as requested. {what}")
    guarantee = verdict.guarantee
    if not isinstance(guarantee, KAnonymity):
        return sentences
    sentences += _people_not_counted(verdict, guarantee)
    if guarantee.is_about_population and "population" not in facts:
        asked = {"T13 (k-map)": guarantee.k_map, "T14 (delta-presence)": guarantee.presence}
        named = " and ".join(name for name, limit in asked.items() if limit is not None)
        what = "about people outside the table. The data owner checked it; with the population you can check it, too."
        sentences.append(f"Not checked: {named}, {what}")
    return sentences


def _spellings(verdict: Verdict) -> list[str]:
    sentences = [
        f"Compared as published: {name} has {texts:,} different texts, or {values:,} without blanks around them."
        for name, (texts, values) in verdict.facts.get("as_written", {}).items()
    ]
    what = "spellings of a word, and equal numbers, are one value."
    return sentences + [
        f"The {texts:,} texts of {name} count as {counted(values, 'value')}: {what}"
        for name, (texts, values) in verdict.facts.get("folded", {}).items()
    ]


def _columns_left_out(verdict: Verdict) -> list[str]:
    guarantee, others = verdict.guarantee, tuple(verdict.facts.get("other_columns", ()))
    sentences = []
    if isinstance(guarantee, KAnonymity) and guarantee.sensitive and not guarantee.is_about_sensitive:
        named = columns_in_words(guarantee.sensitive)
        sentences.append(f"Nothing is guaranteed about the values of {named}: all rows of a class may share one.")
    if others:
        what = "An attacker who knows a person's value there may find fewer candidates."
        sentences.append(f"The guarantee leaves out {columns_in_words(others)}. {what}")
    return sentences


def _people_not_counted(verdict: Verdict, guarantee: KAnonymity) -> list[str]:
    missing = [name for name in ("U4", "U5")[: 1 + guarantee.is_about_sensitive] if name not in verdict.checked]
    if guarantee.person is None or not verdict.holds or not missing:
        return []
    what = f"Not checked: {' and '.join(missing)}, the number of different people in a class."
    if "people" in verdict.facts:
        return [f"{what} Which row became which is not known, and {verdict.facts['people']['how']}."]
    return [
        f"{what} The table does not show whose a row is; the publisher counted people, as you can with the original."
    ]


# Facts about the tables alone.
FACTS = ("classes", "starred", "largest_k", "smallest_alpha", "largest_l", "largest_entropy_l", "closeness")
INVARIANTS = (*invariants_of("table"), *THRESHOLD)
INSPECTION = Inspection((KAnonymity, XYAnonymity), Table, inspect_table, INVARIANTS, FACTS, unseen)


def judge(
    table: Table,
    guarantee: KAnonymity | XYAnonymity,
    original: Table | None = None,
    *,
    dropped: int = 0,
    starred: bool = False,
    written: Table | None = None,
) -> Verdict:
    """Check whether a table satisfies a guarantee, for any method and order of rows.

    Checks that there are rows, and T3-T6 or X1; with the original U1, U3, and U4 and U5 if people are counted. The
    roles of columns are those of the guarantee. Columns of the original may be missing, those of the guarantee not.

    `dropped` rows of the original are known to be suppressed. With `starred`, rows with `*` (or its hierarchy's root)
    in all quasi-identifiers are counted but not checked; otherwise they are a class. `written` has the same rows with
    blanks around values; if it separates more rows, its classes must satisfy the guarantee, too.

    >>> table = Table.from_columns({"age": ["30", "30", "41"], "disease": ["flu", "cold", "flu"]})
    >>> verdict = judge(table, KAnonymity(2, "age"))
    >>> print(*verdict.violations)
    T3 at the class of row 2: it has 1 row, but at least 2 are needed. (age: 41)
    >>> verdict.facts
    {'classes': 2, 'largest_k': 1, 'other_columns': ['disease']}
    """
    quasi, secret = _columns_of(guarantee)
    for name in (*quasi, *secret):
        table.schema.position(name)  # raises
    if original is not None and not isinstance(original, Table):
        raise InvalidParameter(f"a table is compared with its original as a Table, got {kind_of(original)}.")
    inspection = TableInspection(table, guarantee)
    if starred and len(table):
        inspection.leave_stars_out()
    inspection.findings += shape.check_rows(inspection.judged)
    if len(inspection.judged):
        inspection.keep_guarantee()
    if len(table) and original is not None:
        comparison = Comparison.of(table, with_people(original, guarantee), quasi, dropped)
        inspection.compare(comparison, None)
    verdict = inspection.verdict()
    return verdict if written is None else _also_as_written(verdict, table, guarantee, written, starred=starred)


def _columns_of(guarantee: KAnonymity | XYAnonymity) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if isinstance(guarantee, XYAnonymity):
        return (*guarantee.x, *guarantee.y), ()
    return guarantee.quasi, guarantee.sensitive


def _also_as_written(
    verdict: Verdict, table: Table, guarantee: KAnonymity | XYAnonymity, written: Table, *, starred: bool
) -> Verdict:
    """Return the verdict on the classes of the rows as written, too, and the number of texts read as one value."""
    merged, secret = (_merged_values(table, written, names) for names in _columns_of(guarantee))
    if merged:
        exact = judge(as_written(table, written, merged), guarantee, starred=starred)
        violations = dict.fromkeys((*exact.violations, *verdict.violations))
        measured = {name: fact for name, fact in exact.facts.items() if name != "starred"}
        facts = {**verdict.facts, **measured, "as_written": merged}
        verdict = replace(verdict, violations=tuple(violations), facts=facts)
    if secret:
        folded = dict(verdict.facts.get("folded", {}))
        folded |= {name: [both[0], folded.get(name, both)[1]] for name, both in secret.items()}
        verdict = replace(verdict, facts={**verdict.facts, "folded": folded})
    return verdict


def _merged_values(table: Table, written: Table, names: tuple[str, ...]) -> dict[str, list[int]]:
    """Return [texts, values] of the columns in which several texts were read as one value."""
    counts = {name: [len(written.values_of(name)), len(table.values_of(name))] for name in names}
    return {name: both for name, both in counts.items() if both[0] != both[1]}


def as_written(table: Table, written: Table, names: Iterable[str]) -> Table:
    """Return the table with these columns as written, without their hierarchies."""
    codes, values = list(table.codes), list(table.values)
    for place in map(table.schema.position, names):
        codes[place], values[place] = written.codes[place], written.values[place]
    others = {name: tree for name, tree in table.hierarchies.items() if name not in names}
    return replace(table, codes=tuple(codes), values=tuple(values), hierarchies=others)
