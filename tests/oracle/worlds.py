"""Does a world fit what is published? By the words of section A.7. Standard library only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from oracle.reconstruction import Dataset, Record, Tree, bag_of, chunks_of, leaf_paths, terms_of_chunks


def as_dataset(records: Sequence[Record]) -> Dataset:
    """Forget the order of records and terms."""
    return tuple(sorted(tuple(sorted(record)) for record in records))


def parted(records: Sequence[Record], sizes: Sequence[int]) -> list[list[Record]]:
    """Cut records into runs of the given lengths."""
    assert len(records) == sum(sizes)
    parts, first = [], 0
    for size in sizes:
        parts.append(list(records[first : first + size]))
        first += size
    return parts


def misfits(trees: list[Tree], records: Sequence[Record]) -> list[str]:
    """Return the errors of a world whose records are listed leaf by leaf, in the order of the trees."""
    paths = [path for tree in trees for path in leaf_paths(tree)]
    parts = parted(records, [path[-1]["size"] for path in paths])
    found = ["a record is empty" for record in records if not record]
    projections: dict[int, Counter[Record]] = {}
    for path, part in zip(paths, parts, strict=True):
        leaf = path[-1]
        rest = [set(record) for record in part]
        for term in leaf.get("term_chunk", ()):
            if not any(term in record for record in part):
                found.append(f"{term} of a term chunk occurs nowhere in its leaf")
        for record in rest:
            record -= set(leaf.get("term_chunk", ()))
        for node in reversed(path):  # a term belongs to the lowest place that has it
            for chunk in chunks_of(node):
                domain = frozenset(term for terms in bag_of(chunk) for term in terms)
                seen = projections.setdefault(id(chunk), Counter())
                seen.update(frozenset(record & domain) for record in rest if record & domain)
            for record in rest:
                record -= terms_of_chunks(node)
        found += [f"{sorted(record)} comes from nowhere" for record in rest if record]
    for path in paths:
        for node in path:
            for chunk in chunks_of(node):
                if projections[id(chunk)] != bag_of(chunk):
                    found.append(f"a chunk is {dict(projections[id(chunk)])}, published was {dict(bag_of(chunk))}")
    return found
