"""People from one file or two: joined and grouped by an id that goes no further, and mistakes in a sentence."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.errors import DisjoinError
from disjoin.readers.people import read_people

PEOPLE = {"patient": ["1", "2", "3"], "age": ["30", "40", "50"], "sex": ["f", "m", "f"]}
ITEMS = {"patient": ["2", "1", "2", "9"], "code": ["I10", "E11", "I10", "J45"]}


def terms_of(data):
    names = data.records.vocabulary.to_pylist()
    return [{names[item] for item in has} for has in data.records]


def test_two_files_are_joined_by_the_id_and_the_id_is_gone():
    data = read_people(PEOPLE, ITEMS, columns=("age", "sex"), id="patient")
    assert data.table.schema.names == ("age", "sex")
    assert terms_of(data) == [{"E11"}, {"I10"}, set()]
    assert (data.without_terms, data.intake.without_row) == (1, 1)
    assert data.records.vocabulary.to_pylist() == ["E11", "I10"]  # nothing of those who were left out


def test_a_table_with_lists_or_with_cells_that_are_split_or_with_a_row_per_term(tmp_path):
    wanted = [{"I10", "E11"}, {"I10"}]
    pq.write_table(pa.table({"age": [30, 40], "codes": [["I10", "E11"], ["I10"]]}), tmp_path / "a.parquet")
    assert terms_of(read_people(tmp_path / "a.parquet", columns=("age",), terms="codes")) == wanted
    (tmp_path / "b.csv").write_text("age,codes\n30,I10;E11\n40,I10\n")
    assert terms_of(read_people(tmp_path / "b.csv", columns=("age",), terms="codes", split=";")) == wanted
    (tmp_path / "c.csv").write_text("id,age,codes\n7,30,I10\n7,30,E11\n8,40,I10\n")
    assert terms_of(read_people(tmp_path / "c.csv", columns=("age",), terms="codes", id="id")) == wanted


@pytest.mark.parametrize(
    ("people", "items", "options", "words"),
    [
        (PEOPLE, ITEMS, {}, "Use id=COLUMN"),
        (PEOPLE, None, {}, "Use terms=COLUMN .* or people=FILE, items=FILE"),
        (PEOPLE, ITEMS, {"id": "nobody"}, "the file of people has no column 'nobody'"),
        (PEOPLE, ITEMS, {"id": "patient", "columns": ("patient",)}, "named as id and as quasi"),
        (PEOPLE, ITEMS | {"ward": list("abcd")}, {"id": "patient"}, "Use terms='code' .* or terms='ward'"),
        (
            PEOPLE | {"patient": ["1", "1", "3"]},
            ITEMS,
            {"id": "patient"},
            "rows that differ in 'age', such as rows 1 and 2",
        ),
        (PEOPLE | {"patient": ["a", "A", "3"]}, ITEMS, {"id": "patient"}, "row 2 of people and row 1 of people"),
        (PEOPLE | {"patient": ["1", None, "3"]}, ITEMS, {"id": "patient"}, "1 row of people without 'patient'"),
        (PEOPLE, ITEMS, {"id": "patient", "split": ";"}, "split is for cells"),
        (PEOPLE, {"patient": ["8"], "code": ["I10"]}, {"id": "patient"}, "found none that have any"),
        (PEOPLE, ITEMS, {"id": "patient", "columns": ("size",)}, "there is no column 'size'"),
        (
            {"age": ["1"] * 9, "codes": ["a;b", "b;c", "a;c"] * 3},
            None,
            {"columns": ("age",), "terms": "codes"},
            "look like lists",
        ),
    ],
)
def test_a_mistake_is_a_sentence_without_data(people, items, options, words):
    with pytest.raises(DisjoinError, match=words):
        read_people(people, items, **{"columns": ("age", "sex"), **options})


def test_rows_of_one_person_must_agree_only_in_columns_that_count():
    people = {"id": ["1", "1"], "age": ["30", "30"], "day": ["mon", "tue"], "codes": [["a"], ["b"]]}
    assert terms_of(read_people(people, columns=("age",), id="id", terms="codes")) == [{"a", "b"}]


def test_spellings_of_an_id_can_be_made_one_person():
    people = {"id": ["x", "X"], "age": ["30", "30"], "codes": [["a"], ["b"]]}
    assert len(read_people(people, columns=("age",), id="id", terms="codes", similar_ids="merge")) == 1
    assert len(read_people(people, columns=("age",), id="id", terms="codes", similar_ids="keep")) == 2
