"""The matrix of expected pairs: the same numbers as asked one by one, and the same total as the measure."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.analyst import pair_matrix, support
from disjoin.errors import InvalidParameter
from disjoin.measure import pair_mass
from disjoin.measure.mass import pairs_inside
from disjoin.model import Clusters
from helpers.releases import figure_3, sealed
from oracle.reconstruction import leaf_paths
from oracle.supports import leaf_estimate
from unit.analyst.trees import deep_forest, mixed_forest
from unit.verify.forests import seeded


def expected_by_chance(trees):
    """The matrix from the oracle: the mean of every leaf, not limited by what the whole release allows."""
    terms = Clusters.from_nested(trees).vocabulary.to_pylist()
    paths, whole = [path for tree in trees for path in leaf_paths(tree)], np.zeros((len(terms), len(terms)))
    for a, b in combinations_with_replacement(range(len(terms)), 2):
        both = frozenset({terms[a], terms[b]})
        whole[a, b] = whole[b, a] = sum(leaf_estimate(path, both, Fraction(1)) for path in paths)
    return whole


def estimates_of(published):
    """The matrix of the estimates of `support`."""
    terms = published.vocabulary.to_pylist()
    return np.array([support(published, [{a, b} for b in terms])["estimate"].to_pylist() for a in terms])


@pytest.mark.parametrize("make", [deep_forest, mixed_forest])
@given(st.data())
def test_every_entry_is_expected_by_chance_and_no_estimate_is_above_it(make, data):
    trees = data.draw(seeded(make))
    published = Clusters.from_nested(trees)
    matrix = pair_matrix(published).matrix.toarray()
    assert np.allclose(matrix, expected_by_chance(trees), rtol=1e-12, atol=1e-15)
    assert (estimates_of(published) <= matrix + 1e-12).all()


def test_blocks_do_not_show(monkeypatch):
    for make in (deep_forest, mixed_forest):
        published = Clusters.from_nested(make(Random(5)))
        whole = pair_matrix(published).matrix.toarray()
        with monkeypatch.context() as patch:
            patch.setattr("disjoin.analyst.pairs.CELLS_AT_ONCE", 2 * len(published.vocabulary))
            assert np.array_equal(pair_matrix(published).matrix.toarray(), whole)


@given(seeded(deep_forest))
def test_the_pairs_add_up_to_what_pair_mass_expects(trees):
    published = Clusters.from_nested(trees)
    matrix = pair_matrix(published).matrix
    expected = (matrix.sum() - matrix.diagonal().sum()) / 2
    inside = pairs_inside(published)
    assert pair_mass(published) == pytest.approx(inside / expected if expected else 1.0)


def test_the_matrix_is_exactly_symmetric_and_in_the_order_of_the_vocabulary():
    found = sealed(figure_3()).pairs()
    assert found.matrix.format == "csr"
    assert (found.matrix != found.matrix.T).nnz == 0
    assert found.terms.to_pylist() == sorted(found.terms.to_pylist())
    audi, madonna = found.terms.to_pylist().index("audi a4"), found.terms.to_pylist().index("madonna")
    assert found.matrix[audi, madonna] == pytest.approx(2.4)
    assert found.matrix[madonna, madonna] == 8


def test_small_entries_can_be_left_out():
    everything, some = pair_matrix(figure_3()).matrix.toarray(), pair_matrix(figure_3(), at_least=1.0).matrix
    assert np.array_equal(some.toarray(), np.where(everything >= 1.0, everything, 0))
    assert some.nnz == (everything >= 1.0).sum() < (everything > 0).sum()


def test_term_chunks_can_be_taken_for_half_of_k():
    release = sealed(figure_3(), k=4)
    assert np.allclose(release.pairs(rare="half").matrix.toarray(), asked_one_by_one_of(release))


def asked_one_by_one_of(release):
    terms = release.published.vocabulary.to_pylist()
    return np.array([release.support([{a, b} for b in terms], rare="half")["estimate"].to_pylist() for a in terms])


@pytest.mark.parametrize("nonsense", [-1, float("nan"), "1", None, True])
def test_nonsense_is_refused(nonsense):
    with pytest.raises(InvalidParameter, match="at_least must be a number of records"):
        pair_matrix(figure_3(), at_least=nonsense)


def test_a_release_without_terms_has_no_pairs():
    assert pair_matrix(Clusters.from_nested([])).matrix.shape == (0, 0)
