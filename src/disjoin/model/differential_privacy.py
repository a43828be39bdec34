"""Guarantee of DiffPart: epsilon-differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal

from disjoin.errors import InvalidParameter, described
from disjoin.model.parameters import StoredGuarantee, fields_in, fraction_from, settle

Terms = Literal["given", "seen"]
SEEN: Literal["seen"] = "seen"  # for a list of terms that was taken from the data
SMALLEST, LARGEST = Fraction(1, 10**6), 100  # outside, noise hides all data or none


def readable(number: float) -> str:
    """Return a number with three significant digits, and without an exponent unless it is huge.

    >>> readable(2.718), readable(6.0), readable(0.01234), readable(1234.5), readable(2.5e20)
    ('2.72', '6', '0.0123', '1,230', '2.5e+20')
    """
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if 1000 <= rounded < 1e15 else f"{rounded:g}"


@dataclass(frozen=True, slots=True)
class DifferentialPrivacy(StoredGuarantee):
    """Adding or removing one record changes the probability of any outcome by a factor of at most e to the `epsilon`.

    The unit is a record: a person with several records is protected less. `terms` is the source of the list of all
    terms to which noise is added: `given` independently of the data, or `seen` in them. If they are `seen`, nothing is
    proven, because one record can change the list, and with it every row. Tables cannot show how they were made.

    >>> DifferentialPrivacy(1).to_json()
    {'type': 'differential-privacy', 'epsilon': '1', 'terms': 'given'}
    >>> DifferentialPrivacy(1, "seen").to_json()
    {'type': 'differential-privacy', 'epsilon': '1', 'terms': 'seen', 'proven': False}
    """

    kind: ClassVar[str] = "differential-privacy"

    epsilon: Fraction
    terms: Terms = "given"

    def __post_init__(self) -> None:
        given = self.epsilon
        settle(self, epsilon=fraction_from("epsilon", given))
        if not SMALLEST <= self.epsilon <= LARGEST:
            limits = f"at least {float(SMALLEST):f} and at most {LARGEST}"
            raise InvalidParameter(f"epsilon must be {limits}, got {given}: 0.1 to 2 are common.")
        if self.terms not in ("given", "seen"):
            raise InvalidParameter(f"terms must be given or seen, got {described(self.terms)}.")

    @property
    def proven(self) -> bool:
        """Whether a proof of the method is claimed: not if the terms were seen."""
        return self.terms == "given"

    def with_proof(self) -> DifferentialPrivacy:
        return replace(self, terms="given")

    def sentence(self) -> str:
        factor = f"{readable(math.exp(self.epsilon))} (epsilon {float(self.epsilon):g})"
        outcome = f"the probability of any outcome by a factor of at most {factor}"
        if self.proven:
            return f"Whether any one record was among the data changes {outcome}."
        return (
            f"Not proven: whether any one record was among the data should change {outcome}, but the list of all terms "
            "was seen in the data, and a record with a unique term can change every row."
        )

    def to_json(self) -> dict[str, Any]:
        facts = {"type": self.kind, "epsilon": str(self.epsilon), "terms": self.terms}
        return facts if self.proven else facts | {"proven": False}

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> DifferentialPrivacy:
        """Read the guarantee from JSON; `terms` defaults to `seen`."""
        guarantee = cls(**fields_in(cls, facts, terms=SEEN))
        if facts.get("proven", guarantee.proven) is not guarantee.proven:
            proven = str(guarantee.proven).lower()
            raise InvalidParameter(f"proven must be {proven} with terms {guarantee.terms}, or be left out.")
        return guarantee
