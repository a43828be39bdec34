"""Tables for the tests of the report: the thesis' example, random ones, and releases of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import strategies as st

from disjoin.model.generalized import Generalized
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.published import Verdict
from disjoin.model.release import SEAL, Release
from disjoin.model.table import Role, Table

QUASI, SENSITIVE = Role.QUASI_IDENTIFIER, Role.SENSITIVE
JOBS = Hierarchy.from_rows([["Cat1", "*"], ["Cat2", "*"]])
BIRTHS = Hierarchy.from_rows([["1955", "*"], ["1975", "*"]])
CODES = Hierarchy.from_rows(
    [[code, *(code[:n] + "*" * (4 - n) for n in (3, 2, 1, 0))] for code in ("4350", "5432", "5433")]
)
PARAMETERS = {"algorithm": "kaca", "stub": True}


def canonical(table: Table) -> Generalized:
    """Sort the rows as a published table has them."""
    order = np.lexsort(table.codes[::-1])
    return Generalized(
        Table(table.schema, tuple(codes[order] for codes in table.codes), table.values, table.hierarchies)
    )


def figure() -> Generalized:
    """Return table 1.2 of VER13: three classes of two, in one of which both have HIV."""
    columns = {
        "Job": ["Cat1", "Cat1", "Cat1", "Cat1", "Cat2", "Cat2"],
        "Birth": ["*", "*", "1955", "1955", "1975", "1975"],
        "Postcode": ["4350", "4350", "543*", "543*", "4350", "4350"],
        "Illness": ["HIV", "HIV", "flu", "flu", "flu", "fever"],
        "Note": ["a", "a", "a", "b", "a", "b"],
    }
    table = Table.from_columns(columns, {"Job": QUASI, "Birth": QUASI, "Postcode": QUASI, "Illness": SENSITIVE})
    return canonical(table.with_hierarchies({"Job": JOBS, "Birth": BIRTHS, "Postcode": CODES}))


def promise_of(published: Generalized, k: int = 2, **more: Any) -> KAnonymity:
    return KAnonymity(k, published.quasi, published.table.schema.with_role(SENSITIVE), **more)


def sealed(published: Generalized, k: int = 2, **more: Any) -> Release:
    """Make a release without asking the inspector: these tests are about looks."""
    guarantee = promise_of(published, k, **more)
    verdict = Verdict(guarantee, (), ("T1", "T2", "T3", "T7"))
    return Release(published, guarantee, verdict, "generalization", PARAMETERS, 0, seal=SEAL)


_TREE = Hierarchy.from_rows(
    [["a", "A", "*"], ["b", "A", "*"], ["<i>", "B|B", "*"], ["\x1b[31m", "B|B", "*"], ["lone", "*"]]
)
_NUMBERS = ("7", "[7, 9]", "[-2.5, 9]", "[.5, 0.75]", "?", "*", "12.25")
_WORDS = ("flu", "<script>", "\x1b[2J", "\u202eevil", "two\nlines", "茶", "x|y`z", "HIV")


@st.composite
def generalized(draw: st.DrawFn) -> Generalized:
    """Draw a table with a hierarchy, with numbers, two sensitive columns and one more (classes may be small)."""
    kinds: dict[str, tuple[Any, Role]] = {
        "tree": (sorted(set(_TREE.names.to_pylist())), QUASI),
        "s`1|": (_WORDS, SENSITIVE),
        "num\u202e": (_NUMBERS, QUASI),
        "s2": (_WORDS[:2], SENSITIVE),
        "other": (_WORDS, Role.OTHER),
    }
    rows = draw(
        st.lists(st.tuples(*(st.sampled_from(values) for values, _ in kinds.values())), min_size=1, max_size=25)
    )
    columns = {name: list(values) for name, values in zip(kinds, zip(*rows, strict=True), strict=True)}
    table = Table.from_columns(columns, {name: role for name, (_, role) in kinds.items()})
    return canonical(table.with_hierarchies({"tree": _TREE}))


def rows_of(published: Generalized) -> list[dict[str, str]]:
    names = published.table.schema.names
    columns = [published.table.column(name).to_pylist() for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def classes_by_hand(published: Generalized) -> dict[tuple[str, ...], list[dict[str, str]]]:
    """Return the rows of every class, by their quasi-identifiers, in the order of these."""
    found: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in sorted(rows_of(published), key=lambda row: [row[name] for name in published.quasi]):
        found.setdefault(tuple(row[name] for name in published.quasi), []).append(row)
    return found


def different_by_hand(rows: list[dict[str, str]], quasi: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the different rows of a class without its quasi-identifiers, with counts, as programs get them."""
    others = [tuple((name, value) for name, value in row.items() if name not in quasi) for row in rows]
    return [{"values": dict(row), "count": n} for row, n in sorted(Counter(others).items())]
