"""Lines that open a release of groups, for the page, the README and the documentation (the tests run them)."""

from __future__ import annotations

from disjoin.report.form import Reading

READ_WITH_PYTHON = """\
import pandas as pd

groups = pd.read_parquet("release/groups.parquet")        # one row a group: its size
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
