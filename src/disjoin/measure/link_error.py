"""Link error of mixed data: estimated supports of a value together with a term."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np

from disjoin.analyst.as_clusters import with_terms_of_rows
from disjoin.analyst.cell_values import cells_matching
from disjoin.attack.possible_records import places_of
from disjoin.measure.definition import Finding, measure
from disjoin.measure.evidence import Evidence, PairSupports
from disjoin.measure.evidence_tables import TableEvidence
from disjoin.measure.mass import Floats
from disjoin.measure.pair_counts import terms_by_support
from disjoin.model.intervals import number_from
from disjoin.model.mixed import Mixed, MixedRecords
from disjoin.model.ragged import Ints64
from disjoin.model.table import Table

TOP_TERMS = 300  # the most frequent: others are in few records each
BINS = 10  # of a column of numbers
AT_ONCE = 1 << 16  # terms of people, for each of which there is a number per value


@dataclass(frozen=True, eq=False)
class MixedEvidence(Evidence):
    """Published mixed data with the people that it was made from; measures of terms look at its clusters."""

    form: ClassVar[str] = Mixed.form

    people: MixedRecords = field(kw_only=True)
    mixed: Mixed = field(kw_only=True)

    @classmethod
    def of(cls, mixed: Mixed, people: MixedRecords, k: int, **more: object) -> MixedEvidence:
        return cls(people.records, with_terms_of_rows(mixed), k, people=people, mixed=mixed, **more)  # type: ignore[arg-type]

    @property
    def rows(self) -> TableEvidence:
        table, counts = self.mixed.rows, self.mixed.people.counts
        codes = tuple(np.repeat(column, counts) for column in table.codes)
        whole = Table(table.schema, codes, table.values, table.hierarchies)
        quasi = self.mixed.quasi
        return TableEvidence(original=self.people.table, published=whole, quasi=quasi, unchanged=(), k=self.k)

    def published_pairs(self, source: str = "") -> PairSupports:
        return PairSupports.shared(self.chunk_pairs)


def values_of(original: Table, published: Mixed, name: str) -> tuple[list[str], Floats]:
    """Return the values of a column, or ten ranges of its numbers, and who has each: (values, people)."""
    texts, codes = original.values_of(name).to_pylist(), original.codes_of(name)
    if name in published.hierarchies:
        used = np.flatnonzero(np.bincount(codes, minlength=len(texts)))
        return [texts[code] for code in used], np.array([codes == code for code in used], dtype=np.float64)
    numbers = [number_from(text) for text in texts]
    known = [number for number in numbers if number is not None]
    ranges = ranges_over(min(known), max(known)) if known else []
    inside = [[number is not None and low <= number <= high for number in numbers] for low, high in ranges]
    asked = [_text(low) if low == high else f"[{_text(low)}, {_text(high)}]" for low, high in ranges]
    return asked, np.array(inside, dtype=np.float64).reshape(len(ranges), len(texts))[:, codes]


def ranges_over(least: Fraction, largest: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Cut whole numbers into ten ranges of about the same width, and other numbers likewise, in hundredths.

    >>> [(int(low), int(high)) for low, high in ranges_over(Fraction(0), Fraction(99))][:2]
    [(0, 9), (10, 19)]
    """
    unit = Fraction(1) if least.denominator == largest.denominator == 1 else Fraction(1, 100)
    steps = int((largest - least) / unit) + 1
    bins = min(BINS, steps)
    cuts = [least + unit * (steps * number // bins) for number in range(bins + 1)]
    return [(low, high - unit) for low, high in pairwise(cuts)]


def _text(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.2f}"


def link_error(published: Mixed, original: MixedRecords) -> tuple[float, dict[str, float]]:
    """Return sum |estimate - support| / sum support over values and terms, over all columns and by column. Estimates
    spread a term evenly over the people of the cluster, or those with the same row where terms are with rows."""
    records = original.records
    terms = terms_by_support(records.supports())[:TOP_TERMS]
    place = np.full(records.n_terms, -1, dtype=np.int64)
    place[terms] = np.arange(terms.size)
    has_term = np.zeros((len(original), terms.size))
    _add(has_term, records.records.owners(), place[records.items], np.ones(records.items.size))
    off, whole, by_column = 0.0, 0.0, {}
    for name in published.quasi:
        asked, has_value = values_of(original.table, published, name)
        true = has_value @ has_term
        wrong = float(np.abs(estimates(published, original, name, asked, terms) - true).sum())
        by_column[name] = wrong / float(true.sum()) if true.any() else 0.0
        off, whole = off + wrong, whole + float(true.sum())
    return (off / whole if whole else 0.0), by_column


def estimates(published: Mixed, original: MixedRecords, name: str, asked: list[str], terms: Ints64) -> Floats:
    """Return the expected number of people with each value and each term: (values, terms)."""
    clusters, people = published.clusters, published.people
    names = original.records.vocabulary.take(terms)
    codes = published.rows.codes_of(name)
    of_cells = [cells_matching(published.rows, name, value).share for value in asked]
    shares = np.array([each[codes] for each in of_cells]).reshape(len(asked), codes.size)
    expected = shares * people.counts  # (values, entries)
    by_node = np.array([np.bincount(published.leaves, each, len(clusters)) for each in expected])
    for node in range(len(clusters) - 1, -1, -1):
        if clusters.parents[node] >= 0:
            by_node[:, clusters.parents[node]] += by_node[:, node]
    supports = np.zeros((len(clusters), terms.size))
    column = places_of(clusters.vocabulary, names)
    rows = clusters.nodes.over(clusters.chunks).over(clusters.subrecords).owners()
    weights = clusters.subrecords.spread(clusters.counts)
    _add(supports, rows, column[clusters.items], weights)
    _add(supports, clusters.term_chunks.owners(), column[clusters.term_items], np.ones(clusters.term_items.size))
    found = np.asarray((by_node / clusters.sizes) @ supports, dtype=np.float64)
    mine = places_of(people.vocabulary, names)[people.items]
    is_asked = mine >= 0
    owners, places = people.sets.owners()[is_asked], mine[is_asked]
    for start in range(0, owners.size, AT_ONCE):
        some = slice(start, start + AT_ONCE)
        np.add.at(found.T, places[some], expected.T[owners[some]])
    return found


def _add(matrix: Floats, rows: Ints64, columns: Ints64, weights: Floats | Ints64) -> None:
    known = columns >= 0
    np.add.at(matrix, (rows[known], columns[known]), weights[known])


@measure("Error of values with terms", "link_error", largest=None, unit="ratio", forms=(Mixed.form,))
def link_error_found(evidence: MixedEvidence) -> Finding:
    """Estimated numbers of people with a value and a term differ by this share of the sum of true numbers."""
    value, by_column = link_error(evidence.mixed, evidence.people)
    return Finding(value, (), {"columns": by_column})
