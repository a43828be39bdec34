"""Statistics of generalised items, and their summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.charts.distribution import distribution_of, percent, range_of
from disjoin.charts.text_drawing import shorten
from disjoin.forms.clusters.facts import most_frequent
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.ragged import Bag, Ints64, Spans, offsets_of
from disjoin.model.release import Report
from disjoin.text import counted, printable


@dataclass(frozen=True, slots=True, eq=False)
class PublishedCut:
    """The published nodes by name, read from mapping and records alone: categories (largest first), then terms."""

    published: GeneralizedItems
    tree: Tree
    names: pa.StringArray  # (nodes,)
    is_category: NDArray[np.bool_]  # (nodes,)
    supports: Ints64  # (nodes,), records that have it
    members: Ints64  # (leaves,), positions in `published.terms`, node by node
    offsets: Ints64  # (nodes + 1,), into `members`

    def __len__(self) -> int:
        return len(self.names)

    @property
    def leaf_counts(self) -> Ints64:
        return Spans(self.offsets).lengths

    def terms_of(self, node: int) -> list[str]:
        places = self.members[self.offsets[node] : self.offsets[node + 1]]
        return self.published.terms.take(pa.array(places)).to_pylist()  # type: ignore[no-any-return]


def cut_of(published: GeneralizedItems) -> PublishedCut:
    """Return the published nodes with what they stand for.

    >>> from disjoin.model.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]])
    >>> mapping = {"tea": "drink", "milk": "drink", "rye": "rye"}
    >>> cut = cut_of(GeneralizedItems.from_mapping([(["drink"], 2)], mapping, tree))
    >>> cut.names.to_pylist(), cut.leaf_counts.tolist(), cut.supports.tolist(), cut.terms_of(0)
    (['drink', 'rye'], [2, 1], [2, 0], ['milk', 'tea'])
    """
    import pyarrow.compute as pc  # here, because it is slow to import

    encoded = published.images.dictionary_encode()
    codes, names = encoded.indices.to_numpy().astype(np.int64), encoded.dictionary
    sizes = np.bincount(codes, minlength=len(names))
    is_category = np.ones(len(names), dtype=np.bool_)
    is_category[codes[pc.equal(published.terms, published.images).to_numpy(zero_copy_only=False)]] = False
    texts = names.to_pylist()
    alphabetic = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    order = np.lexsort((np.argsort(alphabetic), -sizes, ~is_category))
    names, records = names.take(pa.array(order)), published.records
    return PublishedCut(
        published=published,
        tree=Tree(published.hierarchy),
        names=names,
        is_category=is_category[order],
        supports=by_name(names, records, records.supports()),
        members=np.argsort(np.argsort(order)[codes], kind="stable"),
        offsets=offsets_of(sizes[order]),
    )


def by_name(names: pa.StringArray, records: Bag, numbers: Ints64) -> Ints64:
    """Return the numbers of these names, from those of all terms of the records; 0 where no record has a name."""
    found = dict(zip(records.vocabulary.to_pylist(), numbers.tolist(), strict=True))
    return np.array([found.get(name, 0) for name in names.to_pylist()], dtype=np.int64)


class Tree:
    """The nodes of a hierarchy by name; copies of a node that is repeated upwards count as one.

    >>> tree = Tree(Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]]))
    >>> tree.path("tea"), tree.below("*"), tree.level("rye"), tree.path("wine")
    (('*', 'drink'), ['drink', 'rye'], 0, ())
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.names: list[str] = hierarchy.names.to_pylist()
        # Levels follow one another, so the first node with a name is its lowest.
        self.places = dict(zip(reversed(self.names), range(len(self.names) - 1, -1, -1), strict=True))
        self._by_parent = np.argsort(hierarchy.parents, kind="stable")
        self._bounds = np.searchsorted(hierarchy.parents[self._by_parent], np.arange(len(self.names) + 1))

    def level(self, name: str) -> int:
        """Return the lowest level at which a name is; -1 if it is nowhere."""
        return int(self.hierarchy.levels[self.places[name]]) if name in self.places else -1

    def path(self, name: str) -> tuple[str, ...]:
        above: list[str] = []
        parent = self.parent(name)
        while parent is not None:
            above.append(parent)
            parent = self.parent(parent)
        return tuple(reversed(above))

    def parent(self, name: str) -> str | None:
        node = self.places.get(name, -1)
        while node >= 0 and self.names[node] == name:
            node = int(self.hierarchy.parents[node])
        return self.names[node] if node >= 0 else None

    def children(self, name: str) -> Ints64:
        place = self.places.get(name)
        first, last = (0, 0) if place is None else self._bounds[place : place + 2]
        return self._by_parent[first:last]

    def below(self, name: str) -> list[str]:
        return sorted(self.names[child] for child in self.children(name))

    def leaves(self, name: str) -> int:
        return int(self.hierarchy.leaf_counts[self.places[name]]) if name in self.places else 0


LISTED = 20  # categories; mapping.parquet has them all


