"""Experiment on mixed data: links between columns and terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.advise import publisher_of
from disjoin.advise.results import Rows
from disjoin.charts.svg import Chart
from disjoin.forms.registry import FORMS
from disjoin.lab.claims import everywhere, expect
from disjoin.lab.cost import Measured
from disjoin.lab.drawing import bars_by
from disjoin.lab.experiment import Experiment, Point, Setting, grid, notes_on
from disjoin.lab.sources import ExperimentSource
from disjoin.measure import EVALUATIONS, exact_pair_mass, exact_term_mass
from disjoin.measure.definition import Settings
from disjoin.measure.evaluation import evaluated
from disjoin.measure.evidence import SetEvidence
from disjoin.measure.link_error import TOP_TERMS, MixedEvidence, estimates
from disjoin.measure.mass import Floats, share
from disjoin.measure.pair_counts import count_pairs, terms_by_support
from disjoin.methods.apriori import Apriori
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.mixed import MixedDisassociation
from disjoin.model import Clusters, Mixed, MixedRecords, Transactions
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.intervals import number_from
from disjoin.model.ragged import Flags, Ints64
from disjoin.pipeline import publish
from disjoin.readers.read import read


@dataclass(frozen=True, eq=False)
class Links:
    """People, and the same people with their columns as terms, such as age=60..69."""

    people: MixedRecords
    records: Transactions

    @classmethod
    def of(cls, people: MixedRecords) -> Links:
        names, table = people.table.schema.names, people.table
        terms = people.records.vocabulary.to_pylist()
        lists = [[terms[item] for item in has] for has in people.records]
        columns = {name: table.column(name) for name in names}
        rows = pa.table({**columns, "terms of a person": pa.array(lists, pa.list_(pa.string()))})
        return cls(people, read(rows, field="terms of a person", keep=names))

    @cached_property
    def is_value(self) -> Flags:
        starts = tuple(f"{name}=" for name in self.people.table.schema.names)
        return np.array([term.startswith(starts) for term in self.records.vocabulary.to_pylist()], dtype=np.bool_)

    @cached_property
    def asked(self) -> tuple[Ints64, Ints64]:
        ranked = terms_by_support(self.records.supports())
        return np.flatnonzero(self.is_value), ranked[~self.is_value[ranked]][:TOP_TERMS]

    @cached_property
    def true(self) -> Floats:
        """The number of people with both: (values, terms)."""
        values, terms = self.asked
        wanted = np.concatenate([values, terms])
        pairs = count_pairs(self.records.records, self.records.n_terms, wanted)
        return pairs[: values.size, values.size :].astype(np.float64)

    def error_in(self, evidence: SetEvidence) -> float:
        values, terms = self.asked
        square = evidence.estimated_pairs(np.concatenate([values, terms]))
        return self._off(square[: values.size, values.size :])

    def error_of(self, published: Mixed) -> float:
        values, terms = self.asked
        names = self.records.vocabulary
        place = {term: item for item, term in enumerate(self.people.records.vocabulary.to_pylist())}
        theirs = np.array([place[names[int(item)].as_py()] for item in terms], dtype=np.int64)
        parts = [
            estimates(published, self.people, name, [asked], theirs)
            for name, _, asked in (names[int(item)].as_py().partition("=") for item in values)
            for asked in [_question(asked)]
        ]
        return self._off(np.concatenate(parts))

    def _off(self, found: Floats) -> float:
        return share(float(np.abs(found - self.true).sum()), float(self.true.sum()))

    def kept_in(self, published: Any) -> dict[str, float | None]:
        if isinstance(published, GeneralizedItems):
            images = dict(zip(published.terms.to_pylist(), published.images.to_pylist(), strict=True))
        else:
            assert isinstance(published, Clusters), "of records"
            images = {}
        names = self.records.vocabulary.to_pylist()
        survives = np.array([images.get(term, term) == term for term in names], dtype=np.bool_) & ~self.is_value
        whole = _sizes(self.records.records.owners(), self.records.items, ~self.is_value, len(self.records))
        if isinstance(published, GeneralizedItems):
            seen, counts = _sizes(self.records.records.owners(), self.records.items, survives, len(whole)), None
        else:
            place = {term: item for item, term in enumerate(names)}
            item_of = np.array([place[term] for term in published.vocabulary.to_pylist()], dtype=np.int64)
            rows = published.subrecords
            seen, counts = _sizes(rows.owners(), item_of[published.items], survives, len(rows)), published.counts
        return {
            "granularity": self._granularity(images),
            "pair mass": share(_total(seen * (seen - 1) // 2, counts), _total(whole * (whole - 1) // 2)),
            "term mass": share(_total(seen, counts), _total(whole)),
        }

    def _granularity(self, images: dict[str, str]) -> float:
        supports = self.records.supports()
        sizes: dict[str, int] = {}
        for image in images.values():
            sizes[image] = sizes.get(image, 0) + 1
        kept = known = 0.0
        for item in np.flatnonzero(self.is_value):
            term = self.records.vocabulary[int(item)].as_py()
            kept += supports[item] * self._left_out(term, sizes.get(images.get(term, term), 1))
            known += supports[item]
        return kept / known

    def _left_out(self, term: str, alike: int) -> float:
        """Return 1 for a value that means itself, 0 for one that means its whole column."""
        name, _, value = term.partition("=")
        used = [text for text in self.people.table.values_of(name).to_pylist() if text != "?"]
        if ".." not in value:
            return max(0.0, 1 - (alike - 1) / max(1, len(used) - 1))
        numbers = [number for number in map(number_from, used) if number is not None]
        low, high = (number_from(end) for end in value.split(".."))
        assert low is not None and high is not None, "a range of numbers"
        return max(0.0, 1 - float(alike * (high - low + 1) - 1) / max(1.0, float(max(numbers) - min(numbers))))


def _question(value: str) -> str:
    low, dots, high = value.partition("..")
    return f"[{low}, {high}]" if dots else value


def _sizes(owners: Ints64, items: Any, chosen: Flags, rows: int) -> Ints64:
    return np.bincount(owners[chosen[items]], minlength=rows).astype(np.int64)


def _total(sizes: Ints64, counts: Ints64 | None = None) -> int:
    return int(sizes.sum() if counts is None else sizes @ counts)


K, M = 5, 2
MIXED: dict[str, dict[str, Any]] = {
    "core": {"clustering": "core"},
    "core-horpart": {"clustering": "core-horpart"},
    "horpart": {"clustering": "horpart"},
    "auto": {"clustering": "auto"},
    "strong": {"link": "strong"},
}
WITHOUT = "no columns, core"
AS_TERMS, AS_MANY = "columns as terms", "columns as terms, all of them known"
GENERALISED = "columns and terms generalised"
OTHERS = (WITHOUT, AS_TERMS, AS_MANY, GENERALISED)
CHARTED = ("core", "core-horpart", "horpart", "strong", AS_TERMS, GENERALISED)  # the charted settings
GRANULARITY, PAIRS, TERMS, LINK = "granularity", "pair mass", "term mass", "link error"


def _points(sources: Sequence[ExperimentSource], quick: bool) -> list[Point]:
    ways = [way for way in (*MIXED, *OTHERS) if not quick or way != "auto"]
    return grid(sources, {"way": ways}, {})


def _measure(data: MixedRecords, setting: Setting) -> Measured:
    way, links = setting["way"], Links.of(data)
    if way in MIXED:
        return _mixed(data, links, MIXED[way])
    if way == WITHOUT:
        return _without_columns(data)
    return _as_terms(links, way, m=M + len(data.table.schema.names) if way == AS_MANY else M)


def _mixed(data: MixedRecords, links: Links, settings: dict[str, Any]) -> Measured:
    method = MixedDisassociation(k=K, m=M, quasi=data.table.schema.names, **settings)
    published = publish(data, method, publisher=publisher_of(method)).release.published
    assert isinstance(published, Mixed), "the method publishes this form"
    evidence = MixedEvidence.of(published, method.prepared(data), K)
    names = {"granularity": GRANULARITY, "pair_mass": PAIRS, "term_mass": TERMS}
    rows = evaluated(evidence, [EVALUATIONS[name] for name in names]).rows
    return {names[row.name]: row.value for row in rows} | {
        LINK: links.error_of(published),
        "clusters": len(published),
    }


def _without_columns(data: MixedRecords) -> Measured:
    filled = np.flatnonzero(data.records.records.lengths)
    rows = data.records.records.take(filled)
    records = Transactions(rows.offsets, rows.items, data.records.vocabulary)
    clusters = publish(records, Disassociation(k=K, m=M, clustering="core")).release.published
    assert isinstance(clusters, Clusters), "the method publishes this form"
    masses = {PAIRS: exact_pair_mass(clusters, records), TERMS: exact_term_mass(clusters, records)}
    return {GRANULARITY: None, **masses, LINK: None, "clusters": len(clusters)}


def _as_terms(links: Links, way: str, m: int) -> Measured:
    method: Any = Apriori(k=K, m=m) if way == GENERALISED else Disassociation(k=K, m=m, clustering="core")
    published: Any = publish(links.records, method).release.published  # of both forms
    compared = FORMS[published.form].compared
    assert compared is not None, "records are comparable"
    evidence = compared()(original=links.records, published=published, k=K, m=m, settings=Settings(reconstructions=1))
    kept: Measured = links.kept_in(published)
    return {**kept, LINK: links.error_in(evidence), "clusters": len(published)}


def _charts(rows: Rows) -> dict[str, Chart]:
    shown = {
        PAIRS: ("Pairs of terms kept", "share of pairs"),
        GRANULARITY: ("Granularity of columns kept", "share"),
        LINK: ("Link error", "error, lower is better"),
    }
    return bars_by("way", [row for row in rows if row["way"] in CHARTED], shown, f" (k = {K}, m = {M})")


EXPERIMENT = Experiment(
    name="mixed",
    title="Mixed data: columns and sets",
    question="How much of columns, of pairs of terms and of links between both does each way keep?",
    points=_points,
    measure=_measure,
    charts=_charts,
    takes="people",
    claims=(
        expect(
            "the default keeps as many pairs of terms as if there were no columns",
            everywhere(PAIRS, lambda value: value["core"] >= 0.99 * value[WITHOUT]),
        ),
        expect(
            "the default keeps 0.96 of the columns' granularity",
            everywhere(GRANULARITY, lambda value: value["core"] >= 0.96),
        ),
        expect(
            "strong links keep values and terms together better than the default",
            everywhere(LINK, lambda value: value["strong"] < value["core"]),
        ),
        expect(
            "with a guarantee against all columns, columns as terms keep fewer pairs than the default",
            everywhere(PAIRS, lambda value: value[AS_MANY] < value["core"]),
        ),
        expect(
            "generalisation keeps fewer pairs than the default",
            everywhere(PAIRS, lambda value: value[GENERALISED] < value["core"]),
        ),
    ),
    notes=notes_on("mixed", k=K, m=M, as_terms=AS_TERMS, as_many=AS_MANY, generalised=GENERALISED),
)
