"""What can be asked of generalised records: names that are published, and the terms that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from disjoin.errors import InvalidParameter
from disjoin.model.generalized_items import GeneralizedItems


@dataclass(frozen=True, slots=True)
class ItemNames:
    """For every name that can be asked for: what is published for it, and for how many terms that stands.

    A published name means itself, whole: it stands for one of itself.
    """

    meanings: Mapping[str, tuple[str, int]]

    def looked_up(self, itemset: list[str]) -> tuple[list[str], float]:
        """Return what is published for the names, each once and sorted, and by how much its support is divided.

        Each term is taken for one of those that its published name stands for, all equally likely and independent of
        the others. So the quotient is an estimate; it is exact where nothing is divided.
        """
        unknown = next((name for name in itemset if name not in self.meanings), None)
        if unknown is not None:
            raise InvalidParameter(
                f"{unknown!r} is neither a published name nor a term of the release. mapping.parquet lists both."
            )
        found = [self.meanings[name] for name in itemset]
        return sorted({published for published, _ in found}), prod((float(terms) for _, terms in found), start=1.0)


def item_names(published: GeneralizedItems) -> ItemNames:
    """Return the names of generalised records.

    >>> from disjoin.model import Hierarchy
    >>> tree = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]])
    >>> mapping = {"tea": "drink", "milk": "drink", "rye": "rye"}
    >>> names = item_names(GeneralizedItems.from_mapping([(["drink", "rye"], 4)], mapping, tree))
    >>> names.looked_up(["rye", "tea"]), names.looked_up(["drink"])
    ((['drink', 'rye'], 2.0), (['drink'], 1.0))
    """
    tree = published.hierarchy
    leaves = dict(zip(tree.names.to_pylist(), tree.leaf_counts.tolist(), strict=True))
    mapping = published.mapping
    if not leaves.keys() >= set(mapping.values()):
        raise InvalidParameter(
            "a term is published as what its hierarchy does not have: these are not sound records. "
            "Ask disjoin.verify what is wrong."
        )
    terms = {term: (image, leaves[image]) for term, image in mapping.items()}
    return ItemNames(terms | {image: (image, 1) for image in mapping.values()})
