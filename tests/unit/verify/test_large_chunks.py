"""Chunks so large that their subrecords are looked up by hash, and terms that seem to be twins."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Transactions, Verdict
from disjoin.verify import check, chunks
from disjoin.verify.clusters import original
from disjoin.verify.counting import forests
from disjoin.verify.forest import Forest
from oracle.inspection import canonical

LETTERS = "abcdefghijklmno"
SETS = ["".join(chosen) for size in (1, 2, 3) for chosen in combinations(LETTERS, size)]  # 575 distinct subrecords
PROMISE = KmAnonymity(2, 1)


def released(records: list[str]) -> Clusters:
    bag = Counter(records)
    chunk = {"subrecords": [[list(terms), bag[terms]] for terms in sorted(bag)]}
    return Clusters.from_nested(canonical([{"size": len(records), "record_chunks": [chunk], "term_chunk": []}]))


def compared(release: Clusters, records: list[str]) -> Verdict:
    data = Transactions.from_sets([set(record) for record in records])
    return check(release, PROMISE, original=data, part_of_record=np.zeros(len(records), dtype=np.int64))


@pytest.fixture(params=["roomy", "full"])
def table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table as it is, and one in which most subrecords find no place."""
    assert len(SETS) > forests.LARGE
    if request.param == "full":
        few = forests.PROBES
        monkeypatch.setattr(original, "table_for", lambda offsets: np.full(few, forests.FREE, dtype=np.int32))


@pytest.mark.usefixtures("table")
def test_every_record_is_found_among_hundreds_of_subrecords() -> None:
    records = [SETS[i % len(SETS)] for i in range(1000)]
    verdict = compared(released(records), records[::-1])
    assert verdict.holds, verdict.violations
    assert "O3" in verdict.checked


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("was", "instead"),
    [("a", "b"), ("abc", "abd"), ("ab", "abo"), ("mno", "mn"), ("no", "n")],
)
def test_one_record_that_differs_is_found(was: str, instead: str) -> None:
    records = [*SETS, *SETS]
    others = records.copy()
    others[others.index(was)] = instead
    found = {violation.invariant for violation in compared(released(records), others).violations}
    assert found == {"O3"}


@pytest.mark.usefixtures("table")
def test_a_subrecord_that_is_not_published_is_found() -> None:
    records = [*SETS, *SETS]
    verdict = compared(released(records), ["abcd", *records[1:]])
    assert {violation.invariant for violation in verdict.violations} == {"O3"}


@pytest.mark.parametrize("seed", range(20))
def test_of_twins_the_first_is_kept_and_of_others_all(seed: int) -> None:
    generator = np.random.default_rng(seed)
    holds = generator.random((8, 30)) < 0.4  # terms x rows
    holds[5], holds[7], holds[6] = holds[1], holds[1], holds[2]
    rows, items = np.nonzero(holds.T)
    kept = chunks.one_of_twins(rows.astype(np.int64), items.astype(np.int32), 9)
    earlier: set[bytes] = {np.zeros(30, dtype=bool).tobytes()}
    expected = []
    for row in [*holds, np.zeros(30, dtype=bool)]:
        expected.append(row.tobytes() not in earlier)
        earlier.add(row.tobytes())
    assert kept.tolist() == expected


def test_equal_codes_do_not_make_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the random codes say, the rows decide."""
    monkeypatch.setattr(chunks, "_may_be_twins", lambda rows, items, supports: supports > 0)
    kept = chunks.one_of_twins(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 2], dtype=np.int32), 3)
    assert kept.tolist() == [True, True, True]


def test_the_longest_row_is_found_across_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "AT_ONCE", 2)
    for longest in range(6):
        lengths = [9 if row == longest else 1 for row in range(6)]
        assert chunks.longest_row(np.append(0, np.cumsum(lengths))) == 9


def test_combinations_are_counted_for_each_chunk() -> None:
    release = Clusters.from_nested(
        [{"size": 5, "record_chunks": [{"subrecords": ["abc", "ad"]}, {"subrecords": ["e"]}]}]
    )
    assert chunks._combinations(Forest.of(release), 2).tolist() == [6 + 3, 1]


def test_a_search_that_stops_early_is_undecided_only_if_it_found_nothing() -> None:
    release = Forest.of(released(["abc"] * 3 + ["abd"] * 3))
    with pytest.raises(InvalidParameter, match="cannot be decided"):
        chunks.find_rare(release, np.array([0]), 2, 3, 1)
    two = [{"subrecords": ["ab", "c", "d", "abcd"]}, {"subrecords": [[["e", "f"], 9]]}]
    forest = Forest.of(Clusters.from_nested([{"size": 9, "record_chunks": two}]))
    (found, _, _), _ = chunks.find_rare(forest, np.array([0, 1]), 4, 3, 3)
    assert found.tolist()[1] == 0 < found[0]
