"""CAHD from records to a draft: mark sensitive items, sort, order by similarity, form groups (section C.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.jit.decision import prepare
from disjoin.methods.cahd import GROUPINGS
from disjoin.methods.cahd.cahd_groups import Prepared, prepared, spread
from disjoin.methods.cahd.cuthill_mckee import rows_and_columns
from disjoin.methods.sensitive_terms import Chosen, chosen_terms, named
from disjoin.model import Draft, Groups, Transactions
from disjoin.model.ragged import Ints32, Ints64, inverse, offsets_of
from disjoin.model.spelling import first_alike
from disjoin.progress import Progress
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.methods.cahd import Cahd

INTERPRETED = 20e-6  # seconds per occurrence


def chosen_items(method: Cahd, data: Transactions) -> Chosen:
    number = method.random_sensitive
    return chosen_terms(method, data, [] if number is None else _drawn(number, method.p, method.seed, data))


def marked(method: Cahd, data: Transactions) -> Transactions:
    """Return the records with the sensitive items marked; raise if none or all are sensitive, or one is misspelt."""
    wanted = chosen_items(method, data).terms
    if not wanted:
        given = "none of the sensitive items occurs" if method.sensitive else "no sensitive items are given"
        raise InvalidParameter(f"nothing to protect: {given}. Name the items to which no person should be linked.")
    chosen = data.with_sensitive(wanted)
    assert chosen.sensitive is not None, "just marked"
    if not (~chosen.sensitive[chosen.items]).any():
        raise InvalidParameter(
            "all items are sensitive, so no record would have anything left to publish. Name only those to which "
            "no person should be linked."
        )
    # Groups count records by spelling, so a record with two spellings of an item would be counted twice.
    numbers = counted_as(chosen)
    if (numbers != np.arange(numbers.size)).any():
        keys, counts = np.unique(chosen.records.owners() * chosen.n_terms + numbers[chosen.items], return_counts=True)
        if counts.max(initial=1) > 1:
            item = int(keys[np.argmax(counts > 1)] % chosen.n_terms)
            spellings = chosen.vocabulary.take(np.flatnonzero(numbers == item)).to_pylist()
            raise InvalidParameter(
                f"a record may have a sensitive item once, but {int((counts > 1).sum()):,} have one in several "
                f"spellings: {named(spellings)}. Use one spelling of the item in the data."
            )
    return chosen


def counted_as(data: Transactions) -> Ints32:
    assert data.sensitive is not None, "sensitive terms must be marked before"
    numbers = np.arange(data.n_terms, dtype=np.int32)
    hidden = np.flatnonzero(data.sensitive)
    numbers[hidden] = hidden[first_alike(data.sensitive_terms())]
    return numbers


def _drawn(number: int, p: int, seed: int, data: Transactions) -> list[str]:
    supports = data.supports()
    allowed = (supports > 0) & (supports <= len(data) // p)
    there = int(allowed.sum())
    if there < number:
        found = f"only {counted(there, 'is', 'are')}" if there else "none is"
        raise GuaranteeUnreachable(
            f"{counted(number, 'item was', 'items were')} to be treated as sensitive, but {found} in no more than 1 in "
            f"{p} records. Choose fewer items, or lower p."
        )
    shuffled = np.random.default_rng(seed).permutation(data.n_terms)  # the choice depends on p as little as possible
    chosen = shuffled[allowed[shuffled]][:number]
    return sorted(data.vocabulary[int(term)].as_py() for term in chosen)


def require_reachable(p: int, data: Transactions) -> None:
    """Raise unless one group of all records satisfies p; this depends on the counts only."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    supports = np.bincount(counted_as(data), data.supports(), data.n_terms).astype(np.int64)  # in any spelling
    worst = int(np.argmax(np.where(data.sensitive, supports, -1)))
    count, n, item = int(supports[worst]), len(data), data.vocabulary[worst].as_py()
    if count * p <= n:
        return
    found = f"the sensitive item {item!r} is in {count:,} of {n:,} records, which is more than 1 in {p}."
    if n // count < 2:
        raise GuaranteeUnreachable(f"{found} No p can be reached unless {item!r} is removed from the sensitive items.")
    others = int((supports[data.sensitive] > n // p).sum()) - 1
    are = "item is" if others == 1 else "items are"
    more = f" {others:,} other sensitive {are} in more than 1 in {p}, too." if others else ""
    raise GuaranteeUnreachable(f"{found} With these items p can be at most {n // count}.{more}")


class Counted(NamedTuple):
    """The number of occurrences of something in a group, sorted by group and thing."""

    groups: Ints64
    things: Ints64
    counts: Ints64


def draft_of(prepared: Prepared, group_of_row: Ints64, n_groups: int) -> Draft[Groups]:
    sensitive = prepared.rows.sensitive
    things = sensitive.items.astype(np.int64)
    records, secrets = _counted(group_of_row, prepared.same), _counted(sensitive.spread(group_of_row), things)
    group_of_row = _canonical_places(records, secrets, n_groups)[group_of_row]
    part_of_record = np.empty(group_of_row.size, dtype=np.int64)
    part_of_record[prepared.records] = group_of_row
    records, secrets = _counted(group_of_row, prepared.same), _counted(sensitive.spread(group_of_row), things)
    first = np.searchsorted(prepared.same, records.things)  # one row of each distinct record
    rows = prepared.rows.ordinary.take(first).renumbered(prepared.ordinary)
    published = Groups(
        vocabulary=prepared.vocabulary,
        sizes=np.bincount(records.groups, records.counts, n_groups).astype(np.int64),
        record_offsets=offsets_of(np.bincount(records.groups, minlength=n_groups)),
        item_offsets=rows.offsets,
        items=rows.items,
        counts=records.counts,
        sensitive_offsets=offsets_of(np.bincount(secrets.groups, minlength=n_groups)),
        sensitive_items=prepared.sensitive[secrets.things],
        sensitive_counts=secrets.counts,
    )
    return Draft(published, part_of_record, sensitive=published.sensitive_terms())


def _counted(groups: Ints64, things: Ints64) -> Counted:
    width = int(things.max(initial=0)) + 1
    keys, counts = np.unique(groups * width + things, return_counts=True)
    return Counted(keys // width, keys % width, counts)


def _canonical_places(records: Counted, secrets: Counted, n_groups: int) -> Ints64:
    """Return the canonical place of every group: by size, records with repeats, sensitive items with repeats."""
    sizes = np.bincount(records.groups, records.counts, n_groups).astype(np.int64)
    firsts = records.things[np.searchsorted(records.groups, np.arange(n_groups))]
    order = np.lexsort((firsts, sizes))
    alike = (np.diff(sizes[order]) == 0) & (np.diff(firsts[order]) == 0)  # equal so far; later fields may differ
    starts = np.flatnonzero(np.append(True, ~alike))
    for first, last in zip(starts.tolist(), np.append(starts[1:], n_groups).tolist(), strict=True):
        if last - first > 1:
            order[first:last] = sorted(
                order[first:last].tolist(), key=lambda group: (_key(records, group), _key(secrets, group))
            )
    return inverse(order)


def _key(of: Counted, group: int) -> list[int]:
    here = slice(*np.searchsorted(of.groups, [group, group + 1]).tolist())
    repeated: list[int] = np.repeat(of.things[here], of.counts[here]).tolist()
    return repeated


def grouped_draft(method: Cahd, data: Transactions, progress: Progress) -> Draft[Groups]:
    prepare(INTERPRETED * data.items.size)
    progress("ordering", 0, 0)
    sorted_rows = prepared(data)
    rows = sorted_rows.rows
    order, _ = rows_and_columns(rows.ordinary.offsets, rows.ordinary.items, rows.n_items, method.order)
    grouping = GROUPINGS[method.grouping]
    if grouping.spreads:
        order = spread(order, sorted_rows.same)
    progress("ordering", 1, 1)
    # Groups count a sensitive item in its first spelling; no record has two equal ones.
    spellings = first_alike(sorted_rows.vocabulary.take(sorted_rows.sensitive).to_pylist())
    counted = replace(rows, sensitive=rows.sensitive.renumbered(spellings)).in_order(order)
    options = {"published_check": True} if method.published_check else {}
    grouped, n_groups = grouping.load()(counted, method.p, method.alpha, progress=progress, **options)
    group_of_row = np.empty(len(rows), dtype=np.int64)
    group_of_row[order] = grouped
    return draft_of(sorted_rows, group_of_row, n_groups)
