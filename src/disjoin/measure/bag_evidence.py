"""A published bag of records beside the original records."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.measure.pair_counts import count_pairs
from disjoin.measure.set_evidence import SetEvidence, places_of
from disjoin.model.arrays import Flags, Ints64, strings
from disjoin.model.bag import Bag
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.noisy_records import NoisyRecords

if TYPE_CHECKING:
    from disjoin.analyst.top_itemsets import Rows


class BagEvidence(SetEvidence):
    """Whole published records: their supports are counted, nothing is reconstructed."""

    published: GeneralizedItems | NoisyRecords

    @property
    def taken(self) -> dict[str, Any]:
        """How measures are taken, for the reader of an evaluation."""
        return {"top": self.settings.top, "k": self.frequent_from, "hierarchy": self.tree is not None}

    @cached_property
    def names(self) -> pa.StringArray:
        """The terms of the original and of the published records, in code-point order."""
        theirs, ours = self.original.vocabulary, self.published.records.vocabulary
        return strings(sorted({*theirs.to_pylist(), *ours.to_pylist()}))

    @cached_property
    def published_rows(self) -> Rows:
        """The published records, equal ones together."""
        from disjoin.analyst.top_itemsets import Rows

        bag = self.published.records
        places = places_of(bag.vocabulary, self.names).astype(np.int32)
        return Rows(bag.offsets, places[bag.items], bag.counts, len(self.names))

    @property
    def shown(self) -> Flags:
        """Tell for every term of the original whether a published record has it."""
        shown: Flags = places_of(self.original.vocabulary, self.published.records.vocabulary) >= 0
        return shown

    def _pairs_of(self, items: Ints64) -> Ints64:
        """Return in how many published records each pair of items is, and on the diagonal each item itself.

        An item may be asked for several times.
        """
        rows = self.published_rows
        different, places = np.unique(items, return_inverse=True)
        pairs = count_pairs(rows.offsets, rows.items, rows.n_terms, different, rows.weights)
        return pairs[np.ix_(places, places)]


def require_sets_of_items(published: Bag) -> None:
    """Raise `InvalidParameter` unless every row has its items once, in order, and stands for some records."""
    names = published.vocabulary.to_pylist()
    begins = np.zeros(published.items.size + 1, dtype=np.bool_)
    begins[published.offsets] = True
    ascending = (np.diff(published.items) > 0) | begins[1:-1]
    if names != sorted(set(names)) or not ascending.all() or (published.counts < 1).any():
        raise InvalidParameter("the published records are not sets of terms with counts. Verify the release first.")
