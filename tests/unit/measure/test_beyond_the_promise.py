"""What a release shows beyond its promise, and how well pairs can be estimated, against slow twins."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.analyst.reconstruction import reconstruct
from disjoin.engine import Local
from disjoin.forms.clusters.facts import rows_of
from disjoin.measure import EVALUATIONS, Evidence, ItemEvidence, exposed_records, universal_terms, weighted_pair_error
from disjoin.measure.evidence_items import NoisyEvidence
from disjoin.methods.disassociation import Disassociation
from disjoin.model import Bag, Clusters, GeneralizedItems, Hierarchy, KmAnonymity, NoisyRecords, Transactions
from disjoin.report.documents import documents_of
from disjoin.report.facts import facts_of
from helpers.hypothesis_profile import examples
from helpers.releases import figure_3, forests
from oracle import exposure as twin

exposed_records_module = sys.modules["disjoin.measure.disclosure"]  # the package's name is the function
FIGURE_2 = ["itunes flu madonna ikea ruby", "madonna flu viagra ruby audi sony", "itunes madonna audi ikea sony"]
FIGURE_2 += ["itunes flu viagra", "itunes flu madonna audi sony"]
CLUSTERINGS = ("horpart", "core", "core-horpart")

baskets = st.lists(st.sets(st.sampled_from("abcdefg"), min_size=1, max_size=5), min_size=6, max_size=40)


def published(records, clustering="horpart", k=2, m=2, **settings):
    size = {} if clustering == "core" else {"max_cluster_size": 4}
    method = Disassociation(k=k, m=m, clustering=clustering, **size, **settings)
    return method.publish(Transactions.from_sets(records), Local(1)).published


@examples(60)
@given(forests(), st.integers(2, 12), st.integers(1, 3))
def test_exposed_records_are_what_listing_all_sets_finds(clusters, k, m):
    assert exposed_records(clusters, KmAnonymity(k, m)) == float(twin.exposed_records(clusters, k, m))


@examples(40)
@given(baskets, st.sampled_from(CLUSTERINGS), st.integers(1, 3))
def test_also_in_what_methods_publish_joint_clusters_among_it(records, clustering, m):
    clusters = published(records, clustering, m=m)
    assert exposed_records(clusters, KmAnonymity(2, m)) == float(twin.exposed_records(clusters, 2, m))
    assert universal_terms(clusters) == float(twin.universal_terms(clusters))


@examples(40)
@given(forests())
def test_universal_terms_are_those_of_all_records_of_a_leaf(clusters):
    assert universal_terms(clusters) == float(twin.universal_terms(clusters))


def test_nobody_is_exposed_twice_and_a_joint_cluster_counts_what_it_shares():
    """The leaves show 2 of 3 and all of 2 records, at most; the joint cluster has no more than its 5."""
    one = {
        "size": 3,
        "record_chunks": [{"subrecords": [[["a", "b"], 1], [["a"], 2]]}, {"subrecords": [[["c", "d"], 1]]}],
    }
    other = {"size": 2, "record_chunks": [{"subrecords": [[["a", "b"], 2]]}, {"subrecords": [[["c", "d"], 2]]}]}
    shared = [{"subrecords": [[["x", "y"], 2]]}]
    joint = Clusters.from_nested([{"size": 5, "shared_chunks": shared, "children": [one, other]}])
    assert exposed_records(Clusters.from_nested([one]), KmAnonymity(3, 1)) == 2 / 3
    assert exposed_records(Clusters.from_nested([other]), KmAnonymity(3, 1)) == 1
    assert exposed_records(joint, KmAnonymity(3, 1)) == 1
    assert exposed_records(joint, KmAnonymity(3, 1), shared=False) == 4 / 5
    assert exposed_records(joint, KmAnonymity(2, 1), shared=False) == 2 / 5


def test_figure_2_by_hand():
    """Two of five records have flu, itunes and madonna; estimates of its pairs are off by 13.8 of 48 in all."""
    records = [record.split() for record in FIGURE_2]
    release = disjoin.disassociate(records, k=3, m=2)
    found = disjoin.evaluate(release, records, measures=["exposed_records", "universal_terms", "weighted_pair_error"])
    assert (found["exposed_records"], found["universal_terms"]) == (2 / 5, 0)
    assert found["weighted_pair_error"] == pytest.approx(13.8 / 48)


@pytest.mark.parametrize("name", ["exposed_records", "universal_terms"])
def test_an_evaluation_says_what_the_report_says(name):
    [world] = reconstruct(figure_3(), 1, 0)
    evidence = Evidence(world, figure_3(), k=3, m=2)
    finding = EVALUATIONS[name].compute(evidence)
    function = {"exposed_records": exposed_records(figure_3(), KmAnonymity(3, 2))}
    assert finding.value == pytest.approx(function.get(name, universal_terms(figure_3())))


def test_without_a_promise_nothing_is_said_to_be_exposed():
    clusters = Clusters.from_nested([{"size": 2, "record_chunks": [{"subrecords": [[["a"], 2]]}], "term_chunk": []}])
    finding = EVALUATIONS["exposed_records"].compute(Evidence(Transactions.from_sets([["a"]] * 2), clusters, k=2))
    assert finding.value is None
    assert finding.notes


def test_a_share_that_takes_too_many_steps_is_null_and_every_text_says_so(monkeypatch):
    """It depends on what is published alone, so that whoever verifies makes the same texts again."""
    counted = exposed_records_module.exposed_subrecords
    monkeypatch.setattr(exposed_records_module, "exposed_subrecords", lambda *given: counted(*given, 1))
    release = disjoin.disassociate([record.split() for record in FIGURE_2], k=3, m=2)
    report = facts_of(release)
    entry = report.measures["exposed_records"]
    assert entry["value"] is None
    assert "without_shared_chunks" not in entry
    assert entry["meaning"].startswith("Looking for rare sets of 3 terms in the chunks would take more than ")
    texts = documents_of(release)
    assert "found among fewer than 3 was not computed. Looking for" in texts["README.md"]
    assert "not computed" in texts["report.html"]
    assert '"value": null' in texts["report.json"]
    assert "was not computed" in dict(rows_of(report))["Still learnable"]
    found = disjoin.evaluate(release, [record.split() for record in FIGURE_2], measures=["exposed_records"])
    assert found["exposed_records"] is None


def estimates(clusters: Clusters) -> dict[frozenset[str], Fraction]:
    """Two parts meet on the records of the higher node; terms of one chunk are counted."""
    entries, found = [], {}
    for node in range(len(clusters)):
        chunks = clusters.chunks_of(node)
        entries += [(node, -1 - place, term, 1) for place, term in enumerate(clusters.term_chunk_of(node))]
        for place, chunk in enumerate(chunks):
            for term in {term for terms, _ in chunk for term in terms}:
                entries.append((node, place, term, sum(count for terms, count in chunk if term in terms)))
            for terms, count in chunk:
                for pair in combinations(terms, 2):
                    found[frozenset(pair)] = found.get(frozenset(pair), Fraction(0)) + count
    for (a, chunk, x, n), (b, other, y, o) in combinations(entries, 2):
        if x != y and ((a == b and chunk != other) or is_above(clusters, a, b) or is_above(clusters, b, a)):
            met = Fraction(n * o, max(int(clusters.sizes[a]), int(clusters.sizes[b])))
            found[frozenset((x, y))] = found.get(frozenset((x, y)), Fraction(0)) + met
    return found


def is_above(clusters: Clusters, node: int, other: int) -> bool:
    while (other := int(clusters.parents[other])) >= 0:
        if other == node:
            return True
    return False


@examples(40)
@given(baskets, st.sampled_from(CLUSTERINGS))
def test_the_weighted_pair_error_is_what_its_definition_says(records, clustering):
    clusters = published(records, clustering)
    slow = twin.weighted_pair_error(estimates(clusters), records)
    assert weighted_pair_error(clusters, Transactions.from_sets(records)) == pytest.approx(float(slow), abs=1e-9)


def test_what_suppressed_records_held_counts_as_an_error():
    records = [["a", "b"]] * 4 + [["a", "c"]]
    kept = Clusters.from_nested([{"size": 4, "record_chunks": [{"subrecords": [[["a", "b"], 4]]}], "term_chunk": []}])
    assert weighted_pair_error(kept, Transactions.from_sets(records)) == 1 / 5
    evidence = Evidence(Transactions.from_sets(records), kept, k=2, suppressed_records=1)
    assert EVALUATIONS["weighted_pair_error"].compute(evidence).value == 1 / 5


TREE = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["jam", "*"], ["rye", "*"]])
MAPPING = {"tea": "drink", "milk": "drink", "jam": "jam", "rye": "rye"}
PANTRY = [{"tea", "jam"}, {"milk", "jam"}, {"tea", "milk", "jam", "rye"}, {"jam", "rye"}]


def test_of_generalised_records_all_rows_are_one_chunk_and_supports_are_spread_over_the_terms_below():
    rows = [(["drink", "jam"], 2), (["drink", "jam", "rye"], 1), (["jam", "rye"], 1)]
    items = GeneralizedItems.from_mapping(rows, MAPPING, TREE)
    evidence = ItemEvidence(Transactions.from_sets(PANTRY), items, 2, m=1)
    assert EVALUATIONS["exposed_records"].compute(evidence).value == Fraction(1, 4)  # drink and rye are in one record
    drinks = {frozenset(pair): Fraction(3, 2) for pair in (("tea", "jam"), ("milk", "jam"))}
    drinks |= {frozenset(pair): Fraction(1, 2) for pair in (("tea", "rye"), ("milk", "rye"))}
    guessed = {**drinks, frozenset(("tea", "milk")): Fraction(3, 4), frozenset(("jam", "rye")): Fraction(2)}
    slow = twin.weighted_pair_error(guessed, PANTRY)
    assert EVALUATIONS["weighted_pair_error"].compute(evidence).value == pytest.approx(float(slow))


def test_of_noisy_records_supports_are_taken_as_they_are():
    noisy = NoisyRecords(Bag.from_rows([(["tea", "jam"], 3), (["jam", "stranger"], 5)]))
    slow = twin.weighted_pair_error({frozenset(("tea", "jam")): Fraction(3)}, PANTRY)
    evidence = NoisyEvidence(Transactions.from_sets(PANTRY), noisy)
    assert EVALUATIONS["weighted_pair_error"].compute(evidence).value == pytest.approx(float(slow))
    assert "noisy" not in EVALUATIONS["exposed_records"].forms
