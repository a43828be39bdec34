"""Draft of a generalised table: names of nodes, hulls of numbers, canonical row order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from disjoin.jit.decision import prepare
from disjoin.methods.contract import Engine
from disjoin.methods.generalization.choices import ALGORITHMS
from disjoin.methods.generalization.closeness import orders_of
from disjoin.methods.generalization.encoding import (
    Classes,
    Encoded,
    encoded,
    order_by_content,
    sensitive_tree,
    with_flat_trees,
)
from disjoin.methods.generalization.kaca import mended
from disjoin.methods.generalization.people import people_of, require_people, require_reachable_people
from disjoin.methods.generalization.population import crowd_of, require_population
from disjoin.methods.generalization.requirements import require_reachable
from disjoin.methods.generalization.roles import Roles
from disjoin.model import Column, Draft, Generalized, Hierarchy, Schema, Table
from disjoin.model.generalized import MISSING
from disjoin.model.intervals import interval_text
from disjoin.model.ragged import Ints32, Ints64
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

EVERYTHING = "*"
INTERPRETED, IN_PAIRS = 300e-6, 3e-6  # seconds per row and quasi-identifier; per pair of rows, where all are compared


def generalise(settings: Generalization, table: Table, engine: Engine, progress: Progress) -> Draft[Generalized]:
    """Run the chosen algorithm and lay out what it found."""
    roles = settings.roles(table)
    table = with_flat_trees(table, roles.quasi)
    # A promise that cannot even be stated is refused before the work.
    promise = settings.promise(roles.quasi, roles.sensitive)
    require_population(promise, table)
    settings.require_spelling(table, roles)
    require_people(settings, table, roles)
    people = people_of(settings, table)
    if people is not None:
        require_reachable_people(settings, table, roles, people)
    require_reachable(settings, table, roles)
    in_pairs = IN_PAIRS * len(table) if "kaca" in settings.algorithm else 0.0
    again = 1 + settings.retries / 2  # a retry joins a part of the rows, and looks at what that changed
    prepare((INTERPRETED * again + in_pairs) * len(table) * len(roles.quasi))
    progress("sorting", 0, 0)
    rows = encoded(table, roles, people)
    if settings.t_distance == "ordered":
        rows = replace(rows, sensitive_order=orders_of(table, roles.sensitive))
    if settings.t_distance == "hierarchical":
        rows = replace(rows, sensitive_trees=tuple(sensitive_tree(table, name) for name in roles.sensitive))
    if promise.is_about_population:
        rows = replace(rows, crowd=crowd_of(table, rows, promise))
    return draft_of(table, roles, rows, _classes(rows, settings, engine, progress))


def _classes(rows: Encoded, settings: Generalization, engine: Engine, progress: Progress) -> Classes:
    """Return classes as demanded, with a class of starred rows if some may be starred."""

    def anew(some: Encoded, _: Ints64 | None = None) -> Classes:
        return mended(some, formed_classes(some, settings, engine, progress), settings, progress)

    if settings.suppress is None:
        return anew(rows)
    from disjoin.methods.generalization.local_search import search_on
    from disjoin.methods.generalization.suppression import with_stars

    def onwards(some: Encoded, start: Ints64) -> Classes:
        return mended(some, search_on(some, settings, start, progress), settings, progress)

    return with_stars(rows, settings, anew(rows), (onwards, anew) if settings.algorithm == "local-search" else (anew,))


def draft_of(table: Table, roles: Roles, rows: Encoded, classes: Classes) -> Draft[Generalized]:
    """Return the published table, and the published row that every original row became."""
    columns = published_columns(rows, classes)
    by_name, names = roles.by_name(), [name for name in table.schema.names if name in roles.published]
    pairs = [columns.get(name) or _used(table.codes_of(name), table.values_of(name)) for name in names]
    order = order_by_content([codes for codes, _ in pairs])
    place = np.empty(len(table), dtype=np.int64)
    place[order] = np.arange(len(table))
    published = Table(
        schema=Schema(tuple(Column(name, by_name[name]) for name in names)),
        codes=tuple(codes[order] for codes, _ in pairs),
        values=tuple(values for _, values in pairs),
        hierarchies=published_trees(table, rows, columns) | _sensitive_trees(table, rows),
    )
    return Draft(Generalized(published), place)


def published_trees(
    table: Table, rows: Encoded, columns: Mapping[str, tuple[Ints32, pa.StringArray]]
) -> dict[str, Hierarchy]:
    """Return the hierarchies as they were given; with a leaf for missing values only where one is published."""
    ours = dict(zip(rows.names, rows.hierarchies, strict=True))
    return {
        name: ours[name] if MISSING in columns[name][1].to_pylist() else table.hierarchies[name]
        for name in rows.names
        if name in table.hierarchies
    }


def _sensitive_trees(table: Table, rows: Encoded) -> dict[str, Hierarchy]:
    """Return the hierarchies in which distances between sensitive values are measured, if any are."""
    return {name: table.hierarchies[name] for name in rows.sensitive_names if rows.sensitive_trees is not None}


def published_columns(rows: Encoded, classes: Classes) -> dict[str, tuple[Ints32, pa.StringArray]]:
    """Return codes and values of every quasi-identifier, by original row."""
    found = {}
    for a, name in enumerate(rows.names):
        texts = hulls(rows, classes, a) if rows.is_hull[a] else node_names(rows, classes, a)
        values = sorted(set(texts))
        ranks = {value: rank for rank, value in enumerate(values)}
        of_class = np.array([ranks[text] for text in texts], dtype=np.int32)
        codes = np.empty(len(rows), dtype=np.int32)
        codes[rows.rows] = of_class[classes.class_of_row]
        found[name] = codes, pa.array(values, pa.string())
    return found


def node_names(rows: Encoded, classes: Classes, a: int) -> list[str]:
    """Return the name of every class's node."""
    names = rows.hierarchies[a].names.to_pylist()
    return [names[node] for node in classes.vectors[:, a].tolist()]


def hulls(rows: Encoded, classes: Classes, a: int) -> list[str]:
    """Return the interval from the least to the largest number of every class.

    A class with a missing value has everything, unless nothing else is in it.
    """
    tree = rows.hierarchies[a]
    texts = tree.names.slice(0, tree.n_leaves).to_pylist()
    n = len(classes.vectors)
    low, high = np.full(n, len(texts), dtype=np.int64), np.full(n, -1, dtype=np.int64)
    np.minimum.at(low, classes.class_of_row, rows.leaves[:, a])
    np.maximum.at(high, classes.class_of_row, rows.leaves[:, a])
    ends = enumerate(zip(low.tolist(), high.tolist(), strict=True))
    return [
        EVERYTHING
        if number == classes.stars or (texts[last] == MISSING and first < last)
        else interval_text(texts[first], texts[last])
        for number, (first, last) in ends
    ]


def _used(codes: Ints32, values: pa.StringArray) -> tuple[Ints32, pa.StringArray]:
    """Return the column with the values that occur only."""
    is_used = np.bincount(codes, minlength=len(values)) > 0
    place: Ints64 = np.cumsum(is_used) - 1
    return place[codes].astype(np.int32), values.filter(pa.array(is_used))


def formed_classes(rows: Encoded, settings: Generalization, engine: Engine, progress: Progress) -> Classes:
    """Return the classes that the chosen algorithm forms; one that can be sharded does so part by part."""
    algorithm = ALGORITHMS[settings.algorithm]
    form = algorithm.load()
    formed: Classes = (
        form(rows, settings, progress, engine.map) if algorithm.is_sharded else form(rows, settings, progress)
    )
    return formed
