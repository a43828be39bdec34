"""Column roles: decides, by values only, which column identifies people, describes them, or is sensitive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter, Remedy
from disjoin.model import column_keys
from disjoin.model.column_facts import ColumnFacts, ValueShape, facts_of
from disjoin.model.column_keys import Dependencies, Key
from disjoin.model.table import Table
from disjoin.model.value_shapes import OF_ANYTHING, are_sensitive, is_coordinate, share

ALONE = 0.5  # from this share of unique values a column cannot be published unchanged
FEW_ROWS = 20  # with fewer rows nearly all values are unique, so every column needs a role
GROWN = 1.5  # above this many times the stated distinct values, a choice was made for other data


class ColumnKind(Enum):
    """What a column is about, as found in its values or decided by the data owner."""

    PERSON = "person"
    EVENT = "event"
    TERMS = "terms"
    DESCRIBES_PERSON = "describes person"
    DESCRIBES_EVENT = "describes event"
    MEASURE = "measure"
    SENSITIVE = "sensitive"
    FREE_TEXT = "free text"
    CONSTANT = "constant"


class Certainty(Enum):
    """How certain a finding is."""

    POSSIBLE = "possible"
    LIKELY = "likely"
    CERTAIN = "certain"
    DECIDED = "decided"  # by the data owner


class Stop(Enum):
    """When a column must not be published: never, unchanged, or in any role."""

    NONE = "none"
    AS_IS = "as it is"
    ALWAYS = "always"


class TableForm(Enum):
    """What a row is."""

    ROW_PER_PERSON = "row per person"
    LONG = "several rows per person"
    NO_PERSON = "no person found"


@dataclass(frozen=True, slots=True)
class RoleChoice:
    """A role that the data owner gives to a column; a certain finding also needs the number of distinct values.

    With a number, it holds until the column has 50 % more distinct values: then it was made for other data.

    >>> RoleChoice.from_text("measure:482")
    RoleChoice(kind=<ColumnKind.MEASURE: 'measure'>, distinct=482)
    """

    kind: ColumnKind
    distinct: int | None = None

    def __str__(self) -> str:
        return self.kind.value if self.distinct is None else f"{self.kind.value}:{self.distinct}"

    @classmethod
    def from_text(cls, text: str) -> RoleChoice:
        """Read `ROLE` or `ROLE:DISTINCT`, as in the option `role` (COLUMN=ROLE)."""
        role, colon, number = text.strip().partition(":")
        kinds = {kind.value: kind for kind in ColumnKind}
        kind = kinds.get(" ".join(role.lower().replace("_", " ").replace("-", " ").split()))
        if kind is None:
            raise InvalidParameter(f"a role is one of {', '.join(kinds)}; got {role!r}.")
        if colon and not (number.isascii() and number.isdigit() and len(number) < 19):
            raise InvalidParameter(f"after the role comes the number of distinct values, as in {role}:482.")
        return cls(kind, int(number) if colon else None)


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """The role of one column, and why; no cell value is in it."""

    name: str
    role: ColumnKind
    certainty: Certainty
    why: str  # one sentence
    is_sensitive: bool
    distinct: int
    alone: float  # share of the cells whose value occurs once
    stops: Stop
    found: ColumnKind | None = None  # the finding that the data owner overrode

    @property
    def asks(self) -> bool:
        kinds = (ColumnKind.PERSON, ColumnKind.EVENT, ColumnKind.FREE_TEXT)
        return self.role in kinds and self.certainty is not Certainty.DECIDED


@dataclass(frozen=True, slots=True)
class TableRoles:
    """The roles of all columns of a table.

    >>> rows = {"c1": ["P07", "P08"] * 30, "c2": ["34", "61"] * 30, "c3": ["B20", "I10", "J45", "K21", "E11"] * 12}
    >>> roles_of({**rows, "c1": [f"P{row // 3:02d}" for row in range(60)]}).person
    'c1'
    """

    rows: int
    people: int | None
    person: str | None
    within: str | None  # the column within whose values the person's numbers repeat
    form: TableForm
    columns: tuple[ColumnRole, ...]
    alone_together: float  # share of the people who are unique in all describing columns
    rivals: tuple[str, ...] = ()  # other columns that could identify the people as well
    is_grouped: bool = False  # people have several rows: likely by values, or stated by the data owner
    _evidence: _Evidence | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, name: str) -> ColumnRole:
        found = next((column for column in self.columns if column.name == name), None)
        if found is None:
            names = ", ".join(repr(column.name) for column in self.columns)
            raise InvalidParameter(f"there is no column {name!r}; the columns are {names}.")
        return found

    def named(self, *kinds: ColumnKind) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.role in kinds)

    @property
    def stopped(self) -> tuple[ColumnRole, ...]:
        """The columns that are not published in any role until the data owner decides."""
        return tuple(column for column in self.columns if column.stops is Stop.ALWAYS)

    @property
    def is_mixed(self) -> bool:
        describing = self.named(ColumnKind.DESCRIBES_PERSON, ColumnKind.SENSITIVE)
        return self.form is TableForm.LONG and bool(describing) and bool(self.named(ColumnKind.TERMS))

    def decided(self, choices: Mapping[str, RoleChoice]) -> TableRoles:
        """Return the roles with the data owner's choices; the other columns are decided again with them."""
        if self._evidence is None or not choices:
            return self
        for name, choice in choices.items():
            _require_counted(self[name], choice)
        return _judged(self._evidence, {**self._evidence.choices, **choices})


