"""The clusterings of disassociation, and what is true of each: one list, read without loading compiled code."""

from __future__ import annotations

from typing import NamedTuple


class Clustering(NamedTuple):
    """A way to group records: its name, and what it does."""

    name: str
    splits: bool = True  # by frequent terms, so that a largest cluster and a rule for ties mean something
    has_core: bool = False  # one large cluster that needs no cutting; a release states such a clustering
    tries_others: bool = False  # publishes with each of the others, and takes the best


KNOWN_CLUSTERINGS = {
    each.name: each
    for each in (
        Clustering("horpart"),
        Clustering("core", splits=False, has_core=True),
        Clustering("core-horpart", has_core=True),
        Clustering("auto", tries_others=True),
    )
}
CLUSTERING_NAMES = tuple(KNOWN_CLUSTERINGS)
