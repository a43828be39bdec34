"""A release beside its original: what measures look at, made when the first of them asks and kept for the others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.measure.pair_counts import Ranks, count_pairs, listed_terms, terms_by_support
from disjoin.model.arrays import Flags, Ints32, Ints64
from disjoin.model.clusters import Clusters
from disjoin.model.guarantee import require_integer
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.transactions import Transactions
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.analyst.top_itemsets import Rows, TopItemsets

MOST_RECONSTRUCTIONS = 10  # no measure looks at more
RANGES = (Ranks(200, 220), Ranks(1, 20), Ranks(100, 120), Ranks(300, 320), Ranks(400, 420))


@dataclass(frozen=True)
class Settings:
    """How to look: the itemsets that are compared, the seed of what is drawn, and how many reconstructions are.

    For groups: how many ordinary items a query has (`r`), and how many queries are asked. For tables: the column that
    a classifier would predict (`label`); the first sensitive one, if not given.
    """

    top: int = 1000
    seed: int = 0
    reconstructions: int = MOST_RECONSTRUCTIONS
    r: int = 4
    queries: int = 100
    label: str | None = None

    def __post_init__(self) -> None:
        top = require_integer("top", self.top, 1, "it is the number of itemsets that are compared.")
        seed = require_integer("seed", self.seed, 0, "any other whole number will do.")
        drawn = require_integer("reconstructions", self.reconstructions, 1, "supports come from reconstructions.")
        if drawn > MOST_RECONSTRUCTIONS:
            raise InvalidParameter(
                f"reconstructions must be {MOST_RECONSTRUCTIONS} or less, got {drawn}: no measure looks at more."
            )
        r = require_integer("r", self.r, 1, "it is the number of ordinary items of a query.")
        queries = require_integer("queries", self.queries, 1, "the divergence is a mean over queries.")
        object.__setattr__(self, "r", r)
        object.__setattr__(self, "queries", queries)
        object.__setattr__(self, "top", top)
        object.__setattr__(self, "seed", seed)
        object.__setattr__(self, "reconstructions", drawn)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Published clusters beside the records that they were made from.

    What is published is written in the terms of the original, so that items of both can be compared. Raises
    `InvalidParameter` if the two cannot belong together.
    """

    original: Transactions
    published: Clusters
    k: int
    suppressed_records: int = 0
    strategy: str | None = None  # how small parts were treated, if that is known
    hierarchy: Hierarchy | None = None
    settings: Settings = Settings()
    ranges: tuple[Ranks, ...] = RANGES
    progress: Progress = field(default=silent, repr=False)

    def __post_init__(self) -> None:
        _require_records(self.original, self.published, self.suppressed_records)
        object.__setattr__(self, "published", _in_terms_of(self.original, self.published))
        _require_supports(self.supports, self.chunk_supports, self.original)

    @property
    def taken(self) -> dict[str, Any]:
        """How measures are taken, for the reader of an evaluation."""
        chosen = self.settings
        settings = {"top": chosen.top, "seed": chosen.seed, "reconstructions": chosen.reconstructions, "k": self.k}
        return settings | {"hierarchy": self.hierarchy is not None}

    @cached_property
    def supports(self) -> Ints64:
        """The support of every term in the original, suppressed records included."""
        return self.original.supports()

    @cached_property
    def chunk_supports(self) -> Ints64:
        """In how many records of the release chunks show each term."""
        weights = np.repeat(self.published.counts, np.diff(self.published.item_offsets))
        return np.bincount(self.published.items, weights, self.original.n_terms).astype(np.int64)

    @property
    def in_chunks(self) -> Flags:
        """Tell for every term whether a record chunk or a shared chunk shows it."""
        return self.chunk_supports > 0

    @cached_property
    def in_term_chunks(self) -> Flags:
        """Tell for every term whether it is in a term chunk."""
        seen = np.zeros(self.original.n_terms, dtype=np.bool_)
        seen[self.published.term_items] = True
        return seen

    @cached_property
    def world(self) -> Transactions:
        """The first reconstruction."""
        from disjoin.analyst.reconstruction import reconstruct

        self.progress("reconstructing", 0, 1)
        [world] = reconstruct(self.published, 1, self.settings.seed)
        self.progress("reconstructing", 1, 1)
        return world

    @cached_property
    def original_top(self) -> TopItemsets:
        """The most frequent itemsets of the original."""
        from disjoin.analyst.top_itemsets import rows_of

        return self._top_of(rows_of(self.original))

    @cached_property
    def world_top(self) -> TopItemsets:
        """Those of the first reconstruction."""
        from disjoin.analyst.top_itemsets import rows_of

        return self._top_of(rows_of(self.world))

    @cached_property
    def chunk_top(self) -> TopItemsets:
        """Those of the subrecords alone."""
        from disjoin.analyst.top_itemsets import chunk_rows

        return self._top_of(chunk_rows(self.published))

    @cached_property
    def extended_original_top(self) -> TopItemsets:
        """Those of the original's records with all ancestors of their terms."""
        return self._extended_top_of(self.original)

    @cached_property
    def extended_world_top(self) -> TopItemsets:
        """Those of the first reconstruction's records with all ancestors of their terms."""
        return self._extended_top_of(self.world)

    @cached_property
    def ranked(self) -> Ints64:
        """The terms from the most to the least frequent in the original; ties in the order of the terms."""
        return terms_by_support(self.supports)

    @cached_property
    def ranked_terms(self) -> Ints64:
        """The terms whose pairs are counted."""
        return listed_terms(self.ranked, self.ranges)

    @cached_property
    def original_pairs(self) -> Ints64:
        """Supports of all pairs of `ranked_terms` in the original: a square."""
        return self._pairs_of(self.original)

    @cached_property
    def chunk_pairs(self) -> Ints64:
        """The same, of pairs that stand in one subrecord."""
        published = self.published
        return count_pairs(
            published.item_offsets, published.items, self.original.n_terms, self.ranked_terms, published.counts
        )

    @cached_property
    def world_pairs(self) -> Ints64:
        """The same in the first reconstruction."""
        return self._pairs_of(self.world)

    @cached_property
    def all_world_pairs(self) -> list[Ints64]:
        """The same in each of the reconstructions."""
        from disjoin.analyst.reconstruction import reconstruct

        drawn, counted = self.settings.reconstructions, []
        for world in reconstruct(self.published, drawn, self.settings.seed):
            counted.append(self._pairs_of(world))
            self.progress("reconstructing", len(counted), drawn)
        return counted

    def _top_of(self, rows: Rows, related: Ints32 | None = None) -> TopItemsets:
        from disjoin.analyst.top_itemsets import top_itemsets

        return top_itemsets(rows, self.settings.top, related=related)

    def _extended_top_of(self, records: Transactions) -> TopItemsets:
        from disjoin.analyst.top_itemsets import extended, rows_of

        assert self.hierarchy is not None, "measures with ancestors ask for a hierarchy first"
        return self._top_of(*extended(rows_of(records), self.hierarchy, self.original.vocabulary))

    def _pairs_of(self, records: Transactions) -> Ints64:
        return count_pairs(records.offsets, records.items, self.original.n_terms, self.ranked_terms)


