"""Local recoding: rows of a table form classes, and the rows of a class share their generalised quasi-identifiers."""
