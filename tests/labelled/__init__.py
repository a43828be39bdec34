"""Labelled tables, on which the roles of columns are tested."""