def _require_records(original: Transactions, published: Clusters, suppressed: int) -> None:
    if len(original) != published.n_records + suppressed:
        left_out = f" and leaves {suppressed:,} out" if suppressed else ""
        raise InvalidParameter(
            f"the release stands for {published.n_records:,} records{left_out}, the original has {len(original):,}: "
            "they do not belong together. Give the data that the release was made from."
        )


def _in_terms_of(original: Transactions, published: Clusters) -> Clusters:
    """Return the clusters with the items of the original."""
    import pyarrow.compute as pc  # here, as it is slow to import

    found = pc.index_in(published.vocabulary, value_set=original.vocabulary)
    if found.null_count:
        stranger = published.vocabulary[found.is_null().index(True).as_py()].as_py()
        raise InvalidParameter(
            f"the release has the term {stranger!r}, which the original does not have: they do not belong together. "
            "Give the data that the release was made from, read in the same way."
        )
    items = found.to_numpy()
    return replace(
        published,
        vocabulary=original.vocabulary,
        items=items[published.items],
        term_items=items[published.term_items],
    )


def _require_supports(supports: Ints64, chunk_supports: Ints64, original: Transactions) -> None:
    excess = np.flatnonzero(chunk_supports > supports)
    if excess.size:
        term = int(excess[0])
        raise InvalidParameter(
            f"the release shows {original.vocabulary[term].as_py()!r} in {chunk_supports[term]:,} records, it is in "
            f"{supports[term]:,} of the original: they do not belong together. Give the data that the release was "
            "made from."
        )
