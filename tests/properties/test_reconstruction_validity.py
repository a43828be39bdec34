"""Whatever is published: a world that is drawn fits it, and one is drawn whenever there is one."""

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from disjoin.analyst.reconstruction import reconstruct
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters
from disjoin.verify.clusters.reconstructions import has_reconstruction
from disjoin.verify.forest import Forest
from oracle.reconstruction import reconstructions_of_tree
from oracle.worlds import as_dataset, misfits
from unit.analyst.trees import deep_forest, mixed_forest
from unit.verify.forests import honest, seeded, slots, strong_forest

SEEDS = st.integers(0, 2**32)


def can_be_put_together(published):
    forest = Forest.of(published)
    return all(has_reconstruction(forest, node) for node in range(len(forest)) if forest.parents[node] < 0)


@given(seeded(deep_forest) | seeded(mixed_forest), SEEDS, st.integers(1, 4))
def test_a_world_fits_what_is_published_and_is_found_whenever_the_inspector_says_there_is_one(trees, seed, most):
    published = Clusters.from_nested(trees)
    if can_be_put_together(published):
        for world in reconstruct(published, 3, seed, most_repeats=most):
            assert misfits(trees, world.to_sets()) == []
    else:
        with pytest.raises(InvalidParameter, match="no arrangement"):
            next(reconstruct(published, 1, seed))


@given(seeded(honest), SEEDS)
def test_what_was_cut_from_records_can_be_put_together(made, seed):
    records, trees, _ = made
    [world] = reconstruct(Clusters.from_nested(trees), 1, seed)
    assert len(world) == len(records)
    assert misfits(trees, world.to_sets()) == []


@given(st.integers(0, 2**32), st.booleans(), SEEDS)
def test_every_world_is_among_those_found_by_trying_everything(made_by, daring, seed):
    trees = strong_forest(Random(made_by), 2, daring=daring)
    assume(slots(trees) <= 6 and can_be_put_together(Clusters.from_nested(trees)))
    for tree in trees:
        every = reconstructions_of_tree(tree)
        for world in reconstruct(Clusters.from_nested([tree]), 5, seed, most_repeats=2):
            assert as_dataset(world.to_sets()) in every
