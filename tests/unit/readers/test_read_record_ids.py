"""Who is a record: ids that are blank or spelt in several ways, and people who have several records."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model import SharedRecords
from disjoin.readers.read import read

SIMILAR = {"patient": ["A1", "a1", "B2", "a1 "], "code": ["x", "y", "x", "z"]}
INVOICES = {"InvoiceNo": [1, 2, 3, 4], "StockCode": ["x", "y", "x", "z"], "CustomerID": ["c", "c", "d", None]}


def holders(columns: dict[str, list[Any]]) -> dict[str, Any]:
    """Return the same long table as text with and without quotes, as Parquet, and in memory."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    quoted = "".join(",".join("" if v is None else f'"{v}"' for v in row) + "\n" for row in rows)
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    file.seek(0)
    return {
        "quoted": io.BytesIO(quoted.encode()),
        "parquet": file,
        "arrow": pa.table(columns),
        "pandas": pd.DataFrame(columns),
    }


@pytest.mark.parametrize("kind", ["quoted", "parquet", "arrow", "pandas"])
def test_ids_that_differ_only_in_spelling_are_refused_merged_or_kept(kind: str) -> None:
    with pytest.raises(UnreadableInput, match=r"4 records would come from 2 ids in column 'patient'.*rows 1 and 2"):
        read(holders(SIMILAR)[kind])
    merged = read(holders(SIMILAR)[kind], similar_ids="merge")
    assert (merged.to_sets(), merged.intake.merged_ids) == ([{"x", "y", "z"}, {"x"}], 2)
    kept = read(holders(SIMILAR)[kind], similar_ids="keep")
    assert (len(kept), kept.intake.merged_ids) == (4, 0)


def test_a_message_shows_where_ids_are_and_no_ids() -> None:
    ids = [f"{letter}{n}" for n in range(9) for letter in "Pp"]
    with pytest.raises(UnreadableInput, match=r"18 records would come from 9 ids.* those of rows 1 and 2") as caught:
        read(pa.table({"patient": ids, "code": ["x"] * 18}))
    assert not any(id in str(caught.value) for id in ids)


@pytest.mark.parametrize("kind", ["quoted", "parquet", "arrow", "pandas"])
def test_rows_without_an_id_never_become_one_person(kind: str) -> None:
    columns = {"patient": ["p", None, "q", None], "code": ["x", "secret", "y", "x"]}
    for way in ("error", "term"):
        with pytest.raises(UnreadableInput, match=r"blank='skip' \(leave"):
            read(holders(columns)[kind], blank=way)
    data = read(holders(columns)[kind], blank="skip")
    assert (data.to_sets(), data.intake.rows_without_id) == ([{"x"}, {"y"}], 2)
    assert data.vocabulary.to_pylist() == ["x", "y"], "a term of rows that were left out is forgotten"


def test_ids_that_are_blank_words_are_no_ids_when_told_and_listed_when_not() -> None:
    columns = {"patient": ["p", "NULL", "NULL"], "code": ["x", "y", "z"]}
    assert read(pa.table(columns)).intake.blank_like_ids == (("NULL", 2),)
    with pytest.raises(UnreadableInput, match="found 2 rows without one, which must not become one record"):
        read(pa.table(columns), blank_words="usual")
    data = read(pa.table(columns), blank_words="usual", blank="skip")
    assert (data.to_sets(), data.intake.rows_without_id, data.intake.blank_like_ids) == ([{"x"}], 2, ())


def test_rows_and_the_id_column_of_a_long_table_are_remembered() -> None:
    intake = read(holders(SIMILAR)["quoted"], similar_ids="merge").intake
    assert (intake.rows, intake.id_column, intake.is_per_person) == (4, "patient", True)
    assert read([{"a"}]).intake.rows == 0


@pytest.mark.parametrize("kind", ["quoted", "parquet", "arrow", "pandas"])
def test_records_that_are_not_people_cannot_be_published_unless_that_is_meant(kind: str) -> None:
    data = read(holders(INVOICES)[kind], id="InvoiceNo")
    assert data.intake.shared == SharedRecords("CustomerID", people=1, records=2)
    with pytest.raises(InvalidParameter, match=r"1 value of 'CustomerID' has 2 of them.*id='CustomerID'"):
        disjoin.disassociate(data, k=2, m=1)
    told = read(holders(INVOICES)[kind], id="InvoiceNo", per_record=True)
    assert len(disjoin.disassociate(told, k=2, m=1).published.sizes)


@pytest.mark.parametrize(
    "columns",
    [
        {"InvoiceNo": [1, 2], "StockCode": ["x", "y"], "CustomerID": ["c", "d"]},
        {"InvoiceNo": [1, 1], "StockCode": ["x", "y"], "CustomerID": ["c", "c"]},
        {"InvoiceNo": [1, 2], "StockCode": ["x", "y"], "CustomerID": ["NULL", "null"]},
        {"InvoiceNo": [1, 2], "StockCode": ["x", "y"], "name": ["tea", "tea"]},
        {"patient": [1, 2], "code": ["x", "y"], "user": ["clerk", "clerk"]},
    ],
)
def test_nobody_is_suspected_without_a_reason(columns: dict[str, list[Any]]) -> None:
    first, second, _ = columns
    assert read(pa.table(columns), id=first, terms=second).intake.shared is None
