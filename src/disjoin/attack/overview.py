"""All attackers who need nothing but a release, one after the other; with the original, those who need it, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from disjoin.attack.definetti import definetti
from disjoin.attack.elimination import elimination
from disjoin.attack.minimality import minimality
from disjoin.attack.semantic import Relatedness, semantic
from disjoin.attack.simulated import simulate
from disjoin.attack.sure_inference import sure_inference
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, Groups, Release, Transactions
from disjoin.model.guarantee import require_integer
from disjoin.progress import Progress, silent


class Attack(Protocol):
    """What an attacker found."""

    def sentence(self) -> str:
        """Say it in words."""

    def to_json(self) -> dict[str, Any]:
        """Return plain facts."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What each attacker found, or why it is not defined for the release."""

    found: Mapping[str, Attack | str]

    def sentences(self) -> list[tuple[str, str]]:
        """Return each attacker in words, with what was found."""
        said = []
        for name, attack in self.found.items():
            if isinstance(attack, str):
                said.append((TITLES[name], f"not computed: {attack}"))
                continue
            example = getattr(attack, "example_in_words", str)()
            said.append((TITLES[name], " ".join(filter(None, [attack.sentence(), example]))))
        return said

    def to_json(self) -> dict[str, Any]:
        """Return the facts of every attacker; nothing where it is not defined."""
        return {name: None if isinstance(each, str) else each.to_json() for name, each in self.found.items()}


TITLES = {
    "sure_inference": "Sure inference",
    "elimination": "Known records",
    "minimality": "The program run backwards",
    "semantic": "What goes together",
    "simulated": "Played through",
    "definetti": "DeFinetti attack",
}


def overview(
    release: Release,
    original: Transactions | None = None,
    *,
    records: int = 1,
    relatedness: Relatedness | None = None,
    progress: Progress = silent,
) -> Overview:
    """Let every attacker try; `records` is how many whole records are known to the one who knows some.

    Groups have one attacker, who learns how ordinary items go with sensitive ones (`definetti`).
    """
    if isinstance(release.published, Groups):
        if records != 1 or relatedness is not None:
            raise InvalidParameter("known records and relatedness are for clusters, and this release has groups.")
        return Overview({"definetti": _tried(lambda: definetti(release, original, progress=progress))})
    if not isinstance(release.published, Clusters):
        has = release.published.in_words
        raise InvalidParameter(f"these attackers read clusters or groups, and this release has {has}.")
    require_integer("records", records, 1, "it is the number of whole records that somebody knows.")
    tries: dict[str, Callable[[], Attack]] = {
        "sure_inference": lambda: sure_inference(release, original),
        "elimination": lambda: elimination(release, records),
        "minimality": lambda: minimality(release, original),
    }
    if original is not None:
        tries["semantic"] = lambda: semantic(release, original, relatedness)
        tries["simulated"] = lambda: simulate(release, original)
    found: dict[str, Attack | str] = {}
    for done, (name, attack) in enumerate(tries.items()):
        progress("attacking", done, len(tries))
        found[name] = _tried(attack)
    progress("attacking", len(tries), len(tries))
    return Overview(found)


def _tried(attack: Callable[[], Attack]) -> Attack | str:
    try:
        return attack()
    except InvalidParameter as reason:
        return str(reason)
