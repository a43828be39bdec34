"""The laboratory: the papers' experiments and ours, one file each, run by `disjoin experiment NAME`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from disjoin.errors import InvalidParameter, described

if TYPE_CHECKING:
    from disjoin.experiments.experiment import Experiment

# Name -> the module of this room that has its EXPERIMENT; in the order in which the results page shows them.
EXPERIMENTS: dict[str, str] = {
    "information-loss": "information_loss",
    "loss-by-k": "loss_by_k",
    "loss-by-reconstructions": "loss_by_reconstructions",
    "loss-by-quest": "loss_by_quest",
    "time": "running_time",
    "strategies": "strategies",
    "refine": "refine",
    "cluster-size": "cluster_size",
    "clusterings": "clusterings",
    "cahd-kl": "cahd_kl",
    "cahd-settings": "cahd_settings",
    "cahd-time": "cahd_time",
    "cahd-bandwidth": "cahd_bandwidth",
    "tables-by-quasi": "tables_by_quasi",
    "head-to-head": "head_to_head",
}


def experiment_named(name: str) -> Experiment:
    """Import an experiment; an unknown name is an error that lists those there are."""
    if name not in EXPERIMENTS:
        raise InvalidParameter(f"there is no experiment {described(name)}. There are: {', '.join(EXPERIMENTS)}.")
    found: Experiment = import_module(f"{__name__}.{EXPERIMENTS[name]}").EXPERIMENT
    return found
