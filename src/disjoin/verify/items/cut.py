"""A1, A3-A5: the mapping is a cut of the hierarchy, and records contain only its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.model import GeneralizedItems, Hierarchy
from disjoin.model.ragged import Ints32, Ints64
from disjoin.text import counted
from disjoin.verify.forest import is_text, unnamed
from disjoin.verify.inspection import Finding, examples
from disjoin.verify.rows import WARNING, Rows, is_ascending


@dataclass(frozen=True, slots=True)
class Cut:
    """The mapping in numbers of the hierarchy's nodes; a name stands for the lowest node that has it."""

    hierarchy: Hierarchy
    terms: pa.StringArray  # (entries,)
    images: pa.StringArray  # (entries,)
    leaves: Ints64  # (entries,) the leaf of each term, -1 if it is none
    nodes: Ints64  # (entries,) the node of each image, -1 if it is none

    @classmethod
    def of(cls, published: GeneralizedItems) -> Cut:
        tree = published.hierarchy
        named = tree.names.dictionary_encode()
        lowest = np.empty(len(named.dictionary), dtype=np.int64)
        codes = named.indices.to_numpy()
        lowest[codes[::-1]] = np.arange(len(tree))[::-1]  # the lowest of a name is written last
        leaves, nodes = (
            np.append(lowest, -1)[positions(column, named.dictionary)] for column in (published.terms, published.images)
        )
        return cls(tree, published.terms, published.images, np.where(leaves < tree.n_leaves, leaves, -1), nodes)

    def is_above(self) -> Ints64:
        known = np.flatnonzero((self.leaves >= 0) & (self.nodes >= 0))
        lifted = self.hierarchy.lift(self.leaves[known], self.hierarchy.levels[self.nodes[known]])
        above: Ints64 = known[lifted == self.nodes[known]]
        return above


def positions(wanted: pa.StringArray, among: pa.StringArray) -> Ints64:
    """Return the position of each term among distinct others, -1 if it is not there."""
    found = pc.index_in(wanted, value_set=among).fill_null(-1)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)


def check_readable(published: GeneralizedItems) -> list[Finding]:
    """A1, first part: what makes the mapping or the hierarchy unreadable."""
    tree = published.hierarchy
    columns = {"terms": published.terms, "images": published.images, "names of the hierarchy": tree.names}
    findings = [
        Finding("A1", f"the {name} are not valid UTF-8 text.")
        for name, column in columns.items()
        if not is_text(column)
    ]
    if len(published.terms) != len(published.images):
        findings.append(Finding("A1", f"{len(published.images)} images for {len(published.terms)} terms."))
    return findings or _ambiguous(tree)


def check_mapping_shape(published: GeneralizedItems) -> list[Finding]:
    """A1, second part: the terms of the mapping are named, each once, and every one has an image."""
    findings = unnamed(published.terms, "the mapping", "A1")
    if blank := sum(not image for image in published.images.to_pylist()):
        findings.append(Finding("A1", f"the mapping has {counted(blank, 'term')} without an image."))
    return findings


def check_orders(published: GeneralizedItems) -> list[Finding]:
    """A2: the mapping is sorted by its terms, and the hierarchy by its names, level by level."""
    tree = published.hierarchy
    starts = [0, *(1 + np.flatnonzero(np.diff(tree.levels))).tolist(), len(tree)]
    is_sorted = {
        "mapping": is_ascending(published.terms),
        "hierarchy": all(is_ascending(tree.names[first:last]) for first, last in pairwise(starts)),
    }
    return [Finding("A2", f"the {what} is not sorted: {WARNING}") for what, sound in is_sorted.items() if not sound]


def check_mapping(cut: Cut) -> list[Finding]:
    """A3: the mapping lists exactly the leaves, each with itself or an ancestor."""
    listed = np.zeros(cut.hierarchy.n_leaves, dtype=np.bool_)
    listed[cut.leaves[cut.leaves >= 0]] = True
    missing, strange = np.flatnonzero(~listed), np.flatnonzero(cut.leaves < 0)
    is_wrong = cut.leaves >= 0
    is_wrong[cut.is_above()] = False
    other = np.flatnonzero(is_wrong)
    has = "the mapping has"
    breaches = (
        (
            missing,
            f"the mapping lacks {counted(missing.size, 'leaf', 'leaves')} of the hierarchy.",
            cut.hierarchy.names,
        ),
        (strange, f"{has} {counted(strange.size, 'term')} without a leaf in the hierarchy.", cut.terms),
        (other, f"{has} {counted(other.size, 'term')} published as neither itself nor an ancestor.", cut.terms),
    )
    return [Finding("A3", words, example=examples(names, wrong)) for wrong, words, names in breaches if wrong.size]


def check_subtrees(cut: Cut) -> list[Finding]:
    """A4: if a leaf is published as a node, so is every leaf under that node."""
    inside = cut.is_above()
    entries = np.sort(cut.leaves[inside] * len(cut.hierarchy) + cut.nodes[inside])
    distinct = entries[np.flatnonzero(np.diff(entries, prepend=-1))]
    followers = np.bincount(distinct % len(cut.hierarchy), minlength=len(cut.hierarchy))
    is_used = np.zeros(len(cut.hierarchy), dtype=np.bool_)
    is_used[cut.nodes[(cut.nodes >= 0) & (cut.leaves >= 0)]] = True
    torn = np.flatnonzero(is_used & (followers < cut.hierarchy.leaf_counts))
    if not torn.size:
        return []
    others = f" So it is with {torn.size:,} nodes." if torn.size > 1 else ""
    leaves = f"{followers[torn[0]]} of the {cut.hierarchy.leaf_counts[torn[0]]} leaves under it"
    message = f"{leaves} are published as it, all should be.{others}"
    return [Finding("A4", message, example=examples(cut.hierarchy.names, torn[:1]))]


def check_records_in_cut(rows: Rows, cut: Cut) -> list[Finding]:
    """A5: every term of a record is the image of some term."""
    strange = np.zeros(len(rows.names), dtype=np.bool_)
    strange[rows.items] = True
    strange &= positions(rows.names, cut.images.unique()) < 0
    if not strange.any():
        return []
    message = f"the records have {counted(int(strange.sum()), 'term')} that no term is published as."
    return [Finding("A5", message, example=examples(rows.names, np.flatnonzero(strange)))]


def _ambiguous(tree: Hierarchy) -> list[Finding]:
    """A name at several nodes must be one node repeated upwards; otherwise its meaning is ambiguous."""
    nameless = tree.names.null_count + tree.names.to_pylist().count("")
    if nameless:
        return [Finding("A1", f"the hierarchy has {counted(nameless, 'node')} without a name.")]
    codes: Ints32 = tree.names.dictionary_encode().indices.to_numpy()
    order = np.argsort(codes, kind="stable")  # nodes of a name side by side, from below
    lower, upper = order[:-1], order[1:]
    same = codes[lower] == codes[upper]
    repeated = (tree.parents[lower] == upper) & (tree.leaf_counts[lower] == tree.leaf_counts[upper])
    wrong = lower[same & ~repeated]
    if not wrong.size:
        return []
    message = f"the hierarchy has {counted(wrong.size, 'name')} for different leaves at different places."
    return [Finding("A1", message, example=examples(tree.names, wrong))]
