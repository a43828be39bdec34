"""Which items are sensitive, and whether they can be hidden at all (section C.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.model import Transactions

if TYPE_CHECKING:
    from disjoin.methods.cahd import Cahd


def marked(method: Cahd, data: Transactions) -> Transactions:
    """Return the records with the sensitive items marked; raise if there are none, or unknown ones, or no others."""
    if method.random_sensitive is not None:
        wanted = _drawn(method.random_sensitive, method.p, method.seed, data)
    else:
        wanted = list(method.sensitive)
        _require_known(wanted, data)
    wanted += data.sensitive_terms()
    if not wanted:
        raise InvalidParameter(
            "nothing to protect: no sensitive items are given. Name those that nobody should be linked to."
        )
    chosen = data.with_sensitive(wanted)
    assert chosen.sensitive is not None, "just marked"
    if not (~chosen.sensitive[chosen.items]).any():
        raise InvalidParameter(
            "all items are sensitive, so no record would have anything left to publish. Name only those that nobody "
            "should be linked to."
        )
    return chosen


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


def _require_known(wanted: list[str], data: Transactions) -> None:
    occurs = np.flatnonzero(data.supports())
    there = set(data.vocabulary.take(occurs).to_pylist()) if wanted else set()
    unknown = [term for term in wanted if term not in there]
    if unknown:
        named = f"{unknown[0]!r} does" if len(unknown) == 1 else f"{unknown[0]!r} and {len(unknown) - 1:,} more do"
        raise InvalidParameter(f"every sensitive item must occur in the data, and {named} not. Check the spelling.")


def require_reachable(p: int, data: Transactions) -> None:
    """Raise unless p can be reached, which the counts alone tell: all records together could be one group."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    supports = data.supports()
    worst = int(np.argmax(np.where(data.sensitive, supports, -1)))
    count, n, item = int(supports[worst]), len(data), data.vocabulary[worst].as_py()
    if count * p <= n:
        return
    found = f"the sensitive item {item!r} is in {count:,} of {n:,} records, which is more than 1 in {p}."
    if n // count < 2:
        raise GuaranteeUnreachable(f"{found} No p can be reached unless {item!r} is not counted as sensitive.")
    raise GuaranteeUnreachable(f"{found} With these items p can be at most {n // count}.{_others(p, data)}")


def _others(p: int, data: Transactions) -> str:
    """Say how many other items are too frequent, so that nobody strikes one after the other off the list."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    others = int((data.supports()[data.sensitive] > len(data) // p).sum()) - 1
    if not others:
        return ""
    return f" {others:,} other sensitive {'item is' if others == 1 else 'items are'} in more than 1 in {p}, too."


def bare_records(data: Transactions) -> int:
    """Count the records that have sensitive items only."""
    assert data.sensitive is not None, "sensitive terms are marked first"
    ordinary = np.concatenate(([0], np.cumsum(~data.sensitive[data.items])))
    return int((np.diff(ordinary[data.offsets]) == 0).sum())