def choices_from(given: Iterable[str] | Mapping[str, str]) -> dict[str, RoleChoice]:
    """Return the data owner's choices by column, from texts such as `Konto=measure:482` or from a dict.

    >>> {name: str(choice) for name, choice in choices_from(["a=b=terms"]).items()}
    {'a=b': 'terms'}
    """
    if isinstance(given, Mapping):
        given = [f"{name}={role}" for name, role in given.items()]
    found: dict[str, RoleChoice] = {}
    for text in [given] if isinstance(given, str) else given:
        name, equals, role = text.rpartition("=") if isinstance(text, str) else ("", "", "")
        if not equals or not name:
            raise InvalidParameter("a role is given as COLUMN=ROLE, as in Konto=measure.")
        if name in found:
            raise InvalidParameter(f"a column has one role, but {name!r} is given two.")
        found[name] = RoleChoice.from_text(role)
    return found


def _require_counted(column: ColumnRole, choice: RoleChoice) -> None:
    """Refuse to override a certain person, or a column that has grown, by a choice made for other data."""
    is_certain = column.role is ColumnKind.PERSON and column.certainty is Certainty.CERTAIN
    has_grown = choice.distinct is not None and column.distinct > GROWN * choice.distinct
    is_unstated = is_certain and choice.distinct is None
    if choice.kind is ColumnKind.PERSON or not (has_grown or is_unstated):
        return
    stated = "no number is stated" if is_unstated else f"{choice.distinct:,} are stated"
    finding = f"{column.name!r} identifies people: {column.why}" if is_certain else f"column {column.name!r} has grown"
    advice = f"To give it another role, state how many different values it has, {column.distinct:,} ({stated})."
    remedy = Remedy("role", [f"{column.name}={choice.kind.value}:{column.distinct}"], "state the number")
    raise InvalidParameter(f"{finding}. {advice}", remedies=[remedy])


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The evidence for roles: facts, dependencies, the data owner's choices, and the person found with these."""

    columns: tuple[ColumnFacts, ...]
    depend: Dependencies
    keys: dict[str, Key]
    places: frozenset[str]  # columns of latitudes and longitudes
    choices: Mapping[str, RoleChoice] = field(default_factory=dict)
    person: ColumnFacts | None = None
    is_long: bool = False  # whether a person has several rows

    @property
    def rows(self) -> int:
        return self.columns[0].codes.size if self.columns else 0

    @property
    def whose(self) -> str:
        return column_keys.quoted(self.person.name) if self.person else "a row"


