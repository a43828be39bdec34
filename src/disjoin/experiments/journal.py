"""Finished points, kept as soon as they are finished, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoin._version import __version__
from disjoin.errors import CannotWrite, OutputExists
from disjoin.experiments.experiment import Experiment, Point, Rows
from disjoin.releases.result_folder import LIST, ResultFolder

POINTS = "points"
RESULTS = ResultFolder(
    "The results", "folder of results", r"results\.(csv|parquet)|README\.md|facts\.json|[a-z0-9-]+\.svg"
)
_POINT = re.compile(r"[0-9a-f]{16}\.(json|[0-9]+\.part)")


@dataclass(frozen=True, slots=True)
class Journal:
    """The points of one experiment in its folder: a small file for each, named for what it depends on."""

    folder: Path

    def open(self, *, fresh: bool) -> None:
        """Make the folder, without what was found before if `fresh`; a folder of something else is left alone."""
        self.require_ours()
        try:
            (self.folder / POINTS).mkdir(parents=True, exist_ok=True)
            for point in (self.folder / POINTS).iterdir() if fresh else ():
                if _POINT.fullmatch(point.name) and point.is_file():
                    point.unlink()
        except OSError as failure:
            raise CannotWrite(f"cannot write to {self.folder}: {failure.strerror}. Choose another folder.") from failure

    def require_ours(self) -> None:
        """Raise `OutputExists` unless results can be written here without a loss: those that are there are as written.

        What has no name of ours, such as remarks, is left alone.
        """
        if not os.path.lexists(self.folder):
            return
        present = {entry.name: entry for entry in sorted(self.folder.iterdir())} if self.folder.is_dir() else {}
        points = self.folder / POINTS
        results = {name: file for name, file in present.items() if name == LIST or RESULTS.is_known(name)}
        if not self.folder.is_dir() or points.is_symlink() or (present and not {POINTS, LIST} & present.keys()):
            raise OutputExists(
                f"{self.folder} holds something else than results of an experiment. Choose another folder.", self.folder
            )
        if results and (objection := RESULTS.objection_to_these(results)):
            raise OutputExists(f"The results in {self.folder} will not be overwritten: {objection}", self.folder)

    def find(self, experiment: Experiment, point: Point) -> Rows | None:
        """Return the rows of a point that was finished before; what cannot be read was not."""
        try:
            entry = json.loads(self._place(experiment, point).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        rows: Rows = entry["rows"]
        return rows

    def keep(self, experiment: Experiment, point: Point, rows: Rows) -> None:
        """Keep the rows of a finished point."""
        place = self._place(experiment, point)
        text = json.dumps({**_identity(experiment, point), "rows": rows}, indent=1)
        unfinished = place.with_suffix(f".{os.getpid()}.part")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(place)

    def _place(self, experiment: Experiment, point: Point) -> Path:
        text = json.dumps(_identity(experiment, point), sort_keys=True)
        return self.folder / POINTS / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"


def _identity(experiment: Experiment, point: Point) -> dict[str, Any]:
    """Return all that the rows of a point depend on."""
    return {
        "experiment": experiment.name,
        "version": __version__,
        "data": dict(point.source.identity),
        "name": point.source.name,
        "setting": dict(point.setting),
    }
