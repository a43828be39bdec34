"""Evaluation: measures of a release compared with its original."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    def of(cls, comparison: Measure, finding: Finding) -> EvaluationRow:
        """Return what a measure has found as a plain row."""
        value = finding.value
        return cls(
            name=comparison.name,
            title=comparison.title,
            value=value if value is None or isinstance(value, int) else float(value),
            unit=comparison.unit,
            range=(comparison.least, comparison.largest),
            direction=comparison.direction,
            meaning=comparison.meaning,
            notes=finding.notes,
            details=MappingProxyType(dict(finding.details)),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "value": self.value,
            "unit": self.unit,
            "range": list(self.range),
            "direction": self.direction,
            "meaning": self.meaning,
            "notes": list(self.notes),
            "details": dict(self.details),
        }


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

        columns = {
            "name": pa.array([row.name for row in self.rows], pa.string()),
            "title": pa.array([row.title for row in self.rows], pa.string()),
            "value": pa.array([row.value for row in self.rows], pa.float64()),
            "unit": pa.array([row.unit for row in self.rows], pa.string()),
            "least": pa.array([row.range[0] for row in self.rows], pa.int64()),
            "largest": pa.array([row.range[1] for row in self.rows], pa.int64()),
            "direction": pa.array([row.direction for row in self.rows], pa.string()),
            "meaning": pa.array([row.meaning for row in self.rows], pa.string()),
            "notes": pa.array([list(row.notes) for row in self.rows], pa.list_(pa.string())),
        }
        return pa.table(columns)


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
            raise InvalidParameter(
                f"the measure {name!r} is for releases of {_listed(others)}, and this one has "
                f"{forms_in_words()[form]}, for which there are: {', '.join(fitting)}."
            )
    return [found for there, found in fitting.items() if any(fnmatchcase(there, name) for name in wanted)]


def _listed(forms: set[str]) -> str:
    """Return what releases of these forms have."""
    *first, last = (words for form, words in forms_in_words().items() if form in forms)
    return f"{', '.join(first)} or {last}" if first else last


def evaluated(evidence: SetEvidence | GroupEvidence | TableEvidence, comparisons: Iterable[Measure]) -> Evaluation:
    """Take the measures, one after the other; all must be for the form of the evidence."""
    rows, wanted = [], [comparison.worded(evidence.form) for comparison in comparisons]
    for comparison in wanted:
        assert evidence.form in comparison.forms, f"{comparison.name} is not for {evidence.form}"
    for done, comparison in enumerate(wanted):
        evidence.progress("evaluating", done, len(wanted), comparison.title)
        rows.append(EvaluationRow.of(comparison, comparison.compute(evidence)))
    evidence.progress("evaluating", len(wanted), len(wanted))
    return Evaluation(tuple(rows), MappingProxyType(evidence.taken), evidence.notes)
