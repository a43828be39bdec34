"""Records with a hierarchy of their terms, for experiments: files with a folder of hierarchies, or made data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from disjoin.errors import InvalidParameter
from disjoin.experiments.sources import Source, file_sources, generated_sources
from disjoin.experiments.table_sources import digest

if TYPE_CHECKING:
    from disjoin.model import Hierarchy, Transactions


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """Records, and the hierarchy of their terms if somebody has one."""

    records: Transactions
    hierarchy: Hierarchy | None

    def __len__(self) -> int:
        return len(self.records)

    @property
    def n_terms(self) -> int:
        """How many distinct terms there are."""
        return self.records.n_terms


def arranged_sources(paths: Iterable[str | Path], folder: str | Path | None, quick: bool) -> list[Source]:
    """Return records as sources, each with the hierarchy that the folder has of it: `wv2.csv` is that of wv2.dat.gz."""
    files = list(paths)
    if folder is None:
        return [_arranged(source, None) for source in (file_sources(files) if files else generated_sources(quick))]
    if not files:
        raise InvalidParameter("--hierarchies are those of records that --data names. Name them, or leave both out.")
    from disjoin.files.hierarchies import read_hierarchies

    sources = file_sources(files)
    trees = read_hierarchies(folder, [source.name for source in sources])
    if not trees:
        wanted = ", ".join(f"{source.name}.csv" for source in sources)
        raise InvalidParameter(f"{folder} has no hierarchy of these data. Expected at least one of: {wanted}.")
    return [_arranged(source, trees.get(source.name)) for source in sources]


def _arranged(source: Source, tree: Hierarchy | None) -> Source:
    identity = {**source.identity, "hierarchy": None if tree is None else digest(tree)}
    return replace(source, identity=identity, load=_loader(source.load, tree))


def _loader(load: Callable[[], object], tree: Hierarchy | None) -> Callable[[], Arranged]:
    def both() -> Arranged:
        from disjoin.model import Transactions

        records = load()
        assert isinstance(records, Transactions), "a table has hierarchies of its columns, not of terms"
        return Arranged(records, tree)

    return both
