"""Releases of groups for the tests of files and looks: a hand-made one, random ones, and the one door to make them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from disjoin.model import Groups, PrivacyDegree, Release, Verdict
from disjoin.model.release import SEAL

CHECKED = tuple(f"P{number}" for number in range(1, 5))


def sealed_groups(published: Groups, p: int = 2, **parameters: Any) -> Release:
    """Make a release without the verifier: these tests are about files and screens, not about privacy."""
    guarantee = PrivacyDegree(p)
    return Release(published, guarantee, Verdict(guarantee, (), CHECKED), "cahd", {"p": p, **parameters}, seal=SEAL)


def shop() -> Groups:
    """Return the five customers of GTK08, figure 1, among ten, one of whom bought nothing ordinary; 2 is its degree."""
    return Groups.from_nested(
        [
            {"records": [[["cream", "strawberries"], 1], [["meat", "strawberries"], 1]], "sensitive": {"test": 1}},
            {"records": [[["wine"], 2]], "sensitive": {}},
            {"records": [[[], 1], [["meat"], 2]], "sensitive": {"pills": 1, "viagra": 1}},
            {"records": [[["cream", "meat", "wine"], 1], [["meat", "wine"], 2]], "sensitive": {"viagra": 1}},
        ]
    )


_TERMS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
_WORDS = _TERMS | st.sampled_from(["a", "b", 'quo"te', "two\nlines", "<b>", "茶"])
_SETS = st.lists(_WORDS, max_size=5).map(lambda words: tuple(sorted(set(words))))


@st.composite
def _group(draw: st.DrawFn) -> dict[str, Any]:
    records = sorted(set(draw(st.lists(_SETS, min_size=1, max_size=5))))
    return {
        "records": [[list(terms), draw(st.integers(1, 9))] for terms in records],
        "sensitive": {term: draw(st.integers(1, 9)) for term in draw(_SETS)},
    }


def some_groups() -> st.SearchStrategy[Groups]:
    """Random groups in proper form (not private, not in canonical order)."""
    return st.lists(_group(), min_size=1, max_size=5).map(Groups.from_nested)
