"""The comparison in bars: what was lost, and what it took."""

from __future__ import annotations

from disjoin.compare.columns import COLUMNS
from disjoin.compare.contest import Contest
from disjoin.report.charts import Specification
from disjoin.report.figures import bars

# File name: the title, what the bars are, and the measures that are side by side in it.
PICTURES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "losses.svg": ("Shares lost", "share (lower is better)", ("tkd", "tkd_ml2", "tlost")),
    "errors.svg": ("Relative error of pairs", "re, 0 to 2 (lower is better)", ("re", "re_present")),
    "time.svg": ("Time", "seconds (lower is better)", ("seconds", "processor_seconds")),
    "memory.svg": ("Memory", "MB (lower is better)", ("memory_mb",)),
}


def pictures_of(contest: Contest) -> dict[str, Specification]:
    """Return the charts by file name; one that has nothing to show is left out."""
    return {
        name: bars(title, rows, "method", what)
        for name, (title, what, measures) in PICTURES.items()
        if (rows := _rows(contest, measures))
    }


def _rows(contest: Contest, measures: tuple[str, ...]) -> list[dict[str, object]]:
    return [
        {"method": entry.name, "measure": COLUMNS[name].title, "value": value}
        for entry, _ in contest.finished
        for name in measures
        if (value := entry.value(name)) is not None
    ]
