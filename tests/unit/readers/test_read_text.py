"""FIMI and basket files: the tokenizer against its slow twin."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import UnreadableInput
from disjoin.model import Transactions
from disjoin.readers.read import read
from oracle import reading as twin

# Letters of one to four bytes, blanks of every kind, and characters that only look like blanks or line ends.
CHARACTERS = "ab7é漢😀 \t\r\v\f\u00a0\u2028\x85-@#"
AWKWARD = st.text(st.sampled_from(CHARACTERS + "\n\n"), max_size=60)


def seen(data: Transactions) -> twin.Records:
    """Return what was read in the twin's form, after checking what every `Transactions` promises."""
    names = data.vocabulary.to_pylist()
    assert names == sorted(set(names)), "the vocabulary is in code-point order"
    assert set(np.unique(data.items)) == set(range(len(names))), "and holds the terms that occur, no others"
    assert data.written is not None
    rows = []
    for number, record in enumerate(data):
        assert len(record) and np.all(np.diff(record) > 0), "rows ascend, without repeats"
        written = data.written[data.offsets[number] : data.offsets[number + 1]]
        assert sorted(written) == record.tolist()
        rows.append([names[item] for item in written])
    return twin.Records(rows, data.intake.blank_records, data.intake.repeated_terms)


def read_text(text: str, **options: object) -> twin.Records:
    return seen(read(io.BytesIO(text.encode()), keep_order=True, **options))


@given(AWKWARD)
def test_fimi_tokens_are_those_of_the_slow_twin(text: str) -> None:
    text = "first\n" + text
    assert read_text(text, format="fimi") == twin.fimi(text)


@given(AWKWARD.map(lambda text: "first\n" + text), st.sampled_from(",;\t|"))
def test_basket_fields_are_those_of_the_slow_twin(text: str, separator: str) -> None:
    text = text.replace("-", separator)
    try:
        expected = twin.plain_basket(text, separator)
    except twin.EmptyTermError:
        with pytest.raises(UnreadableInput, match="empty field"):
            read_text(text, format="basket", separator=separator)
    else:
        assert read_text(text, format="basket", separator=separator) == expected


@given(AWKWARD.map(lambda text: "first\n" + text))
def test_a_quote_somewhere_changes_nothing_elsewhere(text: str) -> None:
    """A file with a quoted field takes another way through the code and must arrive at the same place."""
    text = text.replace("-", ",")
    try:
        expected = twin.plain_basket(text + "\nlast")
    except twin.EmptyTermError:
        with pytest.raises(UnreadableInput, match="empty field"):
            read_text(text + '\n"last"', format="basket", separator=",")
    else:
        assert read_text(text + '\n"last"', format="basket", separator=",") == expected


@given(st.lists(st.lists(st.text(st.sampled_from('a",\n\r \té'), min_size=1, max_size=5), min_size=1), min_size=1))
def test_quoted_fields_keep_separators_quotes_line_ends_and_blanks(rows: list[list[str]]) -> None:
    data = read(io.BytesIO(twin.write_basket(rows)), format="basket", separator=",", keep_order=True, split="none")
    assert seen(data) == twin.collected(rows)


@pytest.mark.parametrize("line", ['"a" ,b', ' "a",b', '\t"a"\t, b \r'])
def test_blanks_around_a_quoted_field_are_not_part_of_it(line: str) -> None:
    assert read_text(line + "\n", format="basket").rows == [["a", "b"]]


def test_a_quote_inside_an_unquoted_field_is_a_character_like_any_other() -> None:
    assert read_text('3.5" disk,b\n', format="basket").rows == [['3.5" disk', "b"]]


def test_terms_stay_as_written() -> None:
    rows = read_text("007 7 Nausea nausea\n12 112 2\n", format="fimi").rows
    assert rows == [["007", "7", "Nausea", "nausea"], ["12", "112", "2"]]


def test_terms_of_a_basket_may_contain_blanks() -> None:
    assert read_text("whole milk , butter\n", format="basket").rows == [["whole milk", "butter"]]


def test_blank_lines_and_repeated_terms_are_counted() -> None:
    assert read_text("b a b\n\n \t\r\nb b b\n", format="fimi") == twin.Records([["b", "a"], ["b"]], 2, 3)


def test_a_byte_order_mark_is_not_part_of_the_first_term() -> None:
    assert read(io.BytesIO(b"\xef\xbb\xbfa b\n")).vocabulary.to_pylist() == ["a", "b"]


def test_the_order_of_the_source_is_kept_only_on_request() -> None:
    assert read(io.BytesIO(b"b a\n")).written is None


@pytest.mark.parametrize("stem", ["", "123456", "1234567", "12345678", "12345678" * 4])
def test_many_terms_of_any_length_stay_apart(stem: str) -> None:
    """More terms than the table begins with; tokens around the length at which keys become hashes."""
    terms = [stem + "".join(ends) for n in (1, 2, 3, 4) for ends in itertools.product("01234567", repeat=n)]
    rows = [terms[first : first + 50] for first in range(0, len(terms), 50)]
    data = read(io.BytesIO(twin.write_fimi(rows + rows)), format="fimi", keep_order=True)
    assert seen(data).rows == rows + rows


def test_a_very_long_record_is_sorted_too() -> None:
    row = [str((number * 7919) % 10007) for number in range(10007)]
    assert read_text(" ".join(row * 2), format="fimi") == twin.Records([row], 0, 10007)


@pytest.mark.parametrize("text", [b"", b"\n\n", b"\xef\xbb\xbf\n"], ids=["empty", "blank", "byte order mark"])
def test_who_asks_for_it_gets_no_records_of_a_file_without_any(text):
    assert len(read(io.BytesIO(text), allow_empty=True)) == 0
    with pytest.raises(UnreadableInput, match="expected records, found"):
        read(io.BytesIO(text))
