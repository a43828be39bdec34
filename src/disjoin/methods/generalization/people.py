"""People: rows of the same person, and the population of the rows (k-map and delta-presence). Classes count people.
Merging classes never lowers k-map, but a probability of presence can rise and fall, so it is tested after every
round."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.errors import GuaranteeUnreachable, InvalidParameter, Remedy
from disjoin.methods.generalization.encoding import words_of
from disjoin.methods.role_checks import count_people, require_person, require_publishable
from disjoin.methods.sensitive_terms import named as listed
from disjoin.model import Hierarchy, KAnonymity, Table
from disjoin.model.column_roles import ColumnKind, RoleChoice, choices_from, roles_in
from disjoin.model.generalized import MISSING
from disjoin.model.intervals import interval_from, number_from
from disjoin.model.ragged import Flags, Ints32, Ints64, inverse
from disjoin.model.spelling import alike, folded
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization
    from disjoin.methods.generalization.encoding import Classes, Encoded
    from disjoin.methods.generalization.requirements import Roles


def require_people(settings: Generalization, table: Table, roles: Roles) -> None:
    if settings.person is not None:
        _require_ids(settings.person, settings.similar_ids, table)
    elif not settings.one_row_per_person:
        _refuse_repeated(table, roles.identifiers)
    if roles.dropped and not settings.drop_unassigned:
        raise InvalidParameter(
            f"a column without a role is not published, but {listed(roles.dropped)} "
            f"{'has' if len(roles.dropped) == 1 else 'have'} none. Name each as quasi, sensitive, others or "
            "identifiers.",
            remedies=[Remedy("drop_unassigned", True, "leave them out")],
        )


def require_roles(settings: Generalization, table: Table, roles: Roles) -> None:
    choices = choices_from(settings.role)
    decided = choices if settings.person is None else {**choices, settings.person: RoleChoice(ColumnKind.PERSON)}
    found = roles_in(table, decided)
    if settings.person is None and not settings.one_row_per_person:
        _refuse_repeated(table, roles.identifiers)
        require_person(found, choices, "person")
    unprotected = () if settings.is_about_sensitive else roles.sensitive
    as_they_are = (*roles.others, *unprotected) if settings.min_people is None else ()
    dropped = () if settings.drop_unassigned else roles.dropped  # rather than ask for a role that they cannot have
    require_publishable(found, (*roles.published, *dropped), as_they_are=as_they_are, leave_out="identifiers")


def _refuse_repeated(table: Table, names: Iterable[str]) -> None:
    for name in names:
        different = np.unique(table.codes_of(name)).size
        if different < len(table):
            raise InvalidParameter(
                f"{len(table):,} rows have {different:,} different values of {name!r}, so rows are not people, and "
                "k equal rows may belong to one person. Give a table with one row per person.",
                remedies=[
                    count_people("person", name),
                    Remedy("one_row_per_person", True, "treat every row as a different person"),
                ],
            )


def _require_ids(person: str, similar: str, table: Table) -> None:
    values = table.values_of(person).to_pylist()
    used = np.bincount(table.codes_of(person), minlength=len(values))
    absent = int(used[values.index(MISSING)]) if MISSING in values else 0
    if absent:
        rows = counted(absent, "row has", "rows have")
        raise InvalidParameter(f"{rows} no {person!r}, so their person is unknown. Complete or remove them.")
    ids = [value for value, times in zip(values, used.tolist(), strict=True) if times]
    pairs = alike(ids) if similar == "error" else []
    if pairs:
        fewer = len(ids) - sum(len(group) - 1 for group in pairs)
        one, other = (int(np.flatnonzero(table.codes_of(person) == values.index(id))[0]) + 1 for id in pairs[0][:2])
        raise InvalidParameter(
            f"{len(ids):,} different values of {person!r} are only {fewer:,} if case, blanks and Unicode forms are "
            f"ignored, for example those of rows {min(one, other):,} and {max(one, other):,}.",
            remedies=[
                Remedy("similar_ids", "merge", "treat them as the same people"),
                Remedy("similar_ids", "keep", "treat them as different people"),
            ],
        )


def people_of(settings: Generalization, table: Table) -> Ints32 | None:
    """Return a number for every row, equal for rows of one person; None if every row is a person."""
    if settings.person is None:
        return None
    codes = table.codes_of(settings.person)
    if settings.similar_ids != "merge":
        return codes
    names = [folded(value) for value in table.values_of(settings.person).to_pylist()]
    return np.unique(names, return_inverse=True)[1].ravel().astype(np.int32)[codes]


def require_reachable_people(settings: Generalization, table: Table, roles: Roles, people: Ints32) -> None:
    """Raise if one class of all people would not satisfy the requirements: then merging cannot help."""
    n = int(np.unique(people).size)
    if n < settings.k:
        raise GuaranteeUnreachable(
            f"{len(table):,} rows belong to {n:,} people, too few for a class of {settings.k}. "
            + (f"Lower k to {n} or less, or add people." if n >= 2 else "Add people.")
        )
    for name in roles.sensitive:
        words = words_of(table, name)
        width = int(words.max(initial=0)) + 1
        pairs = np.unique(people.astype(np.int64) * width + words)  # pairs of a person and a value
        most = int(np.bincount(pairs % width).max())
        share = Fraction(most, n)
        if settings.alpha is not None and share > settings.alpha:
            raise GuaranteeUnreachable(
                f"at most a share of {settings.alpha} of the people of a class may have the same value of {name!r}, "
                f"but {most:,} of all {n:,} have one. Use alpha = {share} or more (about {float(share):.3g})."
            )
        if n - most < settings.l - 1:
            raise GuaranteeUnreachable(
                f"for every value of {name!r}, {settings.l - 1} people of a class must be without it, but {most:,} of "
                f"all {n:,} have one. Use l = {n - most + 1} or less."
            )


NOWHERE, BEFORE, ANY_END = -3, -4, 2**31  # a value that only a class at the root includes, and its ends
NEAR = 1e-9  # sums of shares closer to a limit are computed exactly


class Population(NamedTuple):
    """Groups of people with equal quasi-identifiers (kinds): each is a span of the places of each column."""

    people: Ints64  # (kinds,)
    lows: Ints64  # (kinds, quasi-identifiers)
    highs: Ints64
    k_map: int  # number of people that every class must fit
    presence: tuple[Fraction, Fraction] | None


def require_population(guarantee: KAnonymity, table: Table) -> None:
    if not guarantee.is_about_population:
        return
    if table.population is None:
        raise InvalidParameter(
            "k_map, least_presence and most_presence need a population: give a table with a row per person."
        )
    for name in guarantee.quasi:
        if name not in table.population.schema.names:
            raise InvalidParameter(f"the population has no column {name!r}, which an attacker may know. Add it.")


def population_of(table: Table, rows: Encoded, guarantee: KAnonymity) -> Population:
    population = table.population
    assert population is not None, "required before"
    columns = []
    for a, name in enumerate(rows.names):
        texts = population.values_of(name).to_pylist()
        tree = rows.hierarchies[a]
        spans = _among_numbers(tree, texts) if rows.is_hull[a] else _in_tree(tree, texts)
        columns.append(spans[population.codes_of(name)])
    kinds, people = np.unique(np.concatenate(columns, axis=1), axis=0, return_counts=True)
    return Population(
        people.astype(np.int64), kinds[:, 0::2].copy(), kinds[:, 1::2].copy(), guarantee.k_map or 0, guarantee.presence
    )


def _in_tree(tree: Hierarchy, texts: list[str]) -> Ints64:
    """Return the first and last leaf under the node of every text; the lowest node of that name."""
    spans, names = leaf_spans(tree), tree.names.to_pylist()
    found: dict[str, tuple[int, int]] = {}
    for name, (first, last) in zip(names, spans.tolist(), strict=True):
        found.setdefault(name, (first, last))
    before = int(spans[tree.root][0]) - 1
    found.setdefault(MISSING, (before, before))  # only the root includes missing values
    return np.array([found.get(text, (NOWHERE, ANY_END)) for text in texts], dtype=np.int64).reshape(-1, 2)


def leaf_spans(tree: Hierarchy) -> Ints64:
    """Return the first and the last place of every node: the leaves below a node are neighbours.

    >>> leaf_spans(Hierarchy.from_rows([["a", "x", "*"], ["b", "y", "*"], ["c", "x", "*"]])).tolist()
    [[0, 0], [2, 2], [1, 1], [0, 1], [2, 2], [0, 2]]
    """
    paths = tree.paths()
    order = np.lexsort(paths.T)  # the last key, the root, is the primary one
    places = inverse(order)
    spans = np.tile(np.array([len(tree), -1], dtype=np.int64), (len(tree), 1))
    for nodes in paths.T:
        np.minimum.at(spans[:, 0], nodes, places)
        np.maximum.at(spans[:, 1], nodes, places)
    return spans


def _among_numbers(tree: Hierarchy, texts: list[str]) -> Ints64:
    """Return the last leaf whose number is at most the text's number, and the first whose number is at least it."""
    leaves = tree.names.slice(0, tree.n_leaves).to_pylist()
    numbers = [number for number in map(number_from, leaves) if number is not None]
    found = []
    for text in texts:
        ends = interval_from(text)
        if ends is None:
            found.append((len(numbers),) * 2 if text == MISSING else (NOWHERE, ANY_END))
        else:
            low, high = bisect_right(numbers, ends[0]) - 1, bisect_left(numbers, ends[1])
            found.append((low, high) if low >= 0 and high < len(numbers) else (NOWHERE, ANY_END))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _places(rows: Encoded, classes: Classes) -> tuple[Ints64, Ints64]:
    """Return the first and the last place of every class, column by column: (classes, quasi-identifiers)."""
    firsts, lasts = np.empty((2, len(classes.vectors), len(rows.names)), dtype=np.int64)
    for a, tree in enumerate(rows.hierarchies):
        if rows.is_hull[a]:
            low, high = classes.bounds(rows.leaves[:, a])
            includes_all = np.zeros(low.size, dtype=np.bool_)
            if classes.stars is not None:
                includes_all[classes.stars] = True
            missing = tree.n_leaves - 1
            if tree.names[missing].as_py() == MISSING:
                includes_all |= (high == missing) & (low < missing)
            low[includes_all], high[includes_all] = BEFORE, ANY_END
            firsts[:, a], lasts[:, a] = low, high
        else:
            spans = leaf_spans(tree)
            spans[tree.root, 0] -= 1
            firsts[:, a], lasts[:, a] = spans[classes.vectors[:, a]].T
    return firsts, lasts


