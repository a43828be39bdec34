"""Tables of a release in Parquet, read as data that nobody vouches for."""
