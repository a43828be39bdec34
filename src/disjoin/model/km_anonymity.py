"""k^m-anonymity, the guarantee of disassociation and Apriori generalisation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from disjoin.errors import InvalidParameter, described
from disjoin.model import parameters
from disjoin.model.parameters import MinPeople, StoredGuarantee, fields_in, require_integer, settle, stated

_BOUNDS = (
    ("k", 2, "fewer than 2 candidates hide no one."),
    ("m", 1, "it is the number of terms that an attacker may know."),
    ("l", 1, "it bounds the share of a cluster that has a sensitive term by 1/l."),
    ("slack", 0, "it is the number of whole records that an attacker may know."),
)
FINEST = 1_000_000  # the finest confidence, so that products with counts stay small


def cover_limit(given: Any) -> Fraction:
    """Return the confidence that association rules must be below; raise unless it is above 0 and at most 1.

    >>> cover_limit(1), cover_limit("0.8")
    (Fraction(1, 1), Fraction(4, 5))
    """
    limit = parameters.fraction_from("cover_aware", given)
    if not 0 < limit <= 1:
        raise InvalidParameter(f"cover_aware must be above 0 and at most 1, got {given}: it limits a confidence.")
    if limit.denominator > FINEST:
        raise InvalidParameter(f"cover_aware must be a multiple of 1/n with n up to {FINEST:,}, got {given}: round it.")
    return limit


def _other(pair: Any) -> tuple[int, int]:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise InvalidParameter(f"also must have pairs of k and m, got {described(pair)}.")
    k, m = (require_integer(name, each, least, why) for (name, least, why), each in zip(_BOUNDS[:2], pair, strict=True))
    return k, m


@dataclass(frozen=True, slots=True)
class KmAnonymity(StoredGuarantee):
    """An attacker who knows up to `m` terms of a record finds `k` candidates, except by a minimality attack.

    Sensitive terms are in term chunks only, and in every cluster at most one record in `l` has the same one. If
    `proven` is false, the method aims at the guarantee, but its proof has counterexamples.

    With `slack`, an attacker who also knows that many whole records still finds `k` candidates among the others. With
    `cover_aware`, known terms imply no other in a chunk with that confidence or more, so none with certainty.
    The same tables satisfy the guarantee for all pairs of k and m in `also`. `min_people` have each published term.

    >>> KmAnonymity(5, 2).sentence()
    'An attacker who knows up to 2 terms of a record finds at least 5 candidates.'
    """

    kind: ClassVar[str] = "km-anonymity"

    k: int
    m: int
    l: int = 1  # noqa: E741 - the papers' name
    sensitive: tuple[str, ...] = ()
    proven: bool = True
    slack: int = 0
    cover_aware: Fraction | None = None
    also: tuple[tuple[int, int], ...] = ()
    min_people: MinPeople | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.proven, bool):
            raise InvalidParameter(f"proven must be true or false, got {described(self.proven)}.")
        settle(self, **{name: require_integer(name, getattr(self, name), least, why) for name, least, why in _BOUNDS})
        settle(self, sensitive=parameters.sensitive_terms(self.sensitive))
        if self.cover_aware is not None:
            settle(self, cover_aware=cover_limit(self.cover_aware))
        others = (_other(pair) for pair in self.also)  # without pairs that `k` and `m` imply
        settle(self, also=tuple(pair for pair in others if pair[0] > self.k or pair[1] > self.m))

    @property
    def least_size(self) -> int:
        """The smallest cluster that can satisfy the guarantee."""
        return max(self.k, self.l)

    @property
    def most_known(self) -> int:
        """The largest number of known terms with `k` candidates: m, or more if the same tables guarantee that.

        >>> KmAnonymity(5, 2, also=((5, 10), (7, 2))).most_known
        10
        """
        return max([self.m, *(m for k, m in self.also if k >= self.k)])

    def plain(self, k: int, m: int) -> KmAnonymity:
        """Return the guarantee for another k and m, with the same sensitive terms and nothing else."""
        return KmAnonymity(k, m, self.l, self.sensitive, self.proven)

    def with_proof(self) -> KmAnonymity:
        return replace(self, proven=True)

    def sentence(self) -> str:
        """Return the guarantee in words.

        >>> KmAnonymity(5, 2, also=((5, 10), (7, 2))).sentence().partition("candidates. ")[2]
        'The same tables hold for up to 10 terms and 5 candidates, and for up to 2 terms and 7 candidates.'
        """
        who = f"n attacker who knows {_terms(self.m)} of a record"
        words = f"A{who} finds at least {self.k} candidates"
        if self.slack:
            known = "one whole record" if self.slack == 1 else f"up to {self.slack} whole records"
            words += f", even with knowledge of {known} of others"
        words += "."
        if not self.proven:
            aim = f"should find at least {self.k} candidates"
            words = f"Not proven: a{who} {aim}, but the method's proof has counterexamples."
        if self.cover_aware is not None:
            words += " Such terms never reveal a further term with certainty"
            confidence = f", and in no chunk with a confidence of {float(self.cover_aware):.3g} or more"
            words += "." if self.cover_aware == 1 else f"{confidence}."
        if self.also:
            each = [f"for {_terms(m)} and {k} candidates" for k, m in self.also]
            words += f" The same tables hold {', and '.join(each)}."
        if self.sensitive and self.l > 1:
            words += f" Within a cluster, at most one record in {self.l} has any one sensitive term."
        elif self.sensitive:
            words += " Sensitive terms are listed by cluster only, without counts or links to other terms."
        return words + (self.min_people.sentence("terms") if self.min_people else "")

    def to_json(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"type": self.kind, "k": self.k, "m": self.m, **stated(self, "slack", "cover_aware")}
        if self.also:
            facts["also"] = [{"k": k, "m": m} for k, m in self.also]
        if self.sensitive:
            facts |= {"l": self.l, "sensitive": list(self.sensitive)}
        return facts | stated(self, "min_people", "proven")

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> KmAnonymity:
        found = fields_in(cls, facts)
        others = found.get("also", [])
        if not isinstance(others, list) or not all(isinstance(each, dict) for each in others):
            raise InvalidParameter(f"also must be a list of k and m, found {described(others)}")
        found["also"] = tuple((each.get("k", 0), each.get("m", 0)) for each in others)
        return cls(**found)


def _terms(m: int) -> str:
    return "1 term" if m == 1 else f"up to {m} terms"
