"""Records that several columns name together, and records of zeros and ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import disjoin
from disjoin.errors import InvalidParameter, UnreadableInput

STAYS = {"ward": ["A", "A", "B", "A"], "bed": [1, 2, 1, 1], "code": ["I10", "E11", "I10", "J45"]}
EXPECTED = [["E11"], ["I10"], ["I10", "J45"]]


def sets_of(data):
    return sorted(map(sorted, data.to_sets()))


def test_several_columns_name_a_record_in_text_parquet_and_frames(tmp_path):
    frame = pd.DataFrame(STAYS)
    frame.to_csv(tmp_path / "stays.csv", index=False)
    pq.write_table(pa.table(STAYS), tmp_path / "stays.parquet")
    for source in (tmp_path / "stays.csv", tmp_path / "stays.parquet", frame, pl.DataFrame(STAYS)):
        found = disjoin.read(source, id=["ward", "bed"], terms="code")
        assert sets_of(found) == EXPECTED
        assert found.intake.id_column == "ward + bed"
        assert sets_of(disjoin.read(source, id=["ward"], terms="code")) == [["E11", "I10", "J45"], ["I10"]]


def test_parts_of_an_id_do_not_run_into_each_other():
    table = {"a": ["1", "11"], "b": ["11", "1"], "code": ["x", "y"]}
    assert len(disjoin.read(pa.table(table), id=["a", "b"], terms="code")) == 2


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.sampled_from("uv"), st.sampled_from("xyz"))))
def test_the_records_are_those_of_a_dict_by_all_ids(rows):
    twin: dict[tuple[object, ...], set[str]] = {}
    for *ids, term in rows:
        twin.setdefault(tuple(ids), set()).add(term)
    columns = zip(*rows, strict=True) if rows else [[]] * 4
    table = pa.table({name: pa.array(list(values)) for name, values in zip("abct", columns, strict=True)})
    found = disjoin.read(table, id=["a", "b", "c"], terms="t") if rows else []
    assert sorted(map(sorted, twin.values())) == (sets_of(found) if rows else [])


def test_a_row_that_lacks_one_of_the_ids_has_none(tmp_path):
    path = tmp_path / "stays.csv"
    path.write_text("ward,bed,code\nA,1,I10\nA,,E11\n")
    with pytest.raises(UnreadableInput, match="column 'bed'"):
        disjoin.read(path, id=["ward", "bed"], terms="code")
    found = disjoin.read(path, id=["ward", "bed"], terms="code", blank="skip")
    assert sets_of(found) == [["I10"]]
    assert found.intake.rows_without_id == 1


def test_people_with_several_records_are_noticed_though_their_column_is_one_of_the_ids(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("patient,visit,code\n" + "".join(f"{n // 2},{n},c{n % 2}\n" for n in range(8)))
    data = disjoin.read(path, id=["patient", "visit"], terms="code")
    assert not data.intake.is_per_person
    with pytest.raises(InvalidParameter, match=r"per 'patient \+ visit', and 4 values of 'patient' have 8 of them"):
        disjoin.disassociate(data, k=2)


def test_columns_that_are_none_or_named_twice_are_refused():
    with pytest.raises(InvalidParameter, match="names a column twice"):
        disjoin.read(pa.table(STAYS), id=["ward", "ward"], terms="code")
    with pytest.raises(UnreadableInput, match="expected a column 'room', found none"):
        disjoin.read(pa.table(STAYS), id=["ward", "room"], terms="code")


ROWS = [[1, 0, 1], [0, 0, 0], [0, 1, 1]]
TERMS = ["tea", "milk", "rum"]


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame(ROWS, columns=TERMS),
        pd.DataFrame(ROWS, columns=TERMS).astype(bool),
        pd.DataFrame(ROWS, columns=TERMS).astype(pd.SparseDtype("int", 0)),
        pl.DataFrame(ROWS, schema=TERMS, orient="row"),
        pa.table(dict(zip(TERMS, zip(*ROWS, strict=True), strict=True))),
        sparse.csr_matrix(ROWS),
        sparse.coo_array(np.array(ROWS, float)),
        np.array(ROWS, bool),
    ],
    ids=["pandas", "bool", "sparse pandas", "polars", "arrow", "csr", "coo", "numpy"],
)
def test_rows_of_zeros_and_ones_are_records(data):
    terms = TERMS if hasattr(data, "tocsr") or isinstance(data, np.ndarray) else None
    found = disjoin.read_one_hot(data, terms)
    assert found.to_sets() == [{"tea", "rum"}, {"milk", "rum"}]
    assert found.intake.blank_records == 1


@pytest.mark.parametrize(
    ("data", "terms", "words"),
    [
        (pd.DataFrame({"id": [7, 8], "tea": [1, 0]}), None, "zeros and ones in column 'id', found other values"),
        (pd.DataFrame({"tea": [1.0, None]}), None, "zeros and ones in column 'tea'"),
        (pd.DataFrame({"tea": ["yes", "no"]}), None, "zeros and ones in column 'tea'"),
        (pd.DataFrame([[1, 1]], columns=["a", "a"]), None, "two columns have the term 'a'"),
        (sparse.csr_matrix([[2, 0]]), ["a", "b"], "zeros and ones in the matrix"),
        (sparse.csr_matrix([[1, 0]]), None, "name the term of each of the 2 columns"),
        (sparse.csr_matrix([[1, 0]]), ["a"], "expected 2 terms, one per column, found 1"),
        (pd.DataFrame({"tea": [1]}), ["a"], "a frame has its own"),
        ([{"a"}], None, "expected a frame"),
        (np.array([1, 0]), ["a", "b"], "rows and columns"),
    ],
)
def test_what_is_no_matrix_of_zeros_and_ones_is_refused(data, terms, words):
    with pytest.raises(InvalidParameter, match=words):
        disjoin.read_one_hot(data, terms)


def test_a_sparse_matrix_alone_is_not_guessed_at():
    with pytest.raises(InvalidParameter, match=r"disjoin\.read_one_hot\(matrix, terms="):
        disjoin.read(sparse.csr_matrix([[1, 0]]))
