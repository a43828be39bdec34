"""Draft of a generalised table: names of nodes, intervals of numbers, canonical row order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from disjoin.jit.decision import prepare
from disjoin.methods.contract import Engine
from disjoin.methods.generalization import encoding, people
from disjoin.methods.generalization.choices import ALGORITHMS
from disjoin.methods.generalization.closeness import orders_of
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca import mended
from disjoin.methods.generalization.requirements import Roles, require_one_spelling, require_reachable
from disjoin.model import Column, Draft, Generalized, Hierarchy, Schema, Table
from disjoin.model.generalized import EVERYTHING, MISSING
from disjoin.model.intervals import interval_text
from disjoin.model.ragged import Ints32, Ints64, inverse
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

INTERPRETED, IN_PAIRS = 300e-6, 3e-6  # seconds per row and quasi-identifier; per pair of rows, if all are compared


def generalise(settings: Generalization, table: Table, engine: Engine, progress: Progress) -> Draft[Generalized]:
    roles = settings.roles(table)
    table = encoding.with_flat_trees(table, roles.quasi)
    # A guarantee that cannot be stated is refused before the work.
    guarantee = settings.guarantee(roles.quasi, roles.sensitive)
    people.require_population(guarantee, table)
    require_one_spelling(settings, table, roles)
    people.require_people(settings, table, roles)
    ids = people.people_of(settings, table)
    if ids is not None:
        people.require_reachable_people(settings, table, roles, ids)
    require_reachable(settings, table, roles)
    in_pairs = IN_PAIRS * len(table) if "kaca" in settings.algorithm else 0.0
    again = 1 + settings.retries / 2  # a retry joins a part of the rows and improves the changed classes
    prepare((INTERPRETED * again + in_pairs) * len(table) * len(roles.quasi))
    progress("sorting", 0, 0)
    rows = encoding.encoded(table, roles, ids)
    if settings.t_distance == "ordered":
        rows = replace(rows, sensitive_order=orders_of(table, roles.sensitive))
    if settings.t_distance == "hierarchical":
        rows = replace(rows, sensitive_trees=tuple(encoding.sensitive_tree(table, name) for name in roles.sensitive))
    if guarantee.is_about_population:
        rows = replace(rows, population=people.population_of(table, rows, guarantee))
    return draft_of(table, roles, rows, _classes(rows, settings, engine, progress))


def _classes(rows: Encoded, settings: Generalization, engine: Engine, progress: Progress) -> Classes:
    def anew(some: Encoded, _: Ints64 | None = None) -> Classes:
        return mended(some, formed_classes(some, settings, engine, progress), settings, progress)

    if settings.suppress is None:
        return anew(rows)
    from disjoin.methods.generalization.local_search import search_on
    from disjoin.methods.generalization.suppression import with_suppression

    def onwards(some: Encoded, start: Ints64) -> Classes:
        return mended(some, search_on(some, settings, start, progress), settings, progress)

    return with_suppression(
        rows, settings, anew(rows), (onwards, anew) if settings.algorithm == "local-search" else (anew,)
    )


def formed_classes(rows: Encoded, settings: Generalization, engine: Engine, progress: Progress) -> Classes:
    algorithm = ALGORITHMS[settings.algorithm]
    form = algorithm.load()
    formed: Classes = form(rows, settings, progress, *([engine.map] if algorithm.is_sharded else []))
    return formed


def draft_of(table: Table, roles: Roles, rows: Encoded, classes: Classes) -> Draft[Generalized]:
    by_name, names = roles.by_name(), [name for name in table.schema.names if name in roles.published]
    columns: list[tuple[Ints32, pa.StringArray]] = []
    trees: dict[str, Hierarchy] = {}
    for name in names:
        if name not in rows.names:
            codes = table.codes_of(name)
            is_used = np.bincount(codes, minlength=len(table.values_of(name))) > 0
            ranked = (np.cumsum(is_used) - 1)[codes].astype(np.int32)
            columns.append((ranked, table.values_of(name).filter(pa.array(is_used))))
            continue
        a = rows.names.index(name)
        texts = published_texts(rows, classes, a)
        values = sorted(set(texts))
        ranks = {value: rank for rank, value in enumerate(values)}
        codes = np.empty(len(rows), dtype=np.int32)
        codes[rows.rows] = np.array([ranks[text] for text in texts], dtype=np.int32)[classes.class_of_row]
        columns.append((codes, pa.array(values, pa.string())))
        if name in table.hierarchies:  # with a leaf for missing values only if one is published
            trees[name] = rows.hierarchies[a] if MISSING in ranks else table.hierarchies[name]
    if rows.sensitive_trees is not None:  # distances between sensitive values are measured in these
        trees |= {name: table.hierarchies[name] for name in rows.sensitive_names}
    order = encoding.order_by_content([codes for codes, _ in columns])
    published = Table(
        schema=Schema(tuple(Column(name, by_name[name]) for name in names)),
        codes=tuple(codes[order] for codes, _ in columns),
        values=tuple(values for _, values in columns),
        hierarchies=trees,
    )
    return Draft(Generalized(published), inverse(order))


def published_texts(rows: Encoded, classes: Classes, a: int) -> list[str]:
    """Return the published value of every class: a node, an interval, or the root if a value is missing."""
    tree = rows.hierarchies[a]
    names = tree.names.to_pylist()
    if not rows.is_hull[a]:
        return [names[node] for node in classes.vectors[:, a].tolist()]
    low, high = (ends.tolist() for ends in classes.bounds(rows.leaves[:, a]))
    return [
        EVERYTHING
        if number == classes.stars or (names[last] == MISSING and first < last)
        else interval_text(names[first], names[last])
        for number, (first, last) in enumerate(zip(low, high, strict=True))
    ]
