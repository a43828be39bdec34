"""Trial of one setting on sets: publish, verify, measure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from disjoin.advise.results import ResultColumn, columns_in
from disjoin.attack.simulated import simulate
from disjoin.attack.sure_inference import sure_inference
from disjoin.errors import InvalidParameter, described
from disjoin.forms.registry import FORMS
from disjoin.measure import EVALUATIONS
from disjoin.measure.disclosure import exposed_share
from disjoin.measure.evaluation import EvaluationRow, evaluated
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import papers, settled
from disjoin.methods.sensitive_terms import terms_of
from disjoin.model import Clusters, Published, Transactions
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Ints64, ranks_of
from disjoin.pipeline import publish
from disjoin.progress import Progress, silent

# What all trials have in common: one after the other, each with some code loaded before, and measured by name.

Point = TypeVar("Point")
Found = TypeVar("Found")


def in_turn(
    doing: str, points: Sequence[Point], trial: Callable[[Point], Found], named: Callable[[Point], str], tell: Progress
) -> list[Found]:
    found = []
    for done, point in enumerate(points):
        tell(doing, done, len(points), named(point))
        found.append(trial(point))
    tell(doing, len(points), len(points))
    return found


def unbeaten(entries: Iterable[Found], losses: Callable[[Found], tuple[float, float]]) -> list[Found]:
    """Return the Pareto-optimal entries of two losses."""
    every = [(entry, losses(entry)) for entry in entries]
    return [
        entry
        for entry, own in every
        if not any(other != own and other[0] <= own[0] and other[1] <= own[1] for _, other in every)
    ]


def measured(
    published: Published, data: Transactions, names: Iterable[str], *, suppressed_records: int = 0, **about: Any
) -> tuple[EvaluationRow, ...]:
    """Take measures of `EVALUATIONS`, with notes; `about` has further evidence (k, m, settings, hierarchy, progress).
    Raises for a form that is not of records."""
    wanted, compared = list(names), FORMS[published.form].compared
    if compared is None:
        others = ", ".join(name for name, form in FORMS.items() if form.compared)
        raise InvalidParameter(
            f"what it publishes ({published.form}) cannot be compared: {', '.join(wanted)} are taken of {others}."
        )
    if suppressed_records:
        about["suppressed_records"] = suppressed_records
    evidence = compared()(original=data, published=published, **about)
    return evaluated(evidence, [EVALUATIONS[name] for name in wanted]).rows


# Fewer records than there are: a part that is chosen by what records are, and the first ones, to warm up with.

Hashes = NDArray[np.uint64]
WARM_UP = 2_000  # records: enough that large clusters, which are packed in another way, occur
_STEP = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiples of it never meet


def part_of(data: Transactions, records: int) -> Transactions:
    """Return that many records, or all if there are no more: those with the smallest hashes of their terms.
    Equal records are drawn one by one, and the order of the input does not matter: the same file gives the same part.

    >>> data = Transactions.from_sets([{"tea"}, {"tea", "milk"}, {"jam"}, {"tea"}])
    >>> len(part_of(data, 3)), len(part_of(data, 9))
    (3, 4)
    """
    records = require_integer("records", records, 1, "it is the number of records to take.")
    if records >= len(data):
        return data
    return _taken(data, np.sort(np.argsort(_hashes(data), kind="stable")[:records]))


def first_of(data: Transactions, k: int) -> Transactions:
    """Return the first records: enough for k, and for code to be loaded and compiled."""
    return _taken(data, np.arange(min(len(data), max(WARM_UP, 4 * k))))


def _taken(data: Transactions, chosen: Ints64) -> Transactions:
    """Return some records, without the terms that none of them has."""
    rows = data.records.take(chosen)
    used = rows.used(data.n_terms)
    sensitive = None if data.sensitive is None else data.sensitive[used]
    return Transactions(rows.offsets, ranks_of(used)[rows.items], data.vocabulary.take(np.flatnonzero(used)), sensitive)


def _hashes(data: Transactions) -> Hashes:
    """Return a number for every record, different for equal ones."""
    digests = (hashlib.blake2b(term.encode(), digest_size=8).digest() for term in data.vocabulary.to_pylist())
    of_terms = np.array([int.from_bytes(digest, "little") for digest in digests], np.uint64)
    of_sets = _mixed(data.records.sums(of_terms[data.items]))
    return _mixed(of_sets + _copy_numbers(of_sets) * _STEP)


def _copy_numbers(hashes: Hashes) -> Hashes:
    """Count, for every record, the equal ones before it."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    lengths = np.diff(np.append(starts, hashes.size))
    numbers = np.empty(hashes.size, np.uint64)
    numbers[order] = np.arange(hashes.size) - np.repeat(starts, lengths)
    return numbers


