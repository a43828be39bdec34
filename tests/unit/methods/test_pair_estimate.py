"""What `auto` judges clusterings by is what a receiver of the release would estimate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.analyst.index import desk_of
from disjoin.analyst.pairs import expected_pairs as estimates
from disjoin.engines.local import Local
from disjoin.measure import weighted_pair_error as error_of_an_evaluation
from disjoin.methods import Disassociation
from disjoin.methods.disassociation.best_clustering import weighted_pair_error
from disjoin.methods.disassociation.pair_estimate import expected_pairs
from disjoin.model import Clusters, Transactions
from effort import examples
from oracle.core import sets_up_to

terms = st.sampled_from("abcdefgh")
baskets = st.lists(st.sets(terms, min_size=1, max_size=5), min_size=6, max_size=60)


def published(records, **settings):
    data = Transactions.from_sets(records)
    return data, Disassociation(k=2, m=2, **settings).publish(data, Local(1)).published


@examples(40)
@given(
    baskets, st.sampled_from(["horpart", "core", "core-horpart"]), st.sets(terms), st.sampled_from(["levels", "pairs"])
)
def test_estimates_are_those_of_the_receiver_also_in_joint_clusters(records, clustering, left_out, builder):
    size = {} if clustering == "core" else {"max_cluster_size": 4}
    _, clusters = published(records, clustering=clustering, refine_builder=builder, **size)
    wanted = np.array([name not in left_out for name in clusters.vocabulary.to_pylist()])
    column = np.where(wanted, np.cumsum(wanted) - 1, -1).astype(np.int32)
    expected = estimates(desk_of(clusters), wanted, 1.0).toarray()[wanted][:, wanted]
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(expected_pairs(clusters, column, int(wanted.sum())), expected, atol=1e-9)


def test_a_shared_term_meets_what_lies_in_the_leaves_below_and_further_down():
    def leaf(size, chunk, rare):
        return {"size": size, "record_chunks": [{"subrecords": [[[chunk], size]]}], "term_chunk": rare}

    inner = {
        "size": 6,
        "shared_chunks": [{"subrecords": [[["x"], 3]]}],
        "children": [leaf(4, "a", ["r"]), leaf(2, "b", [])],
    }
    outer = {"size": 9, "shared_chunks": [{"subrecords": [[["y"], 3]]}], "children": [inner, leaf(3, "c", [])]}
    clusters = Clusters.from_nested([outer])
    names = clusters.vocabulary.to_pylist()
    matrix = expected_pairs(clusters, np.arange(len(names), dtype=np.int32), len(names))
    found = {a + b: matrix[names.index(a), names.index(b)] for a, b in map(sorted, sets_up_to(names, 2)[len(names) :])}
    known = {"ax": 2, "bx": 1, "rx": 0.5, "ar": 1, "ay": 4 / 3, "cy": 1, "ry": 1 / 3, "xy": 1, "by": 2 / 3}
    assert found == pytest.approx({**dict.fromkeys(found, 0.0), **known})


@examples(20)
@given(baskets, st.booleans())
def test_the_error_is_the_one_of_an_evaluation(records, suppressing):
    strategy = {"strategy": "suppression", "max_cluster_size": 30} if suppressing else {}
    data, clusters = published(records, **strategy)
    assert weighted_pair_error(clusters, data) == pytest.approx(error_of_an_evaluation(clusters, data))


def test_a_term_that_was_suppressed_is_expected_nowhere():
    data = Transactions.from_sets([["a", "b"]] * 4 + [["a", "b", "0"]])
    clusters = Clusters.from_nested(
        [{"size": 4, "record_chunks": [{"subrecords": [[["a", "b"], 4]]}], "term_chunk": []}]
    )
    assert weighted_pair_error(clusters, data) == pytest.approx((1 + 2) / 7)


def test_records_of_one_term_have_no_pairs_to_err_about():
    data, clusters = published([["a"]] * 5)
    assert weighted_pair_error(clusters, data) == 0.0
