"""Where a release of disassociation contradicts itself: its stated parameters, and what it promises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from disjoin.methods.disassociation.choices import STRATEGIES, known_terms, stated_clusterings
from disjoin.model.guarantee import KmAnonymity

if TYPE_CHECKING:
    from disjoin.model import AnyGuarantee


def contradictions_of(guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
    """Say where a release's stated parameters, or the records it left out, contradict its promise."""
    if not isinstance(guarantee, KmAnonymity):
        return [f"the method promises km-anonymity, but the promise is of type {guarantee.to_json()['type']}"]
    return [*_other_numbers(guarantee, stated), *_impossible(guarantee, stated, suppressed)]


def _other_numbers(guarantee: KmAnonymity, stated: Mapping[str, Any]) -> list[str]:
    """Say which numbers differ from those that are promised."""
    promise = guarantee.to_json()
    expected: dict[str, tuple[Any, Any]] = {
        "k": (stated.get("k"), guarantee.k),
        "m": (known_terms(stated), guarantee.m),
    }
    expected |= {"slack": (stated.get("slack", 0), guarantee.slack)}
    expected |= {"cover_aware": (stated.get("cover_aware"), promise.get("cover_aware"))}
    if guarantee.sensitive:
        expected |= {"l": (stated.get("l", 1), guarantee.l)}
    return [
        f"the parameter {name} is {stated.get(name)!r}, but {promised} is promised"
        for name, (kept, promised) in expected.items()
        if kept != promised
    ]


def _impossible(guarantee: KmAnonymity, stated: Mapping[str, Any], suppressed: int) -> list[str]:
    """Say what no release can state together."""
    found = []
    if guarantee.proven and stated.get("refine_mode") == "paper":
        found.append("the parameter refine_mode is 'paper', whose promise is not proven, but the promise is stated so")
    if "clustering" in stated and stated["clustering"] not in stated_clusterings():
        found.append(f"the parameter clustering is {stated['clustering']!r}, which no release states")
    leaving = [name for name, strategy in STRATEGIES.items() if strategy.leaves_out]
    if suppressed and stated.get("strategy") not in leaving:
        found.append(f"{suppressed} records are left out, but not by the strategy {' or '.join(map(repr, leaving))}")
    return found
