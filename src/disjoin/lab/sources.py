"""Data of experiments: given files, or synthetic data."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.generate import baskets, census, hospital, quest
from disjoin.generate.quest import Quest
from disjoin.model import Hierarchy, MixedRecords, Table, Transactions
from disjoin.readers.hierarchies import read_hierarchies
from disjoin.readers.people import read_people
from disjoin.readers.read import read
from disjoin.readers.tables import read_table

Data = TypeVar("Data")
SEED = 1
# The datasets of the papers, recognised by their size, not by the name of a file: (records, terms).
OF_THE_PAPERS = {(59_602, 497): "WV1", (77_512, 3_340): "WV2", (515_597, 1_657): "POS"}


@dataclass(frozen=True, slots=True)
class ExperimentSource:
    """Data by name; `identity` (plain JSON) is everything that its records depend on."""

    name: str
    identity: Mapping[str, Any]
    load: Callable[[], Transactions | Table | Arranged | MixedRecords] = field(compare=False, repr=False)


def file_sources(paths: Iterable[str | Path]) -> list[ExperimentSource]:
    files = list(map(require_file, paths))
    return [ExperimentSource(plain_name(path), file_identity(path), partial(read, path)) for path in files]


def require_file(name: str | Path) -> Path:
    path = Path(name)
    if not path.is_file():
        raise UnreadableInput(
            "expected a file of records, found none. Check the path, or leave data out to use generated data.",
            source=str(path),
        )
    return path


def generated_sources(quick: bool) -> list[ExperimentSource]:
    if quick:
        return [quest_source(Quest(3_000, terms=500, patterns=200)), baskets_source(2_000)]
    return [quest_source(Quest(100_000)), baskets_source(50_000)]


def quest_source(settings: Quest) -> ExperimentSource:
    load = _made(lambda path: quest.write_quest(settings, SEED, path), "quest.dat", read)
    return ExperimentSource(f"Quest {settings.name}", {"quest": asdict(settings), "seed": SEED}, load)


def baskets_source(records: int) -> ExperimentSource:
    load = _made(lambda path: baskets.write_baskets(records, SEED, path), "baskets.csv", read)
    return ExperimentSource(f"baskets {records:,}", {"baskets": records, "seed": SEED}, load)


def known_as(data: Transactions | Table | Arranged | MixedRecords) -> str | None:
    """Return the papers' name of a dataset with its size; no paper has people and records."""
    if isinstance(data, MixedRecords):
        return None
    if isinstance(data, Table):
        return "Adult" if is_adult(data) else None
    return OF_THE_PAPERS.get((len(data), data.n_terms))


def _made(write: Callable[[Path], object], name: str, read: Callable[[Path], Data]) -> Callable[[], Data]:
    """Return a function that writes a temporary file and reads it."""

    def load() -> Data:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder) / name)
            return read(Path(folder) / name)

    return load


def plain_name(path: Path) -> str:
    """Return the name up to its first full stop.

    >>> plain_name(Path("data/wv1.dat.gz"))
    'wv1'
    """
    return path.name.split(".")[0] or path.name


def file_identity(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest()}


# The quasi-identifiers of Adult, in this order; for other tables, all columns with a hierarchy.
OF_ADULT = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex")
ROWS_OF_ADULT = 30_162  # rows without a missing value


def table_sources(paths: Iterable[str | Path], hierarchies: str | Path | None, quick: bool) -> list[ExperimentSource]:
    """Return tables as sources, or a synthetic census; results depend on the hierarchies of their columns, too."""
    files = list(paths)
    if not files:
        if hierarchies is not None:
            raise InvalidParameter("hierarchies belong to a table, but none is given. Give data, or leave both out.")
        return [census_source(1_000 if quick else 30_000)]
    if hierarchies is None:
        raise InvalidParameter("tables need hierarchies, but none are given. Give the folder of their hierarchies.")
    return [_file_source(path, Path(hierarchies)) for path in files]


def census_source(records: int) -> ExperimentSource:
    def write(path: Path) -> None:
        census.write_census(records, SEED, path)
        census.write_hierarchies(path.with_name("hierarchies"))

    load = _made(write, "census.csv", lambda path: _read_table(path, path.with_name("hierarchies")))
    return ExperimentSource(f"census {records:,}", {"census": records, "seed": SEED}, load)


def quasi_of(table: Table) -> tuple[str, ...]:
    if set(OF_ADULT) <= set(table.hierarchies):
        return OF_ADULT
    return tuple(name for name in table.schema.names if name in table.hierarchies)


