"""Run an experiment point by point, and write what was found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin._version import __version__
from disjoin.compare.machine import machine_in_words
from disjoin.errors import InvalidParameter
from disjoin.experiments.experiment import Experiment, Point, Rows
from disjoin.experiments.journal import Journal
from disjoin.experiments.sources import (
    Arranged,
    ExperimentSource,
    arranged_sources,
    file_sources,
    generated_sources,
    known_as,
    table_sources,
)
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.model import Table, Transactions

    Data = Transactions | Table | Arranged


def run_experiment(
    experiment: Experiment,
    folder: str | Path,
    *,
    data: Iterable[str | Path] = (),
    hierarchies: str | Path | None = None,
    quick: bool = False,
    fresh: bool = False,
    progress: Progress = silent,
) -> Rows:
    """Run the points that the folder does not have yet, write everything into it, and return all rows.

    `folder`/points keeps what is finished, so that a run that was stopped goes on; `fresh` begins again.
    `hierarchies` is the folder of those of the columns of the tables in `data`, or of the terms of the records there.
    """
    points = experiment.points(_sources(experiment, list(data), hierarchies, quick), quick)
    journal = Journal(Path(folder))
    journal.open(fresh=fresh)
    rows = _all_rows(experiment, points, journal, progress)
    from disjoin.experiments.page import write_results

    journal.require_ours()  # still: runs take hours
    write_results(experiment, rows, _facts(experiment, points, quick), Path(folder))
    return rows


def _sources(
    experiment: Experiment, data: Sequence[str | Path], hierarchies: str | Path | None, quick: bool
) -> list[ExperimentSource]:
    if experiment.takes == "table":
        return table_sources(data, hierarchies, quick)
    if experiment.takes == "records with a hierarchy":
        return arranged_sources(data, hierarchies, quick)
    if hierarchies is not None:
        raise InvalidParameter(
            f"the experiment {experiment.name} takes no table, and no hierarchy of terms. Leave --hierarchies out."
        )
    if experiment.own_data:
        if data:
            raise InvalidParameter(f"the experiment {experiment.name} makes its own data. Leave --data out.")
        return []
    return file_sources(data) if data else generated_sources(quick)


def _all_rows(experiment: Experiment, points: list[Point], journal: Journal, progress: Progress) -> Rows:
    loaded: tuple[ExperimentSource, Data] | None = None  # the last data only: points come ordered by their data
    rows: Rows = []
    for done, point in enumerate(points):
        progress("measuring", done, len(points), _words(point))
        found = journal.find(experiment, point)
        if found is None:
            if loaded is None or loaded[0] != point.source:
                loaded = (point.source, point.source.load())
            found = _measured(experiment, point, loaded[1])
            journal.keep(experiment, point, found)
        rows += found
    progress("measuring", len(points), len(points))
    return rows


def _measured(experiment: Experiment, point: Point, data: Data) -> Rows:
    about: dict[str, Any] = {"data": point.source.name, "known_as": known_as(data)}
    about |= {"records": len(data), **_size(data), **point.setting}
    found = experiment.measure(data, point.setting)
    if isinstance(found, list):
        return [{**about, **row} for row in found]
    return [{**about, "measure": name, "value": value} for name, value in found.items()]


def _size(data: Data) -> dict[str, int]:
    from disjoin.model import Table

    return {} if isinstance(data, Table) else {"terms": data.n_terms}


def _words(point: Point) -> str:
    return ", ".join([point.source.name, *(f"{name} {value}" for name, value in point.setting.items())])


def _facts(experiment: Experiment, points: list[Point], quick: bool) -> dict[str, Any]:
    return {
        "experiment": experiment.name,
        "version": __version__,
        "quick": quick,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine_in_words(),
        "data": {point.source.name: dict(point.source.identity) for point in points},
    }


def read_results(folder: Path) -> tuple[dict[str, Any], Rows]:
    """Return the facts and the rows of a folder that `run_experiment` has written."""
    entry = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    rows: Rows = entry.pop("rows")
    return entry, rows
