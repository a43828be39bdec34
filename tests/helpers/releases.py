"""Releases for the tests of files, report and measure: a hand-made one, random ones, and the one door to make them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from disjoin.model import Clusters, KmAnonymity, Release, Verdict
from disjoin.model.release import SEAL

CHECKED = tuple(f"V{number}" for number in range(1, 13))


def sealed(published: Clusters, k: int = 3, m: int = 2, *, suppressed_records: int = 0, **parameters: Any) -> Release:
    """Make a release without the verifier: these tests are about files and screens, not about anonymity."""
    guarantee = KmAnonymity(k, m)
    verdict = Verdict(guarantee, (), CHECKED)
    settings = {"k": k, "m": m, "max_cluster_size": 30, "strategy": "adding", **parameters}
    return Release(published, guarantee, verdict, "disassociation", settings, suppressed_records, seal=SEAL)


def figure_3() -> Clusters:
    """Return the joint cluster of TLMS12, figure 3, in canonical order."""
    camera, flu = ["digital camera", "iphone sdk"], ["flu", "itunes"]
    cameras = {
        "size": 5,
        "record_chunks": [
            {
                "subrecords": [
                    [camera, 1],
                    [[*camera, "madonna"], 2],
                    [["digital camera", "madonna"], 1],
                    [["iphone sdk", "madonna"], 1],
                ]
            }
        ],
        "term_chunk": ["panic disorder", "playboy"],
    }
    phones = {
        "size": 5,
        "record_chunks": [
            {"subrecords": [[["audi a4", "sony tv"], 3]]},
            {"subrecords": [[flu, 1], [[*flu, "madonna"], 2], [["flu", "madonna"], 1], [["itunes", "madonna"], 1]]},
        ],
        "term_chunk": ["viagra"],
    }
    shared = {"subrecords": [[["ikea"], 1], [["ikea", "ruby"], 3], [["ruby"], 1]]}
    return Clusters.from_nested([{"size": 10, "shared_chunks": [shared], "children": [phones, cameras]}])


_TERMS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
_WORDS = st.lists(_TERMS | st.sampled_from(["a", "b", 'quo"te', "two\nlines", "<b>", "茶"]), min_size=1, max_size=5)
_SETS = _WORDS.map(lambda words: sorted(set(words)))


@st.composite
def _chunks(draw: st.DrawFn) -> dict[str, Any]:
    subrecords = sorted({tuple(words) for words in draw(st.lists(_SETS, min_size=1, max_size=4))})
    return {"subrecords": [[list(terms), draw(st.integers(1, 9))] for terms in subrecords]}


@st.composite
def _leaves(draw: st.DrawFn) -> dict[str, Any]:
    chunks = draw(st.lists(_chunks(), max_size=3))
    return {"size": draw(st.integers(1, 50)), "record_chunks": chunks, "term_chunk": draw(st.just([]) | _SETS)}


@st.composite
def _joints(draw: st.DrawFn, children: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    below = draw(st.lists(children, min_size=2, max_size=3))
    chunks = draw(st.lists(_chunks(), min_size=1, max_size=2))
    return {"size": sum(child["size"] for child in below), "shared_chunks": chunks, "children": below}


def forests() -> st.SearchStrategy[Clusters]:
    """Random clusters in proper form (not anonymous, not in canonical order)."""
    trees = st.recursive(_leaves(), _joints, max_leaves=4)
    return st.lists(trees, min_size=1, max_size=4).map(Clusters.from_nested)
