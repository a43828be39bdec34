"""Possible originals: everything published is true of them, and what is said about seeds and refusals holds."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import disjoin
from disjoin.analyst.reconstruction import reconstruct
from disjoin.analyst.reconstruction_search import LARGEST_COVERED_LEAF
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters
from helpers.releases import figure_3, sealed
from oracle.reconstruction import reconstructions_of_tree
from oracle.worlds import as_dataset, misfits
from unit.analyst.many_worlds import draws
from unit.verify.forests import joint, leaf

PAPERS = json.loads((Path(__file__).parents[2] / "golden" / "papers.json").read_text(encoding="utf-8"))
COUNTEREXAMPLES = ["refine_filler_counterexample", "refine_property1_counterexample"]


def worlds(trees, n=1, seed=0, **options):
    return [world.to_sets() for world in reconstruct(Clusters.from_nested(trees), n, seed, **options)]


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
@pytest.mark.parametrize("mode", ["paper_mode", "safe_mode"])
def test_the_counterexamples_are_put_together_validly_in_thousands_of_draws(name, mode):
    for tree in PAPERS[name][mode]:
        for world in draws(tree, copies=3000):
            assert not misfits([tree], world)


def test_a_repair_that_gets_stuck_is_settled_by_the_exact_step():
    # CE2 of the specification: with both t in the first leaf no single move fills the second one.
    [tree] = PAPERS["refine_filler_counterexample"]["paper_mode"]
    seen = {as_dataset(world) for world in draws(tree, copies=3000)}
    assert seen == reconstructions_of_tree(tree)


def test_the_exact_step_keeps_term_chunks_complete():
    [counterexample] = PAPERS["refine_filler_counterexample"]["paper_mode"]
    tree = joint([*counterexample["children"], leaf(2, [{"e": 1}], "xy")], [{"t": 2}])
    for world in draws(tree, copies=2000, most_repeats=2):
        assert not misfits([tree], world)


FULL = [leaf(2, [{"b": 2}]), leaf(2, [{"c": 2}]), leaf(2, [{"a": 2}])]
BOUND = {
    "a term chunk keeps its terms": joint([leaf(2, [{"a": 2}], "t"), leaf(2, [{"b": 2}])], [{"t": 2}]),
    "all is full in the end, so parts must make room": joint(FULL, [{"a": 2, "b": 2, "c": 2}]),
    "only t may fill the gap": joint([leaf(2, [{"p": 1}]), leaf(3, [{"q": 3}])], [{"p": 2, "t": 1}]),
    "the exact step, too, keeps d out of the second leaf": joint(
        [leaf(4, [{"a": 2}, {"b": 2}]), leaf(3, [{"d": 2}])], [{"d": 1, "t": 2}]
    ),
    "a joint in between keeps its terms": joint(
        [joint([leaf(2, [{"a": 2}]), leaf(2, [{"b": 2}])], [{"t": 2}]), leaf(2, [{"c": 2}])], [{"t": 2}]
    ),
}


@pytest.mark.parametrize("name", BOUND)
def test_a_shared_part_goes_only_where_none_of_its_terms_is_known_already(name):
    tree = BOUND[name]
    every = reconstructions_of_tree(tree)
    for world in draws(tree, copies=2000):
        assert not misfits([tree], world)
        assert as_dataset(world) in every


def test_figure_4_has_33_possible_originals_and_all_are_reached():
    tree = leaf(5, [{"a": 3}, {"b": 3}], "c")
    seen = {as_dataset(world) for world in draws(tree, copies=20_000, most_repeats=5)}
    assert seen == reconstructions_of_tree(tree)
    assert len(seen) == 33


def test_the_minimality_example_has_19_possible_originals_and_all_are_reached():
    tree = leaf(4, [{"a": 2}, {"b": 2}], "t")
    seen = {as_dataset(world) for world in draws(tree, copies=20_000, most_repeats=4)}
    assert seen == reconstructions_of_tree(tree)
    assert len(seen) == 19


def test_a_leaf_too_large_for_the_table_of_chances_is_repaired():
    size = LARGEST_COVERED_LEAF + 8
    tree = leaf(size, [{"a": size - 200}, {"b": 150, "bc": 60}])
    [world] = worlds([tree])
    assert not misfits([tree], world)


def test_a_large_leaf_that_only_just_is_covered_gets_one_part_a_record():
    size = LARGEST_COVERED_LEAF
    letters = [chr(ord("A") + i) for i in range(32)]
    tree = leaf(size, [{letter: size // 32} for letter in letters])
    [world] = worlds([tree])
    assert not misfits([tree], world)
    assert {len(record) for record in world} == {1}


def test_the_order_of_nodes_does_not_matter_as_long_as_parents_come_first():
    left, right = leaf(2, [{"a": 2}], "b"), leaf(3, [{"c": 3}])
    tree = joint([left, right], [{"x": 4}])
    lone = leaf(2, [{"d": 2}])
    # The forest is written level by level: both roots, then the children of the first.
    by_level = Clusters.from_nested([tree, lone])
    order = np.array([0, 3, 1, 2])
    levels = _reordered(by_level, order)
    [world] = reconstruct(levels)
    assert not misfits([tree, lone], world.to_sets())


def _reordered(published, order):
    nested = [
        {"size": int(published.sizes[i]), "record_chunks": [], "term_chunk": list(published.term_chunk_of(i))}
        for i in order
    ]
    for place, node in enumerate(order):
        chunks = published.chunks_of(node)
        nested[place]["record_chunks"] = [{"subrecords": [[list(t), n] for t, n in c]} for c in chunks]
    position = {int(node): place for place, node in enumerate(order)}
    parents = [position.get(int(published.parents[node]), -1) for node in order]
    return replace(Clusters.from_nested(nested), parents=np.array(parents))


def test_a_seed_fixes_the_outcome_and_another_one_changes_it():
    [tree] = figure_3().to_nested()
    assert worlds([tree], 3, seed=7) == worlds([tree], 3, seed=7)
    drawn = worlds([tree], 5, seed=7) + worlds([tree], 5, seed=8) + worlds([tree], 1, seed=2**80)
    assert len({as_dataset(world) for world in drawn}) > 6


def test_a_world_does_not_depend_on_how_many_are_drawn():
    [tree] = figure_3().to_nested()
    assert worlds([tree], 4, seed=3)[:2] == worlds([tree], 2, seed=3)


def test_worlds_are_drawn_when_they_are_asked_for():
    endless = reconstruct(figure_3(), 10**12)
    assert len(next(endless)) == 10


def test_a_release_gives_its_possible_originals():
    release = sealed(figure_3(), k=3)
    several = release.reconstruct(4, seed=5)
    assert [world.to_sets() for world in several] == worlds(figure_3().to_nested(), 4, seed=5)
    assert release.to_transactions(seed=5).to_sets() == several[0].to_sets()
    assert several[0].vocabulary.equals(release.published.vocabulary)


def test_rare_terms_occur_once_or_up_to_k_minus_1_times():
    release = sealed(Clusters.from_nested([leaf(6, [{"a": 6}], "xyz")] * 50), k=4)
    item = release.published.vocabulary.to_pylist().index("x")
    once = release.reconstruct()[0].supports()[item]
    more = [int(world.supports()[item]) for world in release.reconstruct(20, rare="uniform")]
    assert once == 50
    assert all(50 <= support <= 150 for support in more)
    assert 85 < np.mean(more) < 115  # k/2 = 2 on average; 20 * 50 draws of variance 2/3 are that near but for 1e-8


def test_what_a_method_publishes_can_be_put_together():
    records = [{"flu", "fever"}, {"flu", "cough"}, {"flu", "fever", "cough"}, {"fever", "cough"}, {"flu", "rash"}] * 4
    release = disjoin.disassociate(records, k=3, m=2)
    for world in release.reconstruct(5):
        assert not misfits(release.published.to_nested(), world.to_sets())


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"n": 0}, "n must be a whole number of at least 1"),
        ({"n": 1.5}, "n must be a whole number"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"seed": "x"}, "seed must be a whole number"),
        ({"rare": "often"}, "rare must be one of once, uniform, got 'often'"),
    ],
)
def test_wrong_arguments_are_refused_at_once(arguments, words):
    with pytest.raises(InvalidParameter, match=words):
        sealed(figure_3()).reconstruct(**arguments)


@pytest.mark.parametrize(
    "tree",
    [
        leaf(3, [{"a": 2}]),
        leaf(3, []),
        leaf(600, [{"a": 300}, {"b": 299}]),
        joint([leaf(2, [{"a": 2}]), leaf(2, [{"a": 2}])], [{"a": 2}]),
        joint([leaf(2, [{"a": 2}]), leaf(2, [])], [{"b": 1}]),
    ],
    ids=["too few parts", "no parts", "too few parts, large", "nowhere to go", "too few shared parts"],
)
def test_what_cannot_be_put_together_is_refused(tree):
    with pytest.raises(InvalidParameter, match="cannot be put together again: no arrangement"):
        worlds([tree])


@pytest.mark.parametrize(
    "tree, words",
    [
        (leaf(2, [{"a": 3}]), "more subrecords than its cluster has records"),
        (leaf(0, [], "a"), "proper form"),
        (leaf(2, [{"a": 0}], "b"), "proper form"),
        (leaf(2, [{"a": 2}], "a"), "terms in common"),
        (leaf(2**32, [{"a": 2}], "b"), "4,294,967,296 records in 2 parts.*Ask for supports instead"),
        (leaf(2**30, [{"a": 2**30}, {"b": 2**30}, {"c": 2**30}]), "3,221,225,472 parts.*Ask for supports instead"),
        ({**joint([leaf(2, [{"a": 2}])] * 2, [{"b": 1}]), "term_chunk": ["c"]}, "proper form"),
    ],
)
def test_malformed_or_too_many_clusters_are_refused(tree, words):
    with pytest.raises(InvalidParameter, match=words):
        worlds([tree])


@pytest.mark.parametrize(
    "change",
    [
        {"parents": [5, -1]},
        {"parents": [-1, 1]},
        {"parents": [-1]},
        {"items": [7, 0]},
        {"term_offsets": [0, 9, 0]},
        {"chunk_offsets": [0, 1, 1]},
        {"sizes": [2**40, 2]},
    ],
)
def test_arrays_that_lead_nowhere_are_refused(change):
    published = Clusters.from_nested([leaf(2, [{"a": 2}]), leaf(2, [{"b": 2}])])
    with pytest.raises(InvalidParameter, match="cannot be put together again"):
        next(reconstruct(replace(published, **{name: np.array(value) for name, value in change.items()})))
