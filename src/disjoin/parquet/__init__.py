"""Tables of a release in Parquet, read as untrusted data."""
