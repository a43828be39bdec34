"""Registry of all guarantees, by their names in releases and in the literature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from disjoin.errors import InvalidParameter, described
from disjoin.model.differential_privacy import DifferentialPrivacy
from disjoin.model.k_anonymity import Closeness, KAnonymity
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.privacy_degree import PrivacyDegree

AnyGuarantee = KmAnonymity | PrivacyDegree | KAnonymity | DifferentialPrivacy | MixedAnonymity
_KINDS = (KmAnonymity, PrivacyDegree, KAnonymity, DifferentialPrivacy, MixedAnonymity)
GUARANTEES: dict[str, type[AnyGuarantee]] = {kind.kind: kind for kind in _KINDS}
_LIMITS = {"entropy_l": "entropy {}-diverse", "t": "{}-close", "beta": "{}-like", "delta": "{}-disclosure private"}
_LISTED = ", ".join(list(GUARANTEES)[:-1]) + f" or {list(GUARANTEES)[-1]}"


def fractions() -> set[str]:
    """Return the names of all fields of guarantees that are fractions.

    >>> " ".join(sorted(fractions()))
    'alpha beta c cover_aware delta entropy_l epsilon least_presence most_presence suppress t'
    """
    return {
        part.name for kind in (*GUARANTEES.values(), Closeness) for part in fields(kind) if "Fraction" in str(part.type)
    }


def guarantee_from(facts: dict[str, Any]) -> AnyGuarantee:
    """Read a guarantee of any kind from JSON.

    >>> guarantee_from({"type": "privacy-degree", "p": 4})
    PrivacyDegree(p=4, sensitive=(), min_people=None)
    """
    kind = facts.get("type")
    if not isinstance(kind, str) or kind not in GUARANTEES:
        raise InvalidParameter(f"expected a guarantee of type {_LISTED}, found {described(kind)}")
    return GUARANTEES[kind].from_json(facts)


def names_of(guarantee: Mapping[str, Any]) -> str:
    """Return the names of a guarantee in the literature, from its JSON.

    >>> names_of({"type": "k-anonymity", "k": 5, "l": 3, "t": "1/5"})
    '5-anonymous, 3-diverse, 0.2-close'
    >>> names_of({"type": "km-anonymity", "k": 5, "m": 2})
    'k^m-anonymous (k = 5, m = 2)'
    """
    kind = guarantee.get("type")
    if kind == "k-anonymity":
        found = [f"{guarantee['k']}-anonymous"]
        if "alpha" in guarantee:
            found = [f"({_number(guarantee['alpha'])},{guarantee['k']})-anonymous"]
        if "c" in guarantee:
            found.append(f"recursively ({_number(guarantee['c'])},{guarantee['l']})-diverse")
        elif "l" in guarantee:
            found.append(f"{guarantee['l']}-diverse")
        found += [words.format(_number(guarantee[name])) for name, words in _LIMITS.items() if name in guarantee]
        return ", ".join(found)
    if kind == "km-anonymity":
        more = f", {guarantee['l']}-diverse" if "l" in guarantee else ""
        return f"k^m-anonymous (k = {guarantee['k']}, m = {guarantee['m']}){more}"
    if kind == "privacy-degree":
        return f"privacy degree {guarantee['p']}"
    if kind == "differential-privacy":
        return f"{_number(guarantee['epsilon'])}-differentially private"
    return ""


def _number(written: Any) -> str:
    return f"{float(Fraction(str(written))):g}"
