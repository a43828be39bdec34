"""One setting at work: it publishes, the inspector accepts, and what was kept and what is shown are measured."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from disjoin.advise.columns import DIGITS, EXPOSED, SINGLED
from disjoin.advise.grid import Grid, SettingPoint, Yardstick
from disjoin.advise.part import part_of
from disjoin.engines.local import Local
from disjoin.measure import EVALUATIONS, Evidence
from disjoin.measure.evaluation import evaluated
from disjoin.measure.exposed_records import exposed_share
from disjoin.model import Clusters, Transactions
from disjoin.pipeline import publish
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.pipeline import Outcome

MEASURED = ("pair_mass", "weighted_pair_error", "tkd_a", "universal_terms")  # of EVALUATIONS
WARM_UP = 2_000  # records: enough that large clusters, which are packed in another way, occur


@dataclass(frozen=True, slots=True)
class Tried:
    """A setting with what was measured of it, by column; or why it could not publish."""

    point: SettingPoint
    values: Mapping[str, float]
    failure: str = ""

    def __getitem__(self, column: str) -> float:
        return self.values[column]


def tried(point: SettingPoint, grid: Grid, data: Transactions, threads: int = 0, progress: Progress = silent) -> Tried:
    """Publish, have it verified against the data, and measure; raises if it cannot be published."""
    outcome = publish(data, grid.method(point), Local(threads), progress)
    published = outcome.release.published
    assert isinstance(published, Clusters), "disassociation publishes clusters"
    values = _measured(outcome, published, data, progress)
    values[EXPOSED] = _exposed(published, grid.yardstick)
    values[SINGLED] = _exposed(published, grid.yardstick.alone)
    rounded = {name: round(value, DIGITS) for name, value in values.items()}
    return Tried(point, rounded | {"seconds": round(outcome.private["seconds"]["publish"], DIGITS)})


def _exposed(published: Clusters, yardstick: Yardstick) -> float:
    """Return the share of the records that are exposed, at most: all of them where counting them takes too long."""
    share = exposed_share(published, yardstick.below, yardstick.terms - 1)
    return 1.0 if share is None else float(share)


def warm_up(grid: Grid, data: Transactions) -> None:
    """Try the settings on a few records, so that neither loading nor compiling is in the seconds of the first."""
    few = part_of(data, max(WARM_UP, 4 * grid.ks[0]))
    for clustering in grid.clusterings:
        with suppress(Exception):  # what goes wrong will go wrong again when it matters
            tried(SettingPoint(clustering, grid.ks[0], grid.ms[0]), grid.for_part(), few, 1)


def _measured(outcome: Outcome, published: Clusters, data: Transactions, progress: Progress) -> dict[str, float]:
    release = outcome.release
    evidence = Evidence(
        original=data,
        published=published,
        k=int(release.parameters["k"]),
        suppressed_records=release.suppressed_records,
        progress=progress,
    )
    rows = evaluated(evidence, [EVALUATIONS[name] for name in MEASURED]).rows
    return {row.name: 0.0 if row.value is None else float(row.value) for row in rows}
