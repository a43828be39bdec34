"""Evaluation: measures of a release compared with its original."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter, described, require_kind
from disjoin.measure.definition import Direction, Finding, Measure
from disjoin.measure.evidence import SetEvidence
from disjoin.measure.evidence_groups import GroupEvidence
from disjoin.measure.evidence_tables import TableEvidence
from disjoin.model.card import card
from disjoin.model.published import forms_in_words

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
PRIVATE = "These are facts about the original: for the data steward, not to be published."


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One measure's value with what is needed to read it; `value` is None where there was nothing to measure."""

    name: str
    title: str
    value: float | None
    unit: str
    range: tuple[float, float | None]
    direction: Direction
    meaning: str
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)  # may hold terms of the original

    @classmethod
    def of(cls, measure: Measure, finding: Finding) -> EvaluationRow:
        """Return what a measure has found as a plain row."""
        value = finding.value
        return cls(
            name=measure.name,
            title=measure.title,
            value=value if value is None or isinstance(value, int) else float(value),
            unit=measure.unit,
            range=(measure.least, measure.largest),
            direction=measure.direction,
            meaning=measure.meaning,
            notes=finding.notes,
            details=MappingProxyType(dict(finding.details)),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain JSON."""
        facts = {each.name: getattr(self, each.name) for each in fields(self)}
        return facts | {"range": [*self.range], "notes": [*self.notes], "details": {**self.details}}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All measures of one release beside its original; `settings` is how they were taken.

    `evaluation["tkd"]` is the value of a measure. `notes` are about the comparison as a whole.
    """

    rows: tuple[EvaluationRow, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Evaluation({len(self.rows):,} measures)"  # never what they found: it is not to be published

    def _repr_html_(self) -> str:
        first = {row.title.split(",")[0]: row for row in reversed(self.rows) if row.value is not None}
        shown = [(row.title, f"{row.value:.4g} {row.unit}".rstrip()) for row in reversed(first.values())]
        notes = [f"{len(self.rows):,} measures were taken: to_table() has all of them."]
        return card("Evaluation", "What the release costs.", shown[:4], warning=PRIVATE, notes=notes)

    def __getitem__(self, name: str) -> float | None:
        for row in self.rows:
            if row.name == name:
                return row.value
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        facts = {"schema": SCHEMA_VERSION, "note": PRIVATE, "settings": dict(self.settings)}
        return facts | {"notes": list(self.notes), "measures": [row.to_json() for row in self.rows]}

    def to_table(self) -> pa.Table:
        """Return the rows as an Arrow table: name, value, unit, least, largest, direction, meaning, notes."""
        import pyarrow as pa

        kinds = {"value": pa.float64(), "least": pa.int64(), "largest": pa.int64(), "notes": pa.list_(pa.string())}
        names = ("name", "title", "value", "unit", "least", "largest", "direction", "meaning", "notes")
        rows = [row.to_json() | dict(zip(("least", "largest"), row.range, strict=True)) for row in self.rows]
        return pa.Table.from_pylist(rows, schema=pa.schema([(name, kinds.get(name, pa.string())) for name in names]))


def known(comparisons: Mapping[str, Measure], names: Iterable[str] | None) -> list[str]:
    """Return the names, `*` for none; raises `InvalidParameter` if one is no measure's, whatever the release is."""
    if names is not None and not isinstance(names, Iterable):
        raise InvalidParameter(f"measures must be names of measures, got {described(names)}.")
    wanted = ["*"] if names is None else [names] if isinstance(names, str) else list(names)
    for name in wanted:
        require_kind(name, str, "names of measures")
    for name in wanted:
        if not any(fnmatchcase(there, name) for there in comparisons):
            raise InvalidParameter(f"there is no measure {described(name)}. There are: {', '.join(comparisons)}.")
    return wanted


def chosen(comparisons: Mapping[str, Measure], names: Iterable[str], form: str) -> list[Measure]:
    """Return the measures of a form with these names, in their usual order; `re*` stands for all that begin with re."""
    wanted, fitting = list(names), {n: measure for n, measure in comparisons.items() if form in measure.forms}
    if not fitting:
        raise InvalidParameter(f"no measure compares {forms_in_words()[form]} with their original yet.")
    for name in wanted:
        if not any(fnmatchcase(there, name) for there in fitting):
            others = {other for n, c in comparisons.items() if fnmatchcase(n, name) for other in c.forms}
            *first, last = (words for other, words in forms_in_words().items() if other in others)
            listed = f"{', '.join(first)} or {last}" if first else last
            raise InvalidParameter(
                f"the measure {name!r} is for releases of {listed}, and this one has "
                f"{forms_in_words()[form]}, for which there are: {', '.join(fitting)}."
            )
    return [found for there, found in fitting.items() if any(fnmatchcase(there, name) for name in wanted)]


def evaluated(evidence: SetEvidence | GroupEvidence | TableEvidence, measures: Iterable[Measure]) -> Evaluation:
    """Take the measures, one by one; all must be for the form of the evidence."""
    rows, wanted = [], [measure.worded(evidence.form) for measure in measures]
    for measure in wanted:
        assert evidence.form in measure.forms, f"{measure.name} is not for {evidence.form}"
    for done, measure in enumerate(wanted):
        evidence.progress("evaluating", done, len(wanted), measure.title)
        rows.append(EvaluationRow.of(measure, measure.compute(evidence)))
    evidence.progress("evaluating", len(wanted), len(wanted))
    return Evaluation(tuple(rows), MappingProxyType(evidence.taken), evidence.notes)
