"""H1 and H2, step by step: what is counted, and what the original must be published as (P17)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import (
    Clusters,
    Generalized,
    Groups,
    Hierarchy,
    KAnonymity,
    KmAnonymity,
    MixedAnonymity,
    MixedRecords,
    Role,
    Table,
    Transactions,
)
from disjoin.model.parameters import CATEGORY, LEAVE_OUT, OTHER, MinPeople
from disjoin.verify import check, min_people
from disjoin.verify.inspection import Known
from disjoin.verify.min_people import Listing
from unit.verify.test_mixed import leaf as mixed_leaf
from unit.verify.test_mixed import mixed

JOBS = Hierarchy.from_rows([["cook", "kitchen", "*"], ["baker", "kitchen", "*"], ["nurse", "ward", "*"]])


def of_jobs(*jobs: str, **columns: list[str]) -> Table:
    return Table.from_columns({"age": ["30"] * len(jobs), "job": list(jobs), **columns}, {"age": Role.QUASI_IDENTIFIER})


def test_names_of_too_few_people_are_counted() -> None:
    (finding,) = min_people.too_few(Listing("", ["*", "a", "b"], np.array([2, 1, 3])), 3)
    assert finding.message == "2 published terms may belong to fewer than 3 people, one to at most 1."
    assert finding.example == ("*", "a")
    (finding,) = min_people.too_few(Listing("job", ["*", "a", "b"], np.array([2, 1, 3])), 3)
    assert finding.message == "1 value of column 'job' may belong to fewer than 3 people, one to at most 1."


def test_the_other_invariants_are_listed_as_checked_too() -> None:
    published = Clusters.from_nested([{"size": 3, "record_chunks": [{"subrecords": [[["a"], 3]]}], "term_chunk": []}])
    verdict = check(published, KmAnonymity(2, 2, min_people=MinPeople(2)), original=Transactions.from_sets(["a"] * 3))
    assert {"V1", "V12", "O1", "H1", "H2"} <= set(verdict.checked)


def test_columns_of_mixed_data_are_counted() -> None:
    published = mixed(
        mixed_leaf(rows=[("1", ("x",), 3), ("1", (), 1)]),
        columns={"ill": ["flu", "cold"]},
        roles={"ill": Role.SENSITIVE},
    )
    terms, column = min_people.listings_of(published)
    assert dict(zip(terms.names, terms.most.tolist(), strict=True)) == {"a": 4, "x": 3}
    assert dict(zip(column.names, column.most.tolist(), strict=True)) == {"cold": 1, "flu": 3}


def unlike(published: Table, original: Table | MixedRecords) -> list[str]:
    return [finding.message for finding in min_people._unlike(Generalized(published), original, 2)]


def test_what_is_published_is_what_enough_people_have() -> None:
    assert unlike(of_jobs("x", "y"), of_jobs("x", "y")) == []
    assert unlike(of_jobs("x", "y"), Table.from_columns({"age": ["30", "30"]})) == []  # another invariant says so
    assert unlike(of_jobs("x", "y"), of_jobs("x", "z")) == [
        "1 value of column 'job' belong to fewer than 2 people of the original.",
        "1 value of column 'job' that at least 2 people have, or replacements of rarer ones, are not published.",
    ]
    people = MixedRecords.from_people({"age": ["30", "30"], "job": ["x", "z"]}, [{"a"}, {"b"}])
    assert len(unlike(of_jobs("x", "y"), people)) == 2
    published = Clusters.from_nested([{"size": 3, "record_chunks": [], "term_chunk": ["a"]}])
    (lost,) = min_people._unlike(published, Transactions.from_sets(["a", "b"]), 2)
    assert lost.message.startswith("1 term that at least 2 people have")


# ------------------------------------------------------------------ records


def kept(records: Any, threshold: MinPeople, parts: Any = None, suppressed: int = 0) -> Known:
    data = records if isinstance(records, Transactions) else Transactions.from_sets(records)
    return min_people._kept_records(data, threshold, Known(data, parts, suppressed))


def test_records_of_rare_terms_only_are_among_the_suppressed_ones() -> None:
    known = kept(["a", "a", "b", "ab"], MinPeople(3), np.array([0, 0, -1, 0]), 2)
    assert len(known.original) == 3  # type: ignore[arg-type]
    assert known.part_of_record.tolist() == [0, 0, 0]  # type: ignore[union-attr]
    assert known.suppressed_records == 1
    assert min_people._uncounted(Known(Transactions.from_sets("ab")), Known(Transactions.from_sets("a")))[
        0
    ].message == ("1 record has only rare terms, but 0 are stated as suppressed.")


def test_records_that_were_empty_before_stay() -> None:
    data = Transactions(offsets=np.array([0, 1, 1, 2, 3]), items=np.array([0, 0, 1]), vocabulary=["a", "b"])
    known = kept(data, MinPeople(2), suppressed=3)
    assert len(known.original) == 3  # type: ignore[arg-type]
    assert known.suppressed_records == 2


def test_records_without_terms_stay_only_if_clusters_are_published() -> None:
    records, guarantee = Transactions.from_sets(["a", "a", "b"]), KmAnonymity(2, 2, min_people=MinPeople(2))
    clusters = Clusters.from_nested([{"size": 2, "record_chunks": [], "term_chunk": ["a"]}])
    groups = Groups.from_nested([{"records": [[["a"], 2]], "sensitive": {}}])
    kept_of = [min_people.original_as_published(published, guarantee, records) for published in (clusters, groups)]
    assert [np.diff(each.offsets).tolist() for each in kept_of] == [[1, 1, 0], [1, 1]]


@pytest.mark.parametrize("places", [[0, 0, 0, 0], [0, 0, 0, -1]])
def test_a_map_that_places_records_without_terms_is_left_as_it_is(places: list[int]) -> None:
    parts = np.array(places)
    known = kept(["a", "a", "b", "c"], MinPeople(2), parts, 1)
    assert len(known.original) == 4  # type: ignore[arg-type]
    assert known.part_of_record is parts
    assert known.suppressed_records == 1


# ------------------------------------------------------------------ tables


def values(original: Table, published: Table, threshold: MinPeople) -> list[str]:
    people = np.arange(len(original))
    found = min_people._kept_table(original, published, ("age",), threshold, people)
    return found.column("job").to_pylist()


def test_rare_values_are_left_out_or_replaced() -> None:
    jobs = of_jobs("cook", "baker", "nurse", "nurse")
    with_tree = jobs.with_hierarchies({"job": JOBS})
    assert values(jobs, jobs, MinPeople(2)) == ["*", "*", "nurse", "nurse"]
    assert values(with_tree, jobs, MinPeople(2)) == ["*", "*", "nurse", "nurse"]
    assert values(with_tree, jobs, MinPeople(2, CATEGORY)) == ["kitchen", "kitchen", "nurse", "nurse"]
    replaced = of_jobs("other", "other", "nurse", "nurse")
    assert values(jobs, replaced, MinPeople(2, OTHER)) == ["other", "other", "nurse", "nurse"]
    assert values(jobs, replaced, MinPeople(2)) == ["*", "*", "nurse", "nurse"]
    more = of_jobs("cook", "baker", "nurse", "nurse", new=["1"] * 4)
    assert values(jobs, more, MinPeople(2)) == ["*", "*", "nurse", "nurse"]


def test_categories_need_their_hierarchy() -> None:
    jobs = of_jobs("cook", "cook", "nurse")
    assert values(jobs, of_jobs("cook", "cook", "*"), MinPeople(2, CATEGORY)) == ["cook", "cook", "*"]
    assert values(jobs, of_jobs("cook", "nurse", "*"), MinPeople(2, CATEGORY)) == ["cook", "cook", "*"]
    with pytest.raises(InvalidParameter, match="so their hierarchy is needed"):
        values(jobs, of_jobs("cook", "cook", "ward"), MinPeople(2, CATEGORY))


@pytest.mark.parametrize(("rare", "expected"), [(LEAVE_OUT, "*"), (CATEGORY, "*"), (OTHER, "other")])
def test_columns_of_mixed_data_have_no_categories(rare: str, expected: str) -> None:
    jobs = ["cook", "baker", "nurse", "nurse"]
    original = MixedRecords.from_people({"age": ["1"] * 4, "job": jobs}, [{"cook"}] * 4)
    original = (
        MixedRecords(original.table.with_hierarchies({"job": JOBS}), original.records.with_hierarchy(JOBS))
        if rare == CATEGORY
        else original
    )
    published = mixed(
        mixed_leaf(rows=[("1", (), 2), ("1", (), 2)]), columns={"job": ["x", "y"]}, roles={"job": Role.SENSITIVE}
    )
    guarantee = MixedAnonymity(2, 2, ("age",), sensitive_columns=("job",), min_people=MinPeople(2, rare))
    known = min_people.kept_original(published, guarantee, Known(original))
    assert known.original.table.column("job").to_pylist() == [expected, expected, "nurse", "nurse"]  # type: ignore[union-attr]


def test_people_are_told_apart_by_their_column() -> None:
    table = of_jobs("x", "x", "y", id=["1", "1", "2"])
    assert min_people._people_of(table, "id").tolist()[:2] == [0, 0]
    assert min_people._people_of(table, "name").tolist() == [0, 1, 2]
    assert min_people._people_of(table, None).tolist() == [0, 1, 2]
    published = Generalized(of_jobs("x", "x", "y"))
    guarantee = KAnonymity(2, "age", person="id", min_people=MinPeople(2))
    known = min_people.kept_original(published, guarantee, Known(table))
    assert known.original.column("job").to_pylist() == ["*", "*", "*"]  # type: ignore[union-attr]
