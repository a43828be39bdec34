"""The form: its table, its facts, its words, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from disjoin.charts.distribution import distribution_of, range_of
from disjoin.charts.svg import histogram
from disjoin.forms.form import Figure, Form, Page, Reading, Readme, Show, figure
from disjoin.model import AnyGuarantee, KmAnonymity, Report, Transactions
from disjoin.parquet.columns import ColumnSchema, TableColumns, TableSchema
from disjoin.parquet.tables import filled, parts_of, read_tables
from toy.noun import Lengths

TABLE = "lengths.parquet"
LAYOUT = TableSchema(
    "How long records are: one row per span of lengths.",
    (
        ColumnSchema("least", "int64", "the least number of terms"),
        ColumnSchema("largest", "int64", "the largest number of terms"),
        ColumnSchema("count", "int64", "how many records have that many terms"),
    ),
    broken="L1",
)


def tables_of(published: Lengths) -> dict[str, pa.Table]:
    columns = (published.least, published.largest, published.counts)
    return {TABLE: filled(LAYOUT, *(pa.array(column) for column in columns))}


def lengths_of(tables: Mapping[str, TableColumns]) -> Lengths:
    numbers = tables[TABLE].numbers
    return Lengths(numbers["least"], numbers["largest"], numbers["count"], tables[TABLE].anomalies)


def statistics_of(published: Lengths, guarantee: AnyGuarantee, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"spans": len(published), "records_of_spans": distribution_of(published.counts)}


def summary_of(report: Report) -> list[tuple[str, str]]:
    return [("spans", f"{report.statistics['spans']:,}"), ("records of a span", records_of_spans(report))]


def records_of_spans(report: Report) -> str:
    return range_of(report.statistics["records_of_spans"], "record")


def figures_of(report: Report) -> list[Figure]:
    chart = histogram("Records of a span", report.statistics["records_of_spans"], "records", "spans")
    return figure(chart)


def span_in_words(published: Lengths, number: int) -> str:
    least, largest, count = (int(each[number]) for each in (published.least, published.largest, published.counts))
    return f"span {number}: {count:,} records of {least:,} to {largest:,} terms"


def as_json(published: Lengths, number: int) -> dict[str, Any]:
    names = ("least", "largest", "counts")
    return {"span": number} | {name: int(getattr(published, name)[number]) for name in names}


def draw_spans(console: Any, published: Lengths, numbers: list[int], *, full: bool) -> None:
    for number in numbers:
        console.print(span_in_words(published, number))


def left(published: Lengths, numbers: list[int]) -> str:
    number = len(published) - len(numbers)
    return f"{number:,} more." if number else ""


FORM = Form(
    noun=Lengths,
    part=("span", "spans"),
    original=Transactions,
    guarantees=(KmAnonymity,),
    tables={TABLE: LAYOUT},
    lay_out=lambda lengths: parts_of(tables_of(lengths), {TABLE: LAYOUT}),
    read=lambda folder, _, limit: read_tables(folder, {TABLE: LAYOUT}, lengths_of, limit),
    counted=("records", "spans"),
    texts=lambda lengths: (),
    statistics=statistics_of,
    pictures=lambda lengths: [span_in_words(lengths, 0)],
    limits=lambda report: [("What records hold", "Nothing is said about it, so nothing can be learnt of it.")],
    summary=summary_of,
    page=Page(
        head=lambda report: {"records": f"{report.counts['records']:,}", "spans": f"{report.statistics['spans']:,}"},
        made_of=lambda report: "Spans of lengths, each with the number of its records.",
        figures=figures_of,
        example=lambda picture: f"<section>\n<h2>A span</h2>\n<p>{picture}</p>\n</section>",
        numbers=lambda report: {"records of a span": records_of_spans(report)},
    ),
    readme=Readme(
        done=lambda report: "Lengths that few records have were put together.",
        exactly="no span has fewer records than that.",
        tables=lambda report: (f"`{TABLE}`, one row per span of lengths: `least`, `largest`, `count`.",),
        reading="Within a span nothing tells the lengths apart.",
    ),
    reading=Reading(
        (TABLE,),
        f'import pandas as pd\n\nlengths = pd.read_parquet("release/{TABLE}")\n',
        f"SELECT * FROM 'release/{TABLE}';\n",
        rules=(f"`{TABLE}`: each row is a span of lengths, with the number of its records.",),
    ),
    kept=lambda report: [f"How long {report.counts['records']:,} records are, and nothing else."],
    show=Show(
        opened=lambda lengths: lengths,
        chosen=lambda lengths, first: list(range(min(first, len(lengths)))),
        typical=lambda lengths: [0],
        as_json=as_json,
        draw=draw_spans,
        left=left,
    ),
)
