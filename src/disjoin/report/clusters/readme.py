"""The parts of README.md that tell of clusters and chunks."""

from __future__ import annotations

from disjoin.measure.record import share_in_words
from disjoin.model.report import Report
from disjoin.report.form import Readme

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


def _done(report: Report) -> str:
    joined = " Clusters with rare terms in common were joined and share chunks of them." if _joints(report) else ""
    return (
        "The records themselves are not here. They were grouped into clusters, the terms of a cluster were divided "
        "among chunks, and the records were cut accordingly, so that what belonged to one record can no longer be put "
        f"together.{joined}"
    )


def _joints(report: Report) -> int:
    return int(report.statistics["clusters"]["joint"])


def _kept(report: Report) -> str:
    """Say what was kept beside what it may cost, so that neither is read alone."""
    measures = "\n".join(
        f"* {entry['title']}: {share_in_words(entry)}. {entry['meaning']}" for entry in report.measures.values()
    )
    return f"## What was kept, and what is shown beyond the promise\n\n{measures}"


def _tables(report: Report) -> tuple[str, ...]:
    return _kept(report), _TABLES, _JOINED if _joints(report) else _ALONE


README = Readme(
    done=_done,
    exactly=(
        "whichever terms of a record somebody knows, up to that number, there is an original that fits these tables "
        "and in which so many records have all of them."
    ),
    tables=_tables,
    reading=(
        "A support that is computed like this is a lower bound, because a term of a term chunk may occur more than "
        "once; it is exact for a term that is in no term chunk."
    ),
)
