"""Releases that are tables, for the tests of files and looks: a hand-made one, random ones, the door to make them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from disjoin.model import Generalized, Hierarchy, KAnonymity, Release, Role, Table, Verdict
from disjoin.model.release import SEAL

CHECKED = tuple(f"T{number}" for number in range(1, 8))
QUASI, SENSITIVE = Role.QUASI_IDENTIFIER, Role.SENSITIVE


def sealed_table(published: Generalized, k: int = 2, **parameters: Any) -> Release:
    """Make a release without the verifier: these tests are about files and screens, not about privacy."""
    guarantee = KAnonymity(k, published.quasi, published.table.schema.with_role(SENSITIVE))
    verdict = Verdict(guarantee, (), CHECKED)
    return Release(published, guarantee, verdict, "generalization", {"k": k, **parameters}, seal=SEAL)


def in_order(table: Table) -> Table:
    """Return the rows sorted by their values, and no value that no row has."""
    order = np.lexsort(table.codes[::-1])
    columns = {name: table.column(name).take(order) for name in table.schema.names}
    roles = {column.name: column.role for column in table.schema.columns}
    return Table.from_columns(columns, roles).with_hierarchies(table.hierarchies)


def clinic() -> Generalized:
    """Return the published table of VER13, table 1.2, with ages as intervals and an unprotected column."""
    table = Table.from_columns(
        {
            "job": ["Cat1", "Cat1", "Cat1", "Cat1", "Cat2", "Cat2"],
            "birth": ["[1955, 1975]", "[1955, 1975]", "1955", "1955", "1975", "1975"],
            "zip": ["4350", "4350", "543*", "543*", "4350", "4350"],
            "illness": ["HIV", "HIV", "flu", "flu", "flu", "fever"],
            "note, if any": ["?", 'says "ah"', "", "x;y", "two\nlines", "?"],
        },
        {"job": QUASI, "birth": QUASI, "zip": QUASI, "illness": SENSITIVE},
    )
    codes = [("4350", "435*"), ("4351", "435*"), ("5432", "543*"), ("5433", "543*")]
    hierarchies = {
        "job": Hierarchy.from_rows([["Cat1", "*"], ["Cat2", "*"]]),
        "zip": Hierarchy.from_rows([(code, above, "****") for code, above in codes]),
    }
    return Generalized(in_order(table.with_hierarchies(hierarchies)))


_ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
_ODD = ["a", "b", 'quo"te', "two\nlines", "cr\r", ",", ";", " blanks ", "茶", "\ufeffbom", "*", "?"]
_ODD_NAMES = ["..", "../up", "a/b", "con", ".hidden", "~", "%41", "A", "x.y", "n" * 300]
_WORDS = _ANY | st.sampled_from(_ODD)
_NAMES = (_WORDS | st.sampled_from(_ODD_NAMES)).filter(bool)


@st.composite
def _hierarchy(draw: st.DrawFn) -> Hierarchy:
    leaves = draw(st.lists(_WORDS.filter(bool), min_size=1, max_size=6, unique=True))
    groups = [f"group {draw(st.integers(0, 2))} of these" for _ in leaves]
    return Hierarchy.from_rows([(leaf, group, "all of these") for leaf, group in zip(leaves, groups, strict=True)])


@st.composite
def some_tables(draw: st.DrawFn) -> Generalized:
    """Random tables in proper form (not private)."""
    names = draw(st.lists(_NAMES, min_size=1, max_size=4, unique=True))
    n_rows = draw(st.integers(1, 6))
    columns = {name: draw(st.lists(_WORDS, min_size=n_rows, max_size=n_rows)) for name in names}
    roles = {name: draw(st.sampled_from([QUASI, SENSITIVE, Role.OTHER])) for name in names} | {names[0]: QUASI}
    trees = {name: draw(_hierarchy()) for name in names if roles[name] is QUASI and draw(st.booleans())}
    return Generalized(in_order(Table.from_columns(columns, roles).with_hierarchies(trees)))