def roles_of(
    source: Table | pa.Table | Mapping[str, Any], choices: Mapping[str, RoleChoice] | None = None
) -> TableRoles:
    """Find the roles of the columns of a table by their values; headers are weak hints.

    >>> roles = roles_of({"E-Mail": [f"a{row}@example.org" for row in range(30)], "Alter": list(range(30, 60))})
    >>> roles["E-Mail"].role, roles["E-Mail"].stops
    (<ColumnKind.PERSON: 'person'>, <Stop.ALWAYS: 'always'>)
    """
    columns = facts_of(source)
    depend = Dependencies()
    keys = column_keys.keys_of(columns, depend)
    times = [column.name for column in columns if column_keys.are_times(column, columns, keys)]
    timed = tuple(replace(each, shape=ValueShape.TIME) if each.name in times else each for each in columns)
    for name in times:
        keys[name].points = 0
    return _judged(_Evidence(timed, depend, keys, _places(timed)), {}).decided(choices or {})


def roles_in(table: Table, choices: Mapping[str, RoleChoice] | None = None) -> TableRoles:
    """Return what `roles_of` finds in a table; computed once and stored with the table."""
    if not table.findings:
        table.findings.append(roles_of(table))
    found: TableRoles = table.findings[0]
    return found.decided(choices or {})


def _judged(evidence: _Evidence, choices: Mapping[str, RoleChoice]) -> TableRoles:
    named = [c for c in evidence.columns if c.name in choices and choices[c.name].kind is ColumnKind.PERSON]
    others = [column for column in evidence.columns if column.name not in choices]
    candidates = named[:1] or column_keys.person_among(others, evidence.keys, evidence.depend)
    person = candidates[0] if candidates else None
    key = evidence.keys.get(person.name, Key()) if person else Key()
    is_named = person is not None and person.name in choices and person.repeats and not key.within
    several = person is not None and (is_named or column_keys.is_long(person, key, evidence.columns))
    evidence = replace(evidence, choices=choices, person=person, is_long=several)
    columns = tuple(_role(column, evidence) for column in evidence.columns)
    return TableRoles(
        rows=evidence.rows,
        people=None if person is None else person.distinct if several else evidence.rows,
        person=person.name if person else None,
        within=key.within or None,
        form=TableForm.NO_PERSON if person is None else TableForm.LONG if several else TableForm.ROW_PER_PERSON,
        columns=columns,
        alone_together=_alone_together(columns, evidence),
        rivals=tuple(column.name for column in candidates[1:]),
        is_grouped=is_named or (person is not None and column_keys.is_grouped(person, key)),
        _evidence=evidence,
    )


def _places(columns: Sequence[ColumnFacts]) -> frozenset[str]:
    """Return the adjacent decimals that are a latitude and a longitude: together one place."""
    found = set()
    for one, other in pairwise(columns):
        if all(c.shape is ValueShape.DECIMAL and share(c.sample, is_coordinate) >= 0.8 for c in (one, other)):
            highest = [max(abs(float(text)) for text in c.sample if is_coordinate(text)) for c in (one, other)]
            if min(highest) <= 90 and max(highest) > 10:
                found |= {one.name, other.name}
    return frozenset(found)


