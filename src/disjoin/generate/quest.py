"""Make-believe records as the IBM Quest program makes them, the benchmark data of many papers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter, described
from disjoin.generate.output import whole_file
from disjoin.kernels.quest import (
    draw_confidences,
    draw_lengths,
    draw_patterns,
    draw_records,
    draw_weights,
    write_fimi,
)
from disjoin.kernels.randomness import seeded
from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.model.guarantee import require_integer

BLOCK = 65_536  # records drawn at a time: some megabytes, whatever the number of records

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quest:
    """What to generate; by default as Agrawal and Srikant do, with the disassociation paper's 5,000 terms.

    >>> Quest(100_000).name
    'T10.I4.D100K'
    """

    records: int
    length: float = 10  # mean terms of a record
    pattern_length: float = 4  # mean terms of a pattern
    patterns: int = 2000
    terms: int = 5000
    correlation: float = 0.5  # mean share of a pattern that is taken from the one before
    corruption: float = 0.5  # mean probability that a pattern loses an item on its way into a record
    deviation: float = 0.1  # standard deviation of that probability

    def __post_init__(self) -> None:
        require_integer("records", self.records, 1, "it is the number of records to make.")
        require_integer("patterns", self.patterns, 1, "records are made of patterns.")
        require_integer("terms", self.terms, 1, "it is the number of different terms.")
        _require("length", self.length, 1, np.inf, "it is the mean number of terms in a record.")
        _require("pattern_length", self.pattern_length, 1, self.terms, "a pattern has different terms.")
        _require("correlation", self.correlation, 0, np.inf, "it is a share of a pattern.")
        _require("corruption", self.corruption, 0, 1, "it is a probability.")
        _require("deviation", self.deviation, 0, np.inf, "it is a standard deviation.")
        if self.terms >= 2**31:
            raise InvalidParameter(f"terms must be below 2^31, got {self.terms}: terms are 32-bit numbers.")

    @property
    def name(self) -> str:
        """The customary name: T mean length, I mean pattern length, D records."""
        return f"T{self.length:g}.I{self.pattern_length:g}.D{_short(self.records)}"


@dataclass(frozen=True, slots=True)
class Patterns:
    """What records are made of: terms 1..N in patterns that overlap, each with a weight and a confidence."""

    offsets: Ints64  # (patterns + 1,)
    items: Ints32
    cumulative: Floats  # (patterns,), running sums of the weights
    confidences: Floats  # (patterns,)


def quest_patterns(settings: Quest, state: Ints64) -> Patterns:
    """Draw the patterns, which changes `state`."""
    term_weights = draw_weights(state, settings.terms)
    offsets = offsets_of(draw_lengths(state, settings.patterns, float(settings.pattern_length), settings.terms))
    items = draw_patterns(state, offsets, term_weights, float(settings.correlation))
    weights = draw_weights(state, settings.patterns)
    mean = 1.0 - settings.corruption
    confidences = draw_confidences(state, settings.patterns, mean, float(settings.deviation))
    if not confidences.any():
        raise InvalidParameter(
            f"corruption {settings.corruption} with deviation {settings.deviation} leaves nothing of any pattern, "
            "so no record could be made. Lower the corruption."
        )
    return Patterns(offsets, items, weights, confidences)


def quest_blocks(settings: Quest, seed: int) -> Iterator[tuple[Ints64, Ints32]]:
    """Yield the records in blocks: offsets (records + 1,) and items, ascending and distinct in a record, in 1..terms.

    The same settings and seed give the same records on every machine, and a longer run begins with the shorter one.
    No record is empty. Memory does not grow with the number of records. The mean length is near `length` where that
    is well above `pattern_length`; else it is larger, as the last pattern of a record may go in whole.

    Notes
    -----
    Agrawal and Srikant, "Fast Algorithms for Mining Association Rules", VLDB 1994. As in their program, terms have
    exponential weights and `deviation` is a standard deviation; unlike it, the terms of a pattern are distinct.
    """
    state = seeded(seed)
    patterns = quest_patterns(settings, state)
    waiting = np.full(1, -1, dtype=np.int64)
    for first in range(0, settings.records, BLOCK):
        yield draw_records(
            state,
            waiting,
            patterns.offsets,
            patterns.items,
            patterns.cumulative,
            patterns.confidences,
            float(settings.length),
            settings.terms,
            min(BLOCK, settings.records - first),
        )


def write_quest(settings: Quest, seed: int, path: str | Path) -> None:
    """Write the records as FIMI text, one line a record; the file appears when it is complete."""
    widest = len(str(settings.terms)) + 1
    with whole_file(Path(path)) as file:
        for offsets, items in quest_blocks(settings, seed):
            text = np.empty(items.size * widest, dtype=np.uint8)
            file.write(text[: write_fimi(offsets, items, text)].data)


def _require(name: str, value: float, least: float, most: float, why: str) -> None:
    if not least <= value <= most:
        bounds = f"at least {least:g}" if most == np.inf else f"between {least:g} and {most:g}"
        raise InvalidParameter(f"{name} must be {bounds}, got {described(value)}: {why}")


def _short(number: int) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "K")):
        if number % size == 0:
            return f"{number // size}{letter}"
    return str(number)
