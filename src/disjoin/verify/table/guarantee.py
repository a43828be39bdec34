"""T3-T6, T8-T12, X1: k-anonymity (at least k rows), l-diversity and closeness, class by class."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from disjoin.model import KAnonymity, Table
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.intervals import interval_from
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.model.ragged import Flags, Ints64
from disjoin.text import counted
from disjoin.verify.inspection import Finding
from disjoin.verify.source import value_as_read, words_of
from disjoin.verify.table.classes import LISTED, Classes, Tally, combined, distinct, largest_share, listed
from disjoin.verify.table.closeness import PLACES, Shares, closeness_facts, far_classes, largest_even, uneven
from disjoin.verify.table.original import MISSING, lowest_nodes


def guaranteed_invariants(guarantee: KAnonymity | XYAnonymity) -> list[str]:
    if isinstance(guarantee, XYAnonymity):
        return ["X1"]
    asked = {
        "T4": guarantee.alpha is not None and guarantee.person is None,
        "T5": guarantee.l > 1,
        "T6": guarantee.entropy_l is not None,
        "T8": guarantee.closeness.c is not None,
        "T9": guarantee.closeness.t is not None,
        "T10": guarantee.closeness.beta is not None,
        "T11": guarantee.closeness.delta is not None,
        "T12": guarantee.suppress is not None,
    }
    return ["T3", *(name for name, is_asked in asked.items() if is_asked)]


def check_guarantee(table: Table, guarantee: KAnonymity) -> tuple[list[Finding], dict[str, Any]]:
    """T3-T6, as far as guaranteed, and the strongest values that hold."""
    classes = Classes.of(table, guarantee.quasi)
    tallies = {name: Tally.of(classes, _words(table, name), len(table.values_of(name))) for name in guarantee.sensitive}
    findings = classes.findings(
        "T3",
        np.flatnonzero(classes.sizes < guarantee.k),
        lambda number: f"it has {counted(int(classes.sizes[number]), 'row')}, but at least {guarantee.k} are needed.",
        "classes are too small",
    )
    for name, tally in tallies.items():
        findings += _check_column(classes, name, tally, guarantee)
    facts = _facts(classes, tallies)
    most = guarantee.suppress
    if most is not None:
        facts["starred"] = starred = int(classes.sizes[vague_classes(classes)].sum())
        if starred * most.denominator > len(table) * most.numerator:
            what = "`*`, or what includes all values, in every quasi-identifier"
            message = f"{starred:,} of {counted(len(table), 'row')} have {what}, but at most a share of {most} may."
            findings.append(Finding("T12", message))
    return findings, facts


def suppressed_classes(classes: Classes) -> Flags:
    """Return for every class whether it is suppressed: `*`, or the root of the hierarchy, in all its columns."""
    return _have_only(classes, lambda texts, tree: {"*"} if tree is None else _names_of_everything(tree))


def vague_classes(classes: Classes) -> Flags:
    """Return for every class whether it is suppressed (T12): each column has `*`, or includes all its values."""

    def vague(texts: list[str], tree: Hierarchy | None) -> set[str]:
        return _widest(texts) if tree is None else _names_of_everything(tree) | _nodes_above_all(tree)

    return _have_only(classes, vague)


def _have_only(classes: Classes, names: Callable[[list[str], Hierarchy | None], set[str]]) -> Flags:
    table, found = classes.table, np.ones(len(classes), dtype=np.bool_)
    for column in classes.columns:
        texts = [text or "" for text in table.values_of(column).to_pylist()]
        wanted = names(texts, table.hierarchies.get(column))
        is_wanted = np.array([text in wanted for text in texts], dtype=np.bool_)
        found &= is_wanted[table.codes_of(column)[classes.rows]]
    return found


def _names_of_everything(tree: Hierarchy) -> set[str]:
    """Return the name of the root, and `*` unless it is the name of a lower node."""
    lowest = lowest_nodes(tree)
    names = tree.names.to_pylist()
    found = {name for name, node in lowest.items() if tree.leaf_counts[node] == tree.n_leaves}
    return {name for name in found if name == names[tree.root]} | ({"*"} - set(names))


def _widest(texts: list[str]) -> set[str]:
    """Return `*` and the interval from the least to the largest number, if any value equals it."""
    ends = {text: found for text in texts if (found := interval_from(text)) is not None}
    hull = (min(low for low, _ in ends.values()), max(high for _, high in ends.values())) if ends else None
    return {"*"} | {text for text, (low, high) in ends.items() if low < high and (low, high) == hull}


def _nodes_above_all(tree: Hierarchy) -> set[str]:
    """Return the names of inner nodes above all leaves except that of missing values."""
    lowest = lowest_nodes(tree)
    known = tree.n_leaves - (lowest.get(MISSING, tree.n_leaves) < tree.n_leaves)
    return {name for name, node in lowest.items() if node >= tree.n_leaves and tree.leaf_counts[node] >= known}


def _words(table: Table, name: str) -> Ints64:
    """Return the values of a column row by row; spellings of a word or a number are one value."""
    return words_of((value or "" for value in table.values_of(name).to_pylist()), value_as_read)[table.codes_of(name)]


def check_links(table: Table, guarantee: XYAnonymity) -> tuple[list[Finding], dict[str, Any]]:
    """X1: every combination of x that occurs is linked to at least k different ones of y; spellings are one value."""
    classes = Classes.of(table, guarantee.x)
    pairs = [(_words(table, name), len(table.values_of(name))) for name in guarantee.y]
    numbers, first = distinct(combined(pairs, len(table)))
    links = np.diff(Tally.of(classes, numbers.astype(np.int32), first.size).offsets)
    findings = classes.findings(
        "X1",
        np.flatnonzero(links < guarantee.k),
        lambda number: f"it has {links[number]} different values, but at least {guarantee.k} are needed.",
        "classes have too few values",
    )
    return findings, {"classes": len(classes), "largest_k": int(links.min())}


def _check_shares(classes: Classes, name: str, tally: Tally, alpha: Fraction) -> list[Finding]:
    """T4: count <= alpha * size. The largest count for a size is rounded down exactly, once for each size."""
    sizes, which = np.unique(classes.sizes, return_inverse=True)
    most = np.array([size * alpha.numerator // alpha.denominator for size in sizes.tolist()], dtype=np.int64)
    wrong = np.flatnonzero(tally.counts > most[which][tally.classes])
    findings = []
    for entry in wrong[:LISTED]:
        number = int(tally.classes[entry])
        value = classes.table.values_of(name)[int(tally.values[entry])].as_py()
        rows = counted(int(classes.sizes[number]), "row")
        message = f"{tally.counts[entry]} of {rows} with the same {name}, but at most a share of {alpha} may."
        findings.append(classes.finding("T4", message, number, f"{name}: {value}"))
    return listed(findings, wrong.size, f"values of {name} are too frequent in their classes")


_TOO_FAR = {
    "T8": "its most frequent value of {name} is too frequent compared to the others for recursive (c,l)-diversity.",
    "T9": "its values of {name} are farther from those of the whole table than t allows.",
    "T10": "the share of a value of {name} is farther above that of the whole table than beta allows.",
    "T11": "the share of a value of {name} is farther from that of the whole table than delta allows.",
}


def _check_column(classes: Classes, name: str, tally: Tally, guarantee: KAnonymity) -> list[Finding]:
    """T4-T6 and T8-T11 of a sensitive column, as far as guaranteed."""
    findings: list[Finding] = []
    if guarantee.alpha is not None and guarantee.person is None:  # otherwise it is a share of people: U5
        findings += _check_shares(classes, name, tally, guarantee.alpha)
    values, least, even = np.diff(tally.offsets), guarantee.l, guarantee.entropy_l
    findings += classes.findings(
        "T5",
        np.flatnonzero(values < least),
        lambda number: f"it has {values[number]} different {name}, but at least {least} are needed.",
        f"classes have too few different {name}",
    )
    if even is not None:
        words = f"its values of {name} are less even than {even} equally frequent ones."
        others = f"classes have too uneven values of {name}"
        findings += classes.findings("T6", uneven(tally, even), words, others)
    for invariant, is_far in far_classes(Shares.of(classes, tally), classes.table, name, guarantee).items():
        message, others = _TOO_FAR[invariant].format(name=name), f"classes are too far from the whole table in {name}"
        findings += classes.findings(invariant, np.flatnonzero(is_far), message, others)
    return findings


def _facts(classes: Classes, tallies: dict[str, Tally]) -> dict[str, Any]:
    table = classes.table
    facts: dict[str, Any] = {"classes": len(classes), "largest_k": int(classes.sizes.min())}
    if tallies:
        most = {name: tally.counts[tally.offsets[1:] - 1] for name, tally in tallies.items()}  # the last of a class
        shares_of = {name: largest_share(counts, classes.sizes) for name, counts in most.items()}
        facts["smallest_alpha"] = {name: list(share.as_integer_ratio()) for name, share in shares_of.items()}
        facts["largest_l"] = min(int(np.diff(tally.offsets).min()) for tally in tallies.values())
        facts["largest_entropy_l"] = min(largest_even(tally) for tally in tallies.values()) / PLACES
        shares = {name: Shares.of(classes, tally) for name, tally in tallies.items()}
        facts["closeness"] = {name: closeness_facts(each, table, name) for name, each in shares.items()}
    texts = {name: np.unique(table.codes_of(name)).size for name in tallies}
    values = {name: np.unique(tally.values).size for name, tally in tallies.items()}
    if texts != values:  # several spellings of a word or number
        facts["folded"] = {name: [texts[name], values[name]] for name in tallies if texts[name] != values[name]}
    return facts
