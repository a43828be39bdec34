"""Shapes of values: examples that each test accepts, and near misses."""

import pytest

from disjoin.model import value_shapes
from disjoin.model.value_shapes import CHECKED, year_in

EXAMPLES = {  # accepted, and not
    "is_date": (("2024-05-31", "31.5.2024", "20240531", "2024-05-31T08:15:00Z"), ("31.5",)),
    "is_timestamp": (("2024-05-31 08:15",), ("2024-05-31",)),
    "is_integer": (("-42", "007"), ("4.2",)),
    "is_prefix": (("10***",), ("**** 4711", "*")),
    "is_whole_float": (("10482.0",), ("10482", "104.50")),
    "is_number": (("12", "1.5", "1.234,50", "12 kg", "$3"), ("A12",)),
    "is_coordinate": (("52.5200", "-122.33210"), ("52.52", "452.52001")),
    "is_icd": (("E11.9", "I10", "P00123"), ("10",)),
    "is_code": (("P00123", "B AB 1234"), ("ward",)),
    "is_mixed_case_code": (("aB3dEf",), ("Berlin", "AB12")),
    "has_first_name": (("Schmidt, Anna",), ("bread",)),
    "has_no_digit": (("Anna",), ("Anna 2", "--")),
    "is_capitalised": (("Anna Maria", "山田 太郎"), ("red wine",)),
    "has_words_of_a_name": (("Anna Maria Weber", "王小明"), ("Anna",)),
}
NUMBERS = {
    "bank account numbers": ("DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 01"),
    "payment card numbers": ("4111 1111 1111 1111", "4111 1111 1111 1112"),
    "Polish personal numbers": ("44051401359", "44051401358"),
    "Spanish identity numbers": ("12345678Z", "12345678A"),
    "Finnish personal codes": ("131052-308T", "131052-308U"),
    "Dutch citizen numbers": ("111222333", "111222334"),
    "German tax numbers": ("86095742719", "86095742718"),
    "Swiss social security numbers": ("756.9217.0769.85", "756.9217.0769.84"),
    "French social security numbers": ("1 85 05 78 006 084 91", "1 85 05 78 006 084 92"),
    "NHS numbers": ("943 476 5919", "943 476 5918"),
    "Portuguese tax numbers": ("123456789", "123456788"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_shape_accepts_its_examples_and_no_near_miss(name):
    test, (accepted, refused) = getattr(value_shapes, name), EXAMPLES[name]
    assert all(map(test, accepted))
    assert not any(map(test, refused))


@pytest.mark.parametrize("what", CHECKED)
def test_check_digits_are_checked(what):
    right, wrong = NUMBERS[what]
    assert CHECKED[what](right)
    assert not CHECKED[what](wrong)


def test_a_year_has_four_digits():
    assert (year_in("31.12.1958"), year_in("31.12.58")) == (1958, None)
