"""Overview: all attackers run on one release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from disjoin.attack.definetti import definetti
from disjoin.attack.elimination import elimination
from disjoin.attack.minimality import minimality
from disjoin.attack.semantic import Relatedness, semantic
from disjoin.attack.simulated import simulate
from disjoin.attack.sure_inference import sure_inference
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, Release, Transactions
from disjoin.model.parameters import require_integer
from disjoin.model.plugins import Registry
from disjoin.progress import Progress, silent


class Attack(Protocol):
    """What an attacker found, in words and as plain facts."""

    def sentence(self) -> str: ...

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Overview:
    """What each attacker found, or why it is not defined for the release."""

    found: Mapping[str, Attack | str]

    def sentences(self) -> list[tuple[str, str]]:
        """Return each attacker in words, with what was found."""
        said = []
        for name, attack in self.found.items():
            if isinstance(attack, str):
                words = f"not computed: {attack}"
            else:
                words = f"{attack.sentence()} {getattr(attack, 'example_in_words', str)()}".rstrip()
            said.append((ATTACKERS[name].title, words))
        return said

    def to_json(self) -> dict[str, Any]:
        return {name: None if isinstance(each, str) else each.to_json() for name, each in self.found.items()}


class Knowledge(NamedTuple):
    """What attackers are given in addition to the release."""

    original: Any = None  # Transactions, or None: an attacker who needs them is not asked without them
    records: int = 1  # whole records of a cluster that the attacker knows
    relatedness: Relatedness | None = None
    progress: Progress = silent


@dataclass(frozen=True, slots=True)
class Attacker:
    """An attacker: its name in JSON, a title for people, the attack, and the releases that it reads."""

    name: str
    title: str
    attack: Callable[[Release, Knowledge], Attack]  # raises `InvalidParameter` where it is not defined
    forms: tuple[str, ...] = ("clusters",)
    needs_original: bool = False


_OWN = (
    Attacker("sure_inference", "Certain inference", lambda release, given: sure_inference(release, given.original)),
    Attacker("elimination", "Knowledge of whole records", lambda release, given: elimination(release, given.records)),
    Attacker(
        "minimality",
        "Knowledge of the algorithm (minimality)",
        lambda release, given: minimality(release, given.original),
    ),
    Attacker(
        "semantic",
        "Knowledge of related terms (semantic)",
        lambda release, given: semantic(release, given.original, given.relatedness),
        needs_original=True,
    ),
    Attacker(
        "simulated", "Simulated attacks", lambda release, given: simulate(release, given.original), needs_original=True
    ),
    Attacker(
        "definetti",
        "DeFinetti attack",
        lambda release, given: definetti(release, given.original, progress=given.progress),
        forms=("groups",),
    ),
)
ATTACKERS: Registry[Attacker] = Registry("disjoin.attackers", (Attacker,), {each.name: each for each in _OWN})


def overview(
    release: Release,
    original: Transactions | None = None,
    *,
    records: int = 1,
    relatedness: Relatedness | None = None,
    progress: Progress = silent,
) -> Overview:
    """Run every attacker who reads the form of the release; `records` is how many whole records an attacker knows.
    Groups have one attacker, who learns how ordinary items go with sensitive ones (`definetti`)."""
    form, has = release.published.form, release.published.in_words
    fitting = [each for each in ATTACKERS.values() if form in each.forms]
    if not fitting:
        raise InvalidParameter(f"these attackers read clusters or groups, and this release has {has}.")
    if form != Clusters.form and (records != 1 or relatedness is not None):
        raise InvalidParameter(f"known records and relatedness are for clusters, and this release has {has}.")
    require_integer("records", records, 1, "it is the number of whole records that an attacker knows.")
    given = Knowledge(original, records, relatedness, progress)
    tries = [each for each in fitting if original is not None or not each.needs_original]
    found: dict[str, Attack | str] = {}
    for done, each in enumerate(tries):
        progress("attacking", done, len(tries))
        try:
            found[each.name] = each.attack(release, given)
        except InvalidParameter as reason:
            found[each.name] = str(reason)
    progress("attacking", len(tries), len(tries))
    return Overview(found)
