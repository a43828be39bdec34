"""Semantic attack: chunks joined by how related their terms are (section G.2).

How related two terms are is learned from the release itself, from the subrecords in which they are together, or comes
with a table of the user's. In a leaf the subrecords of the largest chunk are laid out; those of every other chunk are
assigned to them so that the sum of their relatedness is largest, and each term of the term chunk goes to the best one.
A link is a term that such a record got from another chunk than the largest. It is right if the record of the original
that fits best has it too; the same is counted for a random assignment, and the lift compares both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disjoin.attack.possible_records import original_rows, rows_by_chunk, way_up
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, Release, Transactions
from disjoin.model.parameters import require_integer

LEAVES = 50  # that are attacked, at equal distances
LARGEST = 500  # records of a leaf; the work grows with the third power
REPEATS = 5  # random assignments

Weights = NDArray[np.float64]
Part = frozenset[int]
Relatedness = Mapping[tuple[str, str], float]


@dataclass(frozen=True, slots=True)
class Semantic:
    """How many links an attacker who knows which terms are related gets right, compared to chance."""

    leaves: int  # attacked
    of_leaves: int  # that have several chunks
    too_large: int  # of these, left out
    links: int
    right: int
    by_chance: float  # right links of a random assignment, on average
    has_table: bool  # relatedness was given, not learned from the release

    @property
    def share(self) -> float:
        return self.right / self.links if self.links else 0.0

    @property
    def chance(self) -> float:
        return self.by_chance / self.links if self.links else 0.0

    @property
    def lift(self) -> float:
        """How many times as many links are right as by chance; 1 if nothing is right in either way."""
        return self.right / self.by_chance if self.by_chance else 1.0

    def sentence(self) -> str:
        if self.too_large and not self.leaves:
            return f"Nothing was linked: clusters of more than {LARGEST:,} records take too long."
        if not self.links:
            return "There is nothing to link: no cluster has terms outside its largest chunk."
        known = "from the table" if self.has_table else "from the release itself"
        return (
            f"An attacker who knows related terms ({known}) links {self.share:.1%} of the terms to the right record, "
            f"chance {self.chance:.1%}: a lift of {self.lift:.2f} ({self.links:,} links in {self.leaves:,} of "
            f"{self.of_leaves:,} clusters)."
        )

    def to_json(self) -> dict[str, Any]:
        names = ("leaves", "of_leaves", "too_large", "links", "right")
        facts: dict[str, Any] = {name: getattr(self, name) for name in names}
        figures = {"by_chance": self.by_chance, "share": self.share, "chance": self.chance, "lift": self.lift}
        known = {"relatedness": "table" if self.has_table else "release"}
        return facts | {name: round(figure, 6) for name, figure in figures.items()} | known


def semantic(
    source: Release | Clusters,
    original: Transactions,
    relatedness: Relatedness | None = None,
    *,
    leaves: int = LEAVES,
    seed: int = 0,
) -> Semantic:
    """Link the parts of leaves by the relatedness of their terms, and count right links; the seed decides ties."""
    published = source.published if isinstance(source, Release) else source
    if not isinstance(published, Clusters):
        raise InvalidParameter(f"chunks are put together, and this release has {published.in_words}.")
    require_integer("leaves", leaves, 1, "it is the number of clusters to play through.")
    chunks = published.nodes.lengths
    has_links = ~published.is_joint & ((chunks > 1) | ((chunks == 1) & (published.term_chunks.lengths > 0)))
    promising = np.flatnonzero(has_links)
    small = promising[published.sizes[promising] <= LARGEST]
    taken, chance = small[:: max(1, -(-small.size // leaves))].tolist(), np.random.default_rng(seed)
    related, rows = _related(published, relatedness), original_rows(published.vocabulary, original)
    records = [frozenset(rows[row].tolist()) for row in range(len(rows))]
    links = right = dealt = 0
    for leaf in taken:
        puzzle = LeafPuzzle(published, leaf)
        truth = puzzle.fitting(records)
        links += puzzle.links
        right += right_links(puzzle.put_together(related, chance), truth, puzzle.domains[0])
        dealt += sum(right_links(puzzle.dealt(chance), truth, puzzle.domains[0]) for _ in range(REPEATS))
    too_large, has_table = promising.size - small.size, relatedness is not None
    return Semantic(len(taken), promising.size, too_large, links, right, dealt / REPEATS, has_table)


def _related(published: Clusters, table: Relatedness | None) -> Any:
    """Return a sparse matrix of terms: of the table, or the co-occurrence of two, over their geometric mean."""
    from scipy.sparse import csr_array, diags_array

    n_terms = len(published.vocabulary)
    if table is not None:
        numbers = {term: number for number, term in enumerate(published.vocabulary.to_pylist())}
        known = [(numbers[a], numbers[b], w) for (a, b), w in table.items() if a in numbers and b in numbers]
        rows, columns, weights = (np.array(each) for each in zip(*known, strict=True)) if known else ([], [], [])
        half = csr_array((np.asarray(weights, float), (rows, columns)), shape=(n_terms, n_terms))
        return (half + half.T).tocsr()
    ones = np.ones(published.items.size)
    held = csr_array((ones, published.items, published.item_offsets), shape=(published.counts.size, n_terms))
    common = (held.T @ diags_array(published.counts.astype(float)) @ held).tocsr()
    scale = diags_array(1 / np.sqrt(np.maximum(1, common.diagonal())))
    return (scale @ common @ scale).tocsr()


class LeafPuzzle:
    """A leaf as the parts of its chunks, the largest chunk first."""

    def __init__(self, published: Clusters, leaf: int) -> None:
        self.size = int(published.sizes[leaf])
        chunks = [
            [frozenset(published.subrecords[row].tolist()) for row in rows for _ in range(int(published.counts[row]))]
            for rows in rows_by_chunk(published, leaf)
        ]
        self.chunks = sorted(chunks, key=lambda parts: -sum(map(len, parts)))
        self.domains = [frozenset[int]().union(*parts) for parts in self.chunks]
        self.rare = published.term_chunks[leaf].tolist()
        _, *above = way_up(published, leaf)
        shared = [row for node in above for rows in rows_by_chunk(published, node) for row in rows]
        self.others: Part = frozenset().union(*(published.subrecords[row].tolist() for row in shared))

    @property
    def links(self) -> int:
        return sum(len(part) for parts in self.chunks[1:] for part in parts) + len(self.rare)

    def fitting(self, records: list[Part]) -> list[Part]:
        """Return the records of the original that may be of this leaf: every part of theirs is published there."""
        domain = frozenset(self.rare).union(*self.domains)
        shown = [{*parts, frozenset[int]()} for parts in self.chunks]
        return [
            record
            for record in records
            if record - domain <= self.others
            and all(record & own in parts for own, parts in zip(self.domains, shown, strict=True))
        ]

    def dealt(self, chance: np.random.Generator) -> list[Part]:
        slots = self._laid_out()
        for parts in self.chunks[1:]:
            for slot, part in zip(chance.permutation(self.size)[: len(parts)].tolist(), parts, strict=True):
                slots[slot] |= part
        for term in self.rare:
            slots[int(chance.integers(self.size))] |= {term}
        return slots

    def put_together(self, related: Any, chance: np.random.Generator) -> list[Part]:
        """Assign every chunk so that the sum of relatedness is largest; ties are decided at random."""
        slots = self._laid_out()
        for parts in self.chunks[1:]:
            order = chance.permutation(self.size)
            mixed = [parts[i] for i in chance.permutation(len(parts))]
            weights = _weights(mixed, [slots[slot] for slot in order], related)
            for part, place in zip(mixed, best_places(weights), strict=True):
                slots[int(order[place])] |= part
        for term in self.rare:
            order = chance.permutation(self.size)
            [fits] = _weights([frozenset([term])], [slots[slot] for slot in order], related)
            slots[int(order[int(fits.argmax())])] |= {term}
        return slots

    def _laid_out(self) -> list[Part]:
        return self.chunks[0] + [frozenset()] * (self.size - len(self.chunks[0]))


def _weights(parts: list[Part], slots: list[Part], related: Any) -> Weights:
    """Return how related every part is to every slot, on average over their terms."""
    kinds, different = sorted({*slots}, key=sorted), sorted({*parts}, key=sorted)
    found = np.zeros((len(different), len(kinds)))
    for row, part in enumerate(different):
        near = related[sorted(part)].sum(axis=0) / len(part)
        found[row] = [float(near[sorted(kind)].mean()) if kind else 0.0 for kind in kinds]
    columns = {kind: place for place, kind in enumerate(kinds)}
    rows = {part: place for place, part in enumerate(different)}
    return found[[rows[part] for part in parts]][:, [columns[slot] for slot in slots]]


def best_places(weights: Weights) -> list[int]:
    """Return a different column for every row so that the sum is largest.

    >>> best_places(np.array([[1.0, 2.0], [0.0, 2.0]]))
    [0, 1]
    """
    from scipy.optimize import linear_sum_assignment

    columns: list[int] = linear_sum_assignment(weights, maximize=True)[1].tolist()  # rows ascend
    return columns


def right_links(slots: list[Part], records: list[Part], laid_out: Part) -> int:
    """Count the terms outside the largest chunk that slots share with the records that fit them best. Only records with
    the same part of the largest chunk fit a slot, and each fits one slot."""
    from scipy.optimize import linear_sum_assignment

    by_part: dict[Part, tuple[list[Part], list[Part]]] = {}
    for side, rows in enumerate((slots, records)):
        for row in rows:
            by_part.setdefault(row & laid_out, ([], []))[side].append(row - laid_out)
    total = 0
    for guessed, true in by_part.values():
        if guessed and true:
            common = np.array([[len(slot & record) for record in true] for slot in guessed])
            total += int(common[linear_sum_assignment(common, maximize=True)].sum())
    return total
