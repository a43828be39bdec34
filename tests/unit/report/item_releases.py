"""Generalised records for the tests of the report: the golden example, random ones, and releases of them."""

from __future__ import annotations

from hypothesis import strategies as st

from disjoin.model import GeneralizedItems, Hierarchy, KmAnonymity, Release, Verdict
from disjoin.model.release import SEAL

CHECKED = tuple(f"A{number}" for number in range(1, 7))
PARAMETERS = {"k": 2, "m": 2}


def figure() -> GeneralizedItems:
    """Return the example of section E.2, with a term beside it that no record has."""
    tree = Hierarchy.from_rows([["a1", "A", "*"], ["a2", "A", "*"], ["b1", "B", "*"], ["b2", "B", "*"], ["c", "*"]])
    records = [(["A", "b1", "b2"], 2), (["A", "b1"], 1), (["A", "b2"], 1)]
    return GeneralizedItems.from_mapping(records, {"a1": "A", "a2": "A", "b1": "b1", "b2": "b2", "c": "c"}, tree)


def sealed(published: GeneralizedItems, k: int = 2, m: int = 2) -> Release:
    """Make a release without asking the inspector: these tests are about looks."""
    guarantee = KmAnonymity(k, m)
    return Release(published, guarantee, Verdict(guarantee, (), CHECKED), "apriori", {"k": k, "m": m}, 0, seal=SEAL)


_LEAVES = ("a", "b", "c", 'quo"te', "two\nlines", "<b>", "茶", "\u202e")
_ABOVE = ("D&D", "<script>", "\x1b[31m")


@st.composite
def items(draw: st.DrawFn) -> GeneralizedItems:
    """Random records of generalised terms in proper form (not safe)."""
    leaves = sorted(draw(st.sets(st.sampled_from(_LEAVES), min_size=1)))
    over = {leaf: draw(st.sampled_from((*_ABOVE, None))) for leaf in leaves}
    tree = Hierarchy.from_rows([[leaf, *([name] if name else []), "*"] for leaf, name in over.items()])
    taken = draw(st.sets(st.sampled_from((*_ABOVE, "*")), max_size=2))
    mapping = {
        leaf: "*" if "*" in taken else name if name in taken and name is not None else leaf
        for leaf, name in over.items()
    }
    found = draw(st.lists(st.sets(st.sampled_from(leaves), min_size=1), max_size=8))
    rows = {tuple(sorted({mapping[leaf] for leaf in record})) for record in found}
    return GeneralizedItems.from_mapping([(row, draw(st.integers(1, 9))) for row in sorted(rows)], mapping, tree)
