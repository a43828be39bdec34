"""Evidence for measures of clusters: release and original, with cached intermediate results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from disjoin.attack.possible_records import places_of
from disjoin.errors import InvalidParameter
from disjoin.measure.definition import DEFAULTS, Settings
from disjoin.measure.mass import Floats
from disjoin.measure.pair_counts import RANGES, Ranks, count_pairs, listed_terms, terms_by_support
from disjoin.model.clusters import Clusters
from disjoin.model.groups import Groups
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.published import Published, PublishedRecords
from disjoin.model.ragged import Bag, Flags, Ints32, Ints64, strings
from disjoin.model.transactions import Transactions
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.analyst.top_itemsets import ItemRows, TopItemsets

ADVICE = "they do not belong together. Give the data that the release was made from, read in the same way."
USUAL_K = 5  # where no k is guaranteed: that of the papers' experiments
Sets = TypeVar("Sets", Clusters, Groups)


def require_records(original: Transactions, published: int, suppressed: int = 0) -> None:
    if len(original) != published + suppressed:
        left_out = f" and leaves {suppressed:,} out" if suppressed else ""
        raise InvalidParameter(
            f"the release has {published:,} records{left_out}, the original has {len(original):,}: {ADVICE}"
        )


def in_terms_of(original: Transactions, published: Sets) -> Sets:
    items = places_of(published.vocabulary, original.vocabulary).astype(np.int32)
    if (items < 0).any():
        stranger = published.vocabulary[int(items.argmin())].as_py()
        raise InvalidParameter(f"the release has the term {stranger!r}, which the original does not have: {ADVICE}")
    columns = ("items", "term_items" if isinstance(published, Clusters) else "sensitive_items")
    moved = {name: items[getattr(published, name)] for name in columns}
    return replace(published, vocabulary=original.vocabulary, **moved)


def estimated_pairs(published: Clusters, terms: Ints64) -> Floats:
    """Return the expected number of records with both terms of each pair, in closed form: a square."""
    from disjoin.analyst.index import desk_of
    from disjoin.analyst.pairs import expected_square

    return expected_square(desk_of(published), terms, 1.0)


class PairSupports(NamedTuple):
    """Supports of all pairs of some terms, as fractions: a square of counts, and of what they are divided by."""

    counts: Ints64
    divisors: Ints64

    @classmethod
    def shared(cls, counts: Ints64, divisor: int = 1) -> PairSupports:
        return cls(counts, np.broadcast_to(np.int64(divisor), counts.shape))


@dataclass(frozen=True, eq=False)
class SetEvidence(ABC):
    """Published sets of any form with the original records. Both sides use the items of `names`, so that itemsets are
    comparable. Supports, ranks and pairs are of the original's terms, in its numbers."""

    form: ClassVar[str]

    original: Transactions
    published: Published
    k: int | None  # what is guaranteed
    hierarchy: Hierarchy | None = field(default=None, kw_only=True)
    settings: Settings = field(default=DEFAULTS, kw_only=True)
    ranges: tuple[Ranks, ...] = field(default=RANGES, kw_only=True)
    progress: Progress = field(default=silent, repr=False, kw_only=True)

    @property
    @abstractmethod
    def taken(self) -> dict[str, Any]:
        """How measures are taken, for the reader of an evaluation."""

    @property
    @abstractmethod
    def names(self) -> pa.StringArray:
        """The names of all items of either side, in code-point order."""

    @property
    @abstractmethod
    def published_rows(self) -> ItemRows:
        """The published records, or a reconstruction of them, in the items of `names`."""

    @property
    @abstractmethod
    def shown(self) -> Flags:
        """Whether the release counts each term of the original."""

    @abstractmethod
    def published_pairs(self, source: str = "") -> PairSupports:
        """Return published supports of all pairs of `ranked_terms`; `source` is the suffix of the measure's name."""

    @abstractmethod
    def estimated_pairs(self, terms: Ints64) -> Floats:
        """Return the best estimate of how many records have both of each pair of the original's terms: a square."""

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    @property
    def tree(self) -> Hierarchy | None:
        return self.hierarchy

    @property
    def frequent_from(self) -> int:
        """The support from which a term is frequent in the original: as asked for, as guaranteed, or as usual."""
        return self.settings.k or self.k or USUAL_K

    @cached_property
    def supports(self) -> Ints64:
        return self.original.supports()

    @cached_property
    def ranked(self) -> Ints64:
        return terms_by_support(self.supports)

    @cached_property
    def ranked_terms(self) -> Ints64:
        return listed_terms(self.ranked, self.ranges)

    @cached_property
    def original_pairs(self) -> Ints64:
        """Supports of all pairs of `ranked_terms` in the original: a square."""
        return count_pairs(self.original.records, self.original.n_terms, self.ranked_terms)

    @cached_property
    def original_items(self) -> Ints64:
        return places_of(self.original.vocabulary, self.names)

    @property
    def original_rows(self) -> ItemRows:
        from disjoin.analyst.top_itemsets import rows_of

        rows = rows_of(self.original)
        return replace(rows, items=self.original_items.astype(np.int32)[rows.items], n_terms=len(self.names))

    @cached_property
    def original_top(self) -> TopItemsets:
        return self.top_of(self.original_rows)

    def top_of(self, rows: ItemRows, related: Ints32 | None = None) -> TopItemsets:
        from disjoin.analyst.top_itemsets import top_itemsets

        return top_itemsets(rows, self.settings.top, related=related)

    def extended_top_of(self, rows: ItemRows) -> TopItemsets:
        from disjoin.analyst.top_itemsets import extended

        assert self.tree is not None, "measures with ancestors ask for a hierarchy first"
        return self.top_of(*extended(rows, self.tree, self.names))


