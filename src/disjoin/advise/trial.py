"""One setting at work: it publishes, the inspector accepts, and what was kept and what is shown are measured."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from disjoin.advise.grid import Grid, SettingPoint, Yardstick
from disjoin.measure.exposed_records import exposed_share
from disjoin.model import Clusters, Transactions
from disjoin.pipeline import publish
from disjoin.progress import Progress, silent
from disjoin.trials.measuring import measured
from disjoin.trials.rows import SECONDS, ResultColumn, Share, columns_named
from disjoin.trials.sample import first_of

MEASURED = ("pair_mass", "weighted_pair_error", "tkd_a", "universal_terms")  # of EVALUATIONS
DIGITS = 4  # of a share or an error: what is written is what is compared
ERROR, EXPOSED = "weighted_pair_error", "exposed"  # the axes of the chart
PAIRS, SINGLED, UNIVERSAL = "pair_mass", "singled_out", "universal_terms"
COLUMNS: dict[str, ResultColumn] = columns_named(
    Share(PAIRS, "pairs kept", "share of the pairs of terms in a record that a chunk still shows as pairs"),
    ResultColumn(
        ERROR,
        "pair error",
        "how far the supports of pairs of the 300 most frequent terms, estimated from what is published, are off: "
        "the sum of all differences in units of the sum of all supports",
        largest=None,
    ),
    Share("tkd_a", "tKd-a", "share of the 1,000 most frequent itemsets that are not among those of the chunks"),
    Share(EXPOSED, "exposed", "share of the records, at most, of which {exposed}"),
    Share(SINGLED, "singled out", "share of the records, at most, of which {singled_out}"),
    Share(
        UNIVERSAL,
        "universal",
        "share of the term occurrences in record chunks whose term all records of the cluster have: anyone who "
        "knows the cluster of a person knows these terms of that person",
    ),
    SECONDS,
)


def columns_for(yardstick: Yardstick) -> dict[str, ResultColumn]:
    """Return the columns with meanings that name the numbers of the yardstick."""
    alone = yardstick.alone.in_words()
    return {
        name: replace(column, meaning=column.meaning.format(exposed=yardstick.in_words(), singled_out=alone))
        for name, column in COLUMNS.items()
    }


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
    outcome = publish(data, grid.method(point), progress=progress, threads=threads)
    published = outcome.release.published
    assert isinstance(published, Clusters), "disassociation publishes clusters"
    suppressed = outcome.release.suppressed_records
    rows = measured(published, data, MEASURED, suppressed_records=suppressed, k=point.k, progress=progress)
    values = {row.name: float(row.value or 0) for row in rows}
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
    few = first_of(data, grid.ks[0])
    for clustering in grid.clusterings:
        with suppress(Exception):  # what goes wrong will go wrong again when it matters
            tried(SettingPoint(clustering, grid.ks[0], grid.ms[0]), grid.for_part(), few, 1)
