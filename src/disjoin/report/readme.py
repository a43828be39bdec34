"""README.md of a release, for the person who receives it."""

from __future__ import annotations

from disjoin.model.report import Report
from disjoin.report.reading import READ_WITH_PYTHON, READ_WITH_SQL
from disjoin.report.unproven import TITLE, is_proven, purpose, shortfalls
from disjoin.report.words import invariant_in_words, not_promised, setting


def render_readme(report: Report) -> str:
    """Return the text; it names no term of the data, unless one is a parameter (a sensitive term)."""
    about = (_what_this_is(report), _promise(report), _limits(report))
    return "\n\n".join((*about, _TABLES, _joining(report), _READING, _OTHER_FILES)) + "\n"


def _what_this_is(report: Report) -> str:
    counts = report.counts
    left_out = counts.get("suppressed_records", 0)
    suppressed = f" {left_out:,} records were left out: they could not be hidden." if left_out else ""
    settings = "\n".join(f"* `{name}`: {_code(setting(value))}" for name, value in sorted(report.parameters.items()))
    joined = " Clusters with rare terms in common were joined and share chunks of them." if _joints(report) else ""
    title = "# An anonymised release" if is_proven(report) else "# A release that is not proven anonymous"
    doubt = "" if is_proven(report) else f"**{TITLE}.** {purpose(report)}\n\n"
    return (
        f"{title}\n\n{doubt}"
        f"These tables stand for {counts['records']:,} records, each a set of terms; {counts['terms']:,} different "
        f"terms occur.{suppressed} The records themselves are not here. They were grouped into clusters, the terms of "
        "a cluster were divided among chunks, and the records were cut accordingly, so that what belonged to one "
        f"record can no longer be put together.{joined}\n\nMethod: {report.method}, with\n\n{settings}"
    )


def _promise(report: Report) -> str:
    checked = "\n".join(f"* {name}: {invariant_in_words(name, report.guarantee)}" for name in report.verdict["checked"])
    if not is_proven(report):
        return _aim(report, checked)
    return (
        f"## What is promised\n\n{report.sentence}\n\n"
        "More exactly: whichever terms of a record somebody knows, up to that number, there is an original that fits "
        "these tables and in which so many records have all of them. This follows from the list below, which was "
        f"checked on these tables by a program that knows nothing of the method:\n\n{checked}\n\n"
        "You can check it again: `disjoin verify` with the path of this folder."
    )


def _aim(report: Report, checked: str) -> str:
    missing = "\n".join(f"* {name}: {words}" for name, words in shortfalls(report))
    return (
        f"## What is aimed at, and not proven\n\n{report.sentence}\n\n"
        + (f"What stands in the way of a proof:\n\n{missing}\n\n" if missing else "")
        + "This was checked on these tables by a program that knows nothing of the method. All of it holds"
        f"{', and it is not enough for a proof' if missing else ''}:\n\n{checked}\n\n"
        "You can check it again: `disjoin verify` with the path of this folder asks for the proof."
    )


def _limits(report: Report) -> str:
    limits = not_promised(report.guarantee.get("m"))
    return "## What is not promised\n\n" + "\n".join(f"* **{title}.** {text}" for title, text in limits)


_TABLES = """\
## The tables

`clusters.parquet`, one row a cluster

| column | meaning |
|---|---|
| `cluster` | id, 0, 1, 2 and so on |
| `parent` | the joint cluster that this one belongs to; empty if it belongs to none |
| `size` | number of records; of a joint cluster: the sum over the clusters that it joins |
| `terms` | the term chunk: terms that occur in the cluster; how often and with what is not said. Joint ones have none |

`subrecords.parquet`, one row a distinct subrecord of a chunk

| column | meaning |
|---|---|
| `cluster` | the cluster that the chunk belongs to |
| `chunk` | number of the chunk inside its cluster, from 0 |
| `terms` | what these records have of the chunk's terms |
| `count` | how many records have exactly that |

Records that have none of a chunk's terms are not listed; their number is the cluster's `size` less the sum of `count`.
Rows of different chunks do not belong together, and the order of the rows means nothing: everything is sorted."""

_JOINED = """\
## Joint clusters

A cluster that others name as their `parent` is a joint one: it stands for the records of these clusters together. They
had terms of term chunks in common, which are frequent enough in all of them together to be shown with counts. A joint
cluster may itself have a `parent`.

The chunks of a joint cluster are shared chunks. A row of a shared chunk speaks of `count` records among all records of
the joint cluster; it does not say in which of the clusters below they are. So a record of a cluster has at most one row
of each of the cluster's chunks, at most one row of each shared chunk of its `parent`, of the parent's `parent` and so
on, and any of the terms of the cluster's term chunk."""

_ALONE = "No cluster of this release has a `parent`: no clusters were joined."

_OTHER_FILES = """\
## The other files

`report.html` and `report.json` have the facts of this release, `datapackage.json` describes the files (it is a
Frictionless Data Package) with their sizes and SHA-256 sums."""


def _joints(report: Report) -> int:
    return int(report.statistics["clusters"]["joint"])


def _joining(report: Report) -> str:
    return _JOINED if _joints(report) else _ALONE


_READING = (
    f"## How to read the tables\n\nIn Python:\n\n```python\n{READ_WITH_PYTHON}```\n\n"
    f"In DuckDB:\n\n```sql\n{READ_WITH_SQL}```\n\n"
    "A support that is computed like this is a lower bound, because a term of a term chunk may occur more than "
    "once; it is exact for a term that is in no term chunk."
)


def _code(text: str) -> str:
    return "`" + text.replace("`", "'") + "`"
