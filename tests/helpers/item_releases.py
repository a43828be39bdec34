"""Releases of generalised and of noisy records for tests: hand-made ones, random ones, and the door to make them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import strategies as st

from disjoin.model import (
    Bag,
    DifferentialPrivacy,
    GeneralizedItems,
    Hierarchy,
    KmAnonymity,
    NoisyRecords,
    Release,
    Verdict,
)
from disjoin.model.release import SEAL


def sealed_items(published: GeneralizedItems, k: int = 2, m: int = 2) -> Release:
    """Make a release without the verifier: these tests are about files and answers, not about privacy."""
    guarantee = KmAnonymity(k, m)
    checked = tuple(f"A{number}" for number in range(1, 7))
    return Release(published, guarantee, Verdict(guarantee, (), checked), "apriori", {"k": k, "m": m}, seal=SEAL)


def sealed_noisy(published: NoisyRecords, epsilon: Any = 1) -> Release:
    """Make a release of noisy records without the verifier."""
    guarantee = DifferentialPrivacy(epsilon)
    settings = {"epsilon": str(guarantee.epsilon)}
    return Release(
        published, guarantee, Verdict(guarantee, (), ("N1", "N2", "N3", "N4")), "diffpart", settings, seal=SEAL
    )


def pantry() -> GeneralizedItems:
    """Return nine baskets: drinks and sweets are generalised, bread is not, and no basket has mustard."""
    tree = Hierarchy.from_rows(
        [
            ["tea", "hot", "drink", "*"],
            ["coffee", "hot", "drink", "*"],
            ["milk", "drink", "*"],
            ["jam", "sweet", "*"],
            ["honey", "sweet", "*"],
            ["bread", "*"],
            ["mustard", "*"],
        ]
    )
    mapping = {"tea": "drink", "coffee": "drink", "milk": "drink", "jam": "sweet", "honey": "sweet"}
    mapping |= {"bread": "bread", "mustard": "mustard"}
    records = [(["bread", "drink"], 3), (["bread", "drink", "sweet"], 2), (["drink"], 2), (["sweet"], 2)]
    return GeneralizedItems.from_mapping(records, mapping, tree)


def rumours() -> NoisyRecords:
    """Return a few made-up records."""
    return NoisyRecords(Bag.from_rows([(["tea"], 12), (["milk", "tea"], 5), (["jam", "milk", "tea"], 2)]))


_TERMS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
_WORDS = _TERMS | st.sampled_from(["a", "b", 'quo"te', "two\nlines", "half;colon", " blank ", "<b>", "茶"])
_ABOVE = ("[one", "[two;\n", '[three"')


def _counted(draw: st.DrawFn, words: list[str]) -> list[tuple[tuple[str, ...], int]]:
    """Draw distinct sets of the words, in any order, with counts."""
    sets = draw(st.lists(st.sets(st.sampled_from(words), min_size=1), max_size=6))
    return [(tuple(terms), draw(st.integers(1, 9))) for terms in {tuple(sorted(some)) for some in sets}]


@st.composite
def some_noisy(draw: st.DrawFn) -> NoisyRecords:
    """Random records in proper form; possibly none."""
    words = sorted(draw(st.sets(_WORDS, min_size=1, max_size=6)))
    return NoisyRecords(Bag.from_rows(_counted(draw, words)))


@st.composite
def some_items(draw: st.DrawFn) -> tuple[GeneralizedItems, list[set[str]]]:
    """Random originals of random terms, and what they are under a random cut of a random hierarchy (not private)."""
    leaves = sorted(draw(st.sets(_WORDS.filter(lambda word: word not in (*_ABOVE, "*")), min_size=1, max_size=7)))
    over = {leaf: draw(st.sampled_from((*_ABOVE, None))) for leaf in leaves}
    tree = Hierarchy.from_rows([[leaf, *([name] if name else []), "*"] for leaf, name in over.items()])
    taken = draw(st.sets(st.sampled_from((*_ABOVE, "*")), max_size=2))
    mapping = {leaf: "*" if "*" in taken else name if name in taken else leaf for leaf, name in over.items()}
    originals = draw(st.lists(st.sets(st.sampled_from(leaves), min_size=1), max_size=8))
    rows = Counter(tuple(sorted({mapping[term] for term in record})) for record in originals)
    return GeneralizedItems.from_mapping(list(rows.items()), mapping, tree), originals