def _alone_together(columns: Sequence[ColumnRole], evidence: _Evidence) -> float:
    """Return the share of people who are unique in the describing columns together: one hash per row, all rows."""
    facts = zip(evidence.columns, columns, strict=True)
    describing = [column for column, found in facts if found.role is ColumnKind.DESCRIBES_PERSON]
    if not describing or not evidence.rows:
        return 0.0
    hashes = np.zeros(evidence.rows, np.uint64)
    for column in describing:
        hashes = (hashes ^ (column.codes + 2).astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    if evidence.is_long and evidence.person is not None:
        hashes = hashes[np.unique(evidence.person.codes, return_index=True)[1]]
    return float(np.count_nonzero(np.unique(hashes, return_counts=True)[1] == 1) / hashes.size)


def _role(column: ColumnFacts, evidence: _Evidence) -> ColumnRole:
    finding = _finding(column, evidence)
    choice = evidence.choices.get(column.name)
    decided = finding if choice is None else _Finding(choice.kind, "the data owner decided this", Certainty.DECIDED)
    return ColumnRole(
        name=column.name,
        role=decided.role,
        certainty=decided.certainty,
        why=decided.why,
        is_sensitive=_is_sensitive(column) or decided.role is ColumnKind.SENSITIVE,
        distinct=column.distinct,
        alone=column.alone,
        stops=_stops(column, finding.role, evidence) if choice is None else _stops_of(choice.kind),
        found=None if choice is None else finding.role,
    )


def _stops_of(kind: ColumnKind) -> Stop:
    if kind in (ColumnKind.PERSON, ColumnKind.EVENT):
        return Stop.ALWAYS
    return Stop.AS_IS if kind is ColumnKind.FREE_TEXT else Stop.NONE


def _stops(column: ColumnFacts, kind: ColumnKind, evidence: _Evidence) -> Stop:
    """Return when a column must not be published; measures and dates of events may differ in every row."""
    certain = _stops_of(kind)
    if certain is not Stop.NONE or column.alone < ALONE:
        return certain
    is_clock = column.shape is ValueShape.TIME and column.integers is None  # whole numbers may be numbers of cases
    is_measured = (column.shape is ValueShape.DECIMAL or is_clock) and column.name not in evidence.places
    is_dated = column.shape is ValueShape.DATE and kind is ColumnKind.DESCRIBES_EVENT
    if evidence.rows < FEW_ROWS:
        return Stop.NONE if is_measured else Stop.AS_IS
    return Stop.NONE if is_measured or is_dated or kind is ColumnKind.MEASURE else Stop.AS_IS


def _is_sensitive(column: ColumnFacts) -> bool:
    return "sensitive" in column.hints or column.is_icd or are_sensitive(column.sample)


class _Finding(NamedTuple):
    role: ColumnKind
    why: str
    certainty: Certainty = Certainty.LIKELY


def _finding(column: ColumnFacts, evidence: _Evidence) -> _Finding:
    key = evidence.keys.get(column.name, Key())
    if column.distinct <= 1:
        why = "it has one value" if column.distinct else "all its cells are blank"
        return _Finding(ColumnKind.CONSTANT, why, Certainty.CERTAIN)
    if evidence.person is not None and column.name == evidence.person.name:
        certainty = Certainty.LIKELY if key.points >= column_keys.LIKELY else Certainty.POSSIBLE
        why = key.why or "it may identify people"
        return _Finding(ColumnKind.PERSON, why, Certainty.CERTAIN if column.direct else certainty)
    if key.points >= column_keys.KEY and (found := _key(column, key, evidence)) is not None:
        return found
    if column.shape is ValueShape.LIST:
        return _Finding(ColumnKind.TERMS, f"its cells are lists separated by {column.mark!r}")
    if column.shape is ValueShape.TEXT and column.ratio >= 0.3:
        return _Finding(ColumnKind.FREE_TEXT, "it contains sentences, which may name people")
    is_sensitive, is_long = _is_sensitive(column), evidence.is_long
    if is_long and evidence.person is not None:
        if evidence.depend(evidence.person, column) >= 0.85:
            role = ColumnKind.SENSITIVE if is_sensitive else ColumnKind.DESCRIBES_PERSON
            return _Finding(role, f"it is the same in all rows of one {evidence.whose}")
        if _are_terms(column, evidence):
            return _terms_finding(evidence, Certainty.POSSIBLE)
    if is_sensitive:
        return _Finding(ColumnKind.SENSITIVE, "its values or its header are about private matters")
    describes = ColumnKind.DESCRIBES_EVENT if is_long else ColumnKind.DESCRIBES_PERSON
    if column.name in evidence.places:
        return _Finding(describes, "it is a coordinate of a place")
    if column.shape in (ValueShape.DATE, ValueShape.TIME):
        return _date(column, evidence)
    if _is_measured(column, is_long):
        return _Finding(ColumnKind.MEASURE, "its values are measured or counted")
    return _Finding(describes, f"it differs between rows of one {evidence.whose}" if is_long else "it describes a row")


def _key(column: ColumnFacts, key: Key, evidence: _Evidence) -> _Finding | None:
    """Decide on a key other than the person; in a table with a row per person it identifies people too, or things."""
    if evidence.is_long and evidence.person is not None:
        return _key_in_long_table(column, key, evidence, evidence.person)
    if column.hints & {"place", "thing"} and not column.direct:
        why = f"its header names places or things, but {key.why or 'it has many different values'}"
        return _Finding(ColumnKind.DESCRIBES_PERSON, why)
    if column.direct or key.points >= 4 or (column.ratio >= 0.9 and column.is_id_like):
        return _Finding(ColumnKind.PERSON, key.why, Certainty.CERTAIN if column.direct else Certainty.LIKELY)
    if column.is_id_like and not column.is_icd and column.ratio >= 0.3:
        return _Finding(ColumnKind.PERSON, key.why, Certainty.POSSIBLE)
    return None


def _key_in_long_table(column: ColumnFacts, key: Key, evidence: _Evidence, person: ColumnFacts) -> _Finding | None:
    """Decide on another key of a person who has several rows: a second id, an event, an attribute or terms."""
    same = evidence.depend(person, column)
    if same >= 0.9 and column.distinct >= 0.5 * person.distinct and ("place" not in column.hints or column.direct):
        return _Finding(ColumnKind.PERSON, f"every {evidence.whose} has its own value")
    if column.direct and column.direct not in OF_ANYTHING:
        return _Finding(ColumnKind.PERSON, key.why, Certainty.CERTAIN)
    owner = evidence.depend(column, person) if column.given - column.distinct >= 20 else 1.0
    if owner >= 0.95 and column.distinct > 1.05 * person.distinct and not column.is_icd:
        return _Finding(ColumnKind.EVENT, f"each value belongs to one {evidence.whose}, who has several")
    if same >= 0.9:
        return _Finding(ColumnKind.DESCRIBES_PERSON, f"it is the same in all rows of one {evidence.whose}")
    return _terms_finding(evidence, Certainty.LIKELY) if _are_terms(column, evidence) else None


def _terms_finding(evidence: _Evidence, certainty: Certainty) -> _Finding:
    return _Finding(ColumnKind.TERMS, f"one {evidence.whose} has several values, shared with others", certainty)


def _are_terms(column: ColumnFacts, evidence: _Evidence) -> bool:
    """Return whether values are a shared vocabulary: words or codes, or numbers that have a name or a price."""
    texts = (ValueShape.WORDS, ValueShape.CODE, ValueShape.TEXT)
    if column.shape in texts:
        return column.distinct >= 10 and column.ratio < (0.3 if column.shape is ValueShape.TEXT else 0.95)
    facts = column.integers
    if column.shape is not ValueShape.INTEGER or facts is None or column.distinct < 10:
        return False
    others = [c for c in evidence.columns if c is not column and c.distinct >= 5]
    named = [c for c in others if c.shape in (*texts, ValueShape.DECIMAL)]
    if any(evidence.depend(column, other) >= 0.7 for other in named):
        return True
    numbered = facts.high > 1000 and column.is_id_like
    return column.distinct >= 30 and (numbered or (facts.low == 1 and facts.is_dense and column.head > 0.3))


def _date(column: ColumnFacts, evidence: _Evidence) -> _Finding:
    """Decide on dates: of birth if they span lives or the header hints at it; with a row per person, its own."""
    if not evidence.is_long:
        if column.years >= 35 or "birth" in column.hints:
            return _Finding(ColumnKind.DESCRIBES_PERSON, "its dates may be dates of birth")
        if evidence.person is not None and column.shape is ValueShape.DATE and not column.has_clock:
            return _Finding(ColumnKind.DESCRIBES_PERSON, "it is a date of the person", Certainty.POSSIBLE)
    return _Finding(ColumnKind.DESCRIBES_EVENT, "it is a date or time")


def _is_measured(column: ColumnFacts, is_long: bool) -> bool:
    """Report whether values are decimals, money or many different whole numbers; few of these are categories."""
    facts = column.integers
    if column.shape is ValueShape.DECIMAL or "money" in column.hints:
        return True
    if column.shape is not ValueShape.INTEGER or facts is None or facts.zeros:
        return False
    is_category = column.distinct <= 12 and column.ratio < 0.5
    return not is_category and (facts.high > 130 or (is_long and column.distinct > 10))
