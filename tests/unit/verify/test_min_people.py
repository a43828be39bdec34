"""H1 and H2: planted terms and values of too few people are found, with and without the original."""

from __future__ import annotations

import pytest

from disjoin.errors import InvalidParameter
from disjoin.methods.disassociation import Disassociation
from disjoin.model import (
    Clusters,
    Generalized,
    GeneralizedItems,
    Groups,
    Hierarchy,
    KAnonymity,
    KmAnonymity,
    MixedAnonymity,
    PrivacyDegree,
    Role,
    Table,
    Transactions,
    guarantee_from,
)
from disjoin.model.parameters import MinPeople
from disjoin.verify import check, extent_in_parts


def broken(verdict):
    return {violation.invariant for violation in verdict.violations}


def leaf(*term_chunk, size=4):
    """A cluster in which tea is counted, and other terms are listed without counts."""
    chunk = {"subrecords": [[["tea"], size - 1]]}
    return {"size": size, "record_chunks": [chunk], "term_chunk": list(term_chunk)}


def km(people, rare="leave-out"):
    return KmAnonymity(2, 2, min_people=MinPeople(people, rare))


def test_a_term_without_count_has_at_most_the_records_of_its_clusters():
    two = Clusters.from_nested([leaf("jam"), leaf("jam", "rye")])
    assert broken(check(two, km(4))) == set()
    verdict = check(two, km(5))
    assert broken(verdict) == {"H1"}
    assert "1 published term may belong to fewer than 5 people, one to at most 4" in str(verdict.violations[0])
    assert verdict.violations[0].example == ("rye",)


def test_a_term_with_counts_has_just_these():
    assert broken(check(Clusters.from_nested([leaf("jam", size=6)]), km(5))) == set()
    assert broken(check(Clusters.from_nested([leaf("jam", size=6)]), km(6))) == {"H1"}


def test_parts_are_added_up():
    parts = [Clusters.from_nested([leaf("jam")]), Clusters.from_nested([leaf("jam", size=5)])]
    assert extent_in_parts(parts, km(7)) == {"records": 9, "terms": 2}
    assert extent_in_parts(parts, km(8)) is None  # tea: 3 + 4


def test_groups_count_ordinary_and_sensitive_items():
    groups = Groups.from_nested([{"records": [[["rye", "tea"], 2], [["tea"], 4]], "sensitive": {"pills": 3}}])
    assert broken(check(groups, PrivacyDegree(2, min_people=MinPeople(2)))) == set()
    assert check(groups, PrivacyDegree(2, min_people=MinPeople(3))).violations[0].example == ("rye",)
    assert check(groups, PrivacyDegree(2, min_people=MinPeople(4))).violations[0].example == ("pills", "rye")


def test_generalised_items_are_counted():
    tree = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]])
    items = GeneralizedItems.from_mapping(
        [(["drink"], 3), (["rye"], 2)], {"tea": "drink", "milk": "drink", "rye": "rye"}, tree
    )
    assert broken(check(items, KmAnonymity(2, 1, min_people=MinPeople(2)))) == set()
    assert broken(check(items, KmAnonymity(2, 1, min_people=MinPeople(3)))) == {"H1"}


def table(*values):
    columns = {"age": ["30"] * len(values), "job": sorted(values)}
    return Generalized(Table.from_columns(columns, {"age": Role.QUASI_IDENTIFIER}))


def test_values_of_other_columns_are_counted_but_not_suppressed_cells():
    guarantee = KAnonymity(2, "age", min_people=MinPeople(3))
    assert broken(check(table("x", "x", "x", "*"), guarantee)) == set()
    verdict = check(table("x", "x", "x", "y"), guarantee)
    assert broken(verdict) == {"H1"} and "1 value of column 'job'" in str(verdict.violations[0])


def against(records, published, guarantee, **more):
    return check(published, guarantee, original=Transactions.from_sets(records), **more)


def test_published_terms_must_be_those_of_enough_people_in_the_original():
    """Jam is listed without a count in a cluster of 4, so only the original shows that 1 person has it."""
    records = [{"tea"}, {"tea"}, {"tea"}, {"jam"}]
    published = Clusters.from_nested([leaf("jam")])
    assert broken(check(published, km(3))) == set()
    assert "H2" in broken(against(records, published, km(3)))
    assert broken(against(records, published, KmAnonymity(2, 2))) == set()


def test_nothing_that_enough_people_have_is_left_out():
    records = [{"tea"}, {"tea"}, {"tea"}, {"tea", "jam"}, {"jam"}, {"jam"}]
    published = Clusters.from_nested([{"size": 4, "record_chunks": [{"subrecords": [[["tea"], 4]]}], "term_chunk": []}])
    verdict = against(records, published, km(3), suppressed_records=2)
    assert "H2" in broken(verdict)
    assert any("are not published" in str(each) for each in verdict.violations if each.invariant == "H2")
    assert broken(against(records, published, km(4), suppressed_records=2)) == set()
    verdict = against(records, published, km(4), suppressed_records=1)
    assert broken(verdict) == {"H2"} and "2 records have only rare terms, but 1 are stated" in str(
        verdict.violations[0]
    )


