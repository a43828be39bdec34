"""V13-V15: guarantees beyond k and m. The search for V15 is bounded; its results are verified like all others."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity
from disjoin.model.ragged import Ints64
from disjoin.text import counted
from disjoin.verify import chunks
from disjoin.verify.clusters import structure
from disjoin.verify.counting.rule_confidence import FOUND, LENGTH, OF, TOLD, look_for_covers
from disjoin.verify.forest import Forest, check_shape, sums_by_row
from disjoin.verify.inspection import Finding

MOST_KNOWN = 10
STEPS_PER_ITEM, FEWEST_STEPS = 20, 10_000
FIRST_CHUNKS = 100  # are checked before the others: usually one of them decides


def guaranteed(guarantee: KmAnonymity) -> set[str]:
    asked = {"V13": guarantee.cover_aware, "V14": guarantee.slack, "V15": guarantee.proven and guarantee.also}
    return {name for name, is_asked in asked.items() if is_asked}


def check_resistance(forest: Forest, guarantee: KmAnonymity) -> list[Finding]:
    asked = guaranteed(guarantee)
    findings = []
    if guarantee.cover_aware is not None:
        findings += check_covers(forest, guarantee.m, guarantee.cover_aware)
    if "V14" in asked:
        findings += check_slack(forest, guarantee)
    if "V15" in asked:
        findings += [
            found._replace(invariant="V15", message=f"for k = {k} and m = {m}: {found.message}")
            for k, m in guarantee.also
            for found in keeps(forest, guarantee.plain(k, m))
        ]
    return findings


def check_covers(forest: Forest, m: int, limit: Fraction) -> list[Finding]:
    """V13: in no chunk do 0 to m terms imply another with a confidence of `limit` or more."""
    every = np.arange(forest.subrecord_offsets.size - 1)
    sizes = forest.sizes[forest.chunk_nodes]
    limits = (m, limit.numerator, limit.denominator)
    told, examples, is_done = look_for_covers(every, forest.bags, sizes, limits, len(forest.names))
    if not is_done and not told.any():
        what = f"whether up to {m} known terms of a chunk imply another"
        raise InvalidParameter(f"it cannot be decided {what}: that takes too many steps. Use a smaller m.")
    findings = []
    for c in np.flatnonzero(told[FOUND]):
        known = int(told[LENGTH, c])
        who, whose = "a term", "the records of the cluster"
        if known:
            who = f"{counted(known, 'known term')} impl{'ies' if known == 1 else 'y'} another"
            whose = "the records with them"
        others = "" if told[FOUND, c] == 1 else f" At least {told[FOUND, c] - 1} other sets do, too."
        share = f"{told[TOLD, c]} of {told[OF, c]} of {whose} have it, but the share must be below {limit}"
        message = f"{who}, the last of these: {share}.{others}"
        findings.append(forest.finding("V13", message, c, examples[c, : known + 1]))
    return findings


def check_slack(forest: Forest, guarantee: KmAnonymity) -> list[Finding]:
    """V14: after removing any `slack` records, V5 to V8 hold for the rest."""
    more = replace(guarantee, k=guarantee.k + guarantee.slack)
    findings = chunks.check_combinations(forest, more)
    findings += _too_small(forest, guarantee.plain(more.k, 1))
    findings += structure.check_counts(forest, forest.domains.chunk_sizes, guarantee, known=guarantee.slack)[0]
    return [found._replace(invariant="V14") for found in findings]


def keeps(forest: Forest, guarantee: KmAnonymity) -> list[Finding]:
    """Return the breaches of V5 to V8 for another k and m; V1 to V4 and V9 do not depend on them."""
    findings = chunks.check_combinations(forest, guarantee) + _too_small(forest, guarantee)
    return findings + structure.check_counts(forest, forest.domains.chunk_sizes, guarantee)[0]


def _too_small(forest: Forest, guarantee: KmAnonymity) -> list[Finding]:
    return structure.check_least_sizes(forest, guarantee, np.zeros(len(forest), np.bool_))


def with_stronger_guarantees(published: Clusters, guarantee: KmAnonymity) -> KmAnonymity:
    """Return the guarantee with other k and m that the tables also satisfy; it must itself hold for them.

    >>> leaf = {"size": 4, "record_chunks": [{"subrecords": [[["jam", "tea"], 4]]}], "term_chunk": ["milk"]}
    >>> with_stronger_guarantees(Clusters.from_nested([leaf]), KmAnonymity(2, 1)).also
    ((2, 10), (4, 1))
    """
    if not guarantee.proven or check_shape(published):
        return guarantee
    tables = _Tables(published)
    m, k = tables.largest_m(guarantee), tables.largest_k(guarantee)
    return replace(guarantee, also=((guarantee.k, m), (k, guarantee.m)))


class _Tables:
    def __init__(self, published: Clusters) -> None:
        self.forest = Forest.of(published)
        self.chunk_sizes = published.chunks.sums(published.counts)
        listed = (Forest.of(trees).domains.supports for trees in published.in_ranges())
        self.least = min(int(supports.min(initial=2**31)) for supports in listed)  # least support in a chunk
        self.steps = FEWEST_STEPS + STEPS_PER_ITEM * published.items.size
        longest = max(map(chunks.longest_row, (self.forest.item_offsets, self.forest.chunk_offsets)))
        self.saturated = max(1, longest)  # a larger m requires nothing more

    def largest_m(self, guarantee: KmAnonymity) -> int:
        found = guarantee.m
        while found < MOST_KNOWN and (found >= self.saturated or self.keep(guarantee.plain(guarantee.k, found + 1))):
            found += 1
        return found

    def largest_k(self, guarantee: KmAnonymity) -> int:
        """Return the largest k for which the guarantee holds, as far as it can be decided."""
        found, limit = guarantee.k, self._most_k(guarantee.m) + 1
        if found + 1 >= limit or not self.keep(guarantee.plain(found + 1, guarantee.m)):
            return found
        found += 1
        while limit - found > 1:
            middle = (found + limit) // 2
            if self.keep(guarantee.plain(middle, guarantee.m)):
                found = middle
            else:
                limit = middle
        return found

    def _most_k(self, m: int) -> int:
        forest, leaf = self.forest, self.forest.is_leaf
        most = int(forest.sizes[leaf].min(initial=2**31))
        bare = np.flatnonzero(leaf & (np.diff(forest.term_offsets) == 0))
        spread = np.minimum(min(m, 2**31), np.diff(forest.chunk_offsets)[bare]) - 1
        spare = sums_by_row(forest.chunk_offsets, self.chunk_sizes)[bare] - forest.sizes[bare]
        return min(most, int((spare[spread > 0] // spread[spread > 0]).min(initial=2**31)))

    def keep(self, guarantee: KmAnonymity) -> bool:
        """Return whether V5 to V8 hold for another k and m; False if that takes too long."""
        too_few = structure.check_counts(self.forest, self.chunk_sizes, guarantee)[0]
        if _too_small(self.forest, guarantee) or too_few or self.least < guarantee.k:
            return False
        if guarantee.m == 1:
            return True
        weak = self.forest.chunks_below(guarantee.k)
        return self._none_rare(weak[:FIRST_CHUNKS], guarantee) and self._none_rare(weak[FIRST_CHUNKS:], guarantee)

    def _none_rare(self, those: Ints64, guarantee: KmAnonymity) -> bool:
        try:
            (found, _, _), _ = chunks.find_rare(self.forest, those, guarantee.k, guarantee.m, self.steps, one=True)
        except InvalidParameter:  # not decided
            return False
        return not found.any()