def _mixed(numbers: Hashes) -> Hashes:
    """Spread numbers over all 64 bits, so that similar ones are far apart (the finaliser of MurmurHash3)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        numbers = (numbers ^ (numbers >> np.uint64(33))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(33))


PAPER = papers()  # the clustering of the papers, which all others are compared with
CLUSTERINGS = settled()


class Yardstick(NamedTuple):
    """An attacker beyond the guarantee: knows `terms` terms; fewer candidates than `below` count as exposure."""

    terms: int
    below: int

    def in_words(self) -> str:
        """Return the definition of an exposed record.

        >>> Yardstick(3, 5).in_words()
        'a chunk shows 3 terms together that fewer than 5 records have there'
        >>> Yardstick(3, 5).alone.in_words()
        'a chunk shows 3 terms together that no other record has there'
        """
        others = "no other record has" if self.below == 2 else f"fewer than {self.below} records have"
        return f"a chunk shows {self.terms} terms together that {others} there"

    @property
    def alone(self) -> Yardstick:
        """The same knowledge; only a single candidate counts as exposure."""
        return self._replace(below=2)


@dataclass(frozen=True, slots=True)
class SettingPoint:
    """A clustering with k and m."""

    clustering: str
    k: int
    m: int


@dataclass(frozen=True, slots=True)
class Grid:
    """The settings to try, validated on creation. `sensitive` (and how it is matched) and `l` are the same for all."""

    clusterings: tuple[str, ...] = CLUSTERINGS
    ks: tuple[int, ...] = (5, 10, 20)
    ms: tuple[int, ...] = (2,)
    sensitive: tuple[str, ...] = ()
    l: int | None = None  # noqa: E741 - the papers' name
    sensitive_match: str = "exact"
    allow_missing_sensitive: bool = False

    def __post_init__(self) -> None:
        for name in ("clusterings", "ks", "ms"):
            values = tuple(dict.fromkeys(getattr(self, name)))
            if not values:
                raise InvalidParameter(f"the grid has no {name.removesuffix('s')} to try: give at least one.")
            object.__setattr__(self, name, values)
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
        """The same for all settings; otherwise a larger k or m would be measured by a stricter rule."""
        return Yardstick(self.ms[0] + 1, self.ks[0])

    @property
    def paper(self) -> SettingPoint:
        """The papers' method with the weakest guarantee of the grid."""
        return SettingPoint(PAPER, self.ks[0], self.ms[0])

    def method(self, point: SettingPoint) -> Disassociation:
        names = ("sensitive", "sensitive_match", "allow_missing_sensitive", "l")
        return Disassociation(**asdict(point), **{name: getattr(self, name) for name in names})

    def for_part(self) -> Grid:
        """Return the grid for a part of the records, in which sensitive terms of the whole may not occur."""
        return replace(self, allow_missing_sensitive=True)

    def name(self, point: SettingPoint) -> str:
        """Return the name of a point; m is included if the grid has several.

        >>> Grid().name(SettingPoint("core", 20, 2))
        'core at k = 20'
        """
        return f"{point.clustering} at {self.numbers(point)}"

    def numbers(self, point: SettingPoint) -> str:
        return f"k = {point.k}" + (f", m = {point.m}" if len(self.ms) > 1 else "")

    def label(self, point: SettingPoint) -> str:
        """Return a short label for the chart.

        >>> Grid().label(SettingPoint("core", 20, 2)), Grid(ms=(2, 3)).label(SettingPoint("core", 20, 2))
        ('k = 20', '20/2')
        """
        return f"{point.k}/{point.m}" if len(self.ms) > 1 else self.numbers(point)

    def to_json(self) -> dict[str, Any]:
        grid = {"clusterings": self.clusterings, "k": self.ks, "m": self.ms, "sensitive": self.sensitive}
        return {**{name: list(values) for name, values in grid.items()}, "l": self.l}


MEASURED = ("pair_mass", "weighted_pair_error", "tkd_a", "universal_terms")  # of EVALUATIONS
MOST_SETS = 1_000_000  # of known terms that are looked at for what is sure
DIGITS = 4  # of a share or an error: what is written is what is compared
ERROR, EXPOSED = "weighted_pair_error", "exposed"  # the axes of the chart
PAIRS, SINGLED, UNIVERSAL, SURE, HARMED = "pair_mass", "singled_out", "universal_terms", "sure_inference", "harmed"
COLUMNS = columns_in(__package__, "sets")


def columns_for(yardstick: Yardstick) -> dict[str, ResultColumn]:
    said = {"exposed": yardstick.in_words(), "singled_out": yardstick.alone.in_words()}
    said |= {"known": f"{yardstick.terms - 1}", "terms": f"{yardstick.terms}"}
    return {name: replace(column, meaning=column.meaning.format(**said)) for name, column in COLUMNS.items()}


@dataclass(frozen=True, slots=True)
class Tried:
    """A setting with its measured values by column, or the reason why it could not publish."""

    point: SettingPoint
    values: Mapping[str, float]
    failure: str = ""

    def __getitem__(self, column: str) -> float:
        return self.values[column]


def tried(point: SettingPoint, grid: Grid, data: Transactions, threads: int = 0, progress: Progress = silent) -> Tried:
    """Publish, have it verified against the data, and measure; raises if it cannot be published."""
    outcome = publish(data, grid.method(point), progress=progress, threads=threads, is_trial=True)
    published, yardstick = outcome.release.published, grid.yardstick
    assert isinstance(published, Clusters), "disassociation publishes clusters"
    suppressed = outcome.release.suppressed_records
    rows = measured(published, data, MEASURED, suppressed_records=suppressed, k=point.k, progress=progress)
    values = {row.name: float(row.value or 0) for row in rows}
    for name, (terms, below) in ((EXPOSED, yardstick), (SINGLED, yardstick.alone)):
        share = exposed_share(published, below, terms - 1)
        values[name] = 1.0 if share is None else float(share)  # all of them where counting takes too long
    values[SURE] = sure_inference(published, data, known=yardstick.terms - 1, most_sets=MOST_SETS).share
    values[HARMED] = simulate(published, data, terms=yardstick.terms, k=yardstick.below).share
    rounded = {name: round(value, DIGITS) for name, value in values.items()}
    return Tried(point, rounded | {"seconds": round(outcome.private["seconds"]["publish"], DIGITS)})


def warm_up(grid: Grid, data: Transactions) -> None:
    few = first_of(data, grid.ks[0])
    for clustering in grid.clusterings:
        with suppress(Exception):  # what goes wrong will go wrong again when it matters
            tried(SettingPoint(clustering, grid.ks[0], grid.ms[0]), grid.for_part(), few, 1)
