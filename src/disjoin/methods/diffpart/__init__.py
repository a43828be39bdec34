"""DiffPart: synthetic records from noisy counts, with differential privacy. The records are divided from the top by a
tree over all possible terms. A partition with a small noisy count is dropped. The partitions at the bottom are written
as often as their noisy counts. PROOF.md, next to this file, has the proof and its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from disjoin.errors import InvalidParameter, described
from disjoin.methods.contract import Engine, Method
from disjoin.methods.diffpart.noise import KIND, Noise, NoNoise, SeededNoise
from disjoin.methods.settings import check_settings, contradictions_of, setting
from disjoin.model.differential_privacy import SEEN, DifferentialPrivacy
from disjoin.model.parameters import fraction_from
from disjoin.progress import Progress, silent
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.methods.diffpart.domain import Domain
    from disjoin.model import AnyGuarantee, Draft, NoisyRecords, Transactions

LARGEST_FAN_OUT = 12
LARGEST_THRESHOLD = 1000  # standard deviations; with more, nothing would be published
MOST_BY_CHANCE = 10  # partitions that noise alone may open in an empty one; more would make up millions of rows


@dataclass(frozen=True, slots=True)
class DiffPart(Method):
    """Publish synthetic records that hardly depend on any one record: `epsilon`-differential privacy."""

    name: ClassVar[str] = "diffpart"
    help: ClassVar[str] = """
    Publish synthetic records made from noisy counts of FILE (- for standard input), with differential privacy.

    Whether any one record is in FILE hardly changes the result. Frequent combinations survive and rare ones are lost.
    Every run draws new noise and spends EPSILON again, so publish one result only. Needs the extra dp.
    """
    may_be_empty: ClassVar[bool] = True  # otherwise the release would reveal that there is a record

    epsilon: Fraction = setting(
        1, "the privacy budget: one record changes the chance of any outcome by a factor of at most e^EPSILON"
    )
    domain: Domain = setting(
        (),
        "all terms that may occur, known apart from the data: a file with one term per line, a hierarchy, a,b, or "
        "seen (for experiments)",
    )
    fan_out: int = setting(
        10,
        "how many neighbours in the sorted list of terms form one group, on every level",
        least=2,
        why="a node of the tree has at least two children.",
    )
    prune: Fraction = setting(
        6.75,
        "drop a part whose noisy count is below this many standard deviations of the noise, times its level",
    )
    keep: Fraction = setting(
        2.75, "publish a combination whose noisy count is at least this many standard deviations of the noise"
    )
    noise: Noise | None = None  # another kind than opendp's, for experiments: never for a release

    def __post_init__(self) -> None:
        from disjoin.methods.diffpart.domain import domain_of  # imported late: it loads the array libraries

        object.__setattr__(self, "epsilon", DifferentialPrivacy(self.epsilon).epsilon)
        object.__setattr__(self, "domain", domain_of(self.domain))
        check_settings(self)
        if self.fan_out > LARGEST_FAN_OUT:
            raise InvalidParameter(
                f"fan_out must be at most {LARGEST_FAN_OUT}, got {self.fan_out}: each of the 2^fan_out subsets of a "
                "node's children gets noise, including those that no record has."
            )
        for name in ("prune", "keep"):
            given = getattr(self, name)
            threshold = fraction_from(name, given)
            if not 0 <= threshold <= LARGEST_THRESHOLD:
                raise InvalidParameter(f"{name} must be in 0..{LARGEST_THRESHOLD} standard deviations, got {given}.")
            object.__setattr__(self, name, threshold)
        noise = self.noise
        if noise is None and _opened_by_chance(self.prune, self.fan_out) > MOST_BY_CHANCE:
            least = math.log((2**self.fan_out - 1) / 2 / MOST_BY_CHANCE) / math.sqrt(2) + 0.005  # right when rounded
            raise InvalidParameter(
                f"prune must be at least {least:.2f} with a fan_out of {self.fan_out}, got {float(self.prune):g}: "
                f"below this, noise alone opens more than {MOST_BY_CHANCE} partitions in every empty one, and the run "
                "does not end."
            )
        if noise is not None and (
            isinstance(noise, type) or not hasattr(noise, "source") or not hasattr(noise, "kind")
        ):
            raise InvalidParameter(
                f"noise must be left out, or SeededNoise or NoNoise for experiments, got {described(noise)}."
            )

    def prepared(self, data: Transactions) -> Transactions:
        return data

    def warnings(self, data: Transactions) -> list[str]:
        notes = []
        if _opened_by_chance(self.prune, self.fan_out) > 1:
            notes.append(
                f"with prune {float(self.prune):g} noise alone opens several parts in every empty one: most of what is "
                "published may be combinations that no record has."
            )
        if self.domain == SEEN:
            notes.append(
                "the domain was taken from the data, so the release is not differentially private: one record "
                "with a term of its own can change every row. It is for experiments, and states that it is not proven."
            )
            return notes
        from disjoin.methods.diffpart.domain import known_records

        known = known_records(data, self.domain)
        if known.outside_terms:
            are = counted(known.outside_terms, "term of the data is", "terms of the data are")
            notes.append(
                f"{are} not in the domain and left out, {known.outside_occurrences:,} times. Do not add them because "
                "you saw them here: a list taken from the data protects no one."
            )
        return notes

    def claim(self, draft: Draft[NoisyRecords]) -> DifferentialPrivacy:
        """Return the guarantee; raises for a draft with other noise than opendp's."""
        if self.noise is not None or draft.private.get("noise") != KIND:
            raise InvalidParameter(
                "noise for experiments protects no one, so its result is no release. Leave out noise, or measure the "
                "draft that publish returns."
            )
        is_given = self.domain != SEEN and draft.private.get("terms") == "given"
        return DifferentialPrivacy(self.epsilon, "given" if is_given else SEEN)

    def parameters(self) -> Mapping[str, Any]:
        """Return the parameters as stored in a release; the source of the terms is in the guarantee."""
        stored = {name: str(getattr(self, name)) for name in ("epsilon", "prune", "keep")}
        return {"epsilon": stored.pop("epsilon"), "fan_out": self.fan_out, **stored}

    @classmethod
    def contradictions(cls, guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
        if "domain" in stated:
            return ["the parameters have a domain, but a release states only whether it was given or seen"]
        method = partial(cls, domain=SEEN)
        return contradictions_of(method, guarantee, DifferentialPrivacy, stated, ("epsilon",), suppressed)

    def publish(self, data: Transactions, engine: Engine, progress: Progress = silent) -> Draft[NoisyRecords]:
        from disjoin.methods.diffpart.run import noisy_records  # imported late: it loads compiled code

        return noisy_records(self, data, progress)


def _opened_by_chance(prune: Fraction, fan_out: int) -> float:
    """Return how many of the subsets of a node's children pass on average where no record has any of them. There are
    2^fan_out - 1 subsets; each is above t standard deviations with probability of about exp(-sqrt(2) t) / 2."""
    return float(2**fan_out - 1) / 2 * math.exp(-math.sqrt(2) * float(prune))


__all__ = ["DiffPart", "NoNoise", "SeededNoise"]
