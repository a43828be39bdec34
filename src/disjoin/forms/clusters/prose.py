"""Texts about clusters: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from typing import Any

from disjoin.forms.form import Reading, Readme, Unproven, titled
from disjoin.model.release import Report
from disjoin.text import counted, is_none_of_possible, share_in_words, some_percent

HEADLINE = (
    " The tables fit the original, but that they keep the promise is not proven. "
    "Use this release for comparison, and do not publish it."
)
PURPOSE = (
    "This release was made for comparison, by a method whose published proof is wrong: there are small examples in "
    "which somebody who knows {m} finds fewer than {k} candidates."
)
UNKNOWN = "Whether these tables are such a case is not known. Do not rely on them to protect people."
AS_IT_HAPPENS = (
    "These tables, as it happens, meet every condition of a proof that is right, and a reader can check that; the "
    "method did not see to it, and the release does not claim it."
)


def _purpose(report: Report) -> str:
    m = report.guarantee.get("m", 1)
    words = PURPOSE.format(m="1 term" if m == 1 else f"up to {m} terms", k=report.guarantee.get("k", "k"))
    return f"{words} {UNKNOWN if _shortfalls(report) else AS_IT_HAPPENS}"


def _shortfalls(report: Report) -> list[tuple[str, str]]:
    words = {
        "V7": ("cluster", "without a term chunk and with too few subrecords to fill all records"),
        "V9": ("shared chunk", "with a term that is in another chunk below, too"),
        "V10": ("joint cluster", "too large to tell whether any original can be put together from the chunks"),
    }
    missing = report.verdict.get("unproven", {})
    return [
        (name, f"{counted(missing[name], noun)} {what}.") for name, (noun, what) in words.items() if missing.get(name)
    ]


UNPROVEN = Unproven(HEADLINE, _purpose, _shortfalls)

NOT_GUARANTEED = titled("""
Someone who knows more than {m}
Whoever knows more of a record than that may narrow it down further, even to one person.

Someone who runs the program backwards
The method keeps terms together whenever it may. From what it did not keep together one can infer that a combination is
rare (the minimality attack). Anyone who runs the program on every original that fits a tiny release, and keeps those
that give the same release, mostly finds some combination with fewer candidates than promised: in 72% to 93% of such
releases that were tried. In real data this was shown for 0.1% to 9% of the records, and for 47% where most terms are
rare, with a few rules only; more may be found.

Terms that a whole cluster has
Some terms are in every record of a cluster. Whoever can tell the cluster of a person knows these terms of that person;
the promise hides which record is theirs, not what all of them share.{covers}

Several records of one person
Each record is protected by itself. If one person has many, or is in another release too, what is known from one may be
combined with the other.

Someone who knows other records
Whoever knows whole records of others can take them out of a cluster and look at what is left.{records}

Knowing what somebody does not have
The promise is about terms that a record contains. Knowing that a term is absent is not covered.
""")


def learned(report: Report) -> list[tuple[str, str]]:
    m = report.guarantee["m"]
    return [
        (f"Someone who knows {counted(m + 1, 'term')} of one chunk", _exposed(report)),
        (f"Someone who knows {'1 term' if m == 1 else f'up to {m} terms'}", _sure(report)),
        ("Someone who can tell the cluster of a person", _universal(report)),
    ]


def _exposed(report: Report) -> str:
    entry, k = report.measures["exposed_records"], report.guarantee["k"]
    if entry["value"] is None:
        return f"How many records they may find among fewer than {k} was not computed. {entry['meaning']}"
    if not entry["value"]:
        return f"They find no record among fewer than {k}."
    return f"They may find up to {entry['value']:.1%} of the records among fewer than {k}."


def _sure(report: Report) -> str:
    entry = report.measures["sure_inference"]
    if entry["value"] is None:
        return f"For how many records they learn another term for certain was not computed. {entry['meaning']}"
    if not entry["sample"]:
        return _sure_of_all(entry)
    drawn, (low, high) = f"{entry['sample']['looked_at']:,}", entry["sample"]["interval"]
    if is_none_of_possible(entry):
        return (
            f"Among {drawn} possible records drawn from these tables, none was found of which they learn another term "
            f"for certain (with 95% confidence, it is at most {high:.1%} of what could be drawn)."
        )
    return (
        f"They learn another term for certain for about {entry['value']:.1%} of the records. That was counted in "
        f"{drawn} possible records drawn from these tables (with 95% confidence, it is {low:.1%} to {high:.1%} of what "
        "could be drawn); real records may differ."
    )


def _sure_of_all(entry: dict[str, Any]) -> str:
    if is_none_of_possible(entry):
        return "They learn no other term for certain: none of all records that these tables make possible allows it."
    return (
        f"They learn another term for certain for about {some_percent(entry['value'])} of the records. It was counted "
        "in all records that these tables make possible, each weighed by its chance; real records may differ."
    )


def _universal(report: Report) -> str:
    share, there = report.measures["universal_terms"]["value"], report.statistics["universal_terms"]
    if not share:
        return "They learn no term by that alone: no term of a record chunk is in all records of its cluster."
    return (
        f"They learn the terms that all its records have: {share:.1%} of the term occurrences in record chunks are of "
        f"such terms ({counted(there['entries'], 'term')} in {counted(there['leaves'], 'cluster')})."
    )


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    m, slack = report.guarantee["m"], report.guarantee.get("slack", 0)
    known = "known term tells" if m == 1 else f"{m} known terms tell"
    is_aware = "cover_aware" in report.guarantee
    covers = f" Here it is promised that no {known} another for certain." if is_aware else ""
    records = f" Here it is promised up to {counted(slack, 'known record')}, and not beyond." if slack else ""
    return [
        (title.format(m=counted(m, "term")), words.format(covers=covers, records=records))
        for title, words in NOT_GUARANTEED
    ]


TABLES_IN_WORDS = """\
## The tables

