"""Lines that open a release of generalised terms, for page, README and documentation (the tests run them)."""

from __future__ import annotations

from disjoin.report.form import Reading

READ_WITH_PYTHON = """\
import pandas as pd

records = pd.read_parquet("release/records.parquet")  # one row a distinct record, with its count
mapping = pd.read_parquet("release/mapping.parquet")  # one row a term: what it is published as
hierarchy = pd.read_csv("release/hierarchy.csv", sep=";", header=None, dtype=str, keep_default_na=False)

# In how many records is what is published, a term or a category? This is exact.
support = records.explode("terms").groupby("terms")["count"].sum()

# In about how many records are two terms together? Exact if both are published as themselves.
published = mapping.set_index("term")["published"]
leaves = mapping.groupby("published")["term"].count()  # how many terms each stands for


def together(one, other):
    a, b = published[one], published[other]
    both = records["count"][records["terms"].map({a, b}.issubset)].sum()
    return both / (leaves[a] * leaves[b])
"""

READ_WITH_SQL = """\
WITH support AS (
  SELECT published, sum(count) AS n
  FROM (SELECT unnest(terms) AS published, count FROM 'release/records.parquet') GROUP BY published
), leaves AS (SELECT published, count(*) AS n FROM 'release/mapping.parquet' GROUP BY published)
SELECT term, published, coalesce(support.n, 0) AS records_at_most, coalesce(support.n, 0) / leaves.n AS records_about
FROM 'release/mapping.parquet' JOIN leaves USING (published) LEFT JOIN support USING (published)
ORDER BY records_about DESC, term;
"""

READING = Reading(
    ("records.parquet", "mapping.parquet", "hierarchy.csv"),
    READ_WITH_PYTHON,
    READ_WITH_SQL,
    formats="Parquet and CSV",
)
