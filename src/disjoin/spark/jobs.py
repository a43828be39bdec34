"""Jobs: a function that executors run over a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from disjoin.spark.arrays import in_spark, schema_of
from disjoin.spark.failures import without_data
from disjoin.spark.staging import APART, STORED, Staging, store

Frame = Any  # pyspark.sql.DataFrame, classic or of Connect; pyspark is optional


@dataclass(slots=True)
class Jobs:
    """Runs jobs on a session; the data that reach the driver are counted."""

    session: Any
    staging: Staging
    received: int = 0  # bytes
    seen: dict[str, int] = field(default_factory=dict)  # the same, by kind

    def mapped(self, frame: Frame, schema: pa.Schema, work: Callable[..., Any], *known: Any) -> Frame:
        """Return the frame that `work(*known, batches)` produces from the batches of each partition."""

        def call(batches):  # type: ignore[no-untyped-def]
            with without_data():
                yield from work(*known, batches)

        return frame.mapInArrow(call, in_spark(schema))

    def summed(self, frame: Frame, schema: pa.Schema, work: Callable[..., Any], *known: Any) -> Frame:
        """Return the result of `mapped`, with the last column added up where all others are equal."""
        *keys, number = schema.names
        return self.mapped(frame, schema, work, *known).groupBy(*keys).sum(number).toDF(*schema.names)

    def grouped(self, frame: Frame, by: str, schema: pa.Schema, work: Callable[..., Any], *known: Any) -> Frame:
        """Return the frame that `work(*known, table)` produces from each group."""

        def call(table):  # type: ignore[no-untyped-def]
            with without_data():
                return work(*known, table)

        return frame.groupBy(by).applyInArrow(call, in_spark(schema))

    def beside(
        self, one: Frame, other: Frame, by: str, schema: pa.Schema, work: Callable[..., Any], *known: Any
    ) -> Frame:
        """Return the frame that `work(*known, table, other table)` produces from pairs of groups."""

        def call(left, right):  # type: ignore[no-untyped-def]
            with without_data():
                return work(*known, left, right)

        return one.groupBy(by).cogroup(other.groupBy(by)).applyInArrow(call, in_spark(schema))

    def all_in_one(self, frame: Frame, schema: pa.Schema, work: Callable[..., Any], *known: Any) -> Frame:
        """Return the frame that `work(*known, table)` produces from everything, in one task."""
        return self.grouped(frame.selectExpr("*", "0 as everything"), "everything", schema, work, *known)

    def collected(self, frame: Frame, what: str) -> pa.Table:
        return self._counted(what, frame.toArrow())

    def stored(self, frame: Frame, name: str) -> Frame:
        self._store(frame, name)
        if not any((self.staging.folder / name).glob("[!.]*")):  # executors had no rows
            self.staging.write(
                f"{name}/none.parquet", iter((schema_of(", ".join(map(" ".join, frame.dtypes))).empty_table(),))
            )
        return self.session.read.schema(frame.schema).parquet(self.staging.found(name))

    def stored_apart(self, frame: Frame, name: str, is_kept: str) -> tuple[str, str]:
        """Write rows to two folders in the staging folder, by a condition; return the names of both, kept ones first.

        A folder exists only if it has rows.
        """
        self._store(frame.selectExpr("*", f"{is_kept} as {APART}"), name)
        return f"{name}/{APART}=true", f"{name}/{APART}=false"

    def _store(self, frame: Frame, name: str) -> None:
        """Let executors write files, and rename those of tasks that have succeeded."""
        (self.staging.folder / name).mkdir(mode=0o700)  # executors create no folders themselves
        files = self.collected(self.mapped(frame, STORED, store, self.staging.shared, name), "names of files")
        for file, part in zip(files["file"].to_pylist(), files["part"].to_pylist(), strict=True):
            self.staging.take(name, file, part)

    def stored_before(self, schema: pa.Schema, *names: str) -> Frame:
        """Return the data stored under these names; the columns are given, because Spark would run a job for them."""
        return self.session.read.schema(in_spark(schema)).parquet(*map(self.staging.found, names))

    def fetched(self, name: str, what: str, columns: list[str] | None = None) -> pa.Table:
        return self._counted(what, self.staging.read(name, columns))

    def fetched_in_batches(self, name: str, what: str, columns: list[str]) -> Iterator[pa.Table]:
        """Read columns of stored data, a few thousand rows at a time."""
        for table in self.staging.read_in_batches(name, columns):
            yield self._counted(what, table)

    def given(self, name: str, table: pa.Table) -> Frame:
        return self.given_in_pieces(name, table.schema, iter((table,)))

    def given_in_pieces(self, name: str, schema: pa.Schema, tables: Iterator[pa.Table]) -> Frame:
        return self.session.read.schema(in_spark(schema)).parquet(self.staging.write(name, tables))

    def _counted(self, what: str, table: pa.Table) -> pa.Table:
        self.received += table.nbytes
        self.seen[what] = self.seen.get(what, 0) + table.nbytes
        return table
