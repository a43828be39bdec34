"""The data of experiments: files that somebody has, or Quest data and baskets that are made for the purpose."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin.errors import UnreadableInput

if TYPE_CHECKING:
    from disjoin.experiments.tree_sources import Arranged
    from disjoin.generate.quest import Quest
    from disjoin.model import Table, Transactions

SEED = 1
# The datasets of the papers, told by their size and not by the name of a file: (records, terms).
OF_THE_PAPERS = {(59_602, 497): "WV1", (77_512, 3_340): "WV2", (515_597, 1_657): "POS"}


@dataclass(frozen=True, slots=True)
class Source:
    """Data by name; `identity` (plain JSON) is what its records depend on."""

    name: str
    identity: Mapping[str, Any]
    load: Callable[[], Transactions | Table | Arranged] = field(compare=False, repr=False)


def file_sources(paths: Iterable[str | Path]) -> list[Source]:
    """Return files as sources; one that is not there is an error before any work."""
    found = []
    for path in map(Path, paths):
        require_file(path)
        found.append(Source(plain_name(path), file_identity(path), partial(_read, path)))
    return found


def require_file(path: Path) -> None:
    """Complain if there is no such file."""
    if not path.is_file():
        raise UnreadableInput(
            "expected a file of records, and there is none. Check --data, or leave it out to use made data.",
            source=str(path),
        )


def generated_sources(quick: bool) -> list[Source]:
    """Return the data that experiments use when they are given none."""
    from disjoin.generate.quest import Quest

    if quick:
        return [quest_source(Quest(3_000, terms=500, patterns=200)), baskets_source(2_000)]
    return [quest_source(Quest(100_000)), baskets_source(50_000)]


def quest_source(settings: Quest) -> Source:
    """Return Quest data as a source."""

    def load() -> Transactions:
        from disjoin.generate.quest import write_quest

        return _made(lambda path: write_quest(settings, SEED, path), "quest.dat")

    return Source(f"Quest {settings.name}", {"quest": asdict(settings), "seed": SEED}, load)


def baskets_source(records: int) -> Source:
    """Return named groceries as a source."""

    def load() -> Transactions:
        from disjoin.generate.baskets import write_baskets

        return _made(lambda path: write_baskets(records, SEED, path), "baskets.csv")

    return Source(f"baskets {records:,}", {"baskets": records, "seed": SEED}, load)


def known_as(data: Transactions | Table | Arranged) -> str | None:
    """Return the papers' name of a dataset, if it has its size."""
    from disjoin.experiments.table_sources import is_adult
    from disjoin.model import Table

    if isinstance(data, Table):
        return "Adult" if is_adult(data) else None
    return OF_THE_PAPERS.get((len(data), data.n_terms))


def _made(write: Callable[[Path], None], name: str) -> Transactions:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / name)
        return _read(Path(folder) / name)


def _read(path: Path) -> Transactions:
    from disjoin.files.reading import read

    return read(path)


def plain_name(path: Path) -> str:
    """Return the name without what follows its first full stop.

    >>> plain_name(Path("data/wv1.dat.gz"))
    'wv1'
    """
    return path.name.split(".")[0] or path.name


def file_identity(path: Path) -> dict[str, Any]:
    """Return what tells the contents of a file from those of another."""
    with path.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest()}