class BagEvidence(SetEvidence):
    """Whole published records: their supports are counted, nothing is reconstructed."""

    published: PublishedRecords

    @property
    def taken(self) -> dict[str, Any]:
        return {"top": self.settings.top, "k": self.frequent_from, "hierarchy": self.tree is not None}

    @cached_property
    def names(self) -> pa.StringArray:
        theirs, ours = self.original.vocabulary, self.published.records.vocabulary
        return strings(sorted({*theirs.to_pylist(), *ours.to_pylist()}))

    @cached_property
    def published_rows(self) -> ItemRows:
        from disjoin.analyst.top_itemsets import ItemRows

        bag = self.published.records
        places = places_of(bag.vocabulary, self.names).astype(np.int32)
        return ItemRows(bag.offsets, places[bag.items], bag.counts, len(self.names))

    @property
    def shown(self) -> Flags:
        return places_of(self.original.vocabulary, self.published.records.vocabulary) >= 0

    def _pairs_of(self, items: Ints64) -> Ints64:
        """Return the published supports of all pairs of items, on the diagonal those of items; items may repeat."""
        rows = self.published_rows
        different, places = np.unique(items, return_inverse=True)
        pairs = count_pairs(rows, rows.n_terms, different, rows.weights)
        return pairs[np.ix_(places, places)]


def require_sets_of_items(published: Bag) -> None:
    """Raise `InvalidParameter` unless every row has its items once, in order, and a count of at least one."""
    names = published.vocabulary.to_pylist()
    if names != sorted(set(names)) or not published.sets.are_ascending() or (published.counts < 1).any():
        raise InvalidParameter("the published records are not sets of terms with counts. Verify the release first.")


@dataclass(frozen=True, eq=False)
class Evidence(SetEvidence):
    """Published clusters in the terms of the original, with its records; raises if the two cannot belong together."""

    form: ClassVar[str] = Clusters.form

    published: Clusters
    k: int
    suppressed_records: int = 0
    strategy: str | None = None  # how small parts were treated, if that is known
    m: int | None = None  # how many terms an attacker may know, if that is guaranteed

    def __post_init__(self) -> None:
        require_records(self.original, self.published.n_records, self.suppressed_records)
        object.__setattr__(self, "published", in_terms_of(self.original, self.published))
        excess = np.flatnonzero(self.chunk_supports > self.supports)
        if excess.size:
            term = int(excess[0])
            raise InvalidParameter(
                f"the release shows {self.original.vocabulary[term].as_py()!r} in {self.chunk_supports[term]:,} "
                f"records, it is in {self.supports[term]:,} of the original: {ADVICE}"
            )

    @property
    def taken(self) -> dict[str, Any]:
        chosen = self.settings
        settings = {"top": chosen.top, "seed": chosen.seed, "reconstructions": chosen.reconstructions}
        return settings | {"k": self.frequent_from, "hierarchy": self.hierarchy is not None}

    @property
    def names(self) -> pa.StringArray:
        return self.original.vocabulary

    @cached_property
    def chunk_supports(self) -> Ints64:
        return self.published.subrecords.supports(self.published.counts, self.original.n_terms)

    @property
    def shown(self) -> Flags:
        return self.chunk_supports > 0

    @cached_property
    def world(self) -> Transactions:
        from disjoin.analyst.reconstruction import reconstruct

        self.progress("reconstructing", 0, 1)
        [world] = reconstruct(self.published, 1, self.settings.seed)
        self.progress("reconstructing", 1, 1)
        return world

    @property
    def published_rows(self) -> ItemRows:
        from disjoin.analyst.top_itemsets import rows_of

        return rows_of(self.world)

    def published_pairs(self, source: str = "") -> PairSupports:
        """Return supports from one reconstruction, from chunks alone (`_a`), or from the mean of several (`_r5`)."""
        if source == "_a":
            return PairSupports.shared(self.chunk_pairs)
        if not source:
            return PairSupports.shared(self._world_pairs)
        worlds = int(source.removeprefix("_r"))
        return PairSupports.shared(np.sum(self._all_world_pairs[:worlds], axis=0), worlds)

    def estimated_pairs(self, terms: Ints64) -> Floats:
        return estimated_pairs(self.published, terms)

    @cached_property
    def chunk_pairs(self) -> Ints64:
        """Supports of all pairs of `ranked_terms` in the same subrecord."""
        published = self.published
        return count_pairs(published.subrecords, self.original.n_terms, self.ranked_terms, published.counts)

    @cached_property
    def _world_pairs(self) -> Ints64:
        return self._pairs_of(self.world)

    @cached_property
    def _all_world_pairs(self) -> list[Ints64]:
        from disjoin.analyst.reconstruction import reconstruct

        drawn, counted = self.settings.reconstructions, []
        for world in reconstruct(self.published, drawn, self.settings.seed):
            counted.append(self._pairs_of(world))
            self.progress("reconstructing", len(counted), drawn)
        return counted

    def _pairs_of(self, records: Transactions) -> Ints64:
        return count_pairs(records.records, self.original.n_terms, self.ranked_terms)
