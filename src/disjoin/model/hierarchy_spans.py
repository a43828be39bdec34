"""Hierarchies of uneven spans: bands of numbers, such as legal ages, and dates under months, quarters and years."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise

from disjoin.errors import InvalidParameter, described
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.hierarchy_builders import MISSING, MOST_WHOLE_NUMBERS, ROOT, decimal_text, numbers_of
from disjoin.model.intervals import number_from

Limits = Sequence[int | str | Fraction]
BEYOND = 10  # whole numbers: the outer bands end at a multiple of this beyond the outer limits, so as not to tell more
FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%Y%m%d")


def band_hierarchy(values: Iterable[str], bands: Sequence[Limits]) -> Hierarchy:
    """Return numbers under bands that begin at the limits of the first level, these under coarser ones, under `*`.

    The limits of a level are some of those of the level before. Of whole numbers all are leaves, whether they occur or
    not, as far as the tens around the least and the largest.

    >>> band_hierarchy(["17", "40", "71"], [["18", "30", "65"], ["18", "65"]]).rows()[10:12]
    [('20', '18-29', '18-64', '*'), ('21', '18-29', '18-64', '*')]
    >>> band_hierarchy(["0.5", "7"], [["1"]]).rows()
    [('0.5', 'below 1', '*'), ('7', '1 or more', '*')]
    """
    levels = [_limits(level) for level in bands]
    if not levels:
        raise InvalidParameter("bands need at least one limit, such as 18.")
    for finer, coarser in pairwise(levels):
        if not set(coarser) < set(finer):
            raise InvalidParameter("the limits of a coarser level must be some of those of the level before, not all.")
    numbers = numbers_of(values)
    missing = [(MISSING, ROOT)] if numbers.pop(MISSING, None) is not None else []
    are_whole = all(number.denominator == 1 for number in (*numbers.values(), *levels[0]))
    if are_whole:
        numbers = _with_tens(numbers, levels[0])
    rows = [(text, *(_band(number, level, are_whole) for level in levels), ROOT) for text, number in numbers.items()]
    return Hierarchy.from_rows([*missing, *rows])


def _limits(given: Limits) -> list[Fraction]:
    found = [None if isinstance(each, bool) else number_from(str(each).strip()) for each in given]
    limits = [each for each in found if each is not None]
    if not limits or len(limits) < len(found) or limits != sorted(set(limits)):
        raise InvalidParameter(
            f"the limits of bands are numbers, each larger than the one before, got {described(list(given))}."
        )
    return limits


def _with_tens(numbers: dict[str, Fraction], limits: list[Fraction]) -> dict[str, Fraction]:
    first = int(min(*numbers.values(), limits[0]) // BEYOND) * BEYOND
    end = (int(max(*numbers.values(), limits[-1]) // BEYOND) + 1) * BEYOND
    there = {*numbers.values()}
    if end - first > MOST_WHOLE_NUMBERS:
        return numbers
    every = numbers | {str(number): Fraction(number) for number in range(first, end) if number not in there}
    return dict(sorted(every.items(), key=lambda pair: pair[1]))


def _band(number: Fraction, limits: list[Fraction], are_whole: bool) -> str:
    if number < limits[0]:
        return f"below {decimal_text(limits[0])}"
    if number >= limits[-1]:
        return f"{decimal_text(limits[-1])} or more"
    low, high = next((low, high) for low, high in pairwise(limits) if low <= number < high)
    if not are_whole:
        return f"[{decimal_text(low)}, {decimal_text(high)})"
    return f"{low}{'-' if low >= 0 else ' to '}{high - 1}"


def date_hierarchy(values: Iterable[str]) -> Hierarchy:
    """Return dates under their months, quarters, years and decades, under `*`.

    All values are written alike, year first or as 31.12.2024. Every day of the months from the first to the last is a
    leaf (up to 100,000 of them), so the leaves do not tell which days occur.

    >>> date_hierarchy(["2024-02-28"]).rows()[0]
    ('2024-02-01', '2024-02', '2024 Q1', '2024', '2020 to 2029', '*')
    """
    texts = sorted({*values})
    missing = [(MISSING, ROOT)] if MISSING in texts else []
    texts = [text for text in texts if text != MISSING]
    written, days = _days(texts)
    first, last = min(days).replace(day=1), _end_of_month(max(days))
    if (last - first).days < MOST_WHOLE_NUMBERS:
        days = [first + timedelta(n) for n in range((last - first).days + 1)]
        texts = [day.strftime(written) for day in days]
    return Hierarchy.from_rows([*missing, *((text, *_above(day), ROOT) for text, day in zip(texts, days, strict=True))])


def _days(texts: list[str]) -> tuple[str, list[date]]:
    """Return how dates are written, and which they are."""
    for written in FORMATS:
        try:
            days = [datetime.strptime(text, written).date() for text in texts]
        except ValueError:
            continue
        if texts and [day.strftime(written) for day in days] == texts:
            return written, days
    raise InvalidParameter(
        "dates are written alike, as 2024-12-31, 2024/12/31, 31.12.2024 or 20241231, and not all values are. Correct "
        "them, or hide characters of them instead (mask)."
    )


def _end_of_month(day: date) -> date:
    return (day.replace(day=28) + timedelta(4)).replace(day=1) - timedelta(1)


def _above(day: date) -> tuple[str, ...]:
    decade = day.year // 10 * 10
    quarter = f"{day.year:04d} Q{(day.month + 2) // 3}"
    return f"{day.year:04d}-{day.month:02d}", quarter, f"{day.year:04d}", f"{decade:04d} to {decade + 9:04d}"