def test_records_that_have_rare_terms_only_must_be_in_no_cluster():
    records = [{"tea"}] * 4 + [{"jam"}]
    published = Clusters.from_nested([{"size": 5, "record_chunks": [{"subrecords": [[["tea"], 5]]}], "term_chunk": []}])
    assert "O1" in broken(against(records, published, km(4), part_of_record=[0, 0, 0, 0, 0]))


def test_groups_and_items_leave_no_frequent_term_out():
    records = [{"tea", "pills"}, {"tea", "jam"}, {"tea", "jam"}, {"tea", "pills"}]
    groups = Groups.from_nested([{"records": [[["tea"], 4]], "sensitive": {"pills": 2}}])
    assert broken(against(records, groups, PrivacyDegree(2, min_people=MinPeople(2)))) >= {"H2"}
    assert (
        broken(against(records[:1] * 2 + records[1:2] + [{"tea"}], groups, PrivacyDegree(2, min_people=MinPeople(2))))
        == set()
    )
    tree = Hierarchy.from_rows([["tea", "*"], ["rare", "*"]])
    items = GeneralizedItems.from_mapping([(["tea"], 4)], {"tea": "tea", "rare": "rare"}, tree)
    assert "H2" in broken(against([{"tea"}] * 4, items, KmAnonymity(2, 1, min_people=MinPeople(2))))


def test_people_of_a_table_are_counted_not_rows():
    original = Table.from_columns(
        {"age": ["30"] * 4, "job": ["x", "x", "x", "y"], "who": ["1", "1 ", "2", "3"]}, {"who": Role.IDENTIFIER}
    )
    guarantee = KAnonymity(2, "age", person="who", min_people=MinPeople(3))
    assert "H2" in broken(check(table("x", "x", "x", "*"), guarantee, original=original))
    assert broken(check(table("*", "*", "*", "*"), guarantee, original=original)) == set()


def test_categories_need_their_hierarchy():
    published = Clusters.from_nested([leaf("jam")])
    with pytest.raises(InvalidParameter, match="hierarchy=FILE"):
        against([{"tea"}] * 4, published, km(3, "category"))
    original = Table.from_columns({"age": ["30"] * 3, "job": ["x", "y", "z"]})
    with pytest.raises(InvalidParameter, match="hierarchies=FOLDER"):
        guarantee = KAnonymity(2, "age", min_people=MinPeople(3, "category"))
        check(table("letter", "letter", "letter"), guarantee, original=original)


def test_a_broken_table_is_not_counted():
    published = Clusters.from_nested([{"size": 0, "record_chunks": [], "term_chunk": ["jam"]}])
    verdict = check(published, km(9))
    assert "V1" in broken(verdict) and "H1" not in verdict.checked


@pytest.mark.parametrize(
    "guarantee",
    [
        KmAnonymity(5, 2, min_people=MinPeople(10)),
        PrivacyDegree(5, min_people=MinPeople(10, "other")),
        KAnonymity(5, "age", min_people=MinPeople(10, "category")),
        MixedAnonymity(5, 2, ("age",), sensitive_columns=("job",), min_people=MinPeople(10)),
    ],
)
def test_guarantees_store_their_threshold_and_say_it(guarantee):
    assert guarantee_from(guarantee.to_json()) == guarantee
    assert "At least 10 people have each" in guarantee.sentence()
    assert guarantee.to_json()["min_people"] == 10


@pytest.mark.parametrize(
    "facts", [{"min_people": 1}, {"min_people": "10"}, {"min_people": 10, "rare": "gone"}, {"rare": "other"}]
)
def test_thresholds_that_make_no_sense_are_refused(facts):
    with pytest.raises(InvalidParameter):
        guarantee_from({"type": "km-anonymity", "k": 5, "m": 2, **facts})


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"min_people": 1}, "min_people"),
        ({"rare": "other"}, "min_people"),
        ({"min_people": 5, "strategy": "suppression"}, "suppression"),
        ({"min_people": 5, "hierarchy": Hierarchy.from_rows([["a", "*"]])}, "category"),
        ({"min_people": 5, "rare": "category", "hierarchy": "a;*"}, "Hierarchy"),
    ],
)
def test_settings_that_contradict_one_another_are_refused(settings, word):
    with pytest.raises(InvalidParameter, match=word):
        Disassociation(**settings)


def test_a_rare_sensitive_term_never_becomes_an_ordinary_one():
    import disjoin

    records = [{"tea"}] * 6 + [{"tea", "hiv"}] * 2 + [{"tea", "flu"}] * 3
    with pytest.raises(InvalidParameter, match="1 sensitive term is had by fewer than 3 people"):
        disjoin.disassociate(records, 2, 2, sensitive=["hiv"], min_people=3, rare="other")
    release = disjoin.disassociate(records, 2, 2, sensitive=["hiv", "flu"], min_people=3)
    assert release.published.vocabulary.to_pylist() == ["flu", "tea"]
    assert release.guarantee.sensitive == ("flu",)
