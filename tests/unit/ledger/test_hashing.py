"""Keyed hashes: the same for the same people and records, whatever the order; another key, other hashes."""

import numpy as np
import pyarrow as pa
import pytest

import disjoin
from disjoin.ledger.store import fingerprints_of
from disjoin.model import Role

KEY, OTHER = bytes(32), bytes(31) + b"\1"
VISITS = "patient,diagnosis\nAnn,flu\nBob,flu\nAnn,cough\n Zoë ,gout\n"


def same(one, other):
    return np.array_equal(one, other)


def records(*sets):
    return fingerprints_of(disjoin.read([set(s.split()) for s in sets]), KEY)


def test_the_order_of_records_and_terms_and_other_terms_of_the_file_play_no_part():
    one, other = records("tea milk", "jam", "tea milk"), records("jam", "milk tea", "tea milk")
    assert same(one.contents, other.contents)
    assert np.isin(one.contents, records("zz", "aa", "tea milk").contents).sum() == 2


def test_terms_are_not_run_together():
    assert np.unique(records("ab c", "a bc", "abc", "a b c").contents).size == 4


def test_another_key_gives_other_hashes(tmp_path):
    data = disjoin.read([{"tea", "milk"}, {"jam"}])
    assert not np.isin(fingerprints_of(data, KEY).contents, fingerprints_of(data, OTHER).contents).any()


def test_ids_of_long_tables_are_the_same_whatever_the_format_and_the_spelling(tmp_path):
    (tmp_path / "visits.csv").write_text(VISITS)
    frame = pa.table({"patient": ["zoë", "ANN", "Bob "], "diagnosis": ["gout", "flu", "flu"]})
    [text] = fingerprints_of(disjoin.read(tmp_path / "visits.csv"), KEY).ids
    [memory] = fingerprints_of(disjoin.read(frame), KEY).ids
    assert text.size == 3
    assert same(text, memory)


def test_numbers_and_their_texts_are_the_same_ids(tmp_path):
    (tmp_path / "visits.csv").write_text("patient,diagnosis\n7,flu\n8,flu\n")
    frame = pa.table({"patient": [8, 7], "diagnosis": ["gout", "flu"]})
    [text], [memory] = (fingerprints_of(disjoin.read(data), KEY).ids for data in (tmp_path / "visits.csv", frame))
    assert same(text, memory)


def test_baskets_have_no_ids():
    assert records("tea milk", "jam").ids == ()


def table(**columns):
    return disjoin.Table.from_columns(columns, {"name": Role.IDENTIFIER} if "name" in columns else {})


def test_rows_are_compared_without_identifiers_and_in_any_order_of_columns():
    one = fingerprints_of(table(name=["Ann", "Bob", "?"], age=["3", "4", "4"], sex=["f", "m", "m"]), KEY)
    other = fingerprints_of(table(sex=["m", "f", "m"], age=["4", "3", "4"]), KEY)
    assert same(one.contents, other.contents)
    assert [ids.size for ids in one.ids] == [2]  # ? names nobody
    assert other.ids == ()


def test_the_same_value_in_another_column_is_another_content():
    one, other = (fingerprints_of(table(**{name: ["3"], other: ["4"]}), KEY) for name, other in ("ab", "ba"))
    assert not same(one.contents, other.contents)


def test_a_table_and_a_long_table_know_the_same_people_by_their_ids(tmp_path):
    (tmp_path / "visits.csv").write_text(VISITS)
    [long] = fingerprints_of(disjoin.read(tmp_path / "visits.csv"), KEY).ids
    [wide] = fingerprints_of(table(name=["Ann", "Zoë", "Bob"], age=["3", "4", "5"]), KEY).ids
    assert same(long, wide)


def test_ids_are_not_shown_by_accident(tmp_path):
    (tmp_path / "visits.csv").write_text(VISITS)
    data = disjoin.read(tmp_path / "visits.csv")
    assert "Ann" not in repr(data) + repr(data.intake)
    assert data.intake.ids.to_pylist() == ["Ann", "Bob", "Zoë"]


@pytest.mark.parametrize("key", [KEY, OTHER])
def test_hashes_are_sorted_so_that_their_order_says_nothing(key):
    found = fingerprints_of(disjoin.read([{str(n)} for n in range(99)]), key).contents
    assert same(found, np.sort(found))
