"""One setting at work: it publishes, the inspector accepts, and what was kept and what is shown are measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from disjoin.attack.simulated import simulate
from disjoin.attack.sure_inference import sure_inference
from disjoin.errors import InvalidParameter, described
from disjoin.measure.exposed_records import exposed_share
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import papers, settled
from disjoin.methods.sensitive_terms import terms_of
from disjoin.model import Clusters, Transactions
from disjoin.pipeline import publish
from disjoin.progress import Progress, silent
from disjoin.trials.measuring import measured
from disjoin.trials.rows import SECONDS, ResultColumn, Share, columns_named
from disjoin.trials.sample import first_of

PAPER = papers()  # the clustering of the papers, which all others are compared with
CLUSTERINGS = settled()


class Yardstick(NamedTuple):
    """What somebody knows who knows more than was promised: that many terms; fewer candidates than `below` are bad."""

    terms: int
    below: int

    def in_words(self) -> str:
        """Say what an exposed record is.

        >>> Yardstick(3, 5).in_words()
        'a chunk shows 3 terms together that fewer than 5 records have there'
        >>> Yardstick(3, 5).alone.in_words()
        'a chunk shows 3 terms together that no other record has there'
        """
        others = "no other record has" if self.below == 2 else f"fewer than {self.below} records have"
        return f"a chunk shows {self.terms} terms together that {others} there"

    @property
    def alone(self) -> Yardstick:
        """The same knowledge; bad is only to be the one candidate."""
        return self._replace(below=2)


@dataclass(frozen=True, slots=True)
class SettingPoint:
    """One way to publish."""

    clustering: str
    k: int
    m: int


@dataclass(frozen=True, slots=True)
class Grid:
    """The settings to try; born valid. `sensitive` (and how it is matched) and `l` are the same for all."""

    clusterings: tuple[str, ...] = CLUSTERINGS
    ks: tuple[int, ...] = (5, 10, 20)
    ms: tuple[int, ...] = (2,)
    sensitive: tuple[str, ...] = ()
    l: int | None = None  # noqa: E741 - the papers' name
    sensitive_match: str = "exact"
    allow_missing_sensitive: bool = False

    def __post_init__(self) -> None:
        for name in ("clusterings", "ks", "ms"):
            object.__setattr__(self, name, _each_once(name, getattr(self, name)))
        object.__setattr__(self, "sensitive", terms_of(self.sensitive))
        for name in self.clusterings:
            if name not in CLUSTERINGS:
                raise InvalidParameter(
                    f"there is no clustering {described(name)} to try. There are: {', '.join(CLUSTERINGS)}."
                )
        methods = [self.method(point) for point in self.points]
        object.__setattr__(self, "ks", tuple(sorted({method.k for method in methods})))
        object.__setattr__(self, "ms", tuple(sorted({method.m for method in methods})))

    @property
    def points(self) -> tuple[SettingPoint, ...]:
        """All settings, the clusterings in their order, then by m, then by k."""
        return tuple(SettingPoint(name, k, m) for name in self.clusterings for m in self.ms for k in self.ks)

    @property
    def yardstick(self) -> Yardstick:
        """One for all, or a larger k or m would be measured by a stricter rule and look worse than it is."""
        return Yardstick(self.ms[0] + 1, self.ks[0])

    @property
    def paper(self) -> SettingPoint:
        """The papers' method with the weakest promise of the grid."""
        return SettingPoint(PAPER, self.ks[0], self.ms[0])

    def method(self, point: SettingPoint) -> Disassociation:
        """Return the method with these settings; raises if there can be none."""
        return Disassociation(
            k=point.k,
            m=point.m,
            clustering=point.clustering,
            sensitive=self.sensitive,
            sensitive_match=self.sensitive_match,
            allow_missing_sensitive=self.allow_missing_sensitive,
            l=self.l,
        )

    def for_part(self) -> Grid:
        """Return the grid for a part of the records, in which sensitive terms of the whole may not occur."""
        return replace(self, allow_missing_sensitive=True)

    def name(self, point: SettingPoint) -> str:
        """Return what a point is called; m is named if the grid has several.

        >>> Grid().name(SettingPoint("core", 20, 2))
        'core at k = 20'
        """
        return f"{point.clustering} at {self.numbers(point)}"

    def numbers(self, point: SettingPoint) -> str:
        """Return k, and m if the grid has several."""
        return f"k = {point.k}" + (f", m = {point.m}" if len(self.ms) > 1 else "")

    def label(self, point: SettingPoint) -> str:
        """Return the same in as few letters as there is room for in a chart.

        >>> Grid().label(SettingPoint("core", 20, 2)), Grid(ms=(2, 3)).label(SettingPoint("core", 20, 2))
        ('k = 20', '20/2')
        """
        return f"{point.k}/{point.m}" if len(self.ms) > 1 else self.numbers(point)

    def to_json(self) -> dict[str, Any]:
        """Return the grid as plain JSON."""
        plain: dict[str, Any] = {"clusterings": list(self.clusterings), "k": list(self.ks), "m": list(self.ms)}
        return plain | {"sensitive": list(self.sensitive), "l": self.l}


def _each_once(name: str, given: Iterable[Any]) -> tuple[Any, ...]:
    values = tuple(dict.fromkeys(given))
    if not values:
        raise InvalidParameter(f"the grid has no {name.removesuffix('s')} to try: give at least one.")
    return values


MEASURED = ("pair_mass", "weighted_pair_error", "tkd_a", "universal_terms")  # of EVALUATIONS
MOST_SETS = 1_000_000  # of known terms that are looked at for what is sure
DIGITS = 4  # of a share or an error: what is written is what is compared
ERROR, EXPOSED = "weighted_pair_error", "exposed"  # the axes of the chart
PAIRS, SINGLED, UNIVERSAL, SURE, HARMED = "pair_mass", "singled_out", "universal_terms", "sure_inference", "harmed"
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
    Share(SURE, "sure", "share of the records of which some {known} terms surely tell another one"),
    Share(HARMED, "harmed", "share of the records that somebody finds, or learns a term of, who knows {terms} of them"),
    SECONDS,
)


def columns_for(yardstick: Yardstick) -> dict[str, ResultColumn]:
    """Return the columns with meanings that name the numbers of the yardstick."""
    said = {"exposed": yardstick.in_words(), "singled_out": yardstick.alone.in_words()}
    said |= {"known": f"{yardstick.terms - 1}", "terms": f"{yardstick.terms}"}
    return {name: replace(column, meaning=column.meaning.format(**said)) for name, column in COLUMNS.items()}


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
    outcome = publish(data, grid.method(point), progress=progress, threads=threads, is_trial=True)
    published = outcome.release.published
    assert isinstance(published, Clusters), "disassociation publishes clusters"
    suppressed = outcome.release.suppressed_records
    rows = measured(published, data, MEASURED, suppressed_records=suppressed, k=point.k, progress=progress)
    values = {row.name: float(row.value or 0) for row in rows}
    values[EXPOSED] = _exposed(published, grid.yardstick)
    values[SINGLED] = _exposed(published, grid.yardstick.alone)
    values[SURE] = sure_inference(published, data, known=grid.yardstick.terms - 1, most_sets=MOST_SETS).share
    values[HARMED] = simulate(published, data, terms=grid.yardstick.terms, k=grid.yardstick.below).share
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
