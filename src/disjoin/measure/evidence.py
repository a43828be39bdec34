"""Clusters beside their original: what measures look at, made when the first of them asks and kept for the others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.measure.mass import Floats
from disjoin.measure.pair_counts import RANGES, Ranks, count_pairs
from disjoin.measure.record import DEFAULTS, Settings
from disjoin.measure.set_evidence import PairSupports, SetEvidence
from disjoin.model.clusters import Clusters
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.ragged import Flags, Ints64
from disjoin.model.transactions import Transactions
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.analyst.top_itemsets import TopItemsets
    from disjoin.analyst.top_itemsets_rows import ItemRows

__all__ = ["Evidence", "Settings"]


@dataclass(frozen=True, eq=False)
class Evidence(SetEvidence):
    """Published clusters beside the records that they were made from.

    What is published is written in the terms of the original, so that items of both can be compared. Its records are
    those of reconstructions. Raises `InvalidParameter` if the two cannot belong together.
    """

    form: ClassVar[str] = Clusters.form

    original: Transactions
    published: Clusters
    k: int
    suppressed_records: int = 0
    strategy: str | None = None  # how small parts were treated, if that is known
    hierarchy: Hierarchy | None = None
    settings: Settings = DEFAULTS
    ranges: tuple[Ranks, ...] = RANGES
    progress: Progress = field(default=silent, repr=False)
    m: int | None = None  # how many terms an attacker may know, if that is promised

    def __post_init__(self) -> None:
        _require_records(self.original, self.published, self.suppressed_records)
        object.__setattr__(self, "published", in_terms_of(self.original, self.published))
        _require_supports(self.supports, self.chunk_supports, self.original)

    @property
    def taken(self) -> dict[str, Any]:
        """How measures are taken, for the reader of an evaluation."""
        chosen = self.settings
        settings = {"top": chosen.top, "seed": chosen.seed, "reconstructions": chosen.reconstructions}
        return settings | {"k": self.frequent_from, "hierarchy": self.hierarchy is not None}

    @property
    def names(self) -> pa.StringArray:
        """The terms of the original: nothing else is published."""
        return self.original.vocabulary

    @cached_property
    def chunk_supports(self) -> Ints64:
        """In how many records of the release chunks show each term."""
        return self.published.subrecords.supports(self.published.counts, self.original.n_terms)

    @property
    def shown(self) -> Flags:
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

    @property
    def published_rows(self) -> ItemRows:
        """The records of the first reconstruction."""
        from disjoin.analyst.top_itemsets_rows import rows_of

        return rows_of(self.world)

    @cached_property
    def chunk_top(self) -> TopItemsets:
        """The most frequent itemsets of the subrecords alone."""
        from disjoin.analyst.top_itemsets_rows import chunk_rows

        return self._top_of(chunk_rows(self.published))

    def published_pairs(self, source: str = "") -> PairSupports:
        """Return supports from one reconstruction, from chunks alone (`_a`), or from the mean of several (`_r5`)."""
        if source == "_a":
            return PairSupports.shared(self.chunk_pairs)
        if not source:
            return PairSupports.shared(self.world_pairs)
        worlds = int(source.removeprefix("_r"))
        return PairSupports.shared(np.sum(self.all_world_pairs[:worlds], axis=0), worlds)

    def estimated_pairs(self, terms: Ints64) -> Floats:
        """Return in how many records a receiver expects both of each pair of terms: a square."""
        return estimated_pairs(self.published, terms)

    @cached_property
    def chunk_pairs(self) -> Ints64:
        """Supports of all pairs of `ranked_terms` that stand in one subrecord."""
        published = self.published
        return count_pairs(published.subrecords, self.original.n_terms, self.ranked_terms, published.counts)

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

    def _pairs_of(self, records: Transactions) -> Ints64:
        return count_pairs(records.records, self.original.n_terms, self.ranked_terms)


def _require_records(original: Transactions, published: Clusters, suppressed: int) -> None:
    if len(original) != published.n_records + suppressed:
        left_out = f" and leaves {suppressed:,} out" if suppressed else ""
        raise InvalidParameter(
            f"the release stands for {published.n_records:,} records{left_out}, the original has {len(original):,}: "
            "they do not belong together. Give the data that the release was made from."
        )


def estimated_pairs(published: Clusters, terms: Ints64) -> Floats:
    """Return in how many records both of each pair of terms are expected, in closed form: a square."""
    from disjoin.analyst.index import desk_of
    from disjoin.analyst.pairs import expected_square

    return expected_square(desk_of(published), terms, 1.0)


def in_terms_of(original: Transactions, published: Clusters) -> Clusters:
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
