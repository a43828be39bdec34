"""Finished points, kept as soon as they are finished, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoin._version import __version__
from disjoin.errors import CannotWrite, OutputExists
from disjoin.experiments.experiment import Experiment, Point, Rows

POINTS = "points"
_OURS = {POINTS, "results.csv", "results.parquet", "README.md", "facts.json"}


@dataclass(frozen=True, slots=True)
class Journal:
    """The points of one experiment in its folder: a small file for each, named for what it depends on."""

    folder: Path

    def open(self, *, fresh: bool) -> None:
        """Make the folder, without what was found before if `fresh`; a folder of something else is left alone."""
        if self.folder.exists() and (not self.folder.is_dir() or not self._is_ours()):
            raise OutputExists(
                f"{self.folder} holds something else than results of an experiment. Choose another folder.", self.folder
            )
        if fresh:
            shutil.rmtree(self.folder / POINTS, ignore_errors=True)
        try:
            (self.folder / POINTS).mkdir(parents=True, exist_ok=True)
        except OSError as failure:
            raise CannotWrite(f"cannot write to {self.folder}: {failure.strerror}. Choose another folder.") from failure

    def _is_ours(self) -> bool:
        names = {entry.name for entry in self.folder.iterdir()}
        return not names or bool(names & _OURS)

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
