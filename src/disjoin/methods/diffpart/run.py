"""DiffPart, from records to noisy records: partitions are divided by noisy counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.jit.decision import prepare
from disjoin.jit.kernel import kernel
from disjoin.methods.diffpart.domain import Known, Node, Taxonomy, known_records
from disjoin.methods.diffpart.noise import KIND, Source, opendp_source
from disjoin.model import Bag, Draft, NoisyRecords, Transactions
from disjoin.model.differential_privacy import SEEN
from disjoin.model.ragged import Ints64
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.diffpart import DiffPart


class OverBudget(AssertionError):
    """More than the guaranteed budget would be spent: an internal error, and nothing is published."""


@dataclass(frozen=True, slots=True)
class Account:
    """The budget of the path from the root to one partition, and what it has spent. Siblings have separate accounts,
    because they share no record.

    >>> account = Account(Fraction(1)).spend(Fraction(1, 8))
    >>> account.allowance(3), account.allowance(1)
    (Fraction(1, 8), Fraction(7, 8))
    """

    total: Fraction
    spent: Fraction = Fraction(0)

    def allowance(self, inner_nodes: int) -> Fraction:
        """Return the budget of the next step, for a cut with that many inner nodes in and below it. Half of the total
        is reserved for the last step, which counts records. The other steps share the rest; a record with a term under
        every node has the most of them."""
        if inner_nodes == 1:
            return self.total - self.spent
        return (self.total / 2 - self.spent) / inner_nodes

    def spend(self, epsilon: Fraction) -> Account:
        """Return the account after a step; raises OverBudget rather than exceed the total."""
        after = self.spent + epsilon
        # Not an assert: python -O must not switch it off.
        if epsilon <= 0 or after > self.total:
            raise OverBudget(f"a step of {float(epsilon):g} after {float(self.spent):g} of {float(self.total):g}")
        return Account(self.total, after)


@kernel
def child_masks(offsets, items, members, first, last, width):
    """Return for every record in `members` the children that it has items of, as bits: child j is 1 << j and has items
    from `first + j * width`, before `last`. Items of a record ascend."""
    masks = np.zeros(members.size, dtype=np.int64)
    for i in range(members.size):
        low, end = offsets[members[i]], offsets[members[i] + 1]
        high = end
        while low < high:  # find where the node's items begin
            middle = (low + high) // 2
            if items[middle] < first:
                low = middle + 1
            else:
                high = middle
        mask = 0
        while low < end and items[low] < last:
            mask |= 1 << ((items[low] - first) // width)
            low += 1
        masks[i] = mask
    return masks


Row = tuple[tuple[int, ...], int]  # positions of terms, ascending, and a noisy count


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """What all steps of a run share; thresholds are in standard deviations of the noise."""

    tree: Taxonomy
    records: Known
    source: Source
    prune: float
    keep: float


@dataclass(frozen=True, slots=True, eq=False)
class TaxonomyPartition:
    """The records that have a term under every node of a cut of the tree, and no other terms. The cut is `inner`,
    highest level first and then by position, and the terms `leaves`, ascending."""

    inner: tuple[Node, ...]
    leaves: tuple[int, ...]
    inner_nodes: int  # in the subtrees of `inner`, including `inner` itself
    members: Ints64  # records; possibly none
    account: Account


class Division(NamedTuple):
    """The result of dividing a partition: smaller ones, or rows if nothing remains to be divided."""

    account: Account
    subsets: int
    partitions: list[TaxonomyPartition]
    rows: list[Row]


def whole(rules: Rules, account: Account) -> TaxonomyPartition:
    root = rules.tree.root
    return TaxonomyPartition((root,), (), rules.tree.inner_nodes(root), np.arange(len(rules.records)), account)


def divide(partition: TaxonomyPartition, rules: Rules) -> Division:
    """Divide by the first node of the highest level. Every subset of its children is counted with noise, also those
    that no record has: the release must not reveal whether a subset is empty in the original."""
    node, records = partition.inner[0], rules.records
    children, terms = rules.tree.children(node), rules.tree.terms(node)
    width = rules.tree.terms_of_a_child(node)
    masks = child_masks(records.offsets, records.items, partition.members, terms.start, terms.stop, width)
    counts = np.bincount(masks, minlength=1 << len(children))
    assert counts[0] == 0, "a record of a partition has a term under every node of its cut"
    is_last = partition.inner_nodes == 1
    noisy = rules.source(counts[1:], partition.account.allowance(partition.inner_nodes))
    account = partition.account.spend(noisy.epsilon)
    threshold = noisy.deviation * (rules.keep if is_last else rules.prune * node.level)
    passed = np.flatnonzero(noisy.counts >= threshold) + 1
    subsets = [tuple(child for bit, child in enumerate(children) if mask >> bit & 1) for mask in passed.tolist()]
    if is_last:
        found = zip(subsets, noisy.counts[passed - 1].tolist(), strict=True)
        rows = [((*partition.leaves, *subset), count) for subset, count in found if count >= 1]
        return Division(account, counts.size - 1, [], rows)
    order = np.argsort(masks, kind="stable")
    bounds = np.searchsorted(masks[order], np.stack((passed, passed + 1))).T.tolist()
    members = partition.members[order]
    parts = [
        _narrowed(partition, rules.tree, subset, members[first:last].copy(), account)  # a view would keep the others
        for subset, (first, last) in zip(subsets, bounds, strict=True)
    ]
    return Division(account, counts.size - 1, parts, [])


def _narrowed(
    partition: TaxonomyPartition, tree: Taxonomy, subset: tuple[int, ...], members: Ints64, account: Account
) -> TaxonomyPartition:
    node, *others = partition.inner
    below = tuple(Node(node.level - 1, child) for child in subset)
    left = partition.inner_nodes - tree.inner_nodes(node)
    if node.level == 1:
        return TaxonomyPartition(tuple(others), (*partition.leaves, *subset), left, members, account)
    # Appended in order: the nodes of this level that are already listed are further left.
    left += sum(tree.inner_nodes(child) for child in below)
    return TaxonomyPartition((*others, *below), partition.leaves, left, members, account)


INTERPRETED = 20e-6  # seconds per occurrence
AT_A_TIME = 16  # partitions between two reports of progress


def noisy_records(method: DiffPart, data: Transactions, progress: Progress) -> Draft[NoisyRecords]:
    """Divide the records and list the rest. Depth first needs little memory: only siblings on one path wait."""
    source = opendp_source() if method.noise is None else method.noise.source()
    prepare(INTERPRETED * data.items.size)
    known = known_records(data, method.domain)
    waiting, rows = list[TaxonomyPartition](), list[Row]()
    if len(known.terms):
        tree = Taxonomy(len(known.terms), method.fan_out)
        rules = Rules(tree, known, source, float(method.prune), float(method.keep))
        waiting.append(whole(rules, Account(method.epsilon)))
    done = pruned = 0
    spent: set[Fraction] = set()
    while waiting:
        division = divide(waiting.pop(), rules)
        waiting += division.partitions
        rows += division.rows
        pruned += division.subsets - len(division.partitions) - len(division.rows)
        if not division.partitions:  # the path ends here
            spent.add(division.account.spent)
        done += 1
        if done % AT_A_TIME == 0:
            progress("dividing", done, 0, f"{len(waiting):,} to go, {len(rows):,} rows")
    if done:
        progress("dividing", done, done, f"{len(rows):,} rows")
    names = known.terms.to_pylist()
    facts = {
        "partitions": done,
        "pruned": pruned,
        "least_spent": float(min(spent, default=0)),
        "most_spent": float(max(spent, default=0)),
        "noise": KIND if method.noise is None else f"{method.noise.kind}, for experiments",
        "terms": SEEN if method.domain == SEEN else "given",
        "domain": len(known.terms),
        "outside_terms": known.outside_terms,
        "outside_occurrences": known.outside_occurrences,
        "outside_records": known.outside_records,
    }
    bag = Bag.from_rows(([names[item] for item in items], count) for items, count in rows)
    return Draft(NoisyRecords(bag), part_of_record=None, private=facts)
