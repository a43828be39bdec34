"""Doors to disk: the readers of records and tables, and the tables of releases."""
