"""Lines that open a release of noisy records, for the page, the README and the documentation (the tests run them)."""

from __future__ import annotations

from disjoin.report.form import Reading

READ_WITH_PYTHON = """\
import pandas as pd

records = pd.read_parquet("release/records.parquet")  # one row a set of terms, with its noisy count

# In about how many records is a term?
support = records.explode("terms").groupby("terms")["count"].sum().sort_values(ascending=False)


# In about how many records are several terms together?
def together(*terms):
    return records["count"][records["terms"].map(set(terms).issubset)].sum()
"""

READ_WITH_SQL = """\
SELECT term, sum(count) AS records_about
FROM (SELECT unnest(terms) AS term, count FROM 'release/records.parquet')
GROUP BY term ORDER BY records_about DESC, term;
"""

READING = Reading(("records.parquet",), READ_WITH_PYTHON, READ_WITH_SQL)
