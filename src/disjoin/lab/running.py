"""Runner of experiments, which resumes after a stop."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from disjoin._version import __version__
from disjoin.advise.results import Rows
from disjoin.advise.trial import in_turn
from disjoin.errors import CannotWrite, InvalidParameter, OutputExists
from disjoin.lab import sources
from disjoin.lab.experiment import Experiment, Point
from disjoin.lab.sources import Arranged, ExperimentSource
from disjoin.progress import Progress, silent
from disjoin.release.result_folder import LIST, ResultFolder
from disjoin.report.facts import machine_in_words, today

if TYPE_CHECKING:
    from disjoin.model import MixedRecords, Table, Transactions

    Data = Transactions | Table | Arranged | MixedRecords
POINTS = "points"
RESULTS = ResultFolder(
    "The results", "folder of results", r"results\.(csv|parquet)|README\.md|facts\.json|[a-z0-9-]+\.svg"
)
_POINT = re.compile(r"[0-9a-f]{16}\.(json|[0-9]+\.part)")


def run_experiment(
    experiment: Experiment,
    folder: str | Path,
    *,
    data: Iterable[str | Path] = (),
    hierarchies: str | Path | None = None,
    people: str | Path | None = None,
    quick: bool = False,
    fresh: bool = False,
    progress: Progress = silent,
) -> Rows:
    """Run the points that the folder does not have yet, write everything into it, and return all rows. `fresh` starts
    again. `hierarchies` is a folder, for columns of the tables in `data` or terms of its records; `people` is a table
    with rows for the records of `data`."""
    points = experiment.points(_sources(experiment, list(data), hierarchies, people, quick), quick)
    journal = Journal(Path(folder))
    journal.open(fresh=fresh)
    rows = _all_rows(experiment, points, journal, progress)
    from disjoin.lab.page import write_results

    journal.require_ours()  # again, because runs take hours
    facts = {
        "experiment": experiment.name,
        "version": __version__,
        "quick": quick,
        "date": today(),
        "machine": machine_in_words(),
        "data": {point.source.name: dict(point.source.identity) for point in points},
    }
    write_results(experiment, rows, facts, Path(folder))
    return rows


def _sources(
    experiment: Experiment,
    data: Sequence[str | Path],
    hierarchies: str | Path | None,
    people: str | Path | None,
    quick: bool,
) -> list[ExperimentSource]:
    if experiment.takes == "people" and hierarchies is None:
        return sources.people_sources(data, people, quick)
    if people is not None:
        raise InvalidParameter(f"the experiment {experiment.name} has no people. Leave people out.")
    if experiment.takes == "table":
        return sources.table_sources(data, hierarchies, quick)
    if experiment.takes == "records with a hierarchy":
        return sources.arranged_sources(data, hierarchies, quick)
    if hierarchies is not None:
        raise InvalidParameter(
            f"the experiment {experiment.name} uses neither tables nor hierarchies of terms. Leave hierarchies out."
        )
    if experiment.own_data:
        if data:
            raise InvalidParameter(f"the experiment {experiment.name} generates its own data. Leave data out.")
        return []
    return sources.file_sources(data) if data else sources.generated_sources(quick)


def _all_rows(experiment: Experiment, points: list[Point], journal: Journal, progress: Progress) -> Rows:
    loaded: list[tuple[ExperimentSource, Data]] = []  # only the last data, because points are ordered by their data

    def rows_of(point: Point) -> Rows:
        found = journal.find(experiment, point)
        if found is None:
            if not loaded or loaded[0][0] != point.source:
                loaded[:] = [(point.source, point.source.load())]
            found = _measured(experiment, point, loaded[0][1])
            journal.keep(experiment, point, found)
        return found

    return [row for rows in in_turn("measuring", points, rows_of, _words, progress) for row in rows]


def _measured(experiment: Experiment, point: Point, data: Data) -> Rows:
    from disjoin.model import MixedRecords, Table

    about: dict[str, Any] = {"data": point.source.name, "known_as": sources.known_as(data), "records": len(data)}
    if not isinstance(data, Table):
        about["terms"] = (data.records if isinstance(data, MixedRecords) else data).n_terms
    about |= point.setting
    found = experiment.measure(data, point.setting)
    rows = found if isinstance(found, list) else [{"measure": name, "value": value} for name, value in found.items()]
    return [{**about, **row} for row in rows]


def _words(point: Point) -> str:
    return ", ".join([point.source.name, *(f"{name} {value}" for name, value in point.setting.items())])


def read_results(folder: Path) -> tuple[dict[str, Any], Rows]:
    entry = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    rows: Rows = entry.pop("rows")
    return entry, rows


@dataclass(frozen=True, slots=True)
class Journal:
    """The points of one experiment in its folder: a small file for each, named by its inputs."""

    folder: Path

    def open(self, *, fresh: bool) -> None:
        self.require_ours()
        try:
            (self.folder / POINTS).mkdir(parents=True, exist_ok=True)
            for point in (self.folder / POINTS).iterdir() if fresh else ():
                if _POINT.fullmatch(point.name) and point.is_file():
                    point.unlink()
        except OSError as failure:
            raise CannotWrite(f"cannot write to {self.folder}: {failure.strerror}. Choose another folder.") from failure

    def require_ours(self) -> None:
        """Raise `OutputExists` unless all results are as written; files with other names are ignored."""
        if not os.path.lexists(self.folder):
            return
        present = {entry.name: entry for entry in sorted(self.folder.iterdir())} if self.folder.is_dir() else {}
        points = self.folder / POINTS
        results = {name: file for name, file in present.items() if name == LIST or RESULTS.is_known(name)}
        if not self.folder.is_dir() or points.is_symlink() or (present and not {POINTS, LIST} & present.keys()):
            raise OutputExists(
                f"{self.folder} has other files than results of an experiment. Choose another folder.", self.folder
            )
        if results and (objection := RESULTS.objection_to_these(results)):
            raise OutputExists(f"The results in {self.folder} will not be overwritten: {objection}", self.folder)

    def find(self, experiment: Experiment, point: Point) -> Rows | None:
        try:
            entry = json.loads(self._place(experiment, point).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        rows: Rows = entry["rows"]
        return rows

    def keep(self, experiment: Experiment, point: Point, rows: Rows) -> None:
        place = self._place(experiment, point)
        text = json.dumps({**_identity(experiment, point), "rows": rows}, indent=1)
        unfinished = place.with_suffix(f".{os.getpid()}.part")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(place)

    def _place(self, experiment: Experiment, point: Point) -> Path:
        text = json.dumps(_identity(experiment, point), sort_keys=True)
        return self.folder / POINTS / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"


def _identity(experiment: Experiment, point: Point) -> dict[str, Any]:
    return {
        "experiment": experiment.name,
        "version": __version__,
        "data": dict(point.source.identity),
        "name": point.source.name,
        "setting": dict(point.setting),
    }
