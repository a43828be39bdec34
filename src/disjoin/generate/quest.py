"""The IBM Quest generator: patterns first, then records made of corrupted patterns."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.arrays.randomness import exponential, normal, poisson, seeded, shuffle_front, uniform, weighted
from disjoin.atomic import whole_file
from disjoin.errors import InvalidParameter, described
from disjoin.jit.decision import prepare
from disjoin.jit.kernel import kernel
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Ints32, Ints64, offsets_of

INTERPRETED = 10e-6  # seconds per occurrence


@kernel
def draw_weights(state, size):
    """Draw exponential weights and return their running sums: float64 (size,)."""
    cumulative = np.empty(size, dtype=np.float64)
    total = 0.0
    for position in range(size):
        total += exponential(state)
        cumulative[position] = total
    return cumulative


@kernel
def draw_lengths(state, size, mean, longest):
    """Draw pattern lengths 1 + Poisson(mean - 1), at most `longest`: int64 (size,)."""
    lengths = np.empty(size, dtype=np.int64)
    for position in range(size):
        lengths[position] = min(longest, 1 + poisson(state, mean - 1.0))
    return lengths


@kernel
def draw_confidences(state, size, mean, deviation):
    """Draw the probability, for each pattern, that corruption stops before the next item: float64 (size,)."""
    confidences = np.empty(size, dtype=np.float64)
    for position in range(size):
        confidences[position] = min(1.0, max(0.0, mean + deviation * normal(state)))
    return confidences


@kernel
def draw_patterns(state, offsets, cumulative, correlation):
    """Fill the patterns with terms 1..N: some from the previous pattern, the rest drawn by weight, all distinct.
    `offsets` (patterns + 1,) delimit them, `cumulative` (N,) are the running sums of the terms' weights."""
    items = np.empty(offsets[offsets.size - 1], dtype=np.int32)
    holder = np.zeros(cumulative.size + 1, dtype=np.int64)  # the last pattern that a term was put into, from 1
    previous = np.empty(cumulative.size, dtype=np.int32)
    previous_length = 0
    for pattern in range(offsets.size - 1):
        start = offsets[pattern]
        length = offsets[pattern + 1] - start
        shared = 0
        if pattern > 0:
            shared = min(length, previous_length, int(length * correlation * exponential(state) + 0.5))
        shuffle_front(state, previous, previous_length, shared)
        for position in range(shared):
            items[start + position] = previous[position]
            holder[previous[position]] = pattern + 1
        filled = shared
        while filled < length:
            term = 1 + weighted(state, cumulative)
            if holder[term] != pattern + 1:
                holder[term] = pattern + 1
                items[start + filled] = term
                filled += 1
        for position in range(length):
            previous[position] = items[start + position]
        previous_length = length
    return items


@kernel
def _draw_record(state, waiting, offsets, items, cumulative, confidences, mean, in_record, pool, record):
    """Draw one record into `record` and return its size, which may be 0. `waiting` (1,) is the pattern put back by the
    previous record, or -1; `in_record` (N + 1,) marks the terms of this record; `pool` is space for one pattern."""
    length = 1 + poisson(state, mean - 1.0)
    size = 0
    tries = 0
    while size < length and tries < cumulative.size:
        tries += 1
        pattern = waiting[0] if waiting[0] >= 0 else weighted(state, cumulative)
        waiting[0] = -1
        start = offsets[pattern]
        whole = offsets[pattern + 1] - start
        kept = whole
        while kept > 0 and uniform(state) > confidences[pattern]:
            kept -= 1
        if kept + size > length and uniform(state) > 0.5:
            waiting[0] = pattern
            break
        for position in range(whole):
            pool[position] = items[start + position]
        shuffle_front(state, pool, whole, kept)
        for position in range(kept):
            if not in_record[pool[position]]:
                in_record[pool[position]] = True
                record[size] = pool[position]
                size += 1
    for position in range(size):
        in_record[record[position]] = False
    return size


@kernel
def _append_sorted(record, size, items, used):
    """Append a record to the `used` items, ascending; return the items, moved to a larger array when full."""
    if used + size > items.size:
        larger = np.empty(2 * (used + size), dtype=np.int32)
        for position in range(used):
            larger[position] = items[position]
        items = larger
    for position in range(size):
        item = record[position]
        place = used + position
        while place > used and items[place - 1] > item:
            items[place] = items[place - 1]
            place -= 1
        items[place] = item
    return items


