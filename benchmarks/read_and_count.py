"""The baseline: polars reads a FIMI file and counts its terms, the least that any tool does with the data."""

import sys

import polars as pl

lines = pl.read_csv(
    sys.argv[1],
    has_header=False,
    separator="\x1f",  # not in the file, so a line is one field
    quote_char=None,
    new_columns=["line"],
    schema_overrides={"column_1": pl.String},
)
counts = lines["line"].str.split(" ").explode().value_counts()
print(len(counts))
