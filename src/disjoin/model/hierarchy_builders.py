"""Hierarchies built from values: intervals, dates, masks, groups, catalogues."""

from __future__ import annotations

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import count, pairwise

from disjoin.errors import InvalidParameter, described
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.intervals import number_from
from disjoin.model.parameters import require_integer

ROOT = "*"
LONGEST_CODE = 200  # characters, each of which becomes a level
MISSING = "?"
MOST_WHOLE_NUMBERS = 100_000  # numbers that become leaves without a row
_MASK, _PAD = "*", "_"


def interval_hierarchy(values: Iterable[str], widths: Sequence[int | str | Fraction] = (5, 10, 20)) -> Hierarchy:
    """Return numbers under intervals of these widths, each a multiple of the previous one, under `*`.

    An interval begins at a multiple of its width and excludes its end. All whole numbers from the least to the largest
    interval (up to 100,000) become leaves, so that the leaves do not reveal which values occur.

    >>> interval_hierarchy(["23", "37"], (5, 20)).rows()[3]
    ('23', '20-24', '20-39', '*')
    >>> interval_hierarchy(["-1.5", "2"], ("2.5",)).rows()
    [('-1.5', '[-2.5, 0)', '*'), ('2', '[0, 2.5)', '*')]
    """
    steps = _steps(widths)
    numbers = numbers_of(values)
    are_whole = all(number.denominator == 1 for number in (*numbers.values(), *steps))
    missing = [(MISSING, ROOT)] if numbers.pop(MISSING, None) is not None else []
    if are_whole:
        numbers = _with_neighbours(numbers, [*numbers.values()], int(steps[0]))
    is_plain = min(numbers.values(), default=Fraction(0)) // steps[-1] >= 0
    name = cache(lambda step, low: _interval(low * step, (low + 1) * step, are_whole, is_plain))
    rows = [(text, *(name(step, number // step) for step in steps), ROOT) for text, number in numbers.items()]
    return Hierarchy.from_rows([*missing, *rows])


def mask_hierarchy(values: Iterable[str]) -> Hierarchy:
    """Return codes under codes with more and more characters masked, from the right; short codes are padded with `_`.

    >>> mask_hierarchy(["4350", "4351", "43"]).rows()[0]
    ('43', '43_*', '43**', '4***', '****')
    """
    codes = sorted({*values})
    has_missing = not {"", MISSING}.isdisjoint(codes)
    codes = [code for code in codes if code not in ("", MISSING)]
    if not codes:
        raise InvalidParameter("expected values to mask, found none.")
    for code in codes:
        if _MASK in code:
            raise InvalidParameter(f"masks use {_MASK!r}, but a value has it already. Group such a column instead.")
    longest = max(map(len, codes))
    if longest > LONGEST_CODE:
        found = f"codes of up to {LONGEST_CODE} characters, but a value has {longest:,}"
        raise InvalidParameter(f"masking is for {found}. Group such a column instead.")
    filled = {code: code.ljust(longest, _PAD) for code in codes}
    levels = range(1, longest + 1)
    rows = [(code, *(full[: longest - n] + _MASK * n for n in levels)) for code, full in filled.items()]
    return Hierarchy.from_rows([*rows, (MISSING, _MASK * longest)] if has_missing else rows)


def grouped_hierarchy(groups: Mapping[str, str | Sequence[str]], values: Iterable[str] | None = None) -> Hierarchy:
    """Return categories under their group, the groups of that and so on, under `*`.

    `groups` has each category's group, or a list upwards (`*` optional). All `values` must have a group, except `?`.

    >>> grouped_hierarchy({"nurse": "health", "baker": "food"}).rows()
    [('baker', 'food', '*'), ('nurse', 'health', '*')]
    """
    if not groups:
        raise InvalidParameter("expected groups of categories, found none.")
    rows = [(value, *([above] if isinstance(above, str) else above)) for value, above in groups.items()]
    rows = [row if row[-1] == ROOT else (*row, ROOT) for row in rows]
    occurring = sorted({*(values or ())})
    lost = [value for value in occurring if value not in groups and value != MISSING]
    if lost:
        found = f"{len(lost):,} of {len(occurring):,} different values"
        raise InvalidParameter(f"every value needs a group, but {found} have none. Add a row for each.")
    tree = Hierarchy.by_levels(rows)
    return tree.with_missing() if MISSING in occurring else tree


def fan_out_hierarchy(terms: Iterable[str], fan_out: int = 10) -> Hierarchy:
    """Return the terms, in code-point order, under groups of `fan_out` neighbours, groups of these, and so on to `*`.

    A group is named after its first and last term, with more dots if that is a term; a single member has no group.

    >>> fan_out_hierarchy("abcde", 2).rows()[0]
    ('a', 'a..b', 'a..d', '*')
    >>> fan_out_hierarchy("abcde", 2).rows()[4]
    ('e', 'e', 'e', '*')
    """
    width = require_integer("fan_out", fan_out, 2, "a group has at least two members.")
    leaves = sorted({*terms})
    if not leaves:
        raise InvalidParameter("expected terms to group, found none.")
    levels = [[(place, place) for place in range(len(leaves))]]  # first and last leaf of each node
    while len(levels[-1]) > width:
        below = levels[-1]
        groups = [below[first : first + width] for first in range(0, len(below), width)]
        levels.append([(group[0][0], group[-1][1]) for group in groups])
    spans = {span for level in levels for span in level}
    for dots in count(2):  # more dots than any term has are always free
        names = {
            (first, last): leaves[first] if first == last else f"{leaves[first]}{'.' * dots}{leaves[last]}"
            for first, last in spans
        }
        if len({*names.values()}) == len(names):
            break
    above = next(ROOT * stars for stars in count(1) if ROOT * stars not in names.values())
    paths = [
        [names[level[place // width**height]] for height, level in enumerate(levels)] for place in range(len(leaves))
    ]
    return Hierarchy.from_rows([(*path, above) for path in paths])


def _steps(widths: Sequence[int | str | Fraction]) -> list[Fraction]:
    steps: list[Fraction] = []
    for width in widths:
        step = None if isinstance(width, bool) else number_from(str(width))
        if step is None and isinstance(width, Fraction):
            step = width
        if step is None or step <= 0:
            raise InvalidParameter(f"the widths of intervals must be numbers above 0, got {described(width)}.")
        if steps and (step <= steps[-1] or step % steps[-1]):
            words = f"each width must be a multiple of the previous one, but {step} is not one of {steps[-1]}."
            raise InvalidParameter(words)
        steps.append(step)
    if not steps:
        raise InvalidParameter("intervals need at least one width, such as 5.")
    return steps


def numbers_of(values: Iterable[str]) -> dict[str, Fraction]:
    """Return the distinct values with their numbers; a missing one counts as 0.

    >>> numbers_of(["1,5", "12"])
    {'1,5': Fraction(3, 2), '12': Fraction(12, 1)}
    """
    different = sorted({*values})
    point = "." if has_decimal_commas(different) else ","
    read = {text: Fraction(0) if text == MISSING else number_from(text.replace(",", point)) for text in different}
    numbers = {text: number for text, number in read.items() if number is not None}
    if len(numbers) < len(read):
        found = f"{len(read) - len(numbers):,} of {len(read):,} different values"
        raise InvalidParameter(f"intervals are for numbers, but {found} are not numbers. Group or mask such a column.")
    if not numbers.keys() - {MISSING}:
        raise InvalidParameter("expected numbers to put into intervals, found none.")
    return numbers


_COMMAS = re.compile(r"-?[0-9]+(,[0-9]+)?")
_THOUSANDS = re.compile(r"-?[0-9]{1,3}(,[0-9]{3})?")


def has_decimal_commas(values: Iterable[str]) -> bool:
    """Return whether numbers are written with decimal commas, and not with commas after thousands.

    >>> has_decimal_commas(["1,50", "12"]), has_decimal_commas(["1,500", "12"]), has_decimal_commas(["1.5", "12"])
    (True, False, False)
    """
    given = [text for text in values if text != MISSING]
    are_numbers = all(_COMMAS.fullmatch(text) for text in given)
    return are_numbers and any("," in text and not _THOUSANDS.fullmatch(text) for text in given)


def _with_neighbours(numbers: dict[str, Fraction], ends: list[Fraction], unit: int) -> dict[str, Fraction]:
    """Add the whole numbers between the ends, moved outwards to multiples of the unit, unless there are too many."""
    first = int(min(ends) // unit) * unit
    end = (int(max(ends) // unit) + 1) * unit
    if end - first > MOST_WHOLE_NUMBERS:
        return numbers
    there = {*numbers.values()}
    return numbers | {str(number): Fraction(number) for number in range(first, end) if number not in there}


def _interval(low: Fraction, high: Fraction, are_whole: bool, is_plain: bool) -> str:
    """Return the name of an interval without its end; `is_plain`: a hyphen cannot be read as a minus."""
    if not are_whole:
        return f"[{decimal_text(low)}, {decimal_text(high)})"
    return f"{low}{'-' if is_plain else ' to '}{high - 1}"


def decimal_text(number: Fraction) -> str:
    """Return a number with all its digits; a fraction if its digits do not end."""
    digits = Decimal(number.numerator) / Decimal(number.denominator)
    return format(digits, "f") if Fraction(digits) == number else str(number)


def catalogue_hierarchy(columns: Mapping[str, Sequence[str]]) -> Hierarchy:
    """Return the items of the first column under the values of the further columns, from specific to general, and `*`.

    An ambiguous name of a category gets its column's name added. A category `?` is replaced by the next one.

    >>> catalogue_hierarchy({"item": ["coffee", "instant"], "kind": ["coffee", "coffee"]}).rows()
    [('coffee', 'coffee (kind)', '*'), ('instant', 'coffee (kind)', '*')]
    """
    labels = list(columns)
    if len(labels) < 2:
        raise InvalidParameter("a catalogue needs a column of items and at least one column of categories.")
    rows = list(dict.fromkeys(zip(*columns.values(), strict=True)))
    repeated = sum(times > 1 for times in Counter(row[0] for row in rows).values())
    if repeated:
        found = "an item belongs" if repeated == 1 else f"{repeated:,} items belong"
        raise InvalidParameter(f"{found} to different categories in different rows; give each item one category.")
    places = Counter(name for level in zip(*rows, strict=True) for name in {*level})  # columns with a name
    places.update((ROOT,))
    paths = []
    for item, *above in rows:
        named = [(name, label) for name, label in zip(above, labels[1:], strict=True) if name != MISSING]
        paths.append([item, *(f"{name} ({label})" if places[name] > 1 else name for name, label in named), ROOT])
    return Hierarchy.from_rows(paths)


Limits = Sequence[int | str | Fraction]
BEYOND = 10  # outer bands of whole numbers end at a multiple of this, so as not to reveal the extremes
FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%Y%m%d")


def band_hierarchy(values: Iterable[str], bands: Sequence[Limits]) -> Hierarchy:
    """Return numbers under bands that begin at the limits of the first level, these under coarser ones, under `*`.

    The limits of a level are some of the previous level's. All whole numbers are leaves, to the tens around the ends.

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
            raise InvalidParameter("limits of a coarser level must be some, not all, of those of the previous level.")
    numbers = numbers_of(values)
    missing = [(MISSING, ROOT)] if numbers.pop(MISSING, None) is not None else []
    are_whole = all(number.denominator == 1 for number in (*numbers.values(), *levels[0]))
    if are_whole:
        numbers = _with_neighbours(numbers, [*numbers.values(), levels[0][0], levels[0][-1]], BEYOND)
    rows = [(text, *(_band(number, level, are_whole) for level in levels), ROOT) for text, number in numbers.items()]
    return Hierarchy.from_rows([*missing, *rows])


def _limits(given: Limits) -> list[Fraction]:
    found = [None if isinstance(each, bool) else number_from(str(each).strip()) for each in given]
    limits = [each for each in found if each is not None]
    if not limits or len(limits) < len(found) or limits != sorted(set(limits)):
        raise InvalidParameter("the limits of bands must be ascending numbers, but these are not.")
    return limits


def _band(number: Fraction, limits: list[Fraction], are_whole: bool) -> str:
    if number < limits[0]:
        return f"below {decimal_text(limits[0])}"
    if number >= limits[-1]:
        return f"{decimal_text(limits[-1])} or more"
    low, high = next((low, high) for low, high in pairwise(limits) if low <= number < high)
    return _interval(low, high, are_whole, low >= 0)


def date_hierarchy(values: Iterable[str]) -> Hierarchy:
    """Return dates under their months, quarters, years and decades, under `*`.

    All values have one format. Every day of these months (up to 100,000) is a leaf, to hide the days that occur.

    >>> date_hierarchy(["2024-02-28"]).rows()[0]
    ('2024-02-01', '2024-02', '2024 Q1', '2024', '2020 to 2029', '*')
    """
    texts = sorted({*values})
    missing = [(MISSING, ROOT)] if MISSING in texts else []
    texts = [text for text in texts if text != MISSING]
    written, days = _days(texts)
    latest = max(days)
    first, last = min(days).replace(day=1), latest.replace(day=monthrange(latest.year, latest.month)[1])
    if (last - first).days < MOST_WHOLE_NUMBERS:
        days = [first + timedelta(n) for n in range((last - first).days + 1)]
        texts = [day.strftime(written) for day in days]
    return Hierarchy.from_rows([*missing, *((text, *_above(day), ROOT) for text, day in zip(texts, days, strict=True))])


def _days(texts: list[str]) -> tuple[str, list[date]]:
    for written in FORMATS:
        try:
            days = [datetime.strptime(text, written).date() for text in texts]
        except ValueError:
            continue
        if texts and [day.strftime(written) for day in days] == texts:
            return written, days
    written = "2024-12-31, 2024/12/31, 31.12.2024 or 20241231"
    raise InvalidParameter(f"all dates must have one format, such as {written}. Correct or mask the others.")


def _above(day: date) -> tuple[str, ...]:
    decade = day.year // 10 * 10
    quarter = f"{day.year:04d} Q{(day.month + 2) // 3}"
    return f"{day.year:04d}-{day.month:02d}", quarter, f"{day.year:04d}", f"{decade:04d} to {decade + 9:04d}"