@kernel
def draw_records(state, waiting, pattern_offsets, pattern_items, cumulative, confidences, mean, n_terms, n_records):
    """Draw the next `n_records` non-empty records: offsets int64 (n_records + 1,) and items int32, ascending. `state`
    and `waiting` continue from call to call, so the records do not depend on the number of calls."""
    longest = 0
    for pattern in range(pattern_offsets.size - 1):
        longest = max(longest, pattern_offsets[pattern + 1] - pattern_offsets[pattern])
    in_record = np.zeros(n_terms + 1, dtype=np.bool_)
    pool = np.empty(longest, dtype=np.int32)
    record = np.empty(n_terms, dtype=np.int32)
    offsets = np.zeros(n_records + 1, dtype=np.int64)
    items = np.empty(int(n_records * (mean + 1.0)) + n_terms, dtype=np.int32)
    drawn = 0
    while drawn < n_records:
        size = _draw_record(
            state, waiting, pattern_offsets, pattern_items, cumulative, confidences, mean, in_record, pool, record
        )
        if size > 0:
            items = _append_sorted(record, size, items, offsets[drawn])
            offsets[drawn + 1] = offsets[drawn] + size
            drawn += 1
    return offsets, items[: offsets[n_records]]


@kernel
def write_fimi(offsets, items, text):
    """Write records as lines of blank-separated numbers into `text` (uint8, large enough); return the bytes used."""
    used = 0
    for record in range(offsets.size - 1):
        for position in range(offsets[record], offsets[record + 1]):
            number = np.int64(items[position])
            digits = 1
            bound = 10
            while number >= bound:
                digits += 1
                bound *= 10
            for place in range(used + digits - 1, used - 1, -1):
                text[place] = 48 + number % 10
                number //= 10
            text[used + digits] = 32
            used += digits + 1
        text[used - 1] = 10  # the blank after the last item becomes the line end
    return used


BLOCK = 65_536  # records drawn in one step: some megabytes, for any number of records

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quest:
    """Settings of the generator; by default those of Agrawal and Srikant, with the disassociation paper's 5,000 terms.

    >>> Quest(100_000).name
    'T10.I4.D100K'
    """

    records: int
    length: float = 10  # mean number of terms of a record
    pattern_length: float = 4  # mean number of terms of a pattern
    patterns: int = 2000
    terms: int = 5000
    correlation: float = 0.5  # mean share of a pattern that comes from the previous one
    corruption: float = 0.5  # mean probability that a pattern loses an item in a record
    deviation: float = 0.1  # standard deviation of that probability

    def __post_init__(self) -> None:
        require_integer("records", self.records, 1, "it is the number of records to generate.")
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
        units = ((1_000_000, "M"), (1_000, "K"), (1, ""))
        records = next(f"{self.records // size}{unit}" for size, unit in units if self.records % size == 0)
        return f"T{self.length:g}.I{self.pattern_length:g}.D{records}"


class Patterns(NamedTuple):
    """The patterns of records: overlapping sets of terms 1..N, each with a weight and a confidence."""

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
            f"corruption {settings.corruption} with deviation {settings.deviation} removes every pattern completely, "
            "so no record is possible. Lower the corruption."
        )
    return Patterns(offsets, items, weights, confidences)


def quest_blocks(settings: Quest, seed: int) -> Iterator[tuple[Ints64, Ints32]]:
    """Yield the records in blocks: offsets (records + 1,) and items, ascending and distinct in a record, in 1..terms.
    The same settings and seed give the same records on every machine, and a longer run begins with the shorter one. No
    record is empty. Memory does not grow with the number of records. The mean length is near `length` if that is well
    above `pattern_length`; otherwise it is larger, because the last pattern of a record may be added completely. See
    Agrawal and Srikant, "Fast Algorithms for Mining Association Rules", VLDB 1994. As in their program, terms have
    exponential weights and `deviation` is a standard deviation; unlike it, the terms of a pattern are distinct."""
    prepare(INTERPRETED * settings.records * settings.length)
    state = seeded(seed)
    patterns = quest_patterns(settings, state)
    waiting = np.full(1, -1, dtype=np.int64)
    for first in range(0, settings.records, BLOCK):
        records = min(BLOCK, settings.records - first)
        yield draw_records(state, waiting, *patterns, float(settings.length), settings.terms, records)


def write_quest(settings: Quest, seed: int, path: str | Path) -> None:
    widest = len(str(settings.terms)) + 1
    with whole_file(Path(path)) as file:
        for offsets, items in quest_blocks(settings, seed):
            text = np.empty(items.size * widest, dtype=np.uint8)
            file.write(text[: write_fimi(offsets, items, text)].data)


def write_quest_records(records: int, seed: int, path: str | Path, **settings: Any) -> None:
    write_quest(Quest(records, **settings), seed, path)


def _require(name: str, value: float, least: float, most: float, why: str) -> None:
    if not least <= value <= most:
        bounds = f"at least {least:g}" if most == np.inf else f"between {least:g} and {most:g}"
        raise InvalidParameter(f"{name} must be {bounds}, got {described(value)}: {why}")
