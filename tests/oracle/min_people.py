"""The threshold as one would do it by hand: who has what, label by label, with the standard library alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def labels(has: Sequence[frozenset[str]], least: int, rare: str, parents: Mapping[str, str]) -> dict[str, str | None]:
    """Return what every term is published as, None for nothing; `parents` are those of terms and categories."""
    terms = sorted({term for each in has for term in each})
    holders = {term: {person for person, each in enumerate(has) if term in each} for term in terms}
    found: dict[str, str | None] = {term: term if len(holders[term]) >= least else None for term in terms}
    few = [term for term in terms if found[term] is None]
    if rare == "other":
        anybody = set().union(*(holders[term] for term in few), holders.get("other", set()))
        return found | (dict.fromkeys(few, "other") if len(anybody) >= least else {})
    if rare == "leave-out":
        return found
    where = {term: term for term in few if term in parents or term in parents.values()}
    while where:
        lowest = max(depth(node, parents) for node in where.values())
        here = {node for node in where.values() if depth(node, parents) == lowest}
        for node in here:
            waiting = [term for term in where if where[term] == node]
            if node not in parents:  # the root
                where = {term: at for term, at in where.items() if term not in waiting}
                continue
            crowd = set().union(*(holders[term] for term in waiting), holders.get(node, set()))
            if len(crowd) >= least:
                found |= dict.fromkeys(waiting, node)
                where = {term: at for term, at in where.items() if term not in waiting}
            else:
                where |= dict.fromkeys(waiting, parents[node])
    return found


def depth(node: str, parents: Mapping[str, str]) -> int:
    """Count the steps to the root."""
    return 0 if node not in parents else 1 + depth(parents[node], parents)


def replaced(has: Sequence[frozenset[str]], becomes: Mapping[str, str | None]) -> list[frozenset[str]]:
    """Return all people with labels instead of terms."""
    return [frozenset(label for term in each if (label := becomes[term]) is not None) for each in has]
