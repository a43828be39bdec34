"""Texts about groups: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.charts.distribution import percent
from disjoin.forms.form import Reading, Readme, titled
from disjoin.model.release import Report
from disjoin.text import counted

NOT_GUARANTEED = titled("""
Finding a person's record
Ordinary items are published untouched. Whoever knows enough of somebody's ordinary items finds their record, or the
few it may be, and reads the other ordinary items in it. Only the sensitive items are hidden.

Records without ordinary items
{bare}Who knows of a person that they have no ordinary item knows that they have a sensitive one; the promise does not
cover these records.

Having any sensitive item at all
At most 1 in {p} records of a group has the same sensitive item. A group may list several items, so more of its records
can have one or another of them.

Someone who runs the program backwards
{formed} (a minimality attack).

Correlation with ordinary items
A sensitive item may go with certain ordinary ones, or never. An attacker who knows that, or learns it from the groups
of this release (deFinetti attack), tells more and less likely records of a group apart.

Someone who knows other records
Whoever knows the sensitive items of others in a group can take them out; what is left belongs to fewer.

Several records of one person
Each record is protected by itself. If one person has many, or is in another release too, what is known from one may be
combined with the other.
""")

_BLIND = (
    "Groups were formed by ordinary items alone, but how many records a group has depends on who has sensitive ones. "
    "Anyone who works out why groups are as large as they are may guess better than by chance"
)
_AROUND = (
    "Groups are built around records that have a sensitive item, from records that look like them. Anyone who guesses "
    "the record most like the others of its group was right in up to 55% of the groups that were tried with p = 20"
)


def learned(report: Report) -> list[tuple[str, str]]:
    facts, records = report.statistics, report.counts["records"]
    alone = facts["alone"]
    found = (
        f"They find it: {counted(alone, 'record')} ({percent(alone / records)}) have ordinary items that no other has."
        if alone
        else "They find nobody by these: no record has ordinary items that no other has."
    )
    rows = [("Someone who knows all ordinary items of a record, and that it has no others", found)] if records else []
    return [*rows, ("Someone who finds the group of a person", _linked(report))]


def _linked(report: Report) -> str:
    facts, records = report.statistics, report.counts["records"]
    if not facts["sensitive_items"]:
        return "They learn no sensitive item: no group lists any."
    worst = max((entry["largest_share"] for entry in facts["sensitive_items"]), key=lambda each: each["rounded"])
    most, none = facts["most_sensitive_group"], facts["records_without_sensitive_items"]
    words = (
        f"In the group that tells most, a sensitive item is in {worst['count']:,} of {worst['size']:,} records. In the "
        f"group that lists most, one or another is in up to {most['count']:,} of {most['size']:,}."
    )
    if not none:
        return words
    return (
        f"{words} {counted(none, 'record is', 'records are')} in groups that list none ({percent(none / records)}): "
        "of these they know for certain that there is no sensitive item."
    )


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    p, bare = report.guarantee.get("p", "p"), report.statistics["bare_records"]["records"]
    formed = _BLIND if report.parameters.get("grouping") == "blind" else _AROUND
    there = f"This release has {bare:,}. " if bare else "This release has none. "
    return [(title, words.format(p=p, bare=there, formed=formed)) for title, words in NOT_GUARANTEED]


_TABLES = """\
## The tables

`groups.parquet`, one row per group

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
        "group as a whole."
    )


README = Readme(
    done=_done,
    exactly=(
        "the ordinary items of a record tell the group it may be in, and the tables do not say which records of a "
        "group have its sensitive items. If every way of handing them out to the records is equally likely, a record "
        "that has an ordinary item has a sensitive one with a chance of at most its `count` divided by the `size` of "
        "the group."
    ),
    tables=lambda report: (_TABLES,),
    reading=(
        "Supports of single items, and of sets of ordinary items, are exact. How often a sensitive item goes with "
        "ordinary ones can only be estimated; the estimate is the mean over all ways of handing the sensitive items of "
        "a group out to its records."
    ),
)


READ_WITH_PYTHON = """\
import pandas as pd

groups = pd.read_parquet("release/groups.parquet")        # one row per group: its size
records = pd.read_parquet("release/records.parquet")      # one row a distinct record of a group, with its count
sensitive = pd.read_parquet("release/sensitive.parquet")  # one row a sensitive item of a group, with its count

# In how many records is an item? This is exact, for ordinary and for sensitive items.
ordinary = records.explode("terms").groupby(["group", "terms"])["count"].sum().reset_index()
support = pd.concat([ordinary.groupby("terms")["count"].sum(), sensitive.groupby("term")["count"].sum()])

# How often does a sensitive item go with an ordinary one? Expected: in a group, one count times the other / size.
pairs = ordinary.merge(sensitive, on="group").merge(groups, on="group")
together = (pairs["count_x"] * pairs["count_y"] / pairs["size"]).groupby([pairs["term"], pairs["terms"]]).sum()
"""

READ_WITH_SQL = """\
SELECT s.term AS sensitive, r.term AS ordinary, sum(r.n * s.count / g.size) AS together_expected
FROM (SELECT "group", unnest(terms) AS term, count AS n FROM 'release/records.parquet') AS r
JOIN 'release/sensitive.parquet' AS s USING ("group") JOIN 'release/groups.parquet' AS g USING ("group")
GROUP BY s.term, r.term ORDER BY together_expected DESC, sensitive, ordinary;
"""

READING = Reading(("groups.parquet", "records.parquet", "sensitive.parquet"), READ_WITH_PYTHON, READ_WITH_SQL)