def is_adult(table: Table) -> bool:
    return len(table) == ROWS_OF_ADULT and set(OF_ADULT) <= set(table.schema.names)


def _file_source(name: str | Path, hierarchies: Path) -> ExperimentSource:
    path = require_file(name)
    table = _read_table(path, hierarchies)
    identity = {**file_identity(path), "hierarchies": {name: digest(tree) for name, tree in table.hierarchies.items()}}
    return ExperimentSource(plain_name(path), identity, lambda: table)


def _read_table(path: Path, folder: Path) -> Table:
    table = read_table(path)
    return table.with_hierarchies(read_hierarchies(folder, table.schema.names))


def digest(tree: Hierarchy) -> str:
    text = json.dumps([tree.names.to_pylist(), tree.parents.tolist()])
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """Records, and the hierarchy of their terms, if any."""

    records: Transactions
    hierarchy: Hierarchy | None

    def __len__(self) -> int:
        return len(self.records)

    @property
    def n_terms(self) -> int:
        return self.records.n_terms


def arranged_sources(paths: Iterable[str | Path], folder: str | Path | None, quick: bool) -> list[ExperimentSource]:
    """Return records as sources, each with its hierarchy in the folder: `wv2.csv` is that of wv2.dat.gz."""
    files = list(paths)
    if folder is None:
        return [_arranged(source, None) for source in (file_sources(files) if files else generated_sources(quick))]
    if not files:
        raise InvalidParameter("hierarchies belong to records, but no data are given. Give data, or leave both out.")
    sources = file_sources(files)
    trees = read_hierarchies(folder, [source.name for source in sources])
    if not trees:
        wanted = ", ".join(f"{source.name}.csv" for source in sources)
        raise InvalidParameter(f"{folder} has no hierarchy of these data. Expected at least one of: {wanted}.")
    return [_arranged(source, trees.get(source.name)) for source in sources]


def _arranged(source: ExperimentSource, tree: Hierarchy | None) -> ExperimentSource:
    def load() -> Arranged:
        records = source.load()
        assert isinstance(records, Transactions), "a table has hierarchies of its columns, not of terms"
        return Arranged(records, tree)

    identity = {**source.identity, "hierarchy": None if tree is None else digest(tree)}
    return replace(source, identity=identity, load=load)


MOST_PEOPLE = 30_000
BESIDE = ("sex", "age", "race", "marital-status")  # columns of Adult


def people_sources(paths: Iterable[str | Path], people: str | Path | None, quick: bool) -> list[ExperimentSource]:
    sources = [stays_source(300 if quick else 20_000)]
    files = file_sources(paths)
    if files and people is None:
        raise InvalidParameter("this experiment needs records and a table of people, but people are not given.")
    if people is not None:
        if not files:
            raise InvalidParameter("people belong to records, but no data are given. Give data, or leave both out.")
        sources += [_beside(source, require_file(people)) for source in files]
    return sources


def stays_source(patients: int) -> ExperimentSource:
    of_patients = partial(read_people, columns=("age", "sex", "postcode"), id="patient", terms="code")
    load = _made(lambda path: hospital.write_stays(patients, SEED, path), "stays.csv", of_patients)
    return ExperimentSource(f"stays {patients:,}", {"stays": patients, "seed": SEED}, load)


def _beside(source: ExperimentSource, people: Path) -> ExperimentSource:
    identity = {**source.identity, "people": file_identity(people), "first": MOST_PEOPLE, "seed": SEED}

    def load() -> MixedRecords:
        records = source.load()
        assert isinstance(records, Transactions), "files of records"
        return _drawn_beside(records, read_table(people))

    return replace(source, name=f"{source.name} x {plain_name(people)}", identity=identity, load=load)


def _drawn_beside(records: Transactions, table: Table) -> MixedRecords:
    size = min(len(records), MOST_PEOPLE)
    names = [name for name in BESIDE if name in table.schema.names] or list(table.schema.names[:4])
    drawn = np.random.Generator(np.random.PCG64(SEED)).integers(0, len(table), size)
    rows = records.records.take(np.arange(size))
    columns = {name: table.column(name).take(drawn).to_pylist() for name in names}
    used = Transactions(rows.offsets, rows.items, records.vocabulary).to_sets()
    return MixedRecords(Table.from_columns(columns), Transactions.from_sets(used))
