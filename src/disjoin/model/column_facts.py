"""Facts about a column: distinct values, repetition, shapes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter
from disjoin.model import value_shapes as shapes
from disjoin.model.ragged import Ints32, Ints64
from disjoin.model.table import Table

SAMPLE = 1_500  # distinct values whose shape is tested

Floats = npt.NDArray[np.float64]


class ValueShape(Enum):
    """The form of the values of a column, whatever they mean."""

    EMPTY = "empty"
    DATE = "date"
    YEAR = "year"
    TIME = "seconds since 1970"
    INTEGER = "integer"
    DECIMAL = "decimal"
    COARSE = "bands and prefixes"
    LIST = "list"
    TEXT = "text"
    CODE = "code"
    WORDS = "words"


NEVER_KEYS = frozenset(map(ValueShape, ("empty", "date", "year", "decimal", "bands and prefixes", "list", "text")))


@dataclass(frozen=True, slots=True)
class IntegerFacts:
    """The distribution of whole numbers: ids fill their range evenly, measured values cluster."""

    low: float
    high: float
    is_dense: bool  # nearly all numbers between the lowest and the highest occur
    digits: int  # the number of digits, if equal for all; otherwise 0
    zeros: float  # share with a leading zero
    unevenness: float  # Kolmogorov-Smirnov distance to uniform, weighted by rows
    is_epoch: bool  # seconds or milliseconds since 1970


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A column as codes, with the counts and the shape of its values."""

    name: str
    codes: Ints32  # (rows,), -1 for blanks
    counts: Ints64  # (distinct values,)
    sample: Sequence[str] = field(repr=False)  # never shown, because these are cells
    shape: ValueShape = ValueShape.EMPTY
    direct: str = ""  # the kind of direct identifier
    is_id_like: bool = False
    is_rare_words: bool = False  # capitalised words that hardly repeat: surnames, or places
    is_icd: bool = False
    are_labels: bool = False  # words in small letters with blanks between them: names of categories and goods
    has_clock: bool = False
    mark: str = ""  # what separates the values of a list
    years: float = 0.0  # span of the dates, without the outer 2 % on each side
    integers: IntegerFacts | None = None
    hints: frozenset[str] = frozenset()

    @property
    def given(self) -> int:
        return int(self.counts.sum())

    @property
    def distinct(self) -> int:
        return int(self.counts.size)

    @property
    def ratio(self) -> float:
        """Distinct values per cell that is not blank."""
        return self.distinct / max(1, self.given)

    @property
    def alone(self) -> float:
        """Share of the cells whose value occurs once."""
        return float(np.count_nonzero(self.counts == 1) / max(1, self.given))

    @property
    def repeats(self) -> bool:
        return self.distinct < 0.9 * self.given

    @property
    def head(self) -> float:
        """Share of the cells that the most frequent tenth of the values fill."""
        ordered = np.sort(self.counts)[::-1]
        return float(ordered[: max(1, self.distinct // 10)].sum() / max(1, self.given))

    @property
    def is_even(self) -> bool:
        """Whether values occur about equally often, as in a panel or for devices."""
        return self.distinct >= 8 and bool(self.counts.max() <= 1.5 * np.median(self.counts))

    @property
    def is_contiguous(self) -> bool:
        """Whether rows of one value are adjacent: 1 - (runs - distinct) / (given - distinct) is at least .85."""
        given = self.codes[self.codes >= 0]
        runs = 1 + int(np.count_nonzero(given[1:] != given[:-1]))
        spare = self.given - self.distinct
        return self.distinct >= 10 and spare >= 20 and runs - self.distinct <= 0.15 * spare

    @property
    def is_dominated(self) -> bool:
        """Whether one value, such as 0, fills three in ten cells, and the others repeat."""
        most = int(self.counts.max())
        return most >= 0.3 * self.given and (self.distinct - 1) / (self.given - most + 1) < 0.3


def facts_of(source: Table | pa.Table | Mapping[str, Any]) -> tuple[ColumnFacts, ...]:
    if isinstance(source, Table):
        parts = zip(source.schema.names, source.codes, source.values, strict=True)
        return tuple(_facts(name, *_counted(codes, values)) for name, codes, values in parts)
    if isinstance(source, pa.Table):
        columns = [(name, source.column(place)) for place, name in enumerate(source.column_names)]
    elif isinstance(source, Mapping):
        columns = [(str(name), values) for name, values in source.items()]
    else:
        raise InvalidParameter(f"roles need a Table, an Arrow table or a dict of columns, got {type(source)}.")
    found = tuple(_facts(name, *_counted(*_encoded(values))) for name, values in columns)
    if len({facts.codes.size for facts in found}) > 1:
        raise InvalidParameter("all columns need the same number of rows; fill the shorter ones.")
    return found


def _encoded(values: Any) -> tuple[Ints32, pa.Array]:
    """Return codes, -1 for missing cells, and the distinct values as text."""
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        values = pa.array([None if value is None else str(value) for value in values], pa.string())
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = pa.DictionaryArray.from_arrays(values.indices, values.dictionary.cast(pa.string())).dictionary_decode()
    coded = values.cast(pa.string()).dictionary_encode()
    return np.asarray(coded.indices.fill_null(-1), np.int32), coded.dictionary


def _counted(codes: Ints32, values: pa.Array) -> tuple[Ints32, Ints64, pa.Array]:
    """Return codes of the values that occur, without blanks and without differences of case, and their counts."""
    if not len(values):
        return np.full(codes.size, -1, np.int32), np.zeros(0, np.int64), values
    trimmed = pc.utf8_trim_whitespace(values)
    case_counts = shapes.share(_sampled(trimmed)[1], shapes.is_mixed_case_code) >= 0.5  # as in base64
    folded = (trimmed if case_counts else pc.utf8_lower(trimmed)).dictionary_encode()
    alike = np.asarray(folded.indices, np.int32)
    lower = pc.utf8_lower(folded.dictionary)
    blank = np.asarray(pc.is_in(lower, value_set=pa.array(sorted(shapes.BLANKS))), bool)
    used = np.zeros(blank.size + 1, bool)
    used[np.append(alike, blank.size)[codes]] = True
    kept = used[:-1] & ~blank
    back = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    fresh = np.append(back[alike], np.int32(-1))[codes]
    counts = np.bincount(fresh[fresh >= 0], minlength=int(kept.sum()))
    first = np.unique(alike, return_index=True)[1][kept]
    return fresh, counts, trimmed.take(pa.array(first))


def _sampled(values: pa.Array) -> tuple[Ints64, list[str]]:
    places = np.unique(np.linspace(0, max(0, len(values) - 1), min(SAMPLE, len(values))).astype(np.int64))
    return places, [str(text) for text in values.take(pa.array(places)).to_pylist()]


def _facts(name: str, codes: Ints32, counts: Ints64, values: pa.Array) -> ColumnFacts:
    places, sample = _sampled(values)
    ratio = counts.size / max(1, int(counts.sum()))
    seen = shape_facts(sample, counts[places], counts.size, ratio)
    return ColumnFacts(name, codes, counts, sample, hints=shapes.header_hints(name), **seen)


def shape_facts(sample: Sequence[str], times: Ints64, distinct: int, ratio: float) -> dict[str, Any]:
    """Return the shape of sampled values: the fields of `ColumnFacts` that depend on it.

    >>> shape_facts(["2024-05-31", "1.6.2024"], np.array([1, 1]), 2, 1.0)["shape"]
    <ValueShape.DATE: 'date'>
    """
    if not sample:
        return {}
    if shapes.share(sample, shapes.is_date) >= 0.9:
        years = [year for year in map(shapes.year_in, sample) if year is not None]
        span = float(np.percentile(years, 98) - np.percentile(years, 2)) if years else 0.0
        return {"shape": ValueShape.DATE, "years": span, "has_clock": shapes.share(sample, shapes.is_timestamp) >= 0.5}
    if shapes.share(sample, shapes.is_whole_float) >= 0.99:
        sample = [text.removesuffix(".0") for text in sample]
    direct = shapes.direct_identifier(sample)
    if direct:
        return {"shape": ValueShape.CODE, "direct": direct, "is_id_like": True}
    if shapes.share(sample, shapes.is_integer) >= 0.9:
        return _integer_facts(sample, times, distinct)
    if shapes.share(sample, shapes.is_number) >= 0.9:
        return {"shape": ValueShape.DECIMAL}
    if shapes.are_bands(sample) or (ratio < 0.3 and shapes.share(sample, shapes.is_prefix) >= 0.9):
        return {"shape": ValueShape.COARSE}
    mark = list_mark(sample)
    if mark:
        return {"shape": ValueShape.LIST, "mark": mark}
    return _word_facts(sample, distinct, ratio)


def _integer_facts(sample: Sequence[str], times: Ints64, distinct: int) -> dict[str, Any]:
    pairs = [(int(text), count) for text, count in zip(sample, times.tolist(), strict=True) if shapes.is_integer(text)]
    numbers, weights = (np.array(part, np.float64) for part in zip(*pairs, strict=True))
    low, high = float(numbers.min()), float(numbers.max())
    length, often = Counter(len(text.lstrip("+-")) for text in sample).most_common(1)[0]
    zeros = shapes.share(sample, lambda text: len(text) > 1 and text[0] == "0")
    unit = 1000 if low > 1e11 else 1
    is_dense = high - low + 1 <= 1.3 * distinct
    is_epoch = low >= 3e8 * unit and high <= 2.1e9 * unit and high - low <= 3.2e8 * unit and not is_dense
    digits = length if often >= 0.97 * len(sample) else 0
    facts = IntegerFacts(low, high, is_dense, digits, zeros, _distance(numbers, weights), is_epoch)
    if low >= 1850 and high <= 2035 and distinct <= 150:
        return {"shape": ValueShape.YEAR, "integers": facts}
    is_rounded = shapes.share(sample, lambda text: text[-1:] in ("0", "5")) > 0.5
    is_large = low >= 0 and high > 130 and not is_rounded
    is_handed_out = is_dense or digits >= 6 or _distance(numbers, np.ones_like(numbers)) <= 0.15
    is_id_like = zeros > 0.02 or (is_large and is_handed_out)
    return {"shape": ValueShape.INTEGER, "integers": facts, "is_id_like": is_id_like}


def _distance(numbers: Floats, weights: Floats) -> float:
    order = np.argsort(numbers, kind="stable")
    mass = weights[order] / weights.sum()
    grid = (numbers[order] - numbers.min()) / max(1.0, float(np.ptp(numbers)))
    return float(np.abs(grid - np.cumsum(mass) + mass / 2).max())


def list_mark(sample: Sequence[str]) -> str:
    """Return the separator within cells, if cells are lists of values that recur.

    >>> list_mark(["a;b", "b;a", "a", "b;c;a", "c;b", "a;c"])
    ';'
    """
    for mark in shapes.LIST_MARKS:
        parts = [[part.strip() for part in text.split(mark) if part.strip()] for text in sample]
        several = [part for part in parts if len(part) > 1]
        if len(several) < max(2, 0.2 * len(parts)):
            continue
        times = Counter(value for part in parts for value in set(part))
        anywhere = {part[0] for part in several} & {value for part in several for value in part[1:]}
        known = [np.mean([times[value] > 1 and value in anywhere for value in part]) for part in several]
        if np.mean(known) >= (0.5 if mark in ";|" else 0.7):
            return mark
    return ""


def _word_facts(sample: Sequence[str], distinct: int, ratio: float) -> dict[str, Any]:
    words = float(np.mean([len(text.split()) for text in sample]))
    if (words >= 4.5 and ratio >= 0.3) or np.mean([len(text) for text in sample]) > 60:
        return {"shape": ValueShape.TEXT}
    if shapes.share(sample, shapes.is_code) >= 0.7:
        forms = Counter(map(shapes.template, sample)).most_common(3)
        numbered = sum(count for _, count in forms) >= 0.6 * len(sample) or ratio >= 0.8
        icd = shapes.share(sample, shapes.is_icd) >= 0.8 and len({text[0] for text in sample}) >= 4
        return {"shape": ValueShape.CODE, "is_id_like": numbered, "is_icd": icd}
    # Names: frequent first names, or capitalised words that differ in most rows.
    is_plain = shapes.share(sample, shapes.has_no_digit) >= 0.9
    is_capital = shapes.share(sample, shapes.is_capitalised) >= 0.8
    full = shapes.share(sample, shapes.has_words_of_a_name)
    spaced = shapes.share(sample, lambda text: " " in text)
    known = len(sample) >= 5 and shapes.share(sample, shapes.has_first_name) >= 0.3
    like_names = is_capital and distinct >= 20 and full >= 0.8 and ratio >= 0.5
    near_unique = ratio >= 0.9 and distinct >= 10 and (full >= 0.9 or spaced < 0.1)
    direct = "people's names" if is_plain and (known or like_names) else ""
    rare = is_plain and is_capital and distinct >= 20 and ratio >= 0.25
    tagged = distinct >= 30 and spaced < 0.3 and shapes.share(sample, re.compile(r"\S*\d+").fullmatch) >= 0.5
    labels = not is_capital and spaced >= 0.2 and full < 0.9
    like = bool(direct) or rare or near_unique or tagged
    names = {"direct": direct, "is_id_like": like, "is_rare_words": rare, "are_labels": labels}
    return {"shape": ValueShape.WORDS, **names}
