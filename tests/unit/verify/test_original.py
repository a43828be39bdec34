"""The release against its original: each of O1-O7 is found broken for the right reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Transactions, Verdict
from disjoin.verify import check
from disjoin.verify.clusters import support_bounds
from disjoin.verify.source import Source
from oracle.inspection import canonical
from unit.verify.forests import joint, leaf

PROMISE = KmAnonymity(2, 2)

#             leaf 0 (two records)      leaf 1 (three records)
RECORDS = ["as", "at", "bcs", "bcu", "b"]
LEAVES = [1, 1, 2, 2, 2]  # node 0 is the joint


def published(first: Any = None, second: Any = None, shared: Any = None) -> Clusters:
    """s is shared; a and bc are cut off; t and u are term chunks."""
    one = first or leaf(2, [{"a": 2}], "t")
    two = second or leaf(3, [{"bc": 2, "b": 1}], "u")
    return Clusters.from_nested(canonical([joint([one, two], [shared or {"s": 2}])]))


def compare(release: Clusters, records: Any = RECORDS, leaves: Any = LEAVES, suppressed: int = 0) -> Verdict:
    return check(
        release,
        PROMISE,
        original=Transactions.from_sets(records),
        part_of_record=None if leaves is None else np.array(leaves),
        suppressed_records=suppressed,
    )


def found(verdict: Verdict) -> set[str]:
    return {violation.invariant for violation in verdict.violations}


def test_an_honest_release_agrees_with_its_records() -> None:
    assert compare(published()).holds
    assert compare(published(), leaves=None).holds


@pytest.mark.parametrize(
    ("release", "records", "leaves", "suppressed", "expected"),
    [
        pytest.param(published(), [*RECORDS, "b"], [*LEAVES, -1], 0, {"O1"}, id="a lost record"),
        pytest.param(published(), RECORDS, LEAVES, 1, {"O1"}, id="a record called suppressed that is not"),
        pytest.param(published(), RECORDS, LEAVES[:-1], 0, {"O1"}, id="a map that is too short"),
        pytest.param(published(), RECORDS, [-1], 0, {"O1"}, id="a map that is much too short"),
        pytest.param(published(), RECORDS, [9, *LEAVES[1:]], 0, {"O1"}, id="a map to nowhere"),
        pytest.param(published(), RECORDS, [0, *LEAVES[1:]], 0, {"O1", "O2", "O3"}, id="a record in a joint"),
        pytest.param(published(), ["as", "act", *RECORDS[2:]], LEAVES, 0, {"O2"}, id="an occurrence that was lost"),
        pytest.param(published(), ["as", "st", *RECORDS[2:]], LEAVES, 0, {"O3", "O5"}, id="another projection"),
        pytest.param(
            published(second=leaf(3, [{"bc": 1, "b": 1, "c": 1}], "u")), RECORDS, LEAVES, 0, {"O3"}, id="another bag"
        ),
        pytest.param(published(first=leaf(2, [{"a": 2}], "tu")), RECORDS, LEAVES, 0, {"O4"}, id="an invented term"),
        pytest.param(published(shared={"s": 3}), RECORDS, LEAVES, 0, {"O5"}, id="an invented occurrence"),
        pytest.param(
            published(first=leaf(2, [{"a": 2}], "tz")), RECORDS, LEAVES, 0, {"O4", "O6"}, id="a term from nowhere"
        ),
        pytest.param(
            published(first=leaf(2, [{"a": 2}], "x")), RECORDS, LEAVES, 0, {"O2", "O4", "O6"}, id="a renamed term"
        ),
    ],
)
def test_with_the_map_every_difference_is_found(
    release: Clusters, records: Any, leaves: Any, suppressed: int, expected: set[str]
) -> None:
    verdict = compare(release, records, leaves, suppressed)
    assert {name for name in found(verdict) if name.startswith("O")} == expected


@pytest.mark.parametrize(
    ("release", "records", "expected"),
    [
        pytest.param(published(), [*RECORDS, "t"], {"O1"}, id="a lost record"),
        pytest.param(published(), [*RECORDS[:-1], "bx"], {"O6", "O7"}, id="a lost term"),
        pytest.param(published(), ["s", "at", *RECORDS[2:]], {"O7"}, id="an invented occurrence"),
        pytest.param(published(), ["as", "at", "bcs", "bcs", "bu"], {"O7"}, id="a lost occurrence"),
    ],
)
def test_without_the_map_bounds_and_terms_are_compared(release: Clusters, records: Any, expected: set[str]) -> None:
    verdict = compare(release, records, None)
    assert found(verdict) == expected
    assert "O3" not in verdict.checked


def test_known_suppressed_records_are_left_aside() -> None:
    assert compare(published(), [*RECORDS, "xyz"], [*LEAVES, -1], 1).holds


def test_unknown_suppressed_records_may_have_had_any_terms() -> None:
    assert compare(published(), [*RECORDS, "xyz"], None, 1).holds
    assert found(compare(published(), [*RECORDS[:-1], "bx", "x", "x"], None, 2)) == {"O7"}  # three records with x


def test_vocabularies_are_matched_by_text() -> None:
    """The original has terms before, between and after those of the release."""
    records = [*RECORDS, "0nz"]
    assert compare(published(), records, [*LEAVES, -1], 1).holds


def test_an_original_with_the_numbers_of_the_release_is_not_copied() -> None:
    data = Transactions.from_sets(["ab", "b"])
    assert Source.of(data, data.vocabulary, None, 0).items is data.items
    assert Source.of(data, pa.array(["a", "aa", "b"]), None, 0).items.tolist() == [0, 2, 2]
    assert Source.of(data, pa.array(["b"]), None, 0).items.tolist() == [-1, 0, 0]


def test_an_original_whose_vocabulary_is_not_sorted_is_understood() -> None:
    data = Transactions(offsets=[0, 2, 4], items=[0, 1, 0, 1], vocabulary=pa.array(["b", "a"]))
    release = Clusters.from_nested([leaf(2, [{"ab": 2}])])
    assert check(release, PROMISE, original=data, part_of_record=np.zeros(2, dtype=np.int64)).holds
    assert check(release, PROMISE, original=data).holds


def test_what_is_visible_but_never_occurred_is_found_by_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support_bounds, "MOST_ITEMSETS", 5)
    records = [["a", "c"], ["a", "c"], ["b", "d"], ["b", "d"]]
    swapped = Clusters.from_nested(canonical([leaf(4, [{"ad": 2, "bc": 2}], "")]))
    verdict = compare(swapped, records, None)
    assert found(verdict) == {"O7"}
    assert verdict.facts["O7"]["itemsets"] < verdict.facts["O7"]["of"]


def test_the_true_association_is_reported_and_bounded() -> None:
    records = ["av", "av", "a", "a"]
    release = Clusters.from_nested(canonical([leaf(4, [{"a": 4}], "v")]))
    data, leaves = Transactions.from_sets(records), np.zeros(4, dtype=np.int64)
    for l, expected in ((2, set()), (3, {"V11"})):  # noqa: E741
        guarantee = KmAnonymity(2, 2, l, ("v",))
        verdict = check(release, guarantee, original=data, part_of_record=leaves)
        assert found(verdict) == expected
        assert verdict.facts["true_association"] == [2, 4]
        assert check(release, guarantee).holds  # the release alone cannot tell


def test_the_map_needs_the_original_and_so_does_the_exact_check() -> None:
    with pytest.raises(InvalidParameter, match="give the original"):
        check(published(), PROMISE, part_of_record=np.array(LEAVES))
    with pytest.raises(InvalidParameter, match="give the original"):
        check(published(), PROMISE, exact=True)
    with pytest.raises(InvalidParameter, match="suppressed_records"):
        check(published(), PROMISE, suppressed_records=-1)
