"""Domain of DiffPart: all possible terms and their taxonomy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter, Placeholder, Remedy, described
from disjoin.model import Hierarchy, Transactions
from disjoin.model.differential_privacy import SEEN
from disjoin.model.ragged import Ints32, Ints64, offsets_of, strings

Domain = tuple[str, ...] | Literal["seen"]
NO_DOMAIN = "domain must list all possible terms, from a source other than the data, but none is given."
IF_NO_DOMAIN = (
    Remedy("domain", Placeholder("items.txt"), "read a file with one term per line, or a public hierarchy"),
    Remedy("domain", SEEN, "take the terms of the data: for experiments, the release is not proven"),
)


def domain_of(terms: Hierarchy | Iterable[str | int] | None) -> Domain:
    """Return the terms of a domain, sorted by code points: those given, or leaves of a hierarchy; `seen` is returned
    unchanged.

    >>> domain_of(["tea", 7, "tea"]), domain_of("seen")
    (('7', 'tea'), 'seen')
    """
    if isinstance(terms, str) and terms == SEEN:
        return SEEN
    leaves = terms.names.slice(0, terms.n_leaves).to_pylist() if isinstance(terms, Hierarchy) else terms
    try:
        given = None if isinstance(leaves, (str, bytes)) else set(() if leaves is None else leaves)
    except TypeError:
        given = None
    if given is None:
        raise InvalidParameter(
            f"domain must be a list of terms, a Hierarchy or the word 'seen', got {described(terms)}."
        )
    if not given:
        raise InvalidParameter(NO_DOMAIN, remedies=IF_NO_DOMAIN)
    for term in given:
        if not isinstance(term, (str, int)) or isinstance(term, bool) or term == "":
            raise InvalidParameter(f"a term of the domain must be a string that is not empty, got {described(term)}.")
    names = tuple(sorted({str(term) for term in given}))
    try:
        "".join(names).encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidParameter("the domain has a term that is not valid Unicode text.") from None
    return names


@dataclass(frozen=True, slots=True)
class Known:
    """Records over the terms of the domain, without empty ones; and, for the data owner, what was dropped."""

    terms: pa.StringArray
    offsets: Ints64
    items: Ints32  # positions in `terms`, ascending in a record
    outside_terms: int = 0
    outside_occurrences: int = 0
    outside_records: int = 0

    def __len__(self) -> int:
        return self.offsets.size - 1


def known_records(data: Transactions, domain: Domain) -> Known:
    """Return the records without terms outside the domain (unchanged if the domain was seen in them). Outside terms
    are never added: a domain that depends on the data does not protect people with rare terms."""
    if domain == SEEN:
        return Known(data.vocabulary, data.offsets, data.items)
    import pyarrow.compute as pc  # imported late: slow

    terms = strings(domain)
    places = pc.fill_null(pc.index_in(data.vocabulary, value_set=terms), -1).to_numpy().astype(np.int32)
    rows = data.records.renumbered(places)  # both lists are in code-point order, so items still ascend
    inside = rows.where(rows.items >= 0)
    lengths = inside.lengths
    kept = lengths[lengths > 0]
    return Known(
        terms=terms,
        offsets=offsets_of(kept),
        items=inside.items,
        outside_terms=int((places < 0).sum()),
        outside_occurrences=data.items.size - inside.items.size,
        outside_records=len(data) - kept.size,
    )


class Node(NamedTuple):
    """A node by its level and its place there, from 0; leaves, which are terms, are level 0."""

    level: int
    place: int


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Terms, grouped by `fan_out` in the order of their names, level by level up to one root; independent of the data.

    >>> tree = Taxonomy(5, 2)
    >>> tree.root, tree.sizes, tree.inner_nodes(tree.root), [*tree.children(Node(1, 2))]
    (Node(level=3, place=0), (5, 3, 2, 1), 6, [4])
    """

    n_terms: int
    fan_out: int
    sizes: tuple[int, ...] = field(init=False)  # nodes at each level

    def __post_init__(self) -> None:
        assert self.n_terms >= 1 and self.fan_out >= 2, "a tree needs a leaf and at least two children per node"
        sizes = [self.n_terms, -(-self.n_terms // self.fan_out)]
        while sizes[-1] > 1:
            sizes.append(-(-sizes[-1] // self.fan_out))
        object.__setattr__(self, "sizes", tuple(sizes))

    @property
    def root(self) -> Node:
        return Node(len(self.sizes) - 1, 0)

    def children(self, node: Node) -> range:
        return self._below(node, 1)

    def terms(self, node: Node) -> range:
        return self._below(node, node.level)

    def terms_of_a_child(self, node: Node) -> int:
        return int(self.fan_out ** (node.level - 1))

    def inner_nodes(self, node: Node) -> int:
        """Return the number of nodes above level 0 in the subtree, including the node itself."""
        return sum(len(self._below(node, steps)) for steps in range(node.level))

    def _below(self, node: Node, steps: int) -> range:
        width = self.fan_out**steps
        return range(node.place * width, min((node.place + 1) * width, self.sizes[node.level - steps]))
