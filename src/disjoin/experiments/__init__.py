"""The papers' experiments and ours, defined on `trials`, run by `disjoin experiment NAME`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from disjoin.errors import InvalidParameter, described

if TYPE_CHECKING:
    from disjoin.experiments.experiment import Experiment

# Name -> where it is defined in this room; in the order in which the results page shows them.
EXPERIMENTS: dict[str, str] = {
    "information-loss": "losses.INFORMATION_LOSS",
    "loss-by-k": "losses.LOSS_BY_K",
    "loss-by-reconstructions": "loss_by_reconstructions.EXPERIMENT",
    "loss-by-quest": "losses.LOSS_BY_QUEST",
    "time": "times.TIME",
    "strategies": "strategies.EXPERIMENT",
    "refine": "refine.EXPERIMENT",
    "cluster-size": "losses.CLUSTER_SIZE",
    "clusterings": "clusterings.EXPERIMENT",
    "resistance": "resistance.EXPERIMENT",
    "mixed": "mixed.EXPERIMENT",
    "cahd-kl": "cahd_kl.EXPERIMENT",
    "cahd-settings": "cahd_settings.EXPERIMENT",
    "cahd-attack": "cahd_attack.EXPERIMENT",
    "cahd-time": "times.CAHD_TIME",
    "cahd-bandwidth": "cahd_bandwidth.EXPERIMENT",
    "tables-by-quasi": "tables_by_quasi.EXPERIMENT",
    "head-to-head": "head_to_head.EXPERIMENT",
}


def experiment_named(name: str) -> Experiment:
    """Import an experiment; an unknown name is an error that lists those there are."""
    if name not in EXPERIMENTS:
        raise InvalidParameter(f"there is no experiment {described(name)}. There are: {', '.join(EXPERIMENTS)}.")
    module, _, defined = EXPERIMENTS[name].partition(".")
    found: Experiment = getattr(import_module(f"{__name__}.{module}"), defined)
    return found
