"""Measures of generalised and of noisy records, against slow twins on sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter
from disjoin.measure import EVALUATIONS, ItemEvidence, Settings
from disjoin.measure.evaluation import chosen, evaluated
from disjoin.measure.evidence import Evidence
from disjoin.measure.evidence_items import NoisyEvidence
from disjoin.measure.pair_counts import Ranks
from disjoin.measure.pairs import relative_error
from disjoin.model import Bag, Clusters, GeneralizedItems, Hierarchy, NoisyRecords, Transactions
from helpers.hypothesis_profile import examples
from helpers.synthetic import NAMES, baskets
from oracle import item_utility as twin
from oracle import utility

SMALL = Ranks(2, 5)
# Some ways up are shorter than others: their terms are repeated upwards in the tree.
WAYS = {
    name: (name, *((f"group {n // 3}", f"kind {n // 6}") if n < 6 else (f"kind {n // 6}",) if n < 12 else ()), "*")
    for n, name in enumerate([*NAMES, "stranger"])
}
TREE = Hierarchy.from_rows(WAYS.values())
NODES = sorted({node for way in WAYS.values() for node in way[1:]})
ROWS = [["tea", "milk"], ["tea", "jam"], ["milk", "jam"], ["tea", "milk", "rum"], ["tea"], ["milk", "rum"]]
KINDS = {"tea": "drink", "milk": "drink", "rum": "drink", "jam": "food"}
SHELF = Hierarchy.from_rows([(term, kind, "*") for term, kind in KINDS.items()])


def bag(rows: utility.Weighted) -> Bag:
    return Bag.from_rows([(sorted(row), count) for row, count in rows])


def lifted(records: Iterable[Iterable[str]], mapping: dict[str, str], tree: Hierarchy, **more: Any) -> ItemEvidence:
    """The records beside what a mapping makes of them."""
    rows = twin.generalised(utility.weighted(records), mapping)
    published = GeneralizedItems.from_mapping([(sorted(row), n) for row, n in rows], mapping, tree)
    return ItemEvidence(Transactions.from_sets(records), published, **{"k": 2, **more})


def noised(records: Iterable[Iterable[str]], rows: utility.Weighted, **more: Any) -> NoisyEvidence:
    return NoisyEvidence(Transactions.from_sets(records), NoisyRecords(bag(rows)), **more)


def value(name: str, evidence: ItemEvidence | NoisyEvidence) -> Any:
    return EVALUATIONS[name].compute(evidence).value


def few(rows: utility.Weighted) -> bool:
    """Whether the twin, which looks at every subset of a record, is done in time."""
    return all(len(row) <= 9 for row, _ in rows)


@st.composite
def made_up(draw: Any) -> utility.Weighted:
    """Noisy records: any terms, one of them in no original."""
    row = st.frozensets(st.sampled_from([*NAMES[:6], "stranger"]), min_size=1, max_size=5)
    return list(draw(st.dictionaries(row, st.integers(1, 4), max_size=12)).items())


@examples(40)
@given(baskets(), st.sets(st.sampled_from(NODES), max_size=4), st.integers(1, 40))
def test_of_generalised_records_itemsets_are_lost_as_the_definition_says(records: Any, picked: Any, top: int) -> None:
    mapping = twin.cut(WAYS, picked)
    evidence = lifted(records, mapping, TREE, settings=Settings(top))
    original = utility.weighted(records)
    published = twin.generalised(original, mapping)
    assert value("tkd", evidence) == utility.tkd(original, published, top)
    upwards = [utility.with_ancestors(rows, twin.paths_of_nodes(WAYS)) for rows in (original, published)]
    if all(map(few, upwards)):
        assert value("tkd_ml2", evidence) == utility.tkd(*upwards, top, apart=utility.kin(WAYS))


@examples(60)
@given(baskets(), st.sets(st.sampled_from(NODES), max_size=4), st.integers(1, 5))
def test_of_generalised_records_supports_and_terms_are_what_the_definitions_say(
    records: Any, picked: Any, k: int
) -> None:
    mapping = twin.cut(WAYS, picked)
    evidence = lifted(records, mapping, TREE, k=k, ranges=(SMALL,))
    original = utility.weighted(records)
    ranks = SMALL.within(evidence.original.n_terms)
    if ranks.first < ranks.last:
        published = twin.generalised(original, mapping)
        expected = twin.relative_error(original, published, mapping, WAYS, ranks)
        assert relative_error(evidence, SMALL).value == expected
    shown = {term for term, image in mapping.items() if term == image}
    terms = utility.by_support(original)
    assert value("tlost", evidence) == twin.tlost(original, shown, k)
    assert value("tlost_more_than_k", evidence) == twin.tlost(original, shown, k + 1)
    assert value("surviving_terms", evidence) == Fraction(sum(term in shown for term in terms), len(terms))
    assert value("ncp_items", evidence) == twin.ncp(original, mapping, WAYS)


@examples(60)
@given(baskets(), made_up(), st.integers(1, 40), st.integers(1, 5))
def test_of_noisy_records_everything_is_what_the_definitions_say(records: Any, rows: Any, top: int, k: int) -> None:
    evidence = noised(records, rows, k=k, hierarchy=TREE, settings=Settings(top), ranges=(SMALL,))
    original = utility.weighted(records)
    assert value("tkd", evidence) == utility.tkd(original, rows, top)
    upwards = [utility.with_ancestors(side, WAYS) for side in (original, rows)]
    if all(map(few, upwards)):
        assert value("tkd_ml2", evidence) == utility.tkd(*upwards, top, apart=utility.kin(WAYS))
    ranks = SMALL.within(evidence.original.n_terms)
    if ranks.first < ranks.last:
        assert relative_error(evidence, SMALL).value == utility.relative_error(original, [rows], *ranks)
    shown = {term for row, _ in rows for term in row}
    terms = utility.by_support(original)
    assert value("tlost", evidence) == twin.tlost(original, shown, k)
    assert value("tlost_more_than_k", evidence) == twin.tlost(original, shown, k + 1)
    assert value("surviving_terms", evidence) == Fraction(sum(term in shown for term in terms), len(terms))


def all_of(evidence: ItemEvidence | NoisyEvidence) -> dict[str, float | None]:
    evaluation = evaluated(evidence, chosen(EVALUATIONS, ["*"], evidence.form))
    for row in evaluation.rows:
        assert row.value is None or row.range[0] <= row.value <= (row.range[1] or row.value), row
    return {row.name: row.value for row in evaluation.rows}


SAME = {"tkd", "tkd_ml2", "re", "re_1_20", "re_100_120", "re_300_320", "re_400_420", "tlost", "tlost_more_than_k"}
SAME |= {"weighted_pair_error"}


def test_where_nothing_is_generalised_nothing_is_lost() -> None:
    found = all_of(lifted(ROWS, {term: term for term in KINDS}, SHELF, m=2))
    assert found.pop("exposed_records") == 1 / 6  # only one has three terms
    assert found == {**dict.fromkeys([*SAME, "ncp_items"], 0), "surviving_terms": 1}


def test_noisy_records_that_happen_to_be_the_original_lose_nothing() -> None:
    rows = list(Counter(map(frozenset, ROWS)).items())
    assert all_of(noised(ROWS, rows, hierarchy=SHELF)) == {**dict.fromkeys(SAME, 0), "surviving_terms": 1}


def test_where_everything_is_the_root_all_itemsets_and_terms_are_lost() -> None:
    found = all_of(lifted(ROWS, dict.fromkeys(KINDS, "*"), SHELF))
    assert found["tkd"] == found["tkd_ml2"] == found["tlost"] == found["ncp_items"] == 1
    assert found["surviving_terms"] == 0
    # Six records have the root, which stands for 16 pairs of terms; tea and milk are in two of them.
    pair = relative_error(lifted(ROWS, dict.fromkeys(KINDS, "*"), SHELF, ranges=(Ranks(1, 2),)), Ranks(1, 2))
    assert pair.value == Fraction(2) * abs(2 - Fraction(6, 16)) / (2 + Fraction(6, 16))


def test_noisy_records_without_any_row_lose_everything() -> None:
    found = all_of(noised(ROWS, [], hierarchy=SHELF, k=2))
    assert found["tkd"] == found["tkd_ml2"] == found["tlost"] == 1
    assert found["re_1_20"] is not None
    assert found["surviving_terms"] == 0


def test_a_hierarchy_with_more_terms_finds_the_same_and_another_one_is_refused() -> None:
    mapping = {"tea": "drink", "milk": "drink", "rum": "drink", "jam": "jam"}
    more = Hierarchy.from_rows([*((term, kind, "*") for term, kind in KINDS.items()), ("rye", "bread", "food", "*")])
    own, given_one = lifted(ROWS, mapping, SHELF), lifted(ROWS, mapping, SHELF, hierarchy=more)
    assert value("tkd_ml2", own) == value("tkd_ml2", given_one)
    assert (own.taken["hierarchy_is"], given_one.taken["hierarchy_is"]) == ("the release's own", "given")
    other = Hierarchy.from_rows([(term, "thing", "*") for term in KINDS])
    with pytest.raises(InvalidParameter, match="there 'jam' is jam > food > \\*, here it is jam > thing > \\*"):
        lifted(ROWS, mapping, SHELF, hierarchy=other)
    with pytest.raises(InvalidParameter, match="here it is nothing"):
        lifted(ROWS, mapping, SHELF, hierarchy=Hierarchy.from_rows([("tea", "drink", "*")]))


def test_generalised_records_of_other_data_are_refused() -> None:
    published = lifted(ROWS, {**KINDS, "jam": "jam"}, SHELF).published
    for other, message in (
        (ROWS[:-1], "the release has 6 records, the original has 5"),
        ([*ROWS[:-1], ["rye"]], "that the release does not map"),
        ([*ROWS[:-1], ["jam"]], "are not those of the original, generalised"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            ItemEvidence(Transactions.from_sets(other), published, 2)


def test_a_mapping_to_what_no_record_has_is_refused() -> None:
    published = GeneralizedItems.from_mapping([(["drink"], 6)], KINDS, SHELF)
    with pytest.raises(InvalidParameter, match="'jam' is published as 'food', and no record"):
        ItemEvidence(Transactions.from_sets(ROWS), published, 2)


@pytest.mark.parametrize(
    ("items", "counts"), [([1, 0], [1]), ([0, 0], [1]), ([0, 1], [0])], ids=["backwards", "twice", "never"]
)
def test_what_is_no_bag_of_sets_is_refused(items: list[int], counts: list[int]) -> None:
    wrong = Bag(["milk", "tea"], np.array([0, 2]), np.array(items), np.array(counts))
    with pytest.raises(InvalidParameter, match="Verify the release first"):
        NoisyEvidence(Transactions.from_sets(ROWS), NoisyRecords(wrong))


def test_k_is_that_which_was_asked_for_else_the_promised_else_five() -> None:
    rows = [(frozenset({"tea"}), 3)]
    assert noised(ROWS, rows).taken == {
        "top": 1000,
        "k": 5,
        "hierarchy": False,
        "k_is": "the usual one: none is guaranteed",
    }
    assert noised(ROWS, rows, settings=Settings(k=3)).taken["k_is"] == "given"
    assert noised(ROWS, rows, k=4).frequent_from == 4
    asked = lifted(ROWS, KINDS, SHELF, k=2, settings=Settings(k=4))
    assert (asked.frequent_from, asked.taken["k"]) == (4, 4)
    assert EVALUATIONS["tlost"].compute(asked).details["frequent"] == "support >= 4"
    leaf = {"size": 6, "record_chunks": [{"subrecords": [[["tea"], 4]]}], "term_chunk": ["jam", "milk", "rum"]}
    clusters = Clusters.from_nested([leaf])
    evidence = Evidence(Transactions.from_sets(ROWS), clusters, 3, settings=Settings(k=4))
    assert EVALUATIONS["tlost"].compute(evidence).notes[0].startswith("1 of 2 terms with support >= 4")
    with pytest.raises(InvalidParameter, match="k must be a whole number of at least 1"):
        Settings(k=0)


def test_that_noisy_records_fit_any_original_is_said() -> None:
    fitting = evaluated(noised(ROWS, [(frozenset({"tea"}), 3)]), [EVALUATIONS["tkd"]])
    assert fitting.notes == ("Noisy records do not show whether they were made from this original; "
                             "that was not checked.",)  # fmt: skip
    strange = evaluated(noised(ROWS, [(frozenset({"rye"}), 3)]), [EVALUATIONS["tkd"]])
    assert "No published record has a term of the original" in strange.notes[1]
    assert strange.to_json()["notes"] == list(strange.notes)


def test_words_are_those_of_the_form() -> None:
    items = evaluated(lifted(ROWS, KINDS, SHELF), chosen(EVALUATIONS, ["*"], "items"))
    noisy = evaluated(noised(ROWS, [(frozenset({"tea"}), 3)]), chosen(EVALUATIONS, ["*"], "noisy"))
    for evaluation in (items, noisy):
        told = " ".join(f"{row.title} {row.meaning} {row.notes} {row.details}" for row in evaluation.rows)
        assert "reconstruction" not in told
        assert "chunk" not in told
        assert "cluster" not in told


def test_measures_of_chunks_are_not_for_records() -> None:
    for form, words in (("items", "generalised items"), ("noisy", "noisy records")):
        with pytest.raises(InvalidParameter, match=f"'re_a' is for releases of clusters, and this one has {words}"):
            chosen(EVALUATIONS, ["re_a"], form)
    with pytest.raises(AssertionError, match="tkd_a is not for noisy"):
        evaluated(noised(ROWS, []), [EVALUATIONS["tkd_a"]])


def test_a_noisy_term_without_a_place_in_the_hierarchy_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="1 of 5 have none"):
        value("tkd_ml2", noised(ROWS, [(frozenset({"rye"}), 3)], hierarchy=SHELF))


def test_without_a_hierarchy_noisy_records_are_not_compared_with_ancestors() -> None:
    found = EVALUATIONS["tkd_ml2"].compute(noised(ROWS, [(frozenset({"tea"}), 3)]))
    assert (found.value, found.notes) == (None, ("Needs a hierarchy of the terms; none was given.",))
