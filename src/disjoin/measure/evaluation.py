"""What a release costs, measure by measure: plain facts for the data steward."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter
from disjoin.measure.comparison import Comparison, Direction, Finding
from disjoin.measure.evidence import Evidence
from disjoin.measure.group_evidence import GroupEvidence
from disjoin.measure.table_evidence import TableEvidence

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
    range: tuple[int, int | None]
    direction: Direction
    meaning: str
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, comparison: Comparison, finding: Finding) -> EvaluationRow:
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

    `evaluation["tkd"]` is the value of a measure.
    """

    rows: tuple[EvaluationRow, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float | None:
        for row in self.rows:
            if row.name == name:
                return row.value
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        facts = {"schema": SCHEMA_VERSION, "note": PRIVATE, "settings": dict(self.settings)}
        return facts | {"measures": [row.to_json() for row in self.rows]}

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


def known(comparisons: Mapping[str, Comparison], names: Iterable[str] | None) -> list[str]:
    """Return the names, `*` for none; raises `InvalidParameter` if one is no measure's, whatever the release is."""
    wanted = ["*"] if names is None else [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if not any(fnmatchcase(there, name) for there in comparisons):
            raise InvalidParameter(f"there is no measure {name!r}. There are: {', '.join(comparisons)}.")
    return wanted


def chosen(comparisons: Mapping[str, Comparison], names: Iterable[str], form: str) -> list[Comparison]:
    """Return the measures of a form with these names, in their usual order; `re*` stands for all that begin so."""
    wanted, fitting = list(names), {n: measure for n, measure in comparisons.items() if measure.form == form}
    for name in wanted:
        if not any(fnmatchcase(there, name) for there in fitting):
            others = " and ".join(sorted({_forms(c.form) for n, c in comparisons.items() if fnmatchcase(n, name)}))
            raise InvalidParameter(
                f"the measure {name!r} is for releases of {others}, and this one has {_forms(form)}, for which "
                f"there are: {', '.join(fitting)}."
            )
    return [found for there, found in fitting.items() if any(fnmatchcase(there, name) for name in wanted)]


def _forms(form: str) -> str:
    """Return what releases of a form have."""
    return form if form.endswith("s") else f"a {form}"


def evaluated(evidence: Evidence | GroupEvidence | TableEvidence, comparisons: Iterable[Comparison]) -> Evaluation:
    """Take the measures, one after the other."""
    rows, wanted = [], list(comparisons)
    for done, comparison in enumerate(wanted):
        evidence.progress("evaluating", done, len(wanted), comparison.title)
        rows.append(EvaluationRow.of(comparison, comparison.compute(evidence)))
    evidence.progress("evaluating", len(wanted), len(wanted))
    return Evaluation(tuple(rows), MappingProxyType(evidence.taken))
