"""Categories that replaced rare terms, or rare values of columns: read for the original of a release."""

from __future__ import annotations

from disjoin.errors import InvalidParameter


def with_categories(published: object, data: object, hierarchy: str | None, folder: str | None) -> object:
    """Return the original with the categories that rare terms, or values of columns, may have been replaced by."""
    from disjoin.files.hierarchies import read_hierarchies, read_hierarchy
    from disjoin.model import Generalized, MixedRecords, Table, Transactions

    if folder is not None:
        if not isinstance(data, Table) or not isinstance(published, Generalized):
            raise InvalidParameter("--hierarchies is for the original of a table: add --original, or leave it out.")
        others = [name for name in data.schema.names if name not in published.quasi]
        data = data.with_hierarchies({**data.hierarchies, **read_hierarchies(folder, others)})
    if hierarchy is None:
        return data
    if isinstance(data, Transactions):
        return data.with_hierarchy(read_hierarchy(hierarchy))
    if isinstance(data, MixedRecords):
        return data.with_categories(read_hierarchy(hierarchy))
    raise InvalidParameter("--hierarchy is for the terms of an original: add --original, or leave it out.")
