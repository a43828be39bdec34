"""Slow, obvious twins of the clustering `bounded`: chunks that grow, the large leaf, the pruned tree.

Standard library only. A leaf is a list of record numbers, a chunk a list of terms.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from oracle.core import core_by_peeling
from oracle.disassociation import is_km_anonymous, split

MOST_REFUSALS, RATIO, UNIT, TOP, GAIN = 60, 0.7, 1024, 300, 2
PRICE_OF_ERROR, PRICE_OF_UNIVERSAL = 0.3, 0.1


def ranked(records, hidden=()):
    """The terms, most frequent first, then by name."""
    counts = Counter(t for record in records for t in set(record))
    return sorted((t for t in counts if t not in hidden), key=lambda t: (-counts[t], t)), counts


def company(records, chunk, term):
    """The number of occurrences of the chunk's terms in records with the term."""
    return sum(len(set(record) & set(chunk)) for record in records if term in record)


def shows_rare(record, chunk, term, records, k, p):
    """Whether p terms of the chunk and the term, this one among them, are in the record, and in fewer than k."""
    inside = sorted(set(record) & set(chunk)) if term in record else []
    sets = [{term, *some} for some in combinations(inside, p - 1)]
    return any(sum(some <= set(other) for other in records) < k for some in sets)


def grown_chunks(records, k, p, hidden=(), share=0):
    """The chunks of one leaf, in the order in which they were begun.

    A share of the records may show a set of p terms that fewer than k have, if that pays, unless no record has p terms.
    """
    terms, counts = ranked(records, hidden)
    left, chunks, refusals = [t for t in terms if counts[t] >= k], [], Counter()
    most, exposed = int(share * len(records)), set()

    def fits(chunk, term):
        if not most:
            return is_km_anonymous(records, [*chunk, term], k, p)
        if not is_km_anonymous(records, [*chunk, term], k, p - 1):
            return False
        more = {r for r, record in enumerate(records) if shows_rare(record, chunk, term, records, k, p)} - exposed
        if more and (len(exposed | more) > most or company(records, chunk, term) < GAIN * len(more)):
            return False
        exposed.update(more)
        return True

    while left:
        chunk = [left.pop(0)]
        chunks.append(chunk)
        barred = set() if refusals[chunk[0]] < MOST_REFUSALS else set(left)
        while choice := [t for t in left if t not in barred and refusals[t] < MOST_REFUSALS]:
            best = max(choice, key=lambda t, chunk=chunk: company(records, chunk, t))  # of equal ones the first
            if fits(chunk, best):
                chunk.append(best)
                left.remove(best)
            else:
                barred.add(best)
                refusals[best] += 1
    return chunks


def large_leaf(records, k, p, price, hidden=()):
    """The numbers of the records that stay in the large leaf; sets of up to three terms decide what joins its chunk."""
    terms, counts = ranked(records, hidden)
    left, chunk, alive = [t for t in terms if counts[t] >= k], [], list(records)
    while left:
        best = max(left, key=lambda t: company(alive, chunk, t))
        left.remove(best)
        rare = {
            some
            for size in range(1, min(p, 3))
            for some in combinations(sorted(chunk), size)
            if 0 < sum({best, *some} <= set(record) for record in alive) < k
        }
        with_it = [record for record in alive if best in record]
        offend = [record for record in with_it if any(set(some) <= set(record) for some in rare)]
        others = [record for record in with_it if record not in offend]
        good = sum(len(set(record) & set(chunk)) for record in others)
        bad = sum(len(list(combinations(set(record) & set(chunk), 2))) for record in offend)
        if len(others) >= k and (not offend or good > price * bad):
            chunk.append(best)
            alive = [record for record in alive if record not in offend]
    return core_by_peeling([set(record) & set(chunk) for record in records], k, p)


class Tree:
    """The records of all leaves, what is asked of them, and facts about the whole data that worth is measured in."""

    def __init__(self, records, k, p, hidden=(), share=0):
        self.records, self.k, self.p, self.hidden, self.share = records, k, p, set(hidden), share
        self.top = set(ranked(records, hidden)[0][:TOP])
        self.pairs = max(1, sum(len(list(combinations(set(r), 2))) for r in records))
        self.top_pairs = max(1, sum(len(list(combinations(set(r) & self.top, 2))) for r in records))
        self.occurrences = max(1, sum(len(set(r)) for r in records))

    def leaf_facts(self, leaf):
        """Pairs that a leaf shows, universal occurrences, errors of frequent pairs."""
        rows = [set(self.records[r]) for r in leaf]
        counts = Counter(t for row in rows for t in row)
        home = {t: n for n, c in enumerate(grown_chunks(rows, self.k, self.p, self.hidden, self.share)) for t in c}
        shown, errors = 0, Counter()
        for a, b in combinations(sorted(counts), 2):
            both = sum({a, b} <= row for row in rows)
            if a in home and home[a] == home.get(b):
                shown += both
            elif {a, b} <= self.top:
                guess = (counts[a] if a in home else 1) * (counts[b] if b in home else 1)
                errors[a, b] = guess * UNIT // len(rows) - both * UNIT
        return shown, sum(counts[t] for t in home if counts[t] == len(rows)), errors

    def worth(self, shown, universal, errors):
        error = sum(map(abs, errors.values()))
        wrong = PRICE_OF_ERROR * (error / UNIT) / self.top_pairs
        return shown / self.pairs - wrong - PRICE_OF_UNIVERSAL * universal / self.occurrences

    def sides(self, part):
        """Both sides of the split by the most frequent term that leaves k records on both; None if there is none."""
        for term in ranked([self.records[r] for r in part], self.hidden)[0]:
            sides = split(self.records, part, term)
            if min(map(len, sides)) >= self.k:
                return sides
        return None

    def leaves(self, part, around=None):
        """Leaves of a part, and their facts added up; `around` is the size of the next larger part that is weighed."""
        sides = self.sides(part)
        if sides is None:
            return [part], self.leaf_facts(part)
        weighed = around is None or len(part) <= RATIO * around
        inner = len(part) if weighed else around
        (first, a), (second, b) = (self.leaves(side, inner) for side in sides)
        errors = {pair: a[2].get(pair, 0) + b[2].get(pair, 0) for pair in {*a[2], *b[2]}}
        parts = first + second, (a[0] + b[0], a[1] + b[1], errors)
        if weighed:
            whole = self.leaf_facts(part)
            if self.worth(*whole) >= self.worth(*parts[1]):
                return [part], whole
        return parts


def bounded_leaves(records, k, m, price, hidden=(), share=0):
    """The leaves (core, large leaf, leaves of the tree) as record numbers, and how many records the core has."""
    plain = [set(record) - set(hidden) for record in records]
    core = sorted(core_by_peeling(plain, k, m + 1))
    rest = [r for r in range(len(records)) if r not in core]
    if len(core) < k or 0 < len(rest) < k:
        core, rest = [], list(range(len(records)))
    leaves = [core] if core else []
    if price is not None:
        stay = large_leaf([records[r] for r in rest], k, m + 1, price, hidden)
        if k <= len(stay) <= len(rest) - k:
            leaves.append([rest[r] for r in sorted(stay)])
            rest = [r for place, r in enumerate(rest) if place not in stay]
    if rest:
        leaves += Tree(records, k, m + 1, hidden, share).leaves(rest)[0]
    return leaves, len(core)
