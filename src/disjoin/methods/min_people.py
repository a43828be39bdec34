"""Threshold of people: rare terms are left out or replaced before a method runs. Methods publish the remaining data
and ignore the threshold: at least `min_people` people have each published label (a term, a category, "other").
Each spelling is counted separately, which leaves out more terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from disjoin.errors import InvalidParameter, Placeholder, Remedy
from disjoin.methods.sensitive_terms import chosen_terms
from disjoin.model.parameters import CATEGORY, LEAVE_OUT, OTHER, SUPPRESSED, MinPeople
from disjoin.progress import Progress, silent
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.model import Draft, Hierarchy, Table, Transactions
    from disjoin.model.ragged import Ints32, Ints64

MIN_PEOPLE_HELP = "publish no term that fewer than N people have"
MIN_VALUES_HELP = "outside the quasi-identifiers, publish no value that fewer than N people have"
RARE_HELP = (
    "what to do with rarer terms: leave them out, or replace them by the lowest category that N people have, or by "
    "'other'"
)
RARE_CELLS_HELP = (
    "what to do with rarer values: replace them by *, by the lowest category that N people have, or by 'other'"
)
RARE_ITEMS_HELP = "what to do with rarer terms: leave them out, or replace them by 'other'"
CATEGORIES_HELP = "the categories for rare = category: a file with one row per term, from the term to the root"


def threshold_of(method: Any) -> MinPeople | None:
    """Return the threshold that the settings ask for; raises if they contradict one another."""
    if method.min_people is None:
        if method.rare != LEAVE_OUT:
            raise InvalidParameter(f"rare = {method.rare!r} needs a threshold: add min_people.")
        return None
    return MinPeople(method.min_people, method.rare)


def stored_threshold(method: Any) -> dict[str, Any]:
    """Return the settings as a release stores them; the hierarchy, which lists rare terms, is not among them."""
    threshold = threshold_of(method)
    return {} if threshold is None else threshold.to_json()


def require_settings(method: Any) -> None:
    """Raise unless the settings about rare terms are consistent, whatever the data are."""
    threshold = threshold_of(method)
    if threshold is not None:
        object.__setattr__(method, "min_people", threshold.people)
    tree = method.hierarchy
    if tree is None:
        return
    from disjoin.model import Hierarchy  # imported late: a hierarchy needs the array libraries

    if not isinstance(tree, Hierarchy):
        raise InvalidParameter(f"hierarchy must be a Hierarchy, got {type(tree).__name__}.")
    if threshold is None or threshold.rare != CATEGORY:
        raise InvalidParameter("hierarchy is for terms of too few people: add min_people and rare = 'category'.")


Publish = TypeVar("Publish", bound=Callable[..., Any])


def with_enough_people(publish: Publish) -> Publish:
    """Remove rare terms and values before a method's `publish` runs; the draft refers to all records."""

    @wraps(publish)
    def published(self: Any, data: Any, engine: Any, progress: Progress = silent, **rest: Any) -> Any:
        if self.min_people is None:
            return publish(self, data, engine, progress, **rest)
        kept = kept_of(self, data)
        return kept.about(publish(kept.method, kept.data, engine, progress, **rest))

    return cast("Publish", published)


@dataclass(frozen=True, slots=True)
class EnoughPeople:
    """The remaining data, and the method to publish them with."""

    method: Any
    data: Any
    n_records: int  # records of all data
    rows: Ints64 | None  # (records that are left,) their numbers; None: all
    counts: dict[str, int]  # for the data owner

    def about(self, draft: Draft[Any]) -> Draft[Any]:
        private = {**draft.private, "rare": self.counts}
        if self.rows is None or draft.part_of_record is None:
            return replace(draft, private=private)
        import numpy as np

        parts = np.full(self.n_records, -1, dtype=np.int64)
        parts[self.rows] = draft.part_of_record
        return replace(draft, part_of_record=parts, private=private)


