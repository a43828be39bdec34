"""The parts of README.md that tell of groups."""

from __future__ import annotations

from disjoin.model.report import Report
from disjoin.report.form import Readme

_TABLES = """\
## The tables

`groups.parquet`, one row a group

| column | meaning |
|---|---|
| `group` | id, 0, 1, 2 and so on |
| `size` | number of records |

`records.parquet`, one row a distinct record of a group, without its sensitive items

| column | meaning |
|---|---|
| `group` | the group that the record is in |
| `terms` | its ordinary items, as they were; empty if it has sensitive items only |
| `count` | how many records of the group have exactly these |

`sensitive.parquet`, one row a sensitive item of a group

| column | meaning |
|---|---|
| `group` | the group |
| `term` | the sensitive item |
| `count` | how many records of the group have it; which ones is not said |

In a group, `count` of its records adds up to `size`. A group without rows in `sensitive.parquet` has no sensitive
items. The order of the rows means nothing: everything is sorted."""


def _done(report: Report) -> str:
    items = report.statistics["items"]
    return (
        f"{items['sensitive']:,} of them are sensitive. Records that look alike were put into groups. Their other, "
        "ordinary items are here as they were; the sensitive items were taken out of the records and counted for each "
        "group as a whole, so that it cannot be told which of its records have them."
    )


def _tables(report: Report) -> tuple[str, ...]:
    return (_TABLES,)


README = Readme(
    done=_done,
    exactly=(
        "the ordinary items of a record tell the group it may be in, and the tables do not say which records of a "
        "group have its sensitive items. If every way of handing them out to the records is equally likely, a record "
        "that has an ordinary item has a sensitive one with a chance of at most its `count` divided by the `size` of "
        "the group."
    ),
    tables=_tables,
    reading=(
        "Supports of single items, and of sets of ordinary items, are exact. How often a sensitive item goes with "
        "ordinary ones can only be estimated; the estimate is the mean over all ways of handing the sensitive items of "
        "a group out to its records."
    ),
)
