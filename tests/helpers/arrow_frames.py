"""Frames that behave like Spark's as far as disjoin uses them, on Arrow tables in memory: no Java, no waiting.

Batches are tiny and rows come in another order after every step, as nothing may depend on either.
"""

import random
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_KINDS = {
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "boolean": pa.bool_(),
}


def _kind(name):
    return pa.list_(_kind(name[6:-1])) if name.startswith("array<") else _KINDS[name]


def _word(kind):
    if pa.types.is_list(kind):
        return f"array<{_word(kind.value_type)}>"
    return next((name for name, each in _KINDS.items() if each == kind), str(kind))


def schema_of(words):
    return pa.schema([(name, _kind(kind)) for name, kind in (each.split(" ") for each in words.split(", "))])


class Session:
    """Reads what frames wrote; `tamper` may change the rows that a job makes, by the name of its function."""

    def __init__(self, seed=0, batch_rows=7, tamper=None):
        self.random, self.batch_rows, self.tamper = random.Random(seed), batch_rows, tamper

        self.conf = {"spark.master": "local"}

    def range(self, end):
        return self.frame(pa.table({"id": list(range(min(end, 40)))}))

    @property
    def sparkContext(self):  # noqa: N802 - Spark's name
        return self

    def addJobTag(self, tag):  # noqa: N802
        """By which a job can be cancelled, which here none is."""

    cancelJobsWithTag = removeJobTag = addJobTag  # noqa: N815

    @property
    def read(self):
        return self

    def schema(self, columns):
        """The columns, as a schema or in Spark's notation, that the input must have."""
        wanted = schema_of(columns).names if isinstance(columns, str) else columns.names
        return Reader(self, wanted)

    def parquet(self, *paths):
        tables = []
        for path in paths:
            place = Path(path.removeprefix("file://"))
            tables += (
                [pq.read_table(file) for file in sorted(place.glob("*.parquet"))]
                if place.is_dir()
                else [pq.read_table(place)]
            )
        return self.frame(pa.concat_tables(tables))

    def frame(self, table):
        order = list(range(table.num_rows))
        self.random.shuffle(order)
        return Frame(self, table.take(pa.array(order, pa.int64())))

    def made(self, work, tables, words):
        schema = schema_of(words)
        tables = [table.cast(schema) for table in tables]
        table = pa.concat_tables(tables) if tables else schema.empty_table()
        name = work.__closure__ and next(
            (cell.cell_contents.__name__ for cell in work.__closure__ if callable(cell.cell_contents)), ""
        )
        return self.frame(self.tamper(name, table) if self.tamper else table)


class Reader:
    def __init__(self, session, wanted):
        self.session, self.wanted = session, wanted

    def parquet(self, *paths):
        frame = self.session.parquet(*paths)
        assert frame.table.column_names == self.wanted
        return frame


class Frame:
    def __init__(self, session, table):
        self.sparkSession, self.table, self.schema = session, table, table.schema
        self.dtypes = [(each.name, _word(each.type)) for each in table.schema]

    def count(self):
        return self.table.num_rows

    def mapInArrow(self, work, words):  # noqa: N802 - Spark's name
        half = self.table.num_rows // 2
        parts = [self.table.slice(0, half), self.table.slice(half), self.table.slice(0, 0)]
        made = []
        for part in parts:
            batches = part.combine_chunks().to_batches(max_chunksize=self.sparkSession.batch_rows)
            made += [pa.Table.from_batches([batch]) for batch in work(iter(b for b in batches if b.num_rows))]
        return self.sparkSession.made(work, made, words)

    def groupBy(self, *names):  # noqa: N802
        return Groups(self, list(names))

    def selectExpr(self, *words):  # noqa: N802
        every, made = words
        value, name = made.split(" as ")
        column = pa.array([0] * self.table.num_rows) if value == "0" else self._compared(value)
        assert every == "*"
        return Frame(self.sparkSession, self.table.append_column(name, column))

    def select(self, *names):
        return Frame(self.sparkSession, self.table.select(list(names)))

    def where(self, words):
        return Frame(self.sparkSession, self.table.filter(self._compared(words)))

    def _compared(self, words):
        name, sign, limit = re.fullmatch(r"(\w+) (<|>=) (\d+)", words).groups()
        return {"<": pc.less, ">=": pc.greater_equal}[sign](self.table[name], int(limit))

    def union(self, other):
        return self.sparkSession.frame(pa.concat_tables([self.table, other.table]))

    def toDF(self, *names):  # noqa: N802
        return Frame(self.sparkSession, self.table.rename_columns(list(names)))

    def toArrow(self):  # noqa: N802
        return self.table


class Groups:
    def __init__(self, frame, names):
        self.frame, self.names = frame, names

    def tables(self):
        keys = self.frame.table.column(self.names[0]).to_pylist()
        return {key: self.frame.table.filter(pa.array([other == key for other in keys])) for key in dict.fromkeys(keys)}

    def sum(self, name):
        table = self.frame.table.group_by(self.names).aggregate([(name, "sum")])
        return self.frame.sparkSession.frame(table.select([*self.names, f"{name}_sum"]))

    def applyInArrow(self, work, words):  # noqa: N802
        return self.frame.sparkSession.made(work, [work(table) for table in self.tables().values()], words)

    def cogroup(self, other):
        return Cogroups(self, other)


class Cogroups:
    def __init__(self, one, other):
        self.one, self.other = one, other

    def applyInArrow(self, work, words):  # noqa: N802
        left, right = self.one.tables(), self.other.tables()
        empty = self.one.frame.table.slice(0, 0), self.other.frame.table.slice(0, 0)
        made = [work(left.get(key, empty[0]), right.get(key, empty[1])) for key in {**left, **right}]
        return self.one.frame.sparkSession.made(work, made, words)