def statistics_of(
    published: GeneralizedItems, guarantee: AnyGuarantee, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    cut, records = cut_of(published), published.records
    levels = np.array([cut.tree.level(name) for name in cut.names.to_pylist()], dtype=np.int64)
    found, categories, behind = cut.supports > 0, cut.is_category, cut.leaf_counts
    terms, generalised = len(published.terms), int(behind[categories].sum())
    held, general = int(cut.supports.sum()), int(cut.supports[categories].sum())
    counts, k = records.counts, getattr(guarantee, "k", 1)
    return {
        "terms": {"total": terms, "as_themselves": terms - generalised, "generalised": generalised},
        "published": {
            "total": len(cut),
            "categories": int(categories.sum()),
            "in_records": int(found.sum()),
            "categories_in_records": int((found & categories).sum()),
        },
        "levels": [
            {"level": level, "nodes": int((levels == level).sum()), "terms": int(behind[levels == level].sum())}
            for level in range(published.hierarchy.height + 1)
        ],
        "frequent_terms": _frequent(cut),
        "occurrences": {"total": held, "of_categories": general, "share": round(general / held, 4) if held else 0.0},
        "distinct_records": len(records),
        "alike": {"alone": int((counts == 1).sum()), "below_k": int(counts[counts < k].sum())},
        "smallest_support": int(cut.supports[found].min()) if found.any() else None,
        "largest_categories": _largest(cut, levels),
        "supports": distribution_of(cut.supports[found]),
        "terms_of_a_category": distribution_of(behind[categories]),
        "record_lengths": distribution_of(records.sets.lengths, counts),
    }


def _frequent(cut: PublishedCut) -> list[dict[str, Any]]:
    """Return the most frequent terms: their records, or of those that became a category none to all of its records."""
    most, least = np.zeros((2, len(cut.published.terms)), dtype=np.int64)
    most[cut.members] = np.repeat(cut.supports, cut.leaf_counts)
    least[cut.members] = np.repeat(np.where(cut.is_category, 0, cut.supports), cut.leaf_counts)
    return most_frequent(cut.published.terms, least, most)


def _largest(cut: PublishedCut, levels: Ints64) -> list[dict[str, Any]]:
    number = min(LISTED, int(cut.is_category.sum()))  # categories come first
    columns = (levels, cut.leaf_counts, cut.supports)
    rows = zip(cut.names[:number].to_pylist(), *(column[:number].tolist() for column in columns), strict=True)
    return [dict(zip(("category", "level", "terms", "records"), row, strict=True)) for row in rows]


NAMED = 3


def rows_of(report: Report) -> list[tuple[str, str]]:
    facts = report.statistics
    share = percent(facts["occurrences"]["share"])
    return [
        ("Records", f"{report.counts['records']:,}, each of {range_of(facts['record_lengths'], 'term')}"),
        ("Kept", f"{became(facts)}. {share} of the terms in records are categories{_named(facts)}."),
        ("Still learnable", _learnable(report)),
    ]


def _learnable(report: Report) -> str:
    alike, records, k = report.statistics["alike"], report.counts["records"], report.guarantee.get("k")
    if not alike["below_k"]:
        return f"Even an attacker who knows whole records finds at least {k} candidates."
    return (
        f"An attacker who knows all terms of a record finds {counted(alike['alone'], 'record')} "
        f"({percent(alike['alone'] / records)}) alone and {alike['below_k']:,} ({percent(alike['below_k'] / records)}) "
        f"among fewer than {k} candidates."
    )


def became(facts: dict[str, Any]) -> str:
    """Return what became of the terms of the hierarchy.

    >>> became({"terms": {"total": 5, "as_themselves": 3, "generalised": 2}, "published": {"categories": 1}})
    '5 terms: 3 published as themselves, 2 generalised to 1 category'
    """
    terms, categories = facts["terms"], facts["published"]["categories"]
    words = f"{counted(terms['total'], 'term')}: {terms['as_themselves']:,} published as themselves"
    if not categories:
        return f"{words}, none generalised"
    return f"{words}, {terms['generalised']:,} generalised to {counted(categories, 'category', 'categories')}"


def _named(facts: dict[str, Any]) -> str:
    listed, rest = facts["largest_categories"][:NAMED], facts["published"]["categories"] - NAMED
    if not listed:
        return ""
    named = ", ".join(f"{shorten(printable(entry['category']), 30)} ({entry['terms']:,} terms)" for entry in listed)
    return f": {named}" + (f" and {rest:,} more" if rest > 0 else "")


def eyes_only(published: GeneralizedItems, private: Mapping[str, Any]) -> list[str]:
    """Return what the data owner alone may know: how much was generalised."""
    if "ncp" not in private:
        return []
    number = private["generalized_terms"]
    terms = "No term that occurs is generalised" if not number else f"Generalised: {number:,} of the terms that occur"
    return [f"{terms}. Information loss (NCP): {private['ncp']:.3f}, from 0 (none) to 1 (all become the root)."]
