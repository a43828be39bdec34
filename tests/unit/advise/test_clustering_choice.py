"""What `auto` judges clusterings by is what a receiver of the release would estimate: there is one estimator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.advise import publisher_of
from disjoin.advise.clustering_choice import Candidate, Shown, chosen_candidate
from disjoin.analyst.index import desk_of
from disjoin.analyst.pairs import expected_pairs, expected_square
from disjoin.engine import Local
from disjoin.measure import EVALUATIONS, Evidence, weighted_pair_error
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import CLUSTERINGS, candidates
from disjoin.methods.disassociation.clustering import Clustered
from disjoin.methods.disassociation.horpart import Partition
from disjoin.model import Clusters, Draft, Transactions
from helpers.hypothesis_profile import examples
from oracle.core import sets_up_to

terms = st.sampled_from("abcdefgh")
baskets = st.lists(st.sets(terms, min_size=1, max_size=5), min_size=6, max_size=60)


def published(records, **settings):
    data = Transactions.from_sets(records)
    return data, publisher_of(Disassociation(k=2, m=2, **settings))(data, Local(1))


@examples(40)
@given(
    baskets, st.sampled_from(["horpart", "core", "core-horpart"]), st.sets(terms), st.sampled_from(["levels", "pairs"])
)
def test_estimates_of_some_terms_are_those_that_all_terms_have(records, clustering, left_out, builder):
    size = {} if clustering == "core" else {"max_cluster_size": 4}
    desk = desk_of(published(records, clustering=clustering, refine_builder=builder, **size)[1].published)
    wanted = np.array([name not in left_out for name in desk.published.vocabulary.to_pylist()])
    everything, some = (expected_pairs(desk, asked, 1.0).toarray() for asked in (np.ones_like(wanted), wanted))
    np.testing.assert_allclose(some, np.where(np.outer(wanted, wanted), everything, 0.0), atol=1e-9)


@examples(20)
@given(baskets, st.permutations("abcdefgh"), st.integers(0, 8), st.sampled_from(["safe", "paper"]))
def test_the_square_of_some_terms_is_cut_out_of_the_matrix_of_all(records, order, many, mode):
    desk = desk_of(published(records, refine_mode=mode, max_cluster_size=4)[1].published)
    names = desk.published.vocabulary.to_pylist()
    terms = np.array([names.index(name) for name in order[:many] if name in names], np.int64)
    everything = expected_pairs(desk, np.ones(len(names), np.bool_), 1.0).toarray()
    np.testing.assert_allclose(expected_square(desk, terms, 1.0), everything[np.ix_(terms, terms)], atol=1e-9)


def test_the_same_clusters_are_published_once_in_whichever_order_they_come():
    def clusters(core, *parts):
        sizes = np.array([len(part) for part in parts], np.int64)
        return Clustered(Partition(np.concatenate(parts).astype(np.int32), sizes), core).content()

    assert clusters(2, [0, 3], [4, 1], [2]) == clusters(2, [3, 0], [2], [1, 4])
    assert clusters(2, [0, 3], [4, 1], [2]) != clusters(2, [0, 3], [4, 2], [1])
    assert clusters(2, [0, 3], [4, 1]) != clusters(0, [0, 3], [4, 1])
    assert clusters(2, [0, 3], [4, 1]) != clusters(2, [0, 3], [4, 2])
    judged = published([["a", "b"], ["a", "c"], ["a", "b", "c"]] * 4, clustering="auto")[1].private["clusterings"]
    assert set(judged) == {"horpart", "core", "pruned"}, "clusters of core-horpart are the core's"


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
    matrix = expected_pairs(desk_of(clusters), np.ones(len(names), np.bool_), 1.0).toarray()
    found = {a + b: matrix[names.index(a), names.index(b)] for a, b in map(sorted, sets_up_to(names, 2)[len(names) :])}
    known = {"ax": 2, "bx": 1, "rx": 0.5, "ar": 1, "ay": 4 / 3, "cy": 1, "ry": 1 / 3, "xy": 1, "by": 2 / 3}
    assert found == pytest.approx({**dict.fromkeys(found, 0.0), **known})


@examples(20)
@given(baskets, st.sampled_from(["safe", "paper"]))
def test_the_errors_of_auto_are_those_of_an_evaluation_also_in_mode_paper(records, mode):
    data, draft = published(records, clustering="auto", refine_mode=mode, max_cluster_size=8)
    for name, found in draft.private["clusterings"].items():
        size = {"max_cluster_size": 8} if CLUSTERINGS[name].splits else {}
        clusters = published(records, clustering=name, refine_mode=mode, **size)[1].published
        evidence = Evidence(data, clusters, 2)
        assert found["weighted_pair_error"] == pytest.approx(
            EVALUATIONS["weighted_pair_error"].compute(evidence).value, abs=1e-8
        )
    assert set(draft.private["clusterings"]) <= {"horpart", *candidates()}


def test_auto_leaves_out_what_shows_more_than_the_papers_way_although_its_error_is_less():
    def chosen(*found):
        exposures = {name: Shown(harmed, sure) for name, _, _, harmed, sure in found}
        ways = [Candidate(name, Draft(None, None), error, mass) for name, error, mass, _, _ in found]
        best, attacked = chosen_candidate(ways, lambda each, limit: exposures[each.name])
        return best.name, set(attacked)

    paper = ("horpart", 0.3, 0.5, 0.05, 0.10)
    assert chosen(paper, ("core", 0.1, 0.6, 0.06, 0.0)) == ("horpart", {"horpart", "core"})
    assert chosen(paper, ("core", 0.1, 0.6, 0.0, 0.11)) == ("horpart", {"horpart", "core"})
    assert chosen(paper, ("core", 0.1, 0.6, 0.0, None)) == ("horpart", {"horpart", "core"})
    assert chosen(paper, ("core", 0.1, 0.6, 0.05, 0.10)) == ("core", {"horpart", "core"})
    assert chosen(paper, ("core", 0.1, 0.4, 0.0, 0.0)) == ("horpart", set()), "it keeps fewer pairs"
    second = ("core-horpart", 0.2, 0.6, 0.0, 0.0)
    assert chosen(paper, second, ("core", 0.1, 0.6, 0.0, 0.0)) == ("core", {"horpart", "core"}), "nobody attacks second"
    assert chosen(paper, second, ("core", 0.1, 0.6, 1.0, 0.0)) == ("core-horpart", {"horpart", "core", "core-horpart"})
    assert chosen(("core", 0.1, 0.6, 1.0, 1.0), second) == ("core", set())


def test_a_term_that_was_suppressed_is_expected_nowhere():
    data = Transactions.from_sets([["a", "b"]] * 4 + [["a", "b", "0"]])
    clusters = Clusters.from_nested(
        [{"size": 4, "record_chunks": [{"subrecords": [[["a", "b"], 4]]}], "term_chunk": []}]
    )
    assert weighted_pair_error(clusters, data) == pytest.approx((1 + 2) / 7)


def test_records_of_one_term_have_no_pairs_to_err_about():
    data, draft = published([["a"]] * 5)
    assert weighted_pair_error(draft.published, data) == 0.0
