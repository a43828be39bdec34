"""Bands and dates: every value has its place, and leaves do not tell which values occur."""

from datetime import date, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter
from disjoin.model.hierarchy_builders import band_hierarchy, date_hierarchy


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 99), min_size=1, max_size=9), st.sets(st.integers(1, 98), min_size=2, max_size=5))
def test_a_number_is_in_the_band_that_its_limits_say(numbers, limits):
    limits = sorted(limits)
    rows = {row[0]: row for row in band_hierarchy(map(str, numbers), [limits, limits[:1]]).rows()}
    for number in numbers:
        low = max((each for each in limits if each <= number), default=None)
        high = min((each for each in limits if each > number), default=None)
        wanted = f"below {limits[0]}" if low is None else f"{low} or more" if high is None else f"{low}-{high - 1}"
        assert rows[str(number)][1] == wanted
        assert rows[str(number)][-2] == (f"below {limits[0]}" if number < limits[0] else f"{limits[0]} or more")


def test_leaves_of_bands_are_all_whole_numbers_as_far_as_the_tens():
    one, other = (band_hierarchy(values, [[18, 65]]).rows() for values in (["12", "71"], ["17", "44", "78"]))
    assert one == other
    assert (one[0][0], one[-1][0]) == ("10", "79")


@settings(max_examples=30, deadline=None)
@given(st.lists(st.dates(date(1999, 1, 1), date(2001, 12, 31)), min_size=1, max_size=4))
@example([date(1950, 1, 31), date(2030, 12, 31)])
def test_a_date_is_under_its_month_and_year_and_neighbours_are_leaves(days):
    for written in ("%Y-%m-%d", "%d.%m.%Y"):
        rows = {row[0]: row for row in date_hierarchy(day.strftime(written) for day in days).rows()}
        for day in days:
            row = rows[day.strftime(written)]
            assert row[1:4] == (f"{day:%Y-%m}", f"{day.year} Q{(day.month - 1) // 3 + 1}", str(day.year))
        first, last = min(days).replace(day=1), max(days)
        assert {(first + timedelta(n)).strftime(written) for n in range((last - first).days + 1)} <= rows.keys()


def test_missing_values_have_a_place_of_their_own():
    assert ("?", "*") in [(row[0], row[-1]) for row in date_hierarchy(["?", "2024-01-31"]).rows()]
    assert ("?", "*") in [(row[0], row[-1]) for row in band_hierarchy(["?", "3"], [[2]]).rows()]


@pytest.mark.parametrize("bands", [[], [[]], [["x"]], [[30, 18]], [[18, 18]], [[18, 30], [65]], [[18], [18]]])
def test_limits_that_make_no_bands_are_refused(bands):
    with pytest.raises(InvalidParameter):
        band_hierarchy(["3"], bands)


@pytest.mark.parametrize("values", [[], ["2024-13-01"], ["yesterday"], ["2024-01-01", "01.02.2024"], ["?"]])
def test_what_is_no_date_is_refused(values):
    with pytest.raises(InvalidParameter, match="one format"):
        date_hierarchy(values)


def test_numbers_with_decimal_commas_are_numbers_and_thousands_are_not():
    rows = band_hierarchy(["1,5", "7", "?"], [["2"]]).rows()
    assert ("1,5", "below 2", "*") in rows and ("7", "2 or more", "*") in rows
    with pytest.raises(InvalidParameter, match="are not numbers"):
        band_hierarchy(["1,500", "12"], [["2"]])