def population_fit(rows: Encoded, classes: Classes) -> tuple[Ints64, Flags]:
    """Return the number of people that every class includes, and which classes need no merging because of them."""
    population = rows.population
    assert population is not None, "needs a population"
    firsts, lasts = _places(rows, classes)
    sizes = np.bincount(classes.class_of_row, minlength=len(classes.vectors))
    included = np.zeros(len(firsts), dtype=np.int64)
    shares: list[tuple[Ints64, Fraction]] = []  # shares of the people whom a class includes
    orders = np.argsort(population.lows, axis=0, kind="stable").T
    ordered = [lows[order] for lows, order in zip(population.lows.T, orders, strict=True)]
    begins = np.array([lows.searchsorted(first) for lows, first in zip(ordered, firsts.T, strict=True)])
    ends = np.array([lows.searchsorted(last, side="right") for lows, last in zip(ordered, lasts.T, strict=True)])
    for number, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
        a = (ends[:, number] - begins[:, number]).argmin()  # the column in which fewest kinds begin in the class
        near = orders[a][begins[a, number] : ends[a, number]]
        fits = np.sort(near[((first <= population.lows[near]) & (population.highs[near] <= last)).all(axis=1)])
        included[number] = population.people[fits].sum()
        if population.presence is not None:  # only then: shares take memory
            shares.append((fits, Fraction(int(sizes[number]), max(1, int(included[number])))))
    is_kept: Flags = included >= population.k_map
    if population.presence is not None:
        is_kept[_classes_to_blame(population.people.size, shares, population.presence)] = False
    return included, is_kept


