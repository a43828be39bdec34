from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.arrays.randomness import seeded
from disjoin.errors import CannotWrite, InvalidParameter
from disjoin.generate import quest
from disjoin.generate.quest import Quest, quest_blocks, quest_patterns, write_quest
from helpers.hypothesis_profile import examples

seeds = st.integers(0, 2**70)


@st.composite
def small_settings(draw: st.DrawFn) -> Quest:
    terms = draw(st.integers(1, 40))
    corruption = draw(st.floats(0, 0.9))
    return Quest(
        records=draw(st.integers(1, 60)),
        length=draw(st.floats(1, 12)),
        pattern_length=draw(st.floats(1, min(terms, 6))),
        patterns=draw(st.integers(1, 20)),
        terms=terms,
        correlation=draw(st.floats(0, 1)),
        corruption=corruption,
        # Ten deviations from losing everything: settings that leave nothing of any pattern are refused, as they should.
        deviation=draw(st.floats(0, (1 - corruption) / 10)),
    )


def records_of(wanted: Quest, seed: int) -> list[list[int]]:
    return [
        items[offsets[i] : offsets[i + 1]].tolist()
        for offsets, items in quest_blocks(wanted, seed)
        for i in range(offsets.size - 1)
    ]


@examples(60)
@given(small_settings(), seeds)
def test_every_record_is_a_non_empty_ascending_set_of_terms_from_1_to_n(wanted: Quest, seed: int) -> None:
    records = records_of(wanted, seed)
    assert len(records) == wanted.records
    for record in records:
        assert record
        assert record == sorted(set(record))
        assert record[0] >= 1
        assert record[-1] <= wanted.terms


@examples(20)
@given(small_settings(), seeds)
def test_the_same_seed_gives_the_same_records(wanted: Quest, seed: int) -> None:
    assert records_of(wanted, seed) == records_of(wanted, seed)


def test_the_records_of_a_seed_stay_what_they_are_on_every_machine() -> None:
    assert records_of(Quest(1), 1) == [
        [372, 563, 595, 945, 985, 1721, 2530, 2867, 3153, 3706, 3768, 3973, 4065, 4163, 4327]
    ]


def test_another_seed_gives_other_records() -> None:
    wanted = Quest(30, patterns=50, terms=400)
    assert records_of(wanted, 1) != records_of(wanted, 2)


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_where_the_stream_is_cut_into_blocks_does_not_matter(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    wanted = Quest(60, patterns=50, terms=400)
    whole = records_of(wanted, 5)
    monkeypatch.setattr(quest, "BLOCK", block)
    assert records_of(wanted, 5) == whole


def test_a_longer_run_begins_with_the_shorter_one() -> None:
    longer, shorter = (records_of(Quest(n, patterns=50, terms=400), 3) for n in (60, 25))
    assert longer[:25] == shorter


def test_patterns_come_before_records_so_they_do_not_depend_on_them() -> None:
    few, many = (quest_patterns(Quest(*size, patterns=99, terms=400), seeded(9)) for size in ((10,), (99, 30)))
    assert np.array_equal(few.items, many.items)
    assert np.array_equal(few.cumulative, many.cumulative)
    assert np.array_equal(few.confidences, many.confidences)


@pytest.mark.slow  # without the compiler
def test_a_pattern_has_distinct_terms_and_the_wanted_mean_length() -> None:
    patterns = quest_patterns(Quest(1, patterns=3000, pattern_length=6), seeded(2))
    lengths = np.diff(patterns.offsets)
    assert abs(lengths.mean() - 6) < 0.2  # standard error 0.04
    for start, end in pairwise(patterns.offsets):
        assert len(set(patterns.items[start:end].tolist())) == end - start


@pytest.mark.slow  # without the compiler
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_correlation_is_the_share_of_a_pattern_that_comes_from_the_one_before(correlation: float) -> None:
    wanted = Quest(1, patterns=2000, pattern_length=8, terms=20_000, correlation=correlation)
    patterns = quest_patterns(wanted, seeded(4))
    sets = [set(patterns.items[a:b].tolist()) for a, b in pairwise(patterns.offsets)]
    shared = sum(len(one & before) for before, one in pairwise(sets)) / patterns.items.size
    assert abs(shared - correlation * 0.82) < 0.05  # below `correlation`, as a pattern cannot share more than it has


def test_uncorrupted_records_are_unions_of_whole_patterns() -> None:
    wanted = Quest(300, patterns=50, terms=400, corruption=0.0, deviation=0.0)
    patterns = quest_patterns(wanted, seeded(8))
    sets = [set(patterns.items[a:b].tolist()) for a, b in pairwise(patterns.offsets)]
    for record in map(set, records_of(wanted, 8)):
        assert set().union(*(pattern for pattern in sets if pattern <= record)) == record


@pytest.mark.slow  # without the compiler
@pytest.mark.parametrize("length", [10, 20, 40])
def test_the_mean_length_is_near_the_wanted_one(length: int) -> None:
    records = records_of(Quest(2000, length=length, terms=2000), 1)
    assert abs(sum(map(len, records)) / len(records) - length) < 0.07 * length


def test_the_file_has_the_records_as_fimi_lines(tmp_path: Path) -> None:
    wanted = Quest(90, patterns=50, terms=12_345)
    write_quest(wanted, 6, tmp_path / "quest.dat")
    lines = (tmp_path / "quest.dat").read_text().splitlines()
    assert [[int(term) for term in line.split(" ")] for line in lines] == records_of(wanted, 6)
    assert [path.name for path in tmp_path.iterdir()] == ["quest.dat"]


def test_a_file_that_cannot_be_made_leaves_the_old_one_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object) -> int:
        raise OSError(28, "No space left on device")

    (tmp_path / "quest.dat").write_text("old")
    monkeypatch.setattr(quest, "write_fimi", full_disk)
    with pytest.raises(CannotWrite, match="No space left"):
        write_quest(Quest(10, patterns=9), 1, tmp_path / "quest.dat")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_folder_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotWrite, match="cannot write"):
        write_quest(Quest(10, patterns=9), 1, tmp_path / "file" / "quest.dat")


@pytest.mark.parametrize(
    "wrong",
    [
        {"records": 0},
        {"length": 0.5},
        {"pattern_length": 0},
        {"pattern_length": 6, "terms": 5},
        {"patterns": 0},
        {"terms": 0},
        {"terms": 2**31},
        {"correlation": -0.1},
        {"corruption": 1.5},
        {"deviation": float("nan")},
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidParameter, match="must be"):
        Quest(**{"records": 10, **wrong})  # type: ignore[arg-type]


def test_total_corruption_is_refused_instead_of_running_for_ever() -> None:
    with pytest.raises(InvalidParameter, match="Lower the corruption"):
        next(quest_blocks(Quest(10, patterns=9, corruption=1.0, deviation=0.0), 1))


def test_the_name_is_the_customary_one() -> None:
    assert Quest(1_000_000, length=20, pattern_length=6).name == "T20.I6.D1M"
    assert Quest(1_234).name == "T10.I4.D1234"


def test_settings_that_leave_nothing_of_any_pattern_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="Lower the corruption"):
        records_of(Quest(1, length=1, pattern_length=1, patterns=1, terms=24, corruption=1, deviation=0), 0)
