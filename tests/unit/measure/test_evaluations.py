"""Measures that compare a release with its original, against slow twins on sets."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.generate.baskets import baskets as make_baskets
from disjoin.measure import EVALUATIONS, Evidence
from disjoin.measure.definition import Settings
from disjoin.measure.pair_counts import RANGES, Ranks
from disjoin.measure.pairs import relative_error
from disjoin.model import Clusters, Hierarchy, Transactions
from helpers.hypothesis_profile import examples
from helpers.synthetic import NAMES, cases
from oracle import utility

PATHS = {name: (name, f"group {number // 3}", f"kind {number // 6}", "*") for number, name in enumerate(NAMES)}
TREE = Hierarchy.from_rows(PATHS.values())
SMALL = Ranks(2, 5)

OF_CLUSTERS = [name for name, comparison in EVALUATIONS.items() if "clusters" in comparison.forms]


def released(case):
    try:
        return disjoin.disassociate(
            case["records"],
            k=case["k"],
            m=case["m"],
            max_cluster_size=case["limit"],
            strategy=case["strategy"],
            sensitive=case["sensitive"],
            allow_missing_sensitive=True,
        )
    except GuaranteeUnreachable:
        assume(False)


def beside(case, release, **more):
    return Evidence(
        Transactions.from_sets(case["records"]),
        release.published,
        k=case["k"],
        suppressed_records=release.suppressed_records,
        **more,
    )


def value(name, evidence):
    return EVALUATIONS[name].compute(evidence).value


@pytest.mark.filterwarnings("ignore::UserWarning")
@examples(40)
@given(cases(), st.integers(1, 40), st.integers(0, 3))
def test_top_itemsets_lost_are_what_the_definition_says(case, top, seed):
    release = released(case)
    evidence = beside(case, release, hierarchy=TREE, settings=Settings(top, seed))
    original = utility.weighted(case["records"])
    world = utility.weighted(release.to_transactions(seed).to_sets())
    assert value("tkd", evidence) == utility.tkd(original, world, top)
    assert value("tkd_a", evidence) == utility.tkd(original, utility.subrecords(release.published.to_nested()), top)
    lifted = [utility.with_ancestors(rows, PATHS) for rows in (original, world)]
    if all(len(row) <= 9 for rows in lifted for row, _ in rows):  # the twin looks at every subset of a record
        assert value("tkd_ml2", evidence) == utility.tkd(*lifted, top, apart=utility.kin(PATHS))


@pytest.mark.filterwarnings("ignore::UserWarning")
@examples(40)
@given(cases(), st.integers(0, 3))
def test_relative_errors_are_what_the_definition_says(case, seed):
    release = released(case)
    evidence = beside(case, release, settings=Settings(seed=seed, reconstructions=5), ranges=(SMALL,))
    ranks = SMALL.within(evidence.original.n_terms)
    if ranks.first == ranks.last:
        assert relative_error(evidence, SMALL).value is None
        return
    original = utility.weighted(case["records"])
    worlds = [utility.weighted(world.to_sets()) for world in release.reconstruct(5, seed)]
    chunks = utility.subrecords(release.published.to_nested())
    for source, rows in (("", worlds[:1]), ("_a", [chunks]), ("_r2", worlds[:2]), ("_r5", worlds)):
        assert relative_error(evidence, SMALL, source).value == utility.relative_error(original, rows, *ranks)


@pytest.mark.filterwarnings("ignore::UserWarning")
@examples(60)
@given(cases())
def test_lost_and_kept_terms_are_what_the_definitions_say(case):
    release = released(case)
    evidence = beside(case, release)
    original, trees = utility.weighted(case["records"]), release.published.to_nested()
    for name, reading in (("tlost", ">="), ("tlost_more_than_k", ">"), ("tlost_any", "any")):
        assert value(name, evidence) == utility.tlost(original, trees, case["k"], reading)
    assert value("surviving_terms", evidence) == utility.surviving_terms(original, trees)
    assert value("term_mass", evidence) == utility.mass_kept(original, trees, 1)
    assert value("pair_mass", evidence) == utility.mass_kept(original, trees, 2)


@pytest.mark.filterwarnings("ignore::UserWarning")
@examples(60)
@given(cases(strategies=("suppression",)))
def test_what_is_suppressed_lies_between_the_bounds(case):
    from disjoin.engine import Local

    data = Transactions.from_sets(case["records"])
    method = disjoin.Disassociation(
        k=case["k"],
        m=case["m"],
        max_cluster_size=case["limit"],
        strategy="suppression",
        sensitive=case["sensitive"],
        allow_missing_sensitive=True,
    )
    try:
        draft = method.publish(data, Local(1))
    except GuaranteeUnreachable:
        assume(False)
    gone = draft.part_of_record < 0
    true = sum(len(data[record]) for record in gone.nonzero()[0])
    evidence = Evidence(data, draft.published, case["k"], draft.suppressed_records, "suppression")
    found = EVALUATIONS["suppressed_occurrences"].compute(evidence)
    assert found.details["at_least"] <= true <= found.details["at_most"] == found.value
    assert value("suppressed_records", evidence) == gone.sum()
    assert bool(found.notes) == bool(gone.any())


@given(cases(strategies=("cardiff",)))
@examples(30)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_clusters_and_chunks_are_counted(case):
    release = released(case)
    evidence, nodes = beside(case, release), list(utility.nodes(release.published.to_nested()))
    leaves = [node for node in nodes if node["type"] == "simple"]
    chunks = [c for node in nodes for c in (*node.get("record_chunks", ()), *node.get("shared_chunks", ()))]
    assert value("clusters", evidence) == len(leaves)
    assert value("chunks", evidence) == len(chunks)
    terms = [len({term for entry, _ in chunk["subrecords"] for term in entry}) for chunk in chunks]
    assert value("terms_per_chunk", evidence) == (Fraction(sum(terms), len(terms)) if terms else None)


def test_a_release_that_keeps_everything_loses_nothing():
    evaluation = disjoin.evaluate(disjoin.disassociate([["a", "b"]] * 9, k=3), [["a", "b"]] * 9)
    assert evaluation["tkd"] == evaluation["tkd_a"] == evaluation["re_1_20"] == evaluation["tlost"] == 0
    assert evaluation["term_mass"] == evaluation["pair_mass"] == evaluation["surviving_terms"] == 1


def test_every_measure_stays_in_its_range():
    records = make_baskets(100, 1)
    evaluation = disjoin.evaluate(disjoin.disassociate(records, k=4), records, top=50, hierarchy=None)
    assert [row.name for row in evaluation.rows] == OF_CLUSTERS
    for row in evaluation.rows:
        if row.value is not None:
            assert row.range[0] <= row.value <= (row.range[1] if row.range[1] is not None else row.value), row
    assert {row.name for row in evaluation.rows if row.value is None} == {"tkd_ml2"}


def test_the_same_seed_finds_the_same_and_another_one_something_else():
    records = make_baskets(120, 1)
    release = disjoin.disassociate(records, k=4)
    wanted = {"top": 50, "measures": ["re_r5_1_20", "tkd"]}
    first = disjoin.evaluate(release, records, seed=3, **wanted)
    assert first.to_json() == disjoin.evaluate(release, records, seed=3, **wanted).to_json()
    assert first["re_r5_1_20"] != disjoin.evaluate(release, records, seed=4, **wanted)["re_r5_1_20"]


def test_measures_are_chosen_by_name_and_by_how_names_begin():
    records = [["a", "b"]] * 9
    release = disjoin.disassociate(records, k=3)
    names = [row.name for row in disjoin.evaluate(release, records, measures=["tlost*", "tkd"]).rows]
    assert names == ["tkd", "tlost", "tlost_more_than_k", "tlost_any"]
    with pytest.raises(InvalidParameter, match="no measure 'tlos'"):
        disjoin.evaluate(release, records, measures=["tlos"])


def test_pairs_that_are_nowhere_are_counted_apart():
    records = [["a"], ["b"], ["c"]] * 5
    row = disjoin.evaluate(disjoin.disassociate(records, k=3), records, measures=["re_a_1_20"]).rows[0]
    assert (row.value, row.details["pairs"], row.details["pairs_in_neither"]) == (0.0, 3, 3)
    assert row.notes == (
        "There are 3 terms only: ranks 1-3 in place of 1-20.",
        "3 of 3 pairs are in no record of either and count as right.",
    )


def test_too_few_reconstructions_are_said_and_not_made_up():
    records = [["a", "b"], ["a", "b", "c"], ["b", "c"]] * 5
    evaluation = disjoin.evaluate(disjoin.disassociate(records, k=3), records, reconstructions=2)
    assert evaluation["re_r2"] is not None
    assert evaluation["re_r5"] is None
    [row] = [row for row in evaluation.rows if row.name == "re_r5"]
    assert row.notes == ("Needs 5 reconstructions; 2 were asked for.",)


def test_ties_at_the_cut_are_told():
    records = [["a", "b"], ["c"]] * 5
    row = disjoin.evaluate(disjoin.disassociate(records, k=2), records, top=2, measures=["tkd_a"]).rows[0]
    assert row.details["tied_at_the_cut"] == {"original": 4, "published": 4}
    assert row.notes[0] == "Original: 4 itemsets tie at support 5, 2 of them are cut off by size and name."


@pytest.mark.parametrize("ranks", RANGES, ids=str)
@given(st.integers(1, 600))
def test_a_range_always_lies_in_the_domain_and_has_pairs_if_there_are_any(ranks, n_terms):
    fitted = ranks.within(n_terms)
    assert 1 <= fitted.first <= fitted.last <= n_terms
    assert fitted.first < fitted.last or n_terms == 1
    assert (fitted == ranks) == (n_terms >= ranks.last)


def test_an_evaluation_is_plain_json_and_a_table():
    import json

    records = make_baskets(60, 1)
    evaluation = disjoin.evaluate(disjoin.disassociate(records, k=3), records, top=20)
    facts = json.loads(json.dumps(evaluation.to_json()))
    assert facts == evaluation.to_json()
    assert "not to be published" in facts["note"]
    assert facts["settings"] == {"top": 20, "seed": 0, "reconstructions": 10, "k": 3, "hierarchy": False}
    table = evaluation.to_table()
    assert isinstance(table, pa.Table)
    assert table["name"].to_pylist() == [row["name"] for row in facts["measures"]] == OF_CLUSTERS
    with pytest.raises(KeyError):
        evaluation["nothing"]


def test_what_does_not_belong_together_is_refused():
    release = disjoin.disassociate([["a", "b"]] * 9, k=3)
    for other, message in (
        ([["a", "b"]] * 8, "the release has 9 records, the original has 8"),
        ([["a", "c"]] * 9, "has the term 'b', which the original does not have"),
        ([["a", "b"]] * 8 + [["a"]], "shows 'b' in 9 records, it is in 8 of the original"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            disjoin.evaluate(release, other)


def test_records_that_were_left_out_belong_to_the_original():
    records = [["a"]] * 5 + [["z"]]
    with pytest.warns(UserWarning, match="less than twice"):
        release = disjoin.disassociate(records, k=3, strategy="suppression", max_cluster_size=4)
    assert release.suppressed_records == 1
    evaluation = disjoin.evaluate(release, records)
    assert evaluation["suppressed_records"] == evaluation["suppressed_occurrences"] == 1
    assert "clusters of fewer than 3" in evaluation.to_json()["measures"][-5]["notes"][0]
    with pytest.raises(InvalidParameter, match="leaves 1 out, the original has 5"):
        disjoin.evaluate(release, records[:5])


@pytest.mark.parametrize("wrong", [{"top": 0}, {"seed": -1}, {"reconstructions": 11}, {"reconstructions": 0}])
def test_settings_out_of_range_are_refused(wrong):
    release = disjoin.disassociate([["a", "b"]] * 9, k=3)
    with pytest.raises(InvalidParameter, match=next(iter(wrong))):
        disjoin.evaluate(release, [["a", "b"]] * 9, **wrong)


def test_bare_clusters_are_no_release():
    leaf = {"size": 3, "record_chunks": [{"subrecords": [[["a"], 3]]}], "term_chunk": []}
    with pytest.raises(InvalidParameter, match="expected a release or the path of one, got Clusters"):
        disjoin.evaluate(Clusters.from_nested([leaf]), [["a"]] * 3)


def test_a_term_without_a_place_in_the_hierarchy_is_refused():
    records = [["a", "b"]] * 9
    tree = Hierarchy.from_rows([["a", "x", "*"]])
    with pytest.raises(InvalidParameter, match="1 of 2 have none"):
        disjoin.evaluate(disjoin.disassociate(records, k=3), records, hierarchy=tree, measures=["tkd_ml2"])


def test_a_hierarchy_of_another_kind_is_refused():
    records = [["a", "b"]] * 9
    with pytest.raises(InvalidParameter, match="must be a Hierarchy or the path of one, got list"):
        disjoin.evaluate(disjoin.disassociate(records, k=3), records, hierarchy=[["a", "*"], ["b", "*"]])


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_release_that_is_not_proven_can_be_evaluated():
    records = make_baskets(300, 1)
    release = disjoin.disassociate(records, k=4, refine_mode="paper")
    assert not release.guarantee.proven
    assert 0 <= disjoin.evaluate(release, records, top=50, measures=["tkd"])["tkd"] <= 1
