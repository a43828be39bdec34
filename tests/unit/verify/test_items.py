"""Generalised records, one thing wrong at a time: each invariant refuses what it is there to refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from disjoin import pipeline
from disjoin.errors import InvalidParameter, NotAnonymous
from disjoin.model import (
    Bag,
    Clusters,
    GeneralizedItems,
    Hierarchy,
    KmAnonymity,
    PrivacyDegree,
    Transactions,
    Verdict,
    Violation,
)
from disjoin.model.parameters import MinPeople
from disjoin.verify import certify, check
from disjoin.verify.items import cut, inspection
from disjoin.verify.rows import Rows
from oracle.item_inspection import Items
from unit.verify.generalised_items import FOREST, mapping_of, noun_of

PROMISE = KmAnonymity(2, 2)
ROWS = [(["A", "b1"], 1), (["A", "b1", "b2"], 2), (["A", "b2"], 1), (["c"], 2)]
MAPPING = sorted(mapping_of(["A"]).items())
RECORDS = [{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}, {"c"}, {"c"}]
PARTS = [1, 0, 1, 2, 3, 3]


def made(rows: Any = ROWS, mapping: Any = MAPPING, **others: Any) -> GeneralizedItems:
    return noun_of(Items([(list(terms), count) for terms, count in rows], list(mapping), FOREST, **others))


def remapped(**images: str) -> list[tuple[str, str]]:
    return sorted((dict(MAPPING) | images).items())


def found(items: GeneralizedItems, **others: Any) -> set[str]:
    return {violation.invariant for violation in check(items, PROMISE, **others).violations}


def test_the_starting_point_is_sound() -> None:
    verdict = check(made(), PROMISE, original=Transactions.from_sets(RECORDS), part_of_record=np.array(PARTS))
    assert verdict.holds
    assert verdict.checked == ("A1", "A2", "A3", "A4", "A5", "A6", "B1", "B2", "B3")
    assert verdict.facts == {"smallest_support": 2, "generalised_terms": 2}


PLANTED = {
    # a name and what happened: the broken records, and the only invariants that may complain
    "A1 nothing published": (made([]), {"A1"}),
    "A1 a row that stands for none": (made([*ROWS, (["d1"], 0)]), {"A1"}),
    "A1 a row that stands for less than none": (made([*ROWS, (["d1"], -4)]), {"A1"}),
    "A1 an empty row": (made([([], 2), *ROWS]), {"A1"}),
    "A1 a row listed twice": (made([*ROWS, (["c"], 1)]), {"A1"}),
    "A1 a term twice in a row": (made([*ROWS[:3], (["c", "c"], 2)]), {"A1"}),
    "A1 a term without a name": (made([(["", "A"], 2), *ROWS], remapped(d1="")), {"A1", "A3"}),
    "A1 a leaf mapped twice": (made(mapping=sorted([*MAPPING, ("c", "c")])), {"A1"}),
    "A2 terms of a row": (made([*ROWS[:3], (["c", "b2"], 2)]), {"A2"}),
    "A2 rows": (made(ROWS[::-1]), {"A2"}),
    "A2 the longer row before its prefix": (made([ROWS[1], ROWS[0], *ROWS[2:]]), {"A2"}),
    "A2 the vocabulary": (made(is_vocabulary_reversed=True), {"A2"}),
    "A2 a term that no row has": (made(extra=["d1"]), {"A2"}),
    "A2 the mapping": (made(mapping=MAPPING[::-1]), {"A2"}),
    "A3 a leaf left out": (made(mapping=MAPPING[:-1]), {"A3"}),
    "A3 a term that is no leaf": (made(mapping=[*MAPPING, ("zebra", "c")]), {"A3"}),
    "A3 an inner node listed": (made(mapping=[("A", "A"), *MAPPING]), {"A3"}),
    "A3 published as a neighbour": (made(mapping=remapped(d1="d2")), {"A3"}),
    "A3 published as another branch's node": (made(mapping=remapped(b3="A")), {"A3"}),
    "A3 published as what is not in the hierarchy": (made(mapping=remapped(d1="zebra")), {"A3"}),
    "A3 the first leaf published as a neighbour": (made(mapping=remapped(a1="c")), {"A3", "A4"}),
    "A3, A4 a node that only another branch's leaf is published as": (
        made([(["b1"], 2), (["b2"], 2)], remapped(a1="D", a2="a2")),
        {"A3", "A4"},
    ),
    "A3, A4 a leaf that only another is published as": (
        made([(["b1"], 2), (["b2"], 2)], remapped(c="a1")),
        {"A3", "A4"},
    ),
    "A4 half a subtree": (made(mapping=remapped(d1="D")), {"A4"}),
    "A4 a subtree torn below": (made(mapping=remapped(b1="AB", b2="AB", b3="AB")), {"A4", "A5"}),
    "A5 a leaf beside its ancestor": (made([(["A", "a1"], 2), *ROWS]), {"A5"}),
    "A5 a node that no leaf is published as": (made([*ROWS, (["d1", "zebra"], 2)]), {"A5"}),
    "A6 a rare term": (made([*ROWS, (["d1"], 1)]), {"A6"}),
    "A6 a rare pair": (made([*ROWS[:3], (["c"], 1), (["c", "d1"], 1), (["d1"], 1)]), {"A6"}),
}


@pytest.mark.parametrize(("items", "expected"), PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_violation_is_refused_by_its_name(items: GeneralizedItems, expected: set[str]) -> None:
    violations = check(items, PROMISE).violations
    assert {violation.invariant for violation in violations} == expected
    assert all(violation.message.endswith(".") for violation in violations)


ALTERED = {
    # the original, the map, and the only invariants that may complain about the sound records
    "B1 a record less": (RECORDS[:-1], None, {"B1", "B3"}),
    "B1 a map that leaves one out": (RECORDS, [*PARTS[:-1], -1], {"B1", "B3"}),
    "B1 a map to nowhere": (RECORDS, [*PARTS[:-1], 9], {"B1"}),
    "B1 a map of fewer records": (RECORDS, PARTS[:-1], {"B1"}),
    "B2 a term that is no leaf": ([*RECORDS[:-1], {"zebra"}], None, {"B2", "B3"}),
    "B3 another record": ([*RECORDS[:-1], {"d1"}], None, {"B3"}),
    "B3 another record at its place": ([*RECORDS[:-1], {"d1"}], PARTS, {"B3"}),
    "B3 a term more that has its own image": ([*RECORDS[:-1], {"c", "d1"}], PARTS, {"B3"}),
    "B3 records changed places": (RECORDS, [0, 1, *PARTS[2:]], {"B3"}),
}


@pytest.mark.parametrize(("records", "parts", "expected"), ALTERED.values(), ids=ALTERED.keys())
def test_what_does_not_come_from_the_original_is_refused_by_its_name(
    records: Any, parts: list[int] | None, expected: set[str]
) -> None:
    where = None if parts is None else np.array(parts)
    assert found(made(), original=Transactions.from_sets(records), part_of_record=where) == expected


def test_a_term_more_with_the_same_image_changes_nothing() -> None:
    records = [{"a1", "a2", "b1", "b2"}, *RECORDS[1:]]
    assert found(made(), original=Transactions.from_sets(records), part_of_record=np.array(PARTS)) == set()


def test_the_order_of_the_original_does_not_matter_without_the_map() -> None:
    assert found(made(), original=Transactions.from_sets(RECORDS[::-1])) == set()


def test_no_record_counts_as_suppressed() -> None:
    assert found(made(), suppressed_records=1) == {"A1"}
    threshold = KmAnonymity(2, 2, min_people=MinPeople(2))  # records of rare terms only are left out
    assert check(made(), threshold, suppressed_records=1).holds


@pytest.mark.parametrize("guarantee", [KmAnonymity(2, 2, sensitive=("c",)), KmAnonymity(2, 2, l=3)])
def test_nothing_is_promised_of_sensitive_terms(guarantee: KmAnonymity) -> None:
    (violation,) = check(made(), guarantee).violations
    assert violation.invariant == "A6"
    assert "only k and m" in violation.message


def test_a_violation_names_the_terms_and_the_numbers() -> None:
    (violation,) = check(made(), KmAnonymity(4, 2)).violations
    assert str(violation) == (
        "A6 at the release: these terms occur together in 2 records, but at least 4 are needed. "
        "At least 5 combinations are too rare. (c)"
    )
    (violation,) = check(made([*ROWS[:2], (["b2", "A"], 1), ROWS[3]]), PROMISE).violations
    assert str(violation).startswith("A2 at row 2: its terms are not sorted")
    (violation,) = check(made(mapping=remapped(d1="D")), PROMISE).violations
    assert str(violation) == "A4 at the release: 1 of the 2 leaves under it are published as it, but all must be. (D)"


@pytest.mark.parametrize("m", [1, 2, 3, 50])
def test_the_smallest_support_is_that_of_sets_of_up_to_m_terms(m: int) -> None:
    rows = [(["a1", "a2"], 3), (["a1", "a2", "b1"], 4), (["a1", "b1"], 5), (["a2", "b1"], 6)]
    items = made(rows, mapping_of([]).items())
    smallest = {1: 12, 2: 7, 3: 4}[min(m, 3)]
    assert check(items, KmAnonymity(2, m)).facts["smallest_support"] == smallest
    assert check(items, KmAnonymity(smallest, m)).holds
    assert not check(items, KmAnonymity(smallest + 1, m)).holds


def test_many_terms_that_always_go_together_are_judged_for_any_m() -> None:
    terms = [f"t{number:02d}" for number in range(40)]
    tree = Hierarchy.from_rows([[term, "*"] for term in terms])
    items = GeneralizedItems.from_mapping([(terms, 3), (terms[:-1], 2)], {term: term for term in terms}, tree)
    verdict = check(items, KmAnonymity(3, 30))
    assert (verdict.holds, verdict.facts["smallest_support"]) == (True, 3)


def test_a_leaf_that_is_repeated_upwards_is_one_node() -> None:
    tree = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "rye", "*"]])
    items = GeneralizedItems.from_mapping([(["rye"], 2)], {"tea": "drink", "milk": "drink", "rye": "rye"}, tree)
    assert found(items) == set()


def changed(name: str, value: Any) -> GeneralizedItems:
    return replace(
        made(), records=Bag(**{part: getattr(made().records, part) for part in PARTS_OF_A_BAG} | {name: value})
    )


PARTS_OF_A_BAG = ("vocabulary", "offsets", "items", "counts")
NO_TEXT = pa.StringArray.from_buffers(
    1, pa.py_buffer(np.array([0, 1], dtype=np.int32).tobytes()), pa.py_buffer(b"\xff")
)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(changed("offsets", [0, 2, 5, 7]), id="an offset missing"),
        pytest.param(changed("offsets", [0, 5, 2, 7, 8]), id="offsets that descend"),
        pytest.param(changed("offsets", []), id="no offsets at all"),
        pytest.param(changed("items", [9] * 8), id="items outside the vocabulary"),
        pytest.param(changed("items", [-1] * 8), id="items below the vocabulary"),
        pytest.param(changed("counts", [1, 2, 1]), id="a count missing"),
        pytest.param(changed("counts", [2**62] * 4), id="counts that would wrap around"),
        pytest.param(changed("vocabulary", NO_TEXT), id="a vocabulary that is no text"),
        pytest.param(replace(made(), images=["A"]), id="fewer images than terms"),
        pytest.param(replace(made(), terms=NO_TEXT, images=["A"]), id="terms that are no text"),
        pytest.param(replace(made(), hierarchy=Hierarchy(["a", "a", "*"], [2, 2, -1])), id="two leaves of one name"),
        pytest.param(
            replace(made(), hierarchy=Hierarchy(["a", "b", "x", "x", "*"], [2, 3, 4, 4, -1])),
            id="two nodes of one name",
        ),
        pytest.param(
            replace(made(), hierarchy=Hierarchy(["a", "b", "a", "*"], [2, 2, 3, -1])),
            id="a node with the name of a leaf",
        ),
        pytest.param(replace(made(), hierarchy=Hierarchy(["a", None], [1, -1])), id="a node without a name"),
        pytest.param(replace(made(), hierarchy=Hierarchy(["a", ""], [1, -1])), id="a node with an empty name"),
    ],
)
def test_what_cannot_be_read_ends_the_inspection_with_a1(broken: GeneralizedItems) -> None:
    verdict = check(broken, PROMISE, original=Transactions.from_sets(RECORDS))
    assert {violation.invariant for violation in verdict.violations} == {"A1"}
    assert (verdict.checked, verdict.facts) == (("A1",), {})


def test_the_hierarchy_is_sorted_too() -> None:
    tree = Hierarchy(["b", "a", "*"], [2, 2, -1])
    assert found(GeneralizedItems.from_mapping([(["a"], 2)], {"a": "a", "b": "b"}, tree)) == {"A2"}


def test_what_a_reader_saw_is_in_the_verdict() -> None:
    odd = Violation("A1", "mapping.parquet", "it has a column more.")
    assert check(replace(made(), anomalies=(odd,)), PROMISE).violations == (odd,)


def test_what_holds_becomes_a_release_with_its_public_facts() -> None:
    facts: Any = {"method": "by hand", "parameters": {}, "original": Transactions.from_sets(RECORDS)}
    release = certify(made(), PROMISE, part_of_record=np.array(PARTS), **facts)
    assert release.verdict.facts == {"smallest_support": 2, "generalised_terms": 2}
    assert pipeline.verify(release, original=RECORDS).holds
    with pytest.raises(NotAnonymous, match="B3"):
        certify(made(), PROMISE, part_of_record=np.array([0, 1, *PARTS[2:]]), **facts)


def test_what_is_asked_must_be_about_generalised_records() -> None:
    with pytest.raises(InvalidParameter, match="the exact check is for clusters"):
        check(made(), PROMISE, original=Transactions.from_sets(RECORDS), exact=True)
    with pytest.raises(InvalidParameter, match="a release of items needs a KmAnonymity"):
        check(made(), PrivacyDegree(2))
    leaf = {"size": 2, "record_chunks": [{"subrecords": [["tea"], ["tea"]]}], "term_chunk": ["milk"]}
    assert check(Clusters.from_nested([leaf]), PROMISE).holds, "clusters keep the same promise in their own way"


def test_a_mapping_with_several_faults_is_told_all_of_them() -> None:
    broken = made(mapping=sorted([*remapped(d1="", d2=""), ("c", "c")]))
    messages = [violation.message for violation in check(broken, PROMISE).violations if violation.invariant == "A1"]
    assert messages == ["terms are in the mapping more than once.", "the mapping has 2 terms without an image."]


def test_names_that_are_missing_and_names_that_are_empty_add_up() -> None:
    tree = replace(Hierarchy.from_rows([["a", "*"], ["b", "*"]]), names=pa.array(["a", None, ""], pa.string()))
    assert [finding.message for finding in cut._ambiguous(tree)] == ["the hierarchy has 2 nodes without a name."]


def test_rare_terms_are_counted_and_one_is_not_spoken_of_as_many() -> None:
    rows = [(["A", "b1", "b2"], 5), (["c"], 2), (["d1"], 3)]
    (one,) = check(made(rows), KmAnonymity(3, 1)).violations
    (two,) = check(made(rows), KmAnonymity(5, 1)).violations
    assert one.message == "these terms occur together in 2 records, but at least 3 are needed."
    assert two.message.endswith("at least 5 are needed. At least 2 combinations are too rare.")


def test_terms_that_no_record_has_are_not_rare() -> None:
    rows = Rows.of(Bag(["a", "b", "c"], [0, 1, 2], [0, 1], [2, 3]))
    assert inspection._rarer_than(3, rows, 1) == (1, None)


def test_an_original_with_empty_records_has_no_generalised_form() -> None:
    data = Transactions(offsets=np.array([0, 1, 1, 2]), items=np.array([0, 0]), vocabulary=["c"])
    verdict = check(made([(["c"], 3)]), PROMISE, original=data)
    assert verdict.violations[0].message.startswith("the original has 1 record without")


def test_records_are_not_compared_if_rows_are_malformed() -> None:
    data = Transactions.from_sets(RECORDS)
    assert "B3" not in check(made([*ROWS, (["c"], 1)]), PROMISE, original=data).checked


def test_a_record_that_differs_is_shown_without_terms_that_are_not_published() -> None:
    """The record that the original has more: with the map at its row, without it nowhere."""
    records = [*RECORDS, {"c", "d1"}]
    data = Transactions.from_sets(records)
    (mapped,) = _differing(check(made(), PROMISE, original=data, part_of_record=np.array([*PARTS, 3])))
    (alone,) = _differing(check(made(), PROMISE, original=data))
    assert (mapped.place, mapped.example, mapped.message) == (
        "row 3",
        ("c",),
        "a record is published 0x, but the original gives it 1x.",
    )
    assert (alone.place, alone.example) == ("the release", ("c",))
    (several,) = _differing(check(made(), PROMISE, original=Transactions.from_sets([*records, {"d2"}])))
    assert several.message.endswith("(1 more differ).")


def _differing(verdict: Verdict) -> list[Violation]:
    return [violation for violation in verdict.violations if violation.invariant == "B3"]
