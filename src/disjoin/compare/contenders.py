"""Who takes part in a comparison. A method joins by an entry here, a clustering by itself; nothing else knows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple

from disjoin.compare.conditions import Conditions
from disjoin.methods.apriori import Apriori
from disjoin.methods.contract import Method
from disjoin.methods.diffpart import DiffPart, SeededNoise
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import CLUSTERINGS, papers, settled
from disjoin.model import AnyGuarantee, DifferentialPrivacy
from disjoin.model.differential_privacy import SEEN


class ForTrial(NamedTuple):
    """Why something can be no release, in a sentence, and what the method promises when it is in earnest."""

    reason: str
    promise: AnyGuarantee


def _in_earnest(conditions: Conditions) -> None:
    """Say nothing against what is published."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A method under the conditions that are the same for all.

    `method` is a function of a module, as the work is done in another process, which has to find it there. `for_trial`
    says under which conditions what it publishes is for trials only, and can be no release.
    """

    name: str
    title: str
    method: Callable[[Conditions], Method]
    for_trial: Callable[[Conditions], ForTrial | None] = _in_earnest


def _disassociation(clustering: str, conditions: Conditions) -> Method:
    return Disassociation(k=conditions.k, m=conditions.m, clustering=clustering)


def _disassociation_unrefined(conditions: Conditions) -> Method:
    return Disassociation(k=conditions.k, m=conditions.m, clustering=papers(), refine=False)


def _other_clusterings() -> Iterator[Contender]:
    for name in settled():
        if CLUSTERINGS[name].is_papers:
            continue
        yield Contender(name, f"Disassociation, {CLUSTERINGS[name].title}", partial(_disassociation, name))


def _apriori(conditions: Conditions) -> Method:
    return Apriori(k=conditions.k, m=conditions.m, hierarchy=conditions.hierarchy)


def _direct(conditions: Conditions) -> Method:
    return Apriori(k=conditions.k, m=conditions.m, hierarchy=conditions.hierarchy, algorithm="direct")


def _diffpart(conditions: Conditions) -> Method:
    seed = _noise_seed(conditions)
    noise = None if seed is None else SeededNoise(seed)
    return DiffPart(epsilon=conditions.epsilon, domain=SEEN, fan_out=conditions.fan_out, noise=noise)


def _diffpart_for_trial(conditions: Conditions) -> ForTrial | None:
    seed = _noise_seed(conditions)
    if seed is None:
        return None
    absent = "" if conditions.seed is not None else " as opendp is not installed (pip install 'disjoin[dp]')"
    reason = f"Its noise was drawn with seed {seed}{absent}: for trials, and never to be published."
    return ForTrial(reason, DifferentialPrivacy(conditions.epsilon, SEEN))


def _noise_seed(conditions: Conditions) -> int | None:
    """Return the seed of noise for trials, None for noise that keeps the promise."""
    return conditions.seed if conditions.seed is not None or find_spec("opendp") else 0


CONTENDERS: dict[str, Contender] = {
    contender.name: contender
    for contender in (
        Contender("disassociation", "Disassociation", partial(_disassociation, papers())),
        Contender("disassociation-unrefined", "Disassociation, clusters not joined", _disassociation_unrefined),
        *_other_clusterings(),
        Contender("apriori", "Apriori generalisation (AA)", _apriori),
        Contender("direct", "Direct generalisation (DA)", _direct),
        Contender("diffpart", "DiffPart", _diffpart, _diffpart_for_trial),
    )
}
