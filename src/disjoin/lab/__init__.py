"""Laboratory: the papers' experiments and ours, and comparison of methods."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from disjoin.errors import InvalidParameter, described
from disjoin.methods.settings import LazyEntry

if TYPE_CHECKING:
    from disjoin.lab.experiment import Experiment

COMPARE = LazyEntry(
    "compare", "Compare what several methods lose on the same data.", "disjoin.lab.command:compare_command"
)
EXPERIMENT = LazyEntry(
    "experiment",
    "Repeat the papers' experiments.",
    "disjoin.lab.command:experiment_command",
)

# Name -> where it is defined in this package; in the order of the results page.
EXPERIMENTS: dict[str, str] = {
    "information-loss": "losses.INFORMATION_LOSS",
    "loss-by-k": "losses.LOSS_BY_K",
    "loss-by-reconstructions": "losses.RECONSTRUCTIONS",
    "loss-by-quest": "losses.LOSS_BY_QUEST",
    "time": "times.TIME",
    "strategies": "losses.STRATEGIES",
    "refine": "clusterings.REFINE",
    "cluster-size": "losses.CLUSTER_SIZE",
    "clusterings": "clusterings.CLUSTERINGS",
    "resistance": "clusterings.RESISTANCE",
    "mixed": "mixed.EXPERIMENT",
    "cahd-kl": "cahd.CAHD_KL",
    "cahd-settings": "cahd.CAHD_SETTINGS",
    "cahd-attack": "cahd.CAHD_ATTACK",
    "cahd-time": "times.CAHD_TIME",
    "cahd-bandwidth": "cahd.CAHD_BANDWIDTH",
    "tables-by-quasi": "tables_by_quasi.EXPERIMENT",
    "head-to-head": "head_to_head.EXPERIMENT",
}


def experiment_named(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        raise InvalidParameter(f"there is no experiment {described(name)}. There are: {', '.join(EXPERIMENTS)}.")
    module, _, defined = EXPERIMENTS[name].partition(".")
    found: Experiment = getattr(import_module(f"{__name__}.{module}"), defined)
    return found
