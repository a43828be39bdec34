"""Lines that open a release that is a table, for the page, the README and the documentation (the tests run them)."""

from __future__ import annotations

from disjoin.report.form import Reading

READ_WITH_PYTHON = """\
from pathlib import Path

import pandas as pd

table = pd.read_parquet("release/table.parquet")  # one row a record, all values as text
same = pd.read_csv("release/table.csv", dtype=str, keep_default_na=False)  # the same rows

# How often does each combination of values occur?
counts = table.value_counts()

# What do generalised values stand for? A row of a hierarchy leads from a value up to what stands for all values.
text = {"sep": ";", "header": None, "dtype": str, "keep_default_na": False}
hierarchies = {file.stem: pd.read_csv(file, **text) for file in Path("release/hierarchies").glob("*.csv")}
"""

READ_WITH_SQL = """\
SELECT *, count(*) AS how_often FROM 'release/table.parquet' GROUP BY ALL ORDER BY how_often DESC;
SELECT *, count(*) AS how_often FROM read_csv('release/table.csv', all_varchar = true) GROUP BY ALL;
"""

READING = Reading(("table.parquet", "table.csv"), READ_WITH_PYTHON, READ_WITH_SQL, formats="Parquet or CSV")
