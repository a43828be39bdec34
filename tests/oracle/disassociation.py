"""Slow, obvious twins of HORPART, its strategies and VERPART. Standard library only.

Records are lists of terms in written order; a cluster is a list of record numbers.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import ceil

STRATEGIES = ("abandon", "abandon-next", "suppression", "adding", "remaining", "cardiff")


def by_frequency(records, part, ignore, ties):
    """Terms of the part that are not ignored, most frequent first."""
    counts = Counter(t for r in part for t in records[r] if t not in ignore)
    first = {}
    for r in part:
        for t in records[r]:
            first.setdefault(t, len(first))
    return sorted(counts, key=lambda t: (-counts[t], first[t] if ties == "first" else t))


def split(records, part, term):
    return [r for r in part if term in records[r]], [r for r in part if term not in records[r]]


def listing(records, part, limit, sensitive, ties, refuse=None, tries_next=False):
    """HORPART without lower bound, or with a test `refuse(d1, d2)` that makes it give up (or try the next term)."""
    stack, emitted = [(list(part), frozenset(sensitive))], []
    while stack:
        part, ignore = stack.pop()
        if len(part) < limit:
            emitted.append(part)
            continue
        for term in by_frequency(records, part, ignore, ties):
            d1, d2 = split(records, part, term)
            if not d2:
                ignore = ignore | {term}
                continue
            if refuse and refuse(d1, d2):
                if tries_next:
                    continue
                emitted.append(part)
                break
            stack += [(d2, ignore), (d1, ignore | {term})]
            break
        else:
            emitted.append(part)
    return emitted


def adding(records, limit, least, sensitive, ties):
    queue, saved = [(list(range(len(records))), frozenset(sensitive))], []
    while queue:
        part, ignore = queue.pop(0)
        terms = by_frequency(records, part, ignore, ties)
        if len(part) < limit or not terms:
            if len(part) >= least:
                saved.append(part)
            elif queue:
                other, other_ignore = queue[0]
                queue[0] = (other + part, other_ignore | ignore)
            else:
                saved[-1] = saved[-1] + part
            continue
        d1, d2 = split(records, part, terms[0])
        queue[:0] = [(d1, ignore | {terms[0]})] + ([(d2, ignore)] if d2 else [])
    return saved


def content(record, sensitive):
    return sorted(t for t in record if t not in sensitive), sorted(t for t in record if t in sensitive)


def chop(records, part, limit, least, sensitive):
    part = sorted(part, key=lambda r: content(records[r], sensitive))
    blocks = max(1, min(ceil(len(part) / (limit - 1)), len(part) // least))
    size, larger = divmod(len(part), blocks)
    out, start = [], 0
    for b in range(blocks):
        end = start + size + (b < larger)
        out.append(part[start:end])
        start = end
    return out


def remaining(records, limit, least, sensitive, ties, passes):
    left, saved = list(range(len(records))), []
    done = 0
    while left:
        if len(left) < least:
            saved[-1] = saved[-1] + left
            break
        if done == passes:
            saved += chop(records, left, limit, least, sensitive)
            break
        parts = listing(records, left, limit, sensitive, ties)
        done += 1
        good = [p for p in parts if len(p) >= least]
        left = [r for p in parts if len(p) < least for r in p]
        saved += good
        if not good:
            saved += chop(records, left, limit, least, sensitive)
            break
    return saved


def horpart(records, limit, least, strategy, ties="lex", sensitive=()):
    """Return (clusters, suppressed clusters)."""
    everyone = range(len(records))
    if strategy == "none":
        return listing(records, everyone, limit, sensitive, ties), []
    if strategy in ("abandon", "abandon-next"):
        small = lambda d1, d2: len(d1) < least or len(d2) < least  # noqa: E731
        return listing(records, everyone, limit, sensitive, ties, small, strategy == "abandon-next"), []
    if strategy == "suppression":
        parts = listing(records, everyone, limit, sensitive, ties)
        return [p for p in parts if len(p) >= least], [p for p in parts if len(p) < least]
    if strategy == "adding":
        return adding(records, limit, least, sensitive, ties), []
    return remaining(records, limit, least, sensitive, ties, 2 if strategy == "cardiff" else None), []


def is_km_anonymous(records, domain, k, m):
    counts = Counter()
    for record in records:
        inside = sorted(set(record) & set(domain))
        for size in range(1, m + 1):
            counts.update(combinations(inside, size))
    return all(count >= k for count in counts.values())


def projections(records, domain):
    bag = (sorted(set(record) & set(domain)) for record in records)
    return sorted(subrecord for subrecord in bag if subrecord)


def verpart(records, k, m, sensitive=(), check=True):
    """Publish one cluster: the nested form of a simple cluster, in canonical order."""
    counts = Counter(t for record in records for t in set(record))
    order = sorted(counts, key=lambda t: (-counts[t], t))
    rare = {t for t in order if counts[t] < k or t in sensitive}
    remain, domains = [t for t in order if t not in rare], []
    while remain:
        current = []
        for t in remain:
            if is_km_anonymous(records, [*current, t], k, m):
                current.append(t)
        domains.append(current)
        remain = [t for t in remain if t not in current]
    while check:
        filled = sum(len(projections(records, d)) for d in domains)
        h = max(1, min(m, len(domains)))
        if rare or filled >= len(records) + k * (h - 1):
            break
        last = [t for t in order if any(t in d for d in domains)][-1]
        domains = [[t for t in d if t != last] for d in domains]
        domains = [d for d in domains if d]
        rare.add(last)
    chunks = sorted(projections(records, d) for d in domains)
    return {
        "type": "simple",
        "size": len(records),
        "record_chunks": [{"subrecords": chunk} for chunk in chunks],
        "term_chunk": sorted(rare),
    }


def canonical_key(tree):
    """The order of A.6."""
    chunks = [c["subrecords"] for c in tree.get("record_chunks", tree.get("shared_chunks"))]
    if "children" in tree:
        return (tree["size"], 1, chunks, [canonical_key(child) for child in tree["children"]])
    return (tree["size"], 0, chunks, tree["term_chunk"])


def publish(records, k, m, limit, strategy, ties="lex", sensitive=()):
    """The whole chain without REFINE, in canonical order."""
    clusters, _ = horpart(records, limit, k, strategy, ties, sensitive)
    return sorted((verpart([records[r] for r in c], k, m, sensitive) for c in clusters), key=canonical_key)
