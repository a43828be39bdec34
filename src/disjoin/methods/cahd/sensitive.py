"""Sensitive items of CAHD, and whether their frequency allows the privacy degree (section C.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.sensitive_terms import Chosen, chosen_terms, named
from disjoin.model import Transactions
from disjoin.model.ragged import Ints32, Ints64
from disjoin.model.spelling import first_alike

if TYPE_CHECKING:
    from disjoin.methods.cahd import Cahd


def chosen_items(method: Cahd, data: Transactions) -> Chosen:
    """Return the items to treat as sensitive; raises if some are misspelt."""
    number = method.random_sensitive
    return chosen_terms(method, data, [] if number is None else _drawn(number, method.p, method.seed, data))


def marked(method: Cahd, data: Transactions) -> Transactions:
    """Return the records with the sensitive items marked; raise if there are none, or misspelt ones, or no others."""
    wanted = chosen_items(method, data).terms
    if not wanted:
        given = "none of the sensitive items occurs" if method.sensitive else "no sensitive items are given"
        raise InvalidParameter(f"nothing to protect: {given}. Name those that nobody should be linked to.")
    chosen = data.with_sensitive(wanted)
    assert chosen.sensitive is not None, "just marked"
    if not (~chosen.sensitive[chosen.items]).any():
        raise InvalidParameter(
            "all items are sensitive, so no record would have anything left to publish. Name only those that nobody "
            "should be linked to."
        )
    _refuse_two_spellings(chosen)
    return chosen


def _refuse_two_spellings(data: Transactions) -> None:
    """Raise if a record has an item in two spellings: groups count records by spelling, and would count it twice."""
    numbers = counted_as(data)
    if (numbers == np.arange(numbers.size)).all():
        return
    records = data.records.owners()
    keys, counts = np.unique(records * data.n_terms + numbers[data.items], return_counts=True)
    if counts.max(initial=1) == 1:
        return
    item = int(keys[np.argmax(counts > 1)] % data.n_terms)
    spellings = data.vocabulary.take(np.flatnonzero(numbers == item)).to_pylist()
    raise InvalidParameter(
        f"a record may have a sensitive item once, but {int((counts > 1).sum()):,} have one in several spellings: "
        f"{named(spellings)}. Give the item one spelling in the data."
    )


def counted_as(data: Transactions) -> Ints32:
    """Return for every item the one that it is counted as: of sensitive ones that are alike, the first."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    numbers = np.arange(data.n_terms, dtype=np.int32)
    hidden = np.flatnonzero(data.sensitive)
    numbers[hidden] = hidden[first_alike(data.sensitive_terms())]
    return numbers


def _drawn(number: int, p: int, seed: int, data: Transactions) -> list[str]:
    """Take items at random among those that allow p."""
    supports = data.supports()
    allowed = (supports > 0) & (supports <= len(data) // p)
    there = int(allowed.sum())
    if there < number:
        wanted = "1 item was" if number == 1 else f"{number:,} items were"
        found = "none is" if there == 0 else "only 1 is" if there == 1 else f"only {there:,} are"
        raise GuaranteeUnreachable(
            f"{wanted} to be taken for sensitive, but {found} in no more than 1 in {p} records. Ask for fewer, or "
            "lower p."
        )
    shuffled = np.random.default_rng(seed).permutation(data.n_terms)  # another p takes the same items, if it can
    chosen = shuffled[allowed[shuffled]][:number]
    return sorted(data.vocabulary[int(term)].as_py() for term in chosen)


def require_reachable(p: int, data: Transactions) -> None:
    """Raise unless p can be reached, which the counts alone tell: all records together could be one group."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    supports = _supports(data)
    worst = int(np.argmax(np.where(data.sensitive, supports, -1)))
    count, n, item = int(supports[worst]), len(data), data.vocabulary[worst].as_py()
    if count * p <= n:
        return
    found = f"the sensitive item {item!r} is in {count:,} of {n:,} records, which is more than 1 in {p}."
    if n // count < 2:
        raise GuaranteeUnreachable(f"{found} No p can be reached unless {item!r} is not counted as sensitive.")
    raise GuaranteeUnreachable(f"{found} With these items p can be at most {n // count}.{_others(p, data)}")


def _supports(data: Transactions) -> Ints64:
    """Count, for every item, the records that have it in any spelling."""
    return np.bincount(counted_as(data), data.supports(), data.n_terms).astype(np.int64)


def _others(p: int, data: Transactions) -> str:
    """Say how many other items are too frequent, so that nobody strikes one after the other off the list."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    others = int((_supports(data)[data.sensitive] > len(data) // p).sum()) - 1
    if not others:
        return ""
    return f" {others:,} other sensitive {'item is' if others == 1 else 'items are'} in more than 1 in {p}, too."


def bare_records(data: Transactions) -> int:
    """Count the records that have sensitive items only."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    return int((data.records.sums(~data.sensitive[data.items]) == 0).sum())
