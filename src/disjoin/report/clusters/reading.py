"""Five lines that open a release, for the page, the README and the documentation (the tests run them)."""

from __future__ import annotations

from disjoin.report.form import Reading

READ_WITH_PYTHON = """\
import pandas as pd

clusters = pd.read_parquet("release/clusters.parquet")      # one row a cluster: parent, size, term chunk
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
