"""Data frames from Parquet, long tables and basket files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from disjoin.atomic import require_no_lake_table, scheme_of
from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model.spelling import folded
from disjoin.spark.arrays import Batches, batch_of, in_spark, schema_of
from disjoin.spark.jobs import Frame
from disjoin.spark.staging import place_to_read
from disjoin.text import printable

WHOLE_NUMBERS = ("tinyint", "smallint", "int", "bigint")
SPELLINGS = schema_of("spelling string")
_BAD = "_not_as_the_header"  # the column of rows that Spark cannot read
# Spark would end a cell at a line end, and remove control characters, unlike the reader of files.
_NO_ROW = r"""not is_valid_utf8(value) or value rlike '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]|\\r.'
    or length(replace(value, '"', '')) % 2 != length(value) % 2"""
UNDERSTOOD = ("format", "id", "terms", "field", "separator", "split")


def frame_of(session: Any, source: str, reading: Mapping[str, Any]) -> Frame:
    """Return the records of a file or folder as a frame with one column: lists, `terms`, or lines with terms."""
    for name in reading:
        if name not in UNDERSTOOD:
            raise InvalidParameter(
                f"Spark does not support {name}. Prepare the data with Spark, and call disjoin.spark in Python."
            )
    ids = reading.get("id")
    names = [ids] if isinstance(ids, str) else [*(ids or ())]
    if len(names) > 1:
        raise InvalidParameter("Spark supports one id column. Combine several in a frame in Python.")
    record = names[0] if names else None
    kind = _kind_of(source, reading)
    path = source if scheme_of(source) else place_to_read(Path(source).resolve())
    _require_no_lake_table(session, source)
    if kind == "fimi":
        return session.read.text(path, lineSep="\n")  # lines that are not text are found when terms are counted
    if kind == "csv":
        separator = {"tab": "\t", "\\t": "\t", None: ","}.get(reading.get("separator"), reading.get("separator"))
        frame = _rows_in(session, path, str(separator))
    else:
        frame = session.read.parquet(path)
    return records_in(
        frame,
        terms=None if record else reading.get("field", reading.get("terms")),
        record=record,
        item=reading.get("terms") if record else None,
    )


def _require_no_lake_table(session: Any, source: str) -> None:
    """Raise if the source belongs to a table of Delta Lake, Iceberg or Hudi; Spark is asked about addresses."""
    if not scheme_of(source):
        require_no_lake_table(Path(source))
        return
    files = session.read.format("binaryFile")
    exists = cache(partial(_exists, files))
    found = {source}
    if re.search(r"[*?\[{]", source):  # Spark reads it as a pattern
        found = {unquote(each.rpartition("/")[0]) for each in files.load(source).inputFiles()}
    for place in found:
        require_no_lake_table(place, exists)


def _exists(files: Any, folder: str, file: str) -> bool:
    try:
        return bool(files.load(f"{folder}/{file}" if file else folder).schema)
    except Exception as failure:  # an error of pyspark, which is optional
        if "PATH_NOT_FOUND" in str(failure):
            return False
        raise


def _rows_in(session: Any, path: str, separator: str) -> Frame:
    """Return the rows of a CSV file; raise if some differ from the header, because Spark would log these rows."""
    if found := session.read.text(path, lineSep="\n").where(_NO_ROW).count():
        raise UnreadableInput(
            f"{found:,} lines are not UTF-8, or have control characters or a quote that does not end in its line. "
            "Correct them, or make a frame in Python, and call disjoin.spark.disassociate.",
            source=path,
        )
    how: dict[str, Any] = {"header": True, "sep": separator, "escape": '"'}
    how |= {"ignoreLeadingWhiteSpace": True, "ignoreTrailingWhiteSpace": True}
    names = [f"`{name.replace('`', '``')}`" for name in session.read.csv(path, **how).columns]
    columns = ", ".join(f"{name} string" for name in (*names, _BAD))
    frame = session.read.csv(path, **how, schema=columns, mode="PERMISSIVE", columnNameOfCorruptRecord=_BAD)
    all_columns = (f"count({name})" for name in names)  # Spark reads only requested cells
    bad = frame.where(f"{_BAD} is not null").selectExpr("count(1) as rows", *all_columns).toArrow()
    if found := bad["rows"][0].as_py():
        raise UnreadableInput(f"{found:,} rows have more or fewer cells than the header. Correct them.", source=path)
    return frame.drop(_BAD)


def _kind_of(source: str, reading: Mapping[str, Any]) -> str:
    if source == "-":
        raise InvalidParameter("Spark reads files and folders, not standard input. Name one.")
    if not scheme_of(source) and not Path(source).exists():
        raise UnreadableInput("there is no such file or folder.", source=source)
    given, name = reading.get("format"), source.removesuffix(".gz").rstrip("/")
    is_long = bool(reading.get("id"))
    if given == "parquet" or (given in (None, "long") and (name.endswith(".parquet") or Path(source).is_dir())):
        return "parquet"
    if given == "fimi" or (given is None and name.endswith((".dat", ".fimi"))):
        return "fimi"
    if given in (None, "long") and is_long and name.endswith((".csv", ".tsv", ".txt")):
        return "csv"
    raise InvalidParameter(
        "Spark reads Parquet, long tables (CSV with id and terms) and lines of terms separated by blanks "
        "(format fimi). For other data make a frame in Python, and call disjoin.spark.disassociate."
    )


def records_in(frame: Frame, *, terms: str | None, record: str | None, item: str | None) -> Frame:
    """Return one column, `terms`, with a list of strings per record."""
    from pyspark.sql.functions import col, collect_set

    columns = dict(frame.dtypes)
    for name in (terms, record, item):
        if name is not None and name not in columns:
            raise InvalidParameter(
                f"there is no column {printable(name)!r}. There are: {', '.join(map(printable, sorted(columns)))}."
            )
    if record is not None and item is not None:
        _require_kind(item, columns[item])
        pairs = frame.select(col(record).cast("string").alias("record"), col(item).cast("string").alias("term"))
        for column, name in (("record", record), ("term", item)):
            if pairs.where(f"{column} is null or trim({column}) = ''").limit(1).count():
                raise InvalidParameter(f"some rows have no {printable(name)!r}. Remove or complete them.")
        _require_one_spelling(pairs, record)
        return pairs.groupBy("record").agg(collect_set("term").alias("terms")).select("terms")
    if terms is None:
        lists = [name for name, kind in columns.items() if kind.startswith("array<")]
        if len(lists) != 1:
            raise InvalidParameter(
                f"expected one column of lists, found {len(lists)}. Name it (terms), or the columns of a long table "
                "(id and item)."
            )
        terms = lists[0]
    if not columns[terms].startswith("array<"):
        raise InvalidParameter(f"the column {printable(terms)!r} must have lists of terms, but is {columns[terms]}.")
    _require_kind(terms, columns[terms].removeprefix("array<").removesuffix(">"))
    return frame.select(col(terms).cast("array<string>").alias("terms"))


def _require_kind(column: str, kind: str) -> None:
    if kind not in ("string", *WHOLE_NUMBERS):
        raise InvalidParameter(
            f"terms must be text or whole numbers, but {printable(column)!r} is {kind}. Cast it first."
        )


def _require_one_spelling(pairs: Frame, name: str) -> None:
    ids = pairs.select("record").distinct()
    spelled = ids.mapInArrow(_fold, in_spark(SPELLINGS)).groupBy("spelling").count()
    if spelled.where("count > 1").limit(1).count():
        raise InvalidParameter(
            f"some values of {printable(name)!r} differ only in spelling, so a person may have several records. "
            "Use one spelling of each id.",
        )


def _fold(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch_of(SPELLINGS, [[folded(text) for text in batch.column(0).to_pylist()]])