def kept_of(method: Any, data: Any) -> EnoughPeople:
    """Return the data without values that fewer than `min_people` people have; unchanged without a threshold."""
    import numpy as np

    threshold, n = threshold_of(method), len(data)
    if threshold is None:
        return EnoughPeople(method, data, n, None, {})
    # A declared sensitive term that is left out does not count as missing.
    able = replace(method, allow_missing_sensitive=True) if hasattr(method, "allow_missing_sensitive") else method
    if method.takes == "table":
        from disjoin.model.spelling import first_alike

        columns = [name for role in ("sensitive", "others") for name in getattr(method.roles(data), role)]
        people = np.arange(n)
        if method.person is not None:  # ids that differ only in spelling count as one person, which is stricter
            alike = first_alike(data.values_of(method.person).to_pylist())
            people = alike[data.codes_of(method.person)].astype(np.int64)
        table, counts = _cells(data, columns, people, threshold)
        return EnoughPeople(able, table, n, None, counts)
    if method.takes == "mixed":  # values of sensitive columns have no hierarchy here, and no person is left out
        records, counts = _terms(method, data.records, threshold)
        flat = MinPeople(threshold.people) if threshold.rare == CATEGORY else threshold
        table, cells = _cells(data.table, method.sensitive_columns, np.arange(n), flat)
        return EnoughPeople(able, replace(data, records=records, table=table), n, None, counts | cells)
    records, counts = _terms(method, data, threshold)
    rows = np.flatnonzero(records.records.lengths)
    if not rows.size:
        raise InvalidParameter(f"no term belongs to at least {threshold.people:,} people. Lower min_people.")
    ids = records.intake.ids
    if ids is not None and len(ids) == n:
        ids = ids.take(rows)
    offsets = np.append(records.offsets[rows], records.offsets[-1])  # records without terms take no space
    kept = replace(records, offsets=offsets, intake=replace(records.intake, ids=ids))
    return EnoughPeople(able, kept, n, rows, counts | {"records": n - rows.size})


def _terms(method: Any, data: Transactions, threshold: MinPeople) -> tuple[Transactions, dict[str, int]]:
    """Return the records with rare terms replaced, and the number of terms and occurrences replaced."""
    marked = chosen_terms(method, data).terms if hasattr(method, "sensitive_match") else data.sensitive_terms()
    names, supports = data.vocabulary.to_pylist(), data.supports()
    rare = {name for name, support in zip(names, supports.tolist(), strict=True) if support < threshold.people}
    found = rare.intersection(marked)
    if found and threshold.rare != LEAVE_OUT:
        many = counted(len(found), "sensitive term is", "sensitive terms are")
        raise InvalidParameter(
            f"{many} had by fewer than {threshold.people} people, and their replacements would not be sensitive.",
            remedies=[Remedy("rare", LEAVE_OUT, "leave rare terms out")],
        )
    tree = method.hierarchy if threshold.rare == CATEGORY else None
    labels = labels_of(names, data.records.owners(), data.items, supports, threshold, tree)
    pairs = list(zip(labels, names, supports.tolist(), strict=True))
    gone = [support for label, _, support in pairs if label is None and support]
    other = [support for label, name, support in pairs if label is not None and label != name]
    counts = {"left_out_terms": len(gone), "left_out_occurrences": sum(gone)}
    counts |= {"replaced_terms": len(other), "replaced_occurrences": sum(other), "occurrences": int(supports.sum())}
    return _relabelled(data, labels, marked), counts


def labels_of(
    names: list[str], owners: Ints64, codes: Ints32, supports: Ints64, threshold: MinPeople, tree: Hierarchy | None
) -> list[str | None]:
    """Return the label that every term is published as, None if it is left out. `owners` and `codes` are the person and
    the term of every occurrence, `supports` count the people of every term."""
    import numpy as np

    is_rare = supports < threshold.people
    labels: list[str | None] = [None if rare else name for name, rare in zip(names, is_rare.tolist(), strict=True)]
    if threshold.rare == LEAVE_OUT:
        return labels
    at = np.flatnonzero(is_rare[codes])
    holders: dict[int, set[int]] = {}
    for owner, code in zip(owners[at].tolist(), codes[at].tolist(), strict=True):
        holders.setdefault(code, set()).add(owner)
    frequent = {name for name in labels if name is not None}
    if threshold.rare == OTHER:
        everybody = set().union(*holders.values())
        found = dict.fromkeys(holders, OTHER) if len(everybody) >= threshold.people or OTHER in frequent else {}
    elif tree is None:
        raise InvalidParameter(
            "rare = 'category' needs the hierarchy of the terms.",
            remedies=[Remedy("hierarchy", Placeholder("FILE"), "read it from a file")],
        )
    else:
        found = _categories(names, holders, frequent, threshold.people, tree)
    for code, label in found.items():
        labels[code] = label
    return labels