`clusters.parquet`, one row per cluster

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

JOINED = """\
## Joint clusters

A cluster that others name as their `parent` is a joint one: it stands for the records of these clusters together. They
had terms of term chunks in common, which are frequent enough in all of them together to be shown with counts. A joint
cluster may itself have a `parent`.

The chunks of a joint cluster are shared chunks. A row of a shared chunk speaks of `count` records among all records of
the joint cluster; it does not say in which of the clusters below they are. So a record of a cluster has at most one row
of each of the cluster's chunks, at most one row of each shared chunk of its `parent`, of the parent's `parent` and so
on, and any of the terms of the cluster's term chunk."""

ALONE = "No cluster of this release has a `parent`: no clusters were joined."


def _done(report: Report) -> str:
    is_joined = report.statistics["clusters"]["joint"]
    joined = " Clusters with rare terms in common were joined and share chunks of them." if is_joined else ""
    return (
        "The records themselves are not here. They were grouped into clusters, the terms of a cluster were divided "
        "among chunks, and the records were cut accordingly, so that what belonged to one record can no longer be put "
        f"together.{joined}"
    )


def kept_in_words(report: Report) -> str:
    kept = [entry for entry in report.measures.values() if entry["direction"] == "higher"]
    return "\n".join(f"* {entry['title']}: {share_in_words(entry)}. {entry['meaning']}" for entry in kept)


def _tables(report: Report) -> tuple[str, ...]:
    kept = f"## What was kept\n\n{kept_in_words(report)}"
    return kept, TABLES_IN_WORDS, JOINED if report.statistics["clusters"]["joint"] else ALONE


README = Readme(
    done=_done,
    exactly=(
        "whichever terms of a record somebody knows, up to that number, there is an original that fits these tables "
        "and in which that many records have all of them."
    ),
    tables=_tables,
    reading=(
        "A support that is computed like this is a lower bound, because a term of a term chunk may occur more than "
        "once; it is exact for a term that is in no term chunk."
    ),
)


READ_WITH_PYTHON = """\
import pandas as pd

clusters = pd.read_parquet("release/clusters.parquet")      # one row per cluster: parent, size, term chunk
subrecords = pd.read_parquet("release/subrecords.parquet")  # one row a distinct subrecord of a chunk, with its count

# In how many records is a term, at least? Count what chunks show, and one for every term chunk that has it.
shown = subrecords.explode("terms").groupby("terms")["count"].sum()
once = clusters.explode("terms")["terms"].value_counts()
support = shown.add(once, fill_value=0).astype(int).sort_values(ascending=False)
"""

READ_WITH_SQL = """\
SELECT term, sum(n) AS support_at_least
FROM (SELECT unnest(terms) AS term, count AS n FROM 'release/subrecords.parquet'
      UNION ALL SELECT unnest(terms), 1 FROM 'release/clusters.parquet')
GROUP BY term ORDER BY support_at_least DESC, term;
"""

READING = Reading(("clusters.parquet", "subrecords.parquet"), READ_WITH_PYTHON, READ_WITH_SQL)
