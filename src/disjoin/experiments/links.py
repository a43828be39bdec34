"""Questions that link columns with terms, asked of every kind of release alike: how many people have both?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from disjoin.files.reading import read
from disjoin.measure.link_error import TOP_TERMS, estimates
from disjoin.measure.mass import Floats, share
from disjoin.measure.pair_counts import count_pairs, terms_by_support
from disjoin.model import Clusters, Mixed, MixedRecords, Transactions
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.intervals import number_from
from disjoin.model.ragged import Flags, Ints64

if TYPE_CHECKING:
    from disjoin.measure.set_evidence import SetEvidence


@dataclass(frozen=True, eq=False)
class Links:
    """People, and the same people with their columns as terms, such as age=60..69."""

    people: MixedRecords
    records: Transactions

    @classmethod
    def of(cls, people: MixedRecords) -> Links:
        """Make terms of the columns, as `--keep` does."""
        names, table = people.table.schema.names, people.table
        terms = people.records.vocabulary.to_pylist()
        lists = [[terms[item] for item in has] for has in people.records]
        columns = {name: table.column(name) for name in names}
        rows = pa.table({**columns, "terms of a person": pa.array(lists, pa.list_(pa.string()))})
        return cls(people, read(rows, field="terms of a person", keep=names))

    @cached_property
    def is_value(self) -> Flags:
        """Tell which terms of `records` are values of columns."""
        starts = tuple(f"{name}=" for name in self.people.table.schema.names)
        return np.array([term.startswith(starts) for term in self.records.vocabulary.to_pylist()], dtype=np.bool_)

    @cached_property
    def asked(self) -> tuple[Ints64, Ints64]:
        """The values and the terms that are asked for together, as items of `records`."""
        ranked = terms_by_support(self.records.supports())
        return np.flatnonzero(self.is_value), ranked[~self.is_value[ranked]][:TOP_TERMS]

    @cached_property
    def true(self) -> Floats:
        """How many people have both: (values, terms)."""
        values, terms = self.asked
        wanted = np.concatenate([values, terms])
        pairs = count_pairs(self.records.records, self.records.n_terms, wanted)
        return pairs[: values.size, values.size :].astype(np.float64)

    def error_in(self, evidence: SetEvidence) -> float:
        """Return how far the estimates of released records are off, as a share of what they add up to."""
        values, terms = self.asked
        square = evidence.estimated_pairs(np.concatenate([values, terms]))
        return self._off(square[: values.size, values.size :])

    def error_of(self, published: Mixed) -> float:
        """Return the same of mixed data."""
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
        """Return the shares of pairs and occurrences of terms that are seen, and how fine columns still are."""
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
        """Return the mean over all cells of how much of its column a cell leaves out."""
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
        """Return 1 for a value that stands for itself, 0 for one that stands for its whole column."""
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
    """Return how many chosen items each row has."""
    return np.bincount(owners[chosen[items]], minlength=rows).astype(np.int64)


def _total(sizes: Ints64, counts: Ints64 | None = None) -> int:
    return int(sizes.sum() if counts is None else sizes @ counts)
