"""Texts about mixed data: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.charts.distribution import range_of
from disjoin.forms.clusters import prose as of_clusters
from disjoin.forms.form import Reading, Readme, titled
from disjoin.forms.mixed.facts import standing
from disjoin.model.release import Report
from disjoin.text import counted

NOT_GUARANTEED = titled("""
Someone who knows more than {m}
Whoever knows the published columns of a person and more terms than that may narrow them down further, even to one
person. So may whoever knows another column, the date of a visit for one, if that is known elsewhere.

What does not go together
{excluded}

Someone who runs the program backwards
The method generalises no further than it must and keeps terms together whenever it may. From what it did one can infer
that something is rare (the minimality attack).

What a whole cluster shares
Whoever can tell the cluster of a person, which their row may allow, knows what all its people have: terms that are in
every record, and that the record was put with others like it.

Which terms go with which values
Except for terms that stand with rows, it is not said which people of a cluster have which terms. Where a term is rare
or frequent among people with one value, these tables show the mean of their cluster instead.

Several releases of the same people
If a person is in another release too, what is known from one may be combined with the other.

Someone who knows other records
Whoever knows others of a cluster can take them out and look at what is left.

Knowing what somebody does not have
The promise is about terms that a person has. Knowing that a term is absent is not covered.
""")


def learned(report: Report) -> list[tuple[str, str]]:
    shared = range_of(report.statistics["people_with_a_row"], "person").replace("persons", "people")
    words = f"They find a row, which {shared} of one cluster have; rows of other clusters may fit as well."
    return [("Someone who knows all published columns of a person", words), *of_clusters.learned(report)]


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    m = counted(report.guarantee["m"], "term")
    return [(title.format(m=m), words.format(excluded=_excluded(report))) for title, words in NOT_GUARANTEED]


def _excluded(report: Report) -> str:
    if report.guarantee.get("exclusions"):
        return (
            "The promise covers anyone who knows the exclusions that it names: no cluster has one of these terms "
            "beside the row of somebody who cannot have it. Other terms may be as unlikely with some values; whoever "
            "knows that can leave people out, and fewer candidates are left."
        )
    return (
        "The promise takes it that any term of a cluster may be had by anybody in it. Whoever knows better, that no "
        "man gives birth, say, can leave people out, and fewer candidates are left. No such exclusions were given when "
        "this release was made."
    )


_ROWS = """\
`rows.parquet`, one row a distinct combination of values and terms in a cluster

| column | meaning |
|---|---|
| `cluster` | the cluster of these people; joint clusters have no rows of their own |
{columns}
| `terms` | what these people have of the terms that stand with rows in their cluster |
| `count` | how many people of the cluster have exactly this |

The `count`s of a cluster add up to its `size`. Which of these people have the terms of the cluster's chunks is not \
said. {standing} {empty}

`hierarchies/` has a file for every column that is generalised along a hierarchy: a line is a value, what it \
generalises to, and so on up to what stands for all values, with semicolons between them."""
_GENERALISED = (
    "generalised: a value of its hierarchy, a number, or an interval `[from, to]` with both ends in it; `*` for any"
)


def _tables(report: Report) -> tuple[str, ...]:
    facts, standing_words = report.statistics, standing(report.statistics)
    meanings = dict.fromkeys(facts["columns"]["quasi"], _GENERALISED)
    meanings |= dict.fromkeys(facts["columns"]["sensitive"], "as it was")
    words = "No terms stand with rows in this release: the column `terms` is empty."
    if facts["standing_terms"]["terms"]:
        words = f"{standing_words[0].upper()}{standing_words[1:]}."
    has_bare = report.guarantee.get("without_terms")
    rows = _ROWS.format(
        columns="\n".join(f"| `{name}` | {meaning} |" for name, meaning in meanings.items()),
        standing=words,
        empty="Some people may have no terms at all." if has_bare else "Everybody has a term.",
    )
    kept = (
        "## What was kept\n\n"
        f"* Granularity kept: {facts['granularity']:.1%} of what the values of columns tell apart, on average.\n"
        f"{of_clusters.kept_in_words(report)}"
    )
    joined = of_clusters.JOINED if facts["clusters"]["joint"] else of_clusters.ALONE
    return kept, f"{of_clusters.TABLES_IN_WORDS}\n\n{rows}", joined


def _about(report: Report) -> str:
    records, terms = report.counts["records"], report.counts["terms"]
    columns = counted(report.counts["columns"], "column")
    return f"These tables stand for {records:,} people with {columns} and a set of terms each; {terms:,} terms occur."


def _done(report: Report) -> str:
    small = report.statistics["people_in_small_clusters"]
    note = f" {small:,} of them are in clusters of fewer than 1,000, where values had to lose more." if small else ""
    return (
        "People were grouped into clusters by their terms, the terms of a cluster were divided among chunks, and what "
        "belonged to one person was cut accordingly. The other columns of the people of a cluster were generalised "
        f"until enough of them are alike, and stand beside the chunks.{note}"
    )


README = Readme(
    about=_about,
    done=_done,
    exactly=(
        "whatever somebody knows of a person's columns and terms, up to that number of terms, there is an original "
        "that fits these tables and in which that many people have a row that fits and all of the terms."
    ),
    tables=_tables,
    reading=(
        "How many people have a published value is exact; a value that was generalised may stand for several. How many "
        "of them have a term is an estimate: as if the terms of a cluster were spread evenly over its people."
    ),
)

READ_WITH_PYTHON = """\
import pandas as pd

clusters = pd.read_parquet("release/clusters.parquet")      # one row per cluster: parent, size, term chunk
subrecords = pd.read_parquet("release/subrecords.parquet")  # one row a distinct subrecord of a chunk, with its count
rows = pd.read_parquet("release/rows.parquet")              # one row a distinct combination of values, with its count

# How many people have each published value? This is exact.
column = [name for name in rows if name not in ("cluster", "terms", "count")][0]
people = rows.groupby(column)["count"].sum()

# In about how many of them is each term? In a cluster, as if its terms were spread evenly over its people.
size = clusters.set_index("cluster")["size"]
shown = subrecords.explode("terms").groupby(["cluster", "terms"])["count"].sum().reset_index(name="n")
share = rows.groupby(["cluster", column])["count"].sum().reset_index(name="people")
pairs = shown.merge(share, on="cluster")
about = (pairs["n"] * pairs["people"] / pairs["cluster"].map(size)).groupby([pairs[column], pairs["terms"]]).sum()
"""

READ_WITH_SQL = """\
SELECT r.*, c.size AS people_in_cluster
FROM 'release/rows.parquet' r JOIN 'release/clusters.parquet' c USING (cluster)
ORDER BY r.count DESC LIMIT 10;
"""

READING = Reading(("clusters.parquet", "subrecords.parquet", "rows.parquet"), READ_WITH_PYTHON, READ_WITH_SQL)
