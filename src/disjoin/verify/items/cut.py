"""A1, A3-A5: the mapping is a cut of the hierarchy, and records contain only its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from disjoin.model import GeneralizedItems, Hierarchy
from disjoin.model.ragged import Ints32, Ints64, used_by
from disjoin.text import counted
from disjoin.verify.forest import is_text, unnamed
from disjoin.verify.inspection import Finding, examples
from disjoin.verify.rows import WARNING, Rows, is_ascending
from disjoin.verify.source import positions


@dataclass(frozen=True, slots=True)
class Cut:
    """The mapping as numbers of the hierarchy's nodes; a name means the lowest node that has it."""

    hierarchy: Hierarchy
    terms: pa.StringArray  # (entries,)
    images: pa.StringArray  # (entries,)
    leaves: Ints64  # (entries,) the leaf of each term, -1 if it is not a leaf
    nodes: Ints64  # (entries,) the node of each image, -1 if it is not a node

    @classmethod
    def of(cls, published: GeneralizedItems) -> Cut:
        tree = published.hierarchy
        named = tree.names.dictionary_encode()
        lowest = np.empty(len(named.dictionary), dtype=np.int64)
        codes = named.indices.to_numpy()
        lowest[codes[::-1]] = np.arange(len(tree))[::-1]  # the lowest node of a name is written last
        leaves, nodes = (
            np.append(lowest, -1)[positions(column, named.dictionary)] for column in (published.terms, published.images)
        )
        return cls(tree, published.terms, published.images, np.where(leaves < tree.n_leaves, leaves, -1), nodes)

    def is_above(self) -> Ints64:
        known = np.flatnonzero((self.leaves >= 0) & (self.nodes >= 0))
        lifted = self.hierarchy.lift(self.leaves[known], self.hierarchy.levels[self.nodes[known]])
        above: Ints64 = known[lifted == self.nodes[known]]
        return above


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
    tree, known = cut.hierarchy, np.flatnonzero(cut.leaves >= 0)
    missing, strange = np.flatnonzero(~used_by(tree.n_leaves, cut.leaves[known])), np.flatnonzero(cut.leaves < 0)
    other = np.setdiff1d(known, cut.is_above())
    breaches = (
        (missing, tree.names, f"lacks {counted(missing.size, 'leaf', 'leaves')} of the hierarchy."),
        (strange, cut.terms, f"has {counted(strange.size, 'term')} without a leaf in the hierarchy."),
        (other, cut.terms, f"has {counted(other.size, 'term')} published as neither itself nor an ancestor."),
    )
    return [
        Finding("A3", f"the mapping {words}", example=examples(names, wrong))
        for wrong, names, words in breaches
        if wrong.size
    ]


def check_subtrees(cut: Cut) -> list[Finding]:
    """A4: if a leaf is published as a node, so is every leaf under that node."""
    inside = cut.is_above()
    entries = np.sort(cut.leaves[inside] * len(cut.hierarchy) + cut.nodes[inside])
    distinct = entries[np.flatnonzero(np.diff(entries, prepend=-1))]
    followers = np.bincount(distinct % len(cut.hierarchy), minlength=len(cut.hierarchy))
    is_used = used_by(len(cut.hierarchy), cut.nodes[(cut.nodes >= 0) & (cut.leaves >= 0)])
    torn = np.flatnonzero(is_used & (followers < cut.hierarchy.leaf_counts))
    if not torn.size:
        return []
    others = f" This concerns {torn.size:,} nodes." if torn.size > 1 else ""
    leaves = f"{followers[torn[0]]} of the {cut.hierarchy.leaf_counts[torn[0]]} leaves under it"
    message = f"{leaves} are published as it, but all must be.{others}"
    return [Finding("A4", message, example=examples(cut.hierarchy.names, torn[:1]))]


def check_records_in_cut(rows: Rows, cut: Cut) -> list[Finding]:
    """A5: every term of a record is the image of some term."""
    is_image = positions(rows.names, cut.images.unique()) >= 0
    strange = np.flatnonzero(used_by(len(rows.names), rows.items) & ~is_image)
    if not strange.size:
        return []
    message = f"the records have {counted(strange.size, 'term')} that no term is published as."
    return [Finding("A5", message, example=examples(rows.names, strange))]


def _ambiguous(tree: Hierarchy) -> list[Finding]:
    """A name at several nodes must be one node repeated upwards; otherwise it is ambiguous."""
    nameless = tree.names.null_count + tree.names.to_pylist().count("")
    if nameless:
        return [Finding("A1", f"the hierarchy has {counted(nameless, 'node')} without a name.")]
    codes: Ints32 = tree.names.dictionary_encode().indices.to_numpy()
    order = np.argsort(codes, kind="stable")  # nodes of a name are adjacent, bottom up
    lower, upper = order[:-1], order[1:]
    same = codes[lower] == codes[upper]
    repeated = (tree.parents[lower] == upper) & (tree.leaf_counts[lower] == tree.leaf_counts[upper])
    wrong = lower[same & ~repeated]
    if not wrong.size:
        return []
    message = f"the hierarchy has {counted(wrong.size, 'name')} for different leaves at different places."
    return [Finding("A1", message, example=examples(tree.names, wrong))]
