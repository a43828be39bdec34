"""The algorithms by name: each takes an encoded table, the settings and an ear for progress, and returns classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from disjoin.methods.contract import Engine
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca import kaca
from disjoin.methods.generalization.local_search import local_search
from disjoin.methods.generalization.top_down import top_down
from disjoin.methods.generalization.top_down_kaca import top_down_kaca
from disjoin.methods.generalization.two_level import two_level
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

ALGORITHMS: dict[str, Callable[[Encoded, Generalization, Progress], Classes]] = {
    "two-level": two_level,
    "kaca": kaca,
    "top-down": top_down,
    "top-down-kaca": top_down_kaca,
    "local-search": local_search,
}


def formed_classes(rows: Encoded, settings: Generalization, engine: Engine, progress: Progress) -> Classes:
    """Return the classes that the chosen algorithm forms; only the search does so part by part, on all threads."""
    if settings.algorithm == "local-search":
        return local_search(rows, settings, progress, engine.map)
    return ALGORITHMS[settings.algorithm](rows, settings, progress)
