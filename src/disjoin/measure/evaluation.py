"""Evaluation: measures of a release compared with its original."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter, described, require_kind
from disjoin.measure.definition import Direction, Finding, Measure
from disjoin.measure.evidence import SetEvidence
from disjoin.measure.evidence_groups import GroupEvidence
from disjoin.measure.evidence_tables import TableEvidence
from disjoin.model.card import card
from disjoin.model.generalized import MISSING, Generalized
from disjoin.model.parameters import fraction_from
from disjoin.model.published import forms_in_words
from disjoin.model.table import Table
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
PRIVATE = "These are facts about the original: for the data owner only, not to be published."


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """The value of one measure, with its unit, range and meaning; `value` is None if there was nothing to measure."""

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
        facts = {each.name: getattr(self, each.name) for each in fields(self)}
        return facts | {"range": [*self.range], "notes": [*self.notes], "details": {**self.details}}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All measures of one release; `settings` are how they were taken, `notes` are about the comparison as a whole."""

    rows: tuple[EvaluationRow, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Evaluation({len(self.rows):,} measures)"  # never what they found: it is not to be published

    def _repr_html_(self) -> str:
        first = {row.title.split(",")[0]: row for row in reversed(self.rows) if row.value is not None}
        shown = [(f"{row.title} ({row.name})", f"{row.value:.4g} {row.unit}") for row in reversed(first.values())]
        notes = [f"{len(self.rows):,} measures were taken: to_table() has all of them."]
        return card("Evaluation", "What the release costs.", shown[:4], warning=PRIVATE, notes=notes)

    def __getitem__(self, name: str) -> float | None:
        return {row.name: row.value for row in self.rows}[name]

    def to_json(self) -> dict[str, Any]:
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
    """Return the names, `*` for none; raises `InvalidParameter` for a name that no measure has."""
    if names is not None and not isinstance(names, Iterable):
        raise InvalidParameter(f"measures must be names of measures, got {described(names)}.")
    wanted = ["*"] if names is None else [names] if isinstance(names, str) else list(names)
    for name in wanted:
        require_kind(name, str, "names of measures")
        if not any(fnmatchcase(there, name) for there in comparisons):
            raise InvalidParameter(f"there is no measure {described(name)}. There are: {', '.join(comparisons)}.")
    return wanted


def chosen(comparisons: Mapping[str, Measure], names: Iterable[str], form: str) -> list[Measure]:
    """Return the measures of a form with these names, in their usual order; `re*` selects all that begin with re."""
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
    rows, wanted = [], [measure.worded(evidence.form) for measure in measures]
    for measure in wanted:
        assert evidence.form in measure.forms, f"{measure.name} is not for {evidence.form}"
    for done, measure in enumerate(wanted):
        evidence.progress("evaluating", done, len(wanted), measure.title)
        rows.append(EvaluationRow.of(measure, measure.compute(evidence)))
    evidence.progress("evaluating", len(wanted), len(wanted))
    return Evaluation(tuple(rows), MappingProxyType(evidence.taken), evidence.notes)


def evaluate_tables(
    published: Table,
    original: Table,
    quasi: Iterable[str] | str,
    sensitive: Iterable[str] | str = (),
    *,
    k: int | None = None,
    label: str | None = None,
    weights: Mapping[str, Fraction | float | str] | None = None,
    measures: Iterable[str] | None = None,
    progress: Progress = silent,
) -> Evaluation:
    """Measure the information loss of a published table, which can come from another program.

    Hierarchies of the columns `quasi` are those of either table; a column without one must be numbers, published as
    numbers or intervals. `*` means the root. Columns `sensitive` must be published as they were. If there are
    fewer published rows than original ones, the others count as suppressed. `label` (the first sensitive column, if not
    given) is what a classifier would predict; `weights` of columns (1, if not given) are for `iloss` and `ncp`.
    """
    from disjoin.measure import EVALUATIONS  # it lists measures, whose modules import this one

    columns, secret = ((given,) if isinstance(given, str) else tuple(given) for given in (quasi, sensitive))
    for name in secret:
        if name in columns:
            raise InvalidParameter(f"a column has one role, {name!r} is named as quasi and as sensitive.")
    wanted = chosen(EVALUATIONS, known(EVALUATIONS, measures), Generalized.form)
    trees = {name: tree for name, tree in {**original.hierarchies, **published.hierarchies}.items() if name in columns}
    for name, tree in trees.items():  # with a leaf for missing values where there are any
        tables = (table for table in (original, published) if name in table.schema.names)
        if any(MISSING in table.values_of(name).to_pylist() for table in tables):
            trees[name] = tree.with_missing()
    evidence = TableEvidence(
        original=original,
        published=published.with_hierarchies(trees),
        quasi=columns,
        unchanged=secret,
        k=k,
        label=label or next(iter(secret), None),
        weights={name: fraction_from("a weight", weight) for name, weight in (weights or {}).items()},
        progress=progress,
    )
    return evaluated(evidence, wanted)
