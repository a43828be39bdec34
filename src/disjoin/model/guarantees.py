"""All kinds of promises, by the name that they have in a release."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from disjoin.errors import InvalidParameter, described
from disjoin.model.closeness import Closeness
from disjoin.model.differential_privacy import DifferentialPrivacy
from disjoin.model.guarantee import KmAnonymity
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.privacy_degree import PrivacyDegree

AnyGuarantee = KmAnonymity | PrivacyDegree | KAnonymity | DifferentialPrivacy | MixedAnonymity
GUARANTEES: dict[str, type[AnyGuarantee]] = {
    "km-anonymity": KmAnonymity,
    "privacy-degree": PrivacyDegree,
    "k-anonymity": KAnonymity,
    "differential-privacy": DifferentialPrivacy,
    "mixed-anonymity": MixedAnonymity,
}
_LISTED = ", ".join(list(GUARANTEES)[:-1]) + f" or {list(GUARANTEES)[-1]}"


def fractions() -> set[str]:
    """Return the names of all parts of promises that are fractions.

    >>> sorted(fractions())
    ['alpha', 'beta', 'c', 'cover_aware', 'delta', 'entropy_l', 'epsilon', 't']
    """
    return {
        part.name for kind in (*GUARANTEES.values(), Closeness) for part in fields(kind) if "Fraction" in str(part.type)
    }


def guarantee_from(facts: dict[str, Any]) -> AnyGuarantee:
    """Read a promise from JSON, whichever kind it is.

    >>> guarantee_from({"type": "privacy-degree", "p": 4})
    PrivacyDegree(p=4, sensitive=())
    """
    kind = facts.get("type")
    if not isinstance(kind, str) or kind not in GUARANTEES:
        raise InvalidParameter(f"expected a guarantee of type {_LISTED}, found {described(kind)}")
    return GUARANTEES[kind].from_json(facts)