def _classes_to_blame(
    kinds: int, shares: list[tuple[Ints64, Fraction]], allowed: tuple[Fraction, Fraction]
) -> Ints64 | list[int]:
    """Return the classes to merge: for each person whose sum of shares breaks a limit, the one with most of it."""
    sums, largest, of_class = np.zeros(kinds), np.full(kinds, -1.0), np.full(kinds, -1, dtype=np.int64)
    for number, (fits, share) in enumerate(shares):
        sums[fits] += float(share)
        leads = fits[largest[fits] < float(share)]
        largest[leads], of_class[leads] = float(share), number
    low, high = (float(share) for share in allowed)
    blamed = set()
    for kind in np.flatnonzero((sums < low + NEAR) | (sums > high - NEAR)).tolist():
        chance = Fraction(0)
        for fits, share in shares if of_class[kind] >= 0 else ():
            place = fits.searchsorted(kind)
            if place < fits.size and fits[place] == kind:
                chance += share
        if not allowed[0] <= min(chance, Fraction(1)) <= allowed[1]:
            blamed.add(int(of_class[kind]))
    return np.arange(len(shares)) if -1 in blamed else sorted(blamed)  # a person in no class may come into any of them


def unreachable(people: int, rows: Encoded) -> GuaranteeUnreachable:
    population = rows.population
    assert population is not None, "needs a population"
    if people < population.k_map:
        return GuaranteeUnreachable(
            f"all rows as one class fit {people:,} people of the population, but k_map needs {population.k_map:,}. "
            f"Lower k_map to {people:,} or less, or spell the population's values as the table does."
        )
    return GuaranteeUnreachable(
        f"all {len(rows):,} rows as one class fit {people:,} of {int(population.people.sum()):,} people of the "
        f"population, so their probability to be in the table is about {len(rows) / max(1, people):.4g}, and 0 for the "
        "others. Allow these, or give a larger population."
    )
