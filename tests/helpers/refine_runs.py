"""The fast REFINE behind the twins' signature: clusters of records in, nested form and leaf of each record out."""

from types import SimpleNamespace

import numpy as np

from disjoin.engine import Local
from disjoin.methods.disassociation.clustering import Task
from disjoin.methods.disassociation.horpart import Partition
from disjoin.methods.disassociation.packing import cut_into_chunks
from disjoin.methods.disassociation.refine import refine
from disjoin.methods.disassociation.run import Forest, draft_of
from disjoin.model import Transactions
from disjoin.progress import silent
from helpers.synthetic import expanded


def cut(clusters, k, m, sensitive=()):
    """The records, the clusters that they are in, and these cut into chunks."""
    data = Transactions.from_sets(record for cluster in clusters for record in cluster).with_sensitive(sensitive)
    sizes = np.array([len(cluster) for cluster in clusters], np.int64)
    partition = Partition(np.arange(len(data), dtype=np.int32), sizes)
    task = Task(SimpleNamespace(min_support=k, m=m), data, Local(1), silent)
    return data, partition, cut_into_chunks(task, partition)


def settings(k, m, mode="safe", passes=None, largest=None, builder="pairs"):
    return SimpleNamespace(
        min_support=k,
        m=m,
        slack=0,
        cover_aware=None,
        refine_mode=mode,
        refine_builder=builder,
        refine_passes=passes,
        max_joint_size=largest,
    )


def draft(clusters, k, m, sensitive=(), threads=1, **options):
    data, partition, leaves = cut(clusters, k, m, sensitive)
    method = settings(k, m, **options)
    if method.refine_passes == 0:
        return draft_of(Forest.without_joints(leaves), data, partition)
    task = Task(method, data, Local(threads), silent)
    return draft_of(refine(task, leaves, partition), data, partition)


def refine_and_trace(clusters, k, m, **options):
    """The literal passes."""
    made = draft(clusters, k, m, **options)
    return expanded(made.published.to_nested()), made.part_of_record.tolist()


def refine_in_levels_and_trace(clusters, k, m, **options):
    """Runs of clusters."""
    return refine_and_trace(clusters, k, m, builder="levels", **options)


def refine_pairs(clusters, k, m, **options):
    """The literal passes, without the records' places."""
    return refine_and_trace(clusters, k, m, **options)[0]
