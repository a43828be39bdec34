"""Slow twins of what resists more than k^m asks: covers, chunks divided until there are none, and slack.

Standard library only. A cover is (known terms, the term that they imply).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

from oracle.disassociation import is_km_anonymous
from oracle.inspection import bag_of, chunks_of, counts_suffice, nodes_of, size_of
from oracle.inspection import is_km_anonymous as is_safe_chunk
from oracle.reconstruction import is_joint

Bag = Counter[frozenset[str]]


def supports(bag: Bag, most: int) -> Counter[frozenset[str]]:
    """Count the records that have each set of up to that many terms."""
    found: Counter[frozenset[str]] = Counter()
    for terms, count in bag.items():
        for n in range(1, most + 1):
            for each in combinations(sorted(terms), n):
                found[frozenset(each)] += count
    return found


def covers(bag: Bag, size: int, m: int, limit: Fraction) -> set[tuple[frozenset[str], str]]:
    """Return the terms that up to m known terms of a chunk (or none, of its cluster's records) imply too often."""
    found = supports(bag, m + 1) + Counter({frozenset(): size})
    return {
        (terms - {told}, told)
        for terms, count in found.items()
        for told in terms
        if count >= limit * found[terms - {told}]
    }


def divided(records, chunks, k, m, limit):
    """Return the chunks of a leaf, divided term by term: most frequent first, to where it shares most and is safe."""
    held = Counter(t for record in records for t in set(record))
    universal = {t for t in held if held[t] >= limit * len(records)}
    parts: list[list[str]] = []
    for term in sorted((t for chunk in chunks for t in chunk if t not in universal), key=lambda t: (-held[t], t)):
        allowed = [part for part in parts if _takes(records, part, term, k, m, limit)]
        chosen = max(allowed, key=lambda part: _shared(records, part, term), default=None)
        if chosen is None:
            parts.append([term])
        else:
            chosen.append(term)
    return {frozenset(part) for part in parts}


def _shared(records, part, term):
    return sum(len(set(record) & set(part)) for record in records if term in record)


def _takes(records, part, term, k, m, limit):
    domain = frozenset([*part, term])
    bag = Counter(frozenset(record) & domain for record in records)
    return is_km_anonymous(records, domain, k, m) and not covers(bag, len(records), m, limit)


def unresisted(trees, k, m, *, cover=None, slack=0, also=()):
    """Return which of V13 to V15 do not hold."""
    nodes = nodes_of(trees)
    leaves = [node for node in nodes if not is_joint(node)]

    def keeps(k, m):
        return (
            all(is_safe_chunk(chunk, k, m) for node in nodes for chunk in chunks_of(node))
            and all(leaf["size"] >= k for leaf in leaves)
            and all(leaf.get("term_chunk") or counts_suffice(leaf, k, m) for leaf in leaves)
        )

    def has_spare(leaf):
        v = len(chunks_of(leaf))
        needed = leaf["size"] + k * (max(1, min(m, v)) - 1) + slack * max(0, v - 1)
        return bool(leaf.get("term_chunk")) or sum(map(size_of, chunks_of(leaf))) >= needed

    holds = {
        "V13": cover is None
        or not any(covers(bag_of(chunk), node["size"], m, cover) for node in nodes for chunk in chunks_of(node)),
        "V14": not slack
        or (
            all(is_safe_chunk(chunk, k + slack, m) for node in nodes for chunk in chunks_of(node))
            and all(leaf["size"] >= k + slack and has_spare(leaf) for leaf in leaves)
        ),
        "V15": all(keeps(*other) for other in also),
    }
    return {name for name, held in holds.items() if not held}
