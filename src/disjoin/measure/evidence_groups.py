"""Evidence for measures of groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from disjoin.arrays.ragged import mirrored
from disjoin.errors import InvalidParameter
from disjoin.measure.definition import DEFAULTS, Settings
from disjoin.measure.evidence import ADVICE, in_terms_of, require_records
from disjoin.measure.pair_counts import fingerprints, same_bag
from disjoin.model.groups import Groups
from disjoin.model.ragged import Ints64, Ragged
from disjoin.model.transactions import Transactions
from disjoin.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class GroupEvidence:
    """Published groups in the terms of the original, with its records; raises if the two cannot belong together."""

    form: ClassVar[str] = Groups.form
    notes: ClassVar[tuple[str, ...]] = ()

    original: Transactions
    published: Groups
    p: int | None = None  # what is guaranteed, if that is known
    settings: Settings = DEFAULTS
    progress: Progress = field(default=silent, repr=False)

    def __post_init__(self) -> None:
        require_records(self.original, self.published.n_records)
        object.__setattr__(self, "published", in_terms_of(self.original, self.published))
        _require_supports(self.original, self.published)
        _require_bags(self.original, self.published)

    @property
    def taken(self) -> dict[str, Any]:
        return {"seed": self.settings.seed, "r": self.settings.r, "queries": self.settings.queries, "p": self.p}

    @cached_property
    def sensitive(self) -> Ints64:
        return np.flatnonzero(self.published.is_sensitive)

    @cached_property
    def ordinary(self) -> Ints64:
        return np.flatnonzero(~self.published.is_sensitive)

    @cached_property
    def rows_with(self) -> Ragged:
        """The distinct published records that have each ordinary item, ascending."""
        return Ragged(*mirrored(self.published.item_offsets, self.published.items, self.original.n_terms))

    @cached_property
    def records_with(self) -> Ragged:
        return Ragged(*mirrored(self.original.offsets, self.original.items, self.original.n_terms))


def _require_supports(original: Transactions, published: Groups) -> None:
    shown = published.records.supports(published.counts, original.n_terms)
    listed = np.bincount(published.sensitive_items, published.sensitive_counts, original.n_terms)
    shown += listed.astype(np.int64)
    differing = np.flatnonzero(shown != original.supports())
    if differing.size:
        term = int(differing[0])
        raise InvalidParameter(
            f"the release has {original.vocabulary[term].as_py()!r} in {shown[term]:,} records, the original in "
            f"{original.supports()[term]:,}: {ADVICE}"
        )


def _require_bags(original: Transactions, published: Groups) -> None:
    """Raise unless the records without their sensitive items are the same bag, by fingerprints of 64 bits."""
    prints = fingerprints(original.n_terms)
    theirs = original.records.sums(np.where(published.is_sensitive, np.uint64(0), prints)[original.items])
    ours = published.records.sums(prints[published.items])
    if not same_bag(theirs, ours, published.counts):
        raise InvalidParameter(
            f"the ordinary items of the release's records are not those of the original's records: {ADVICE}"
        )
