"""Supports from a release alone, against the slow twin, the paper's figures and all possible originals."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from disjoin.analyst import support
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters
from helpers.releases import figure_3, sealed
from oracle.inspection import violated
from oracle.supports import every_itemset, examine, keeps_apart, mean_over_placements
from unit.analyst.trees import deep_forest, mixed_forest
from unit.verify.forests import joint, leaf, seeded, strong_forest

PAPERS = json.loads((Path(__file__).parent.parent.parent / "golden" / "papers.json").read_text(encoding="utf-8"))
FIGURE_3 = PAPERS["fig3"]


def asked(trees, itemsets, **options):
    return support(Clusters.from_nested(trees), itemsets, **options).to_pylist()


def assert_as_the_twin_says(trees, at_most=16):
    itemsets = every_itemset(trees, 4)
    if len(itemsets) > at_most:
        itemsets = Random(1).sample(itemsets, at_most)
    for itemset, found in zip(itemsets, asked(trees, itemsets), strict=True):
        wanted = examine(trees, itemset)
        assert found["itemset"] == sorted(itemset)
        assert found["estimate"] == pytest.approx(float(wanted.pop("estimate")), rel=1e-12), (itemset, found)
        assert {name: found[name] for name in wanted} == wanted, (itemset, found)


@given(seeded(lambda random: strong_forest(random, k=2)))
def test_sound_forests_are_answered_as_the_twin_does(trees):
    assert_as_the_twin_says(trees)


@given(seeded(deep_forest))
def test_joints_in_joints_in_joints_are_answered_as_the_twin_does(trees):
    assert all(map(keeps_apart, trees))
    assert_as_the_twin_says(trees)


@given(seeded(mixed_forest))
def test_trees_with_a_term_above_itself_are_answered_as_the_twin_does(trees):
    assert_as_the_twin_says(trees)


@pytest.mark.parametrize("name", ["refine_property1_counterexample", "refine_filler_counterexample"])
@pytest.mark.parametrize("mode", ["paper_mode", "safe_mode"])
def test_the_counterexamples_are_answered_as_the_twin_does(name, mode):
    trees = PAPERS[name][mode]
    assert_as_the_twin_says(trees)
    if (name, mode) == ("refine_property1_counterexample", "paper_mode"):
        assert not keeps_apart(trees[0])


def test_random_trees_are_of_every_kind():
    mixed = [mixed_forest(Random(seed)) for seed in range(100)]
    assert 20 < sum(all(map(keeps_apart, trees)) for trees in mixed) < 80


def test_figure_3_has_the_numbers_of_the_specification():
    golden = {(name, "seen"): value for name, value in FIGURE_3["lower_bounds"].items()}
    golden |= {(name, "at_least"): value for name, value in FIGURE_3["sharp_lower_bound"].items()}
    golden |= {(name, "estimate"): value for name, value in FIGURE_3["estimates"].items()}
    for (name, column), value in golden.items():
        found = support(figure_3(), [name.split("+")]).to_pylist()[0]
        assert found[column] == pytest.approx(value), name
    assert golden["audi a4+madonna", "estimate"] == 2.4


@given(seeded(lambda random: strong_forest(random, k=2)[0]))
def test_the_estimate_is_the_mean_over_independent_placement(tree):
    while tree.get("children"):
        tree = tree["children"][0]
    for itemset in every_itemset([tree], 3)[1:]:
        [found] = asked([tree], [itemset])
        mean = float(mean_over_placements(tree, itemset))
        assert found["estimate"] == pytest.approx(min(max(mean, found["at_least"]), found["at_most"]))


def test_terms_of_term_chunks_can_be_taken_for_half_of_k():
    release = sealed(figure_3(), k=3)
    itemsets = [["viagra"], ["viagra", "flu"], ["playboy", "panic disorder"], ["ikea", "viagra"]]
    for found in release.support(itemsets, rare="half").to_pylist():
        wanted = examine(figure_3().to_nested(), frozenset(found["itemset"]), Fraction(3, 2))
        assert found["estimate"] == pytest.approx(float(wanted["estimate"]))
    with pytest.raises(InvalidParameter, match="state no k"):
        support(figure_3(), ["viagra"], rare="half")
    with pytest.raises(InvalidParameter, match="'once' or 'half'"):
        support(figure_3(), ["viagra"], rare="twice")


def test_a_lone_term_of_a_term_chunk_must_fill_what_is_empty():
    lonely = leaf(5, [{"a": 2}], "t")
    assert asked([lonely], ["t"])[0]["at_least"] == 3
    under = joint([lonely, leaf(2, [{"b": 2}])], [{"c": 2}])
    assert asked([under], ["t"])[0] == {"itemset": ["t"], "seen": 1, "at_least": 1, "estimate": 1.0, "at_most": 5}
    assert asked([lonely], ["t"])[0]["estimate"] == 3  # P13: not 1, which no possible original has


def test_the_floor_of_the_upper_bound_is_for_leaves_outside_joints_only():
    # the example of section A.8: with the floor term 2, exactly 3 in the joint
    inside = joint([leaf(6, [{"a": 3}, {"b": 3}, {"c": 2}]), leaf(3, [{"d": 3}])], [{"t": 2}])
    assert asked([inside], [["a", "b"]])[0]["at_most"] == 3
    assert asked([leaf(6, [{"a": 3}, {"b": 3}, {"c": 2}])], [["a", "b"]])[0]["at_most"] == 2


def test_long_itemsets_are_answered():
    letters = [f"t{number:03}" for number in range(100)]
    trees = [{"size": 4, "record_chunks": [{"subrecords": [[letters, 3]]}], "term_chunk": []}]
    assert asked(trees, [letters])[0]["seen"] == 3
    assert asked(trees, [[*letters, "other"]])[0]["at_most"] == 0


@pytest.mark.parametrize(
    "itemsets",
    [
        [["flu", "itunes"], ["ikea"]],
        [("itunes", "flu", "flu"), "ikea"],
        [{"flu", "itunes"}, frozenset({"ikea"})],
        (itemset for itemset in [["flu", "itunes"], ["ikea"]]),
        pa.array([["itunes", "flu"], ["ikea"]]),
        pa.chunked_array([pa.array([["itunes", "flu"]]), pa.array([["ikea"]])]),
        [pa.array(["flu", "itunes"]), np.array(["ikea"])],
    ],
)
def test_itemsets_are_taken_in_any_shape(itemsets):
    table = support(figure_3(), itemsets)
    assert table.column_names == ["itemset", "seen", "at_least", "estimate", "at_most"]
    assert table["itemset"].to_pylist() == [["flu", "itunes"], ["ikea"]]
    assert table["seen"].to_pylist() == [3, 4]


@pytest.mark.parametrize(
    "itemset",
    [
        ["flu", "itunes"],
        ("itunes", "flu"),
        {"flu", "itunes"},
        (term for term in ("flu", "itunes")),
        np.array(["flu", "itunes"]),
        pa.array(["flu", "itunes"]),
    ],
)
def test_a_collection_of_terms_is_one_itemset(itemset):
    table = support(figure_3(), itemset)
    assert table["itemset"].to_pylist() == [["flu", "itunes"]]
    assert table["seen"].to_pylist() == [3]


def test_a_string_is_one_term_and_an_empty_list_no_question():
    assert support(figure_3(), "ikea")["seen"].to_pylist() == [4]
    assert support(figure_3(), []).num_rows == 0
    assert support(figure_3(), pa.array([["ikea"], ["ruby"]]))["seen"].to_pylist() == [4, 4]


def test_an_unknown_term_is_nowhere_and_the_empty_itemset_everywhere():
    unknown, mixed, empty = support(figure_3(), ["beer", ["beer", "ikea"], []]).to_pylist()
    assert [unknown[n] for n in ("seen", "at_least", "estimate", "at_most")] == [0, 0, 0.0, 0]
    assert [mixed[n] for n in ("seen", "at_least", "estimate", "at_most")] == [0, 0, 0.0, 0]
    assert [empty[n] for n in ("seen", "at_least", "estimate", "at_most")] == [10, 10, 10.0, 10]


@pytest.mark.parametrize(
    ("nonsense", "message"),
    [
        (7, "expected an itemset, such as .*, got an int"),
        (None, "got None"),
        (b"flu", "got bytes"),
        ({"flu": 1}, "got a dict"),
        ([["flu"], 7], r"itemset 1 \(from 0\) is an int"),
        ([["flu", 7]], r"a term is a string; itemset 0 \(from 0\) has an int"),
        ([[["flu"]]], "a term is a string"),
        (["flu\udcff"], "UTF-8"),
        (pa.array([["flu", None]]), "has None"),
        (pa.array([[1, 2]]), "has an int"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(nonsense, message):
    with pytest.raises(InvalidParameter, match=message) as refusal:
        support(figure_3(), nonsense)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("trees", "finding"),
    [
        ([leaf(3, [{"a": 2}], "a")], "a cluster holds the same term twice"),
        ([leaf(3, [{"aa": 2}])], "a subrecord holds the same term twice"),
        ([leaf(0, [{"a": 2}])], "a cluster has no records"),
        ([leaf(3, [{"a": 0}])], "has a count below 1"),
        ([joint([leaf(3, [{"a": 2}]), leaf(3, [{"b": 2}])], []) | {"size": 7}], "not as large as its children"),
        ([joint([leaf(3, [{"a": 2}])], [{"c": 2}]) | {"term_chunk": ["d"]}], "a joint cluster has a term chunk"),
    ],
)
def test_clusters_that_are_not_sound_are_refused(trees, finding):
    with pytest.raises(InvalidParameter, match=finding):
        asked(trees, ["a"])


def test_arrays_that_do_not_fit_are_refused():
    good = figure_3()
    names = ("vocabulary", "parents", "sizes", "term_offsets", "term_items", "chunk_offsets", "subrecord_offsets")
    fields = {name: getattr(good, name) for name in (*names, "item_offsets", "items", "counts")}
    for broken in (
        {"items": fields["items"] + 99},
        {"parents": fields["parents"][::-1]},
        {"item_offsets": fields["item_offsets"][:-1]},
        {"sizes": fields["sizes"][:-1]},
        {"counts": fields["counts"][:-1]},
    ):
        with pytest.raises(InvalidParameter, match="not sound clusters"):
            support(Clusters(**(fields | broken)), ["ikea"])


def test_only_a_release_or_clusters_can_be_asked():
    with pytest.raises(InvalidParameter, match="expected a release, got str"):
        support("release/", ["ikea"])


@given(seeded(deep_forest))
def test_nodes_may_stand_in_any_order_as_long_as_parents_come_first(trees):
    published = Clusters.from_nested(trees)
    itemsets = every_itemset(trees, 2)
    assert support(level_by_level(published), itemsets).equals(support(published, itemsets))


def level_by_level(published):
    """The same forest, all roots first, then all their children, and so on."""
    depth = [0] * len(published)
    for node, parent in enumerate(published.parents):
        depth[node] = depth[parent] + 1 if parent >= 0 else 0
    order = sorted(range(len(published)), key=lambda node: depth[node])
    number = {old: new for new, old in enumerate(order)}
    flat = Clusters.from_nested(  # the nodes as if they stood alone, with the right content
        [
            {
                "size": int(published.sizes[node]),
                "record_chunks": [{"subrecords": [[list(t), n] for t, n in c]} for c in published.chunks_of(node)],
                "term_chunk": list(published.term_chunk_of(node)),
            }
            for node in order
        ]
    )
    parents = np.array([number.get(int(published.parents[node]), -1) for node in order])
    names = ("vocabulary", "sizes", "term_offsets", "term_items", "chunk_offsets", "subrecord_offsets")
    fields = {name: getattr(flat, name) for name in (*names, "item_offsets", "items", "counts")}
    return Clusters(parents=parents, **fields)


def test_forests_used_here_are_mostly_sound():
    sound = [not violated(strong_forest(Random(seed), k=2), 2, 2) for seed in range(100)]
    assert sum(sound) > 30
