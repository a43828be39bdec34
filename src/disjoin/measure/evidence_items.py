"""Evidence for measures of generalised items and noisy records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from disjoin.arrays.ragged import replaced
from disjoin.attack.possible_records import places_of
from disjoin.errors import InvalidParameter
from disjoin.measure.evidence import ADVICE, BagEvidence, PairSupports, require_records, require_sets_of_items
from disjoin.measure.mass import Floats
from disjoin.measure.pair_counts import fingerprints, same_bag
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.noisy_records import NoisyRecords
from disjoin.model.ragged import Ints64, Ragged


@dataclass(frozen=True, eq=False)
class ItemEvidence(BagEvidence):
    """Generalised records with the original ones; a node is another item than any term below it. A given hierarchy must
    have the release's path for every term. Raises unless the mapping makes the published records of the original."""

    form: ClassVar[str] = GeneralizedItems.form

    published: GeneralizedItems
    k: int
    m: int | None = None  # how many terms an attacker may know, if that is guaranteed

    def __post_init__(self) -> None:
        require_sets_of_items(self.published.records)
        if self.hierarchy is not None:
            _require_same_paths(self.hierarchy, self.published.hierarchy)
        require_records(self.original, self.published.n_records)
        self._require_images()
        self._require_bag()

    @property
    def taken(self) -> dict[str, Any]:
        return super().taken | {"hierarchy_is": "the release's own" if self.hierarchy is None else "given"}

    @property
    def tree(self) -> Hierarchy:
        return self.published.hierarchy if self.hierarchy is None else self.hierarchy

    @cached_property
    def images(self) -> Ints64:
        """The published item of each term of the original, in the items of `names`; -1 if no record has it."""
        return places_of(self._image_names, self.names)

    @cached_property
    def leaves(self) -> Ints64:
        """How many leaves of the release's hierarchy the published item of each term contains."""
        tree = self.published.hierarchy
        # From the root down: of several nodes with one name the lowest is meant.
        counts = dict(zip(tree.names.to_pylist()[::-1], tree.leaf_counts.tolist()[::-1], strict=True))
        return np.array([counts.get(name, 0) for name in self._image_names.to_pylist()], dtype=np.int64)

    def published_pairs(self, source: str = "") -> PairSupports:
        """Return the supports of published items, spread evenly over all pairs of leaves below."""
        assert not source, "there is one reading of generalised records"
        return self._spread_pairs(self.ranked_terms)

    def estimated_pairs(self, terms: Ints64) -> Floats:
        counts, divisors = self._spread_pairs(terms)
        return np.asarray(counts / divisors, dtype=np.float64)

    def _spread_pairs(self, terms: Ints64) -> PairSupports:
        leaves = self.leaves[terms]
        return PairSupports(self._pairs_of(self.images[terms]), np.multiply.outer(leaves, leaves))

    @cached_property
    def _image_names(self) -> pa.StringArray:
        places = places_of(self.original.vocabulary, self.published.terms)
        if (places < 0).any():
            raise InvalidParameter(
                f"the original has terms ({int((places < 0).sum()):,}) that the release does not map: {ADVICE}"
            )
        return self.published.images.take(places)

    def _require_images(self) -> None:
        unknown = np.flatnonzero((self.images < 0) | (self.leaves == 0))
        if unknown.size:
            term, image = self.original.vocabulary[int(unknown[0])], self._image_names[int(unknown[0])]
            raise InvalidParameter(
                f"the release states that {term.as_py()!r} is published as {image.as_py()!r}, and no record or no "
                f"hierarchy of it has that: {ADVICE}"
            )

    def _require_bag(self) -> None:
        original, ours, numbers = self.original, self.published_rows, np.arange(self.original.n_terms + 1)
        images = Ragged(*replaced(original.offsets, original.items, numbers, self.images, len(self.names)))
        prints = fingerprints(len(self.names))
        if not same_bag(images.sums(prints[images.items]), ours.sums(prints[ours.items]), ours.weights):
            raise InvalidParameter(f"the release's records are not those of the original, generalised: {ADVICE}")


def _require_same_paths(given: Hierarchy, released: Hierarchy) -> None:
    # A name that is repeated upwards counts once.
    theirs, ours = ([tuple(name for name, _ in groupby(row)) for row in tree.rows()] for tree in (given, released))
    known = {path[0]: path for path in theirs}
    for path in ours:
        if known.get(path[0]) != path:
            found = " > ".join(known[path[0]]) if path[0] in known else "nothing"
            raise InvalidParameter(
                f"the hierarchy must be that of the release or have more terms: there {path[0]!r} is "
                f"{' > '.join(path)}, here it is {found}. Leave it out to take the release's own."
            )


ANY_ORIGINAL = "Noisy records do not show whether they were made from this original; that was not checked."
NOTHING_IN_COMMON = "No published record has a term of the original: it may be the wrong one, or noise is all there is."


@dataclass(frozen=True, eq=False)
class NoisyEvidence(BagEvidence):
    """Noisy records with the original records; neither numbers nor terms need agree. Unknown terms are items of their
    own. `k` is by default that of the papers' experiments, because none is guaranteed."""

    form: ClassVar[str] = NoisyRecords.form

    published: NoisyRecords
    k: int | None = None

    def __post_init__(self) -> None:
        require_sets_of_items(self.published.records)

    @property
    def notes(self) -> tuple[str, ...]:
        return (ANY_ORIGINAL,) if self.shown.any() else (ANY_ORIGINAL, NOTHING_IN_COMMON)

    @property
    def taken(self) -> dict[str, Any]:
        is_given = self.settings.k is not None or self.k is not None
        return super().taken | {"k_is": "given" if is_given else "the usual one: none is guaranteed"}

    def published_pairs(self, source: str = "") -> PairSupports:
        assert not source, "there is one reading of noisy records"
        return PairSupports.shared(self._pairs_of(self.original_items[self.ranked_terms]))

    def estimated_pairs(self, terms: Ints64) -> Floats:
        return self._pairs_of(self.original_items[terms]).astype(np.float64)
