"""Groups for the tests of the report: the paper's figure, random ones, and releases of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from disjoin.model import Groups, PrivacyDegree, Release, Verdict
from disjoin.model.release import SEAL

CHECKED = tuple(f"P{number}" for number in range(1, 6))


def figure() -> Groups:
    """Return the groups of GTK08's figure in canonical order, with a bare record beside Claire and Andrea."""
    claire = [[[], 1], [["Cream", "Strawberries"], 1], [["Meat", "Strawberries"], 1]]
    bob = [[["Cream", "Meat", "Wine"], 1], [["Meat", "Wine"], 2]]
    return Groups.from_nested(
        [
            {"records": claire, "sensitive": {"Pregnancy Test": 1}},
            {"records": bob, "sensitive": {"Viagra": 1}},
        ]
    )


def sealed(published: Groups, p: int = 2, **parameters: Any) -> Release:
    """Make a release without asking the inspector: these tests are about looks."""
    guarantee = PrivacyDegree(p)
    settings = {"p": p, "alpha": 3, "order": "bipartite", **parameters}
    return Release(published, guarantee, Verdict(guarantee, (), CHECKED), "cahd", settings, 0, seal=SEAL)


_ORDINARY = ("a", "b", "c", "d", 'quo"te', "two\nlines", "<b>", "茶")
_SENSITIVE = ("flu", "<script>", "\x1b[31m", "\u202e")


@st.composite
def _one_group(draw: st.DrawFn) -> dict[str, Any]:
    bags = draw(st.lists(st.frozensets(st.sampled_from(_ORDINARY), max_size=4), min_size=1, max_size=6, unique=True))
    records = [[sorted(bag), draw(st.integers(1, 3))] for bag in bags]
    size = sum(count for _, count in records)
    names = draw(st.lists(st.sampled_from(_SENSITIVE), max_size=3, unique=True))
    return {"records": sorted(records), "sensitive": {name: draw(st.integers(1, size)) for name in sorted(names)}}


def groups() -> st.SearchStrategy[Groups]:
    """Random groups in proper form (not safe, groups not in canonical order)."""
    return st.lists(_one_group(), min_size=1, max_size=5).map(Groups.from_nested)
