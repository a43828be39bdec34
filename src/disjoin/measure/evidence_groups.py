"""Evidence for measures of groups."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disjoin.arrays.ragged import mirrored
from disjoin.errors import InvalidParameter
from disjoin.measure.definition import DEFAULTS, Settings
from disjoin.measure.pair_counts import fingerprints, same_bag
from disjoin.model.groups import Groups
from disjoin.model.ragged import Ints32, Ints64, Ragged
from disjoin.model.transactions import Transactions
from disjoin.progress import Progress, silent

_ADVICE = "they do not belong together. Give the data that the release was made from, read in the same way."


@dataclass(frozen=True, eq=False)
class GroupEvidence:
    """Published groups beside the records that they were made from.

    What is published is written in the terms of the original, so that items of both can be compared. Raises
    `InvalidParameter` if the two cannot belong together: other numbers of records, other terms, other supports, or
    other bags of ordinary items.
    """

    form: ClassVar[str] = Groups.form
    notes: ClassVar[tuple[str, ...]] = ()

    original: Transactions
    published: Groups
    p: int | None = None  # what is promised, if that is known
    settings: Settings = DEFAULTS
    progress: Progress = field(default=silent, repr=False)

    def __post_init__(self) -> None:
        _require_records(self.original, self.published)
        object.__setattr__(self, "published", _in_terms_of(self.original, self.published))
        _require_supports(self.original, self.published)
        _require_bags(self.original, self.published)

    @property
    def taken(self) -> dict[str, Any]:
        """How measures are taken, for the reader of an evaluation."""
        return {"seed": self.settings.seed, "r": self.settings.r, "queries": self.settings.queries, "p": self.p}

    @cached_property
    def sensitive(self) -> Ints64:
        """The sensitive items, in the order of the terms."""
        return np.flatnonzero(self.published.is_sensitive)

    @cached_property
    def ordinary(self) -> Ints64:
        """The ordinary items, in the order of the terms."""
        return np.flatnonzero(~self.published.is_sensitive)

    @cached_property
    def group_of_row(self) -> Ints64:
        """The group of every distinct published record."""
        return self.published.groups.owners()

    def rows_with(self, item: int) -> Ints32:
        """Return the distinct published records that have an ordinary item, ascending."""
        return self._published_rows[item]

    def records_with(self, item: int) -> Ints32:
        """Return the records of the original that have an item, ascending."""
        return self._original_records[item]

    def shares_of(self, item: int) -> NDArray[np.float64]:
        """Return for every group which share of its records has a sensitive item."""
        published = self.published
        owners = published.secrets.owners()
        listed = published.sensitive_items == item
        shares = np.zeros(len(published))
        shares[owners[listed]] = published.sensitive_counts[listed] / published.sizes[owners[listed]]
        return shares

    @cached_property
    def _published_rows(self) -> Ragged:
        return Ragged(*mirrored(self.published.item_offsets, self.published.items, self.original.n_terms))

    @cached_property
    def _original_records(self) -> Ragged:
        return Ragged(*mirrored(self.original.offsets, self.original.items, self.original.n_terms))


def _require_records(original: Transactions, published: Groups) -> None:
    if len(original) != published.n_records:
        raise InvalidParameter(
            f"the release stands for {published.n_records:,} records, the original has {len(original):,}: {_ADVICE}"
        )


def _in_terms_of(original: Transactions, published: Groups) -> Groups:
    """Return the groups with the items of the original."""
    import pyarrow.compute as pc  # here, as it is slow to import

    found = pc.index_in(published.vocabulary, value_set=original.vocabulary)
    if found.null_count:
        stranger = published.vocabulary[found.is_null().index(True).as_py()].as_py()
        raise InvalidParameter(f"the release has the term {stranger!r}, which the original does not have: {_ADVICE}")
    items = found.to_numpy()
    return replace(
        published,
        vocabulary=original.vocabulary,
        items=items[published.items],
        sensitive_items=items[published.sensitive_items],
    )


def _require_supports(original: Transactions, published: Groups) -> None:
    """Raise unless every term is in as many records: a release of groups leaves nothing out."""
    shown = published.records.supports(published.counts, original.n_terms)
    listed = np.bincount(published.sensitive_items, published.sensitive_counts, original.n_terms)
    shown += listed.astype(np.int64)
    differing = np.flatnonzero(shown != original.supports())
    if differing.size:
        term = int(differing[0])
        raise InvalidParameter(
            f"the release has {original.vocabulary[term].as_py()!r} in {shown[term]:,} records, the original in "
            f"{original.supports()[term]:,}: {_ADVICE}"
        )


def _require_bags(original: Transactions, published: Groups) -> None:
    """Raise unless the records without their sensitive items are the same bag, by fingerprints of 64 bits."""
    prints = fingerprints(original.n_terms)
    theirs = original.records.sums(np.where(published.is_sensitive, np.uint64(0), prints)[original.items])
    ours = published.records.sums(prints[published.items])
    if not same_bag(theirs, ours, published.counts):
        raise InvalidParameter(
            f"the ordinary items of the release's records are not those of the original's records: {_ADVICE}"
        )
