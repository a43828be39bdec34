"""Disassociation from records to a draft: cluster, check sensitive terms, publish."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.compiling.decision import prepare
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.clustering import Clustered, Task
from disjoin.methods.disassociation.drafting import Forest, draft_of
from disjoin.methods.disassociation.horpart_strategies import Partition
from disjoin.methods.disassociation.km_core import core_leaf
from disjoin.methods.disassociation.refine import refine
from disjoin.methods.disassociation.sensitive import merge_until_diverse, true_association
from disjoin.methods.disassociation.verpart_shards import cut_into_chunks
from disjoin.methods.disassociation.write_leaves import concatenated, publish_range
from disjoin.model import Clusters, Draft, Transactions
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

INTERPRETED = 40e-6  # seconds per occurrence: HORPART, VERPART and REFINE on 3,000 to 60,000 records


def disassociate(method: Disassociation, data: Transactions, engine: Engine, progress: Progress) -> Draft[Clusters]:
    """Run the method on records whose sensitive terms are marked."""
    prepare(INTERPRETED * method.m * data.items.size / 2, publish_range)
    task = Task(method, data, engine, progress)
    if method.way.tries_others:
        draft: Draft[Clusters] = method.way.load()(task, disassociate_once)
        return draft
    return disassociate_once(task)


def disassociate_once(task: Task) -> Draft[Clusters]:
    """Run the method with a clustering that is settled."""
    method, data = task.method, task.data
    clustered: Clustered = method.way.load()(task)
    private: dict[str, Any] = {}
    if data.sensitive is not None and data.sensitive.any():
        if method.l is not None:
            clustered = _merged(data, clustered, method.l)
        rate = true_association(data, clustered.partition)
        private["true_association"] = [rate.numerator, rate.denominator]
    draft = draft_of(forest_of(task, clustered), data, clustered.partition)
    published = set(draft.published.vocabulary.to_pylist())
    sensitive = tuple(term for term in data.sensitive_terms() if term in published)
    return replace(draft, sensitive=sensitive, private=private)


def _merged(data: Transactions, clustered: Clustered, l: int) -> Clustered:  # noqa: E741
    """Merge clusters until they are diverse; a core that others were merged with is a cluster like any other."""
    partition = merge_until_diverse(data, clustered.partition, l)
    return Clustered(partition, clustered.core if partition.sizes[0] == clustered.core else 0)


def forest_of(task: Task, clustered: Clustered) -> Forest:
    """Cut clusters into chunks and, if asked for, join them; the core has nothing to be cut, or to share."""
    partition, core = clustered.partition, clustered.core
    if core == 0:
        return _forest_without_core(task, partition)
    head = core_leaf(task.data, partition.records[:core])
    if partition.sizes.size == 1:
        return Forest.without_joints(head)
    rest = _forest_without_core(task, Partition(partition.records[core:], partition.sizes[1:]))
    parents = np.where(rest.parents < 0, -1, rest.parents + 1)
    return Forest(concatenated([head, rest.nodes]), np.concatenate([[-1], parents]))


def _forest_without_core(task: Task, partition: Partition) -> Forest:
    method, data = task.method, task.data
    packs = method.way.has_core  # the paper's method is left as it is, whatever the size of its clusters
    leaves = cut_into_chunks(data, partition, method.k, method.m, task.engine, task.progress, packs=packs)
    if method.refine and partition.sizes.size > 1:
        return refine(leaves, data, partition, method, task.progress, task.engine.spread)
    return Forest.without_joints(leaves)