def _categories(
    names: list[str], holders: dict[int, set[int]], frequent: set[str], least: int, tree: Hierarchy
) -> dict[int, str]:
    """Return the lowest category of every rare term that enough people have who have no remaining term below it. Terms
    are raised together, level by level, until enough people have the terms that meet in a node. A category that is a
    frequent term has enough. Terms that reach the root are left out, as are terms that are not in the tree."""
    node_names = tree.names.to_pylist()
    place = {name: node for node, name in reversed(list(enumerate(node_names)))}  # the lowest node of each name
    waiting: dict[int, tuple[list[int], set[int]]] = {}

    def meet(node: int, terms: list[int], people: set[int]) -> None:
        there = waiting.setdefault(node, ([], set()))
        there[0].extend(terms)
        there[1].update(people)

    for code, people in holders.items():
        if names[code] in place:
            meet(place[names[code]], [code], people)
    found: dict[int, str] = {}
    root = node_names[tree.root]
    for node in range(tree.root):  # parents have higher numbers
        if node not in waiting:
            continue
        terms, people = waiting.pop(node)
        label = node_names[node]
        if label != root and (len(people) >= least or label in frequent):
            found |= dict.fromkeys(terms, label)
        else:
            meet(int(tree.parents[node]), terms, people)
    return found


def _relabelled(data: Transactions, labels: list[str | None], marked: Iterable[str]) -> Transactions:
    """Return the records with other terms; one may become empty. Several terms with one label become one."""
    import numpy as np
    import pyarrow as pa

    from disjoin.model.ragged import offsets_of

    used = sorted({label for label in labels if label is not None})
    rank = {label: number for number, label in enumerate(used)}
    numbers = np.array([-1 if label is None else rank[label] for label in labels], dtype=np.int64)
    wide = max(1, len(used))
    owners = data.records.owners()

    def told(items: Ints32) -> Ints64:
        new = numbers[items]
        return (owners * wide + new)[new >= 0]

    codes = np.unique(told(data.items))
    written = None
    if data.written is not None:
        in_order = told(data.written)
        written = (in_order[np.sort(np.unique(in_order, return_index=True)[1])] % wide).astype(np.int32)
    secrets = set(marked)
    return replace(
        data,
        offsets=offsets_of(np.bincount(codes // wide, minlength=len(data))),
        items=(codes % wide).astype(np.int32),
        vocabulary=pa.array(used, pa.string()),
        sensitive=np.fromiter((label in secrets for label in used), np.bool_, len(used)) if secrets else None,
        written=written,
        hierarchy=None,
    )


def _cells(table: Table, columns: Iterable[str], people: Ints64, threshold: MinPeople) -> tuple[Table, dict[str, int]]:
    """Return the table with rare values of some columns replaced, and the number of values and cells replaced."""
    import numpy as np
    import pyarrow as pa

    codes, values = list(table.codes), list(table.values)
    trees, counts = dict(table.hierarchies), {"values": 0, "cells": 0}
    for name in columns:
        place = table.schema.position(name)
        texts, given = table.values[place].to_pylist(), table.codes[place]
        pairs = np.unique(people * max(1, len(texts)) + given)
        supports = np.bincount(pairs % max(1, len(texts)), minlength=len(texts))
        tree = trees.pop(name, None)
        is_flat = threshold.rare == CATEGORY and tree is None
        asked = MinPeople(threshold.people) if is_flat else threshold
        found = labels_of(texts, people, given, supports, asked, tree)
        labels = [SUPPRESSED if label is None else label for label in found]
        kept = sorted(set(labels))
        rank = {label: number for number, label in enumerate(kept)}
        codes[place] = np.array([rank[label] for label in labels], dtype=np.int32)[given]
        values[place] = pa.array(kept, pa.string())
        few = supports[given] < threshold.people
        counts["values"] += int(np.unique(given[few]).size)
        counts["cells"] += int(few.sum())
    return replace(table, codes=tuple(codes), values=tuple(values), hierarchies=trees), counts
