"""P7: characters that nobody sees do not make another word, for methods and for the verifier, which share no code."""

from __future__ import annotations

import sys
import unicodedata

import pyarrow as pa
import pytest

import disjoin
from disjoin.errors import DisjoinError, InvalidParameter
from disjoin.model import KAnonymity, Table, spelling
from disjoin.model.spelling import alike_in, folded, folded_column, folded_value
from disjoin.verify.source import as_read, value_as_read
from disjoin.verify.table.inspection import judge

UNSEEN = (0xFE0F, 0x034F, 0x3164, 0x115F, 0x180B, 0x17B4, 0x2800, 0x7F, 0x08, 0x00AD, 0x2065, 0xE0100, 0xE01EF, 0xFFA0)
POINTS = [point for point in range(sys.maxunicode + 1) if not 0xD800 <= point <= 0xDFFF]


@pytest.mark.parametrize("point", UNSEEN, ids=hex)
def test_an_unseen_character_at_the_end_is_no_other_spelling(point: int) -> None:
    assert folded("B20" + chr(point)) == folded("B20")
    assert as_read("B20" + chr(point)) == as_read("B20")


def test_both_implementations_fold_every_code_point_alike() -> None:
    for point in POINTS:
        for text in (chr(point), f"B{chr(point)}20", f"{chr(point)}B 20"):
            assert folded(text) == as_read(text), hex(point)


def test_what_is_unseen_is_what_unicode_says() -> None:
    dropped = [point for point in POINTS if folded(f"B{chr(point)}20") == "b20"]
    categories = {unicodedata.category(chr(point)) for point in dropped}
    assert categories <= {"Cc", "Cf", "Mn", "Lo", "Cn"}
    controls = [p for p in POINTS if unicodedata.category(chr(p)) in ("Cc", "Cf") and not chr(p).isspace()]
    assert set(controls) <= set(dropped)
    ignorable = {point for first, last in spelling._IGNORABLE for point in range(first, last + 1)}
    assert len(ignorable) == 4_174  # as many as the standard counts (DerivedCoreProperties.txt)
    assert ignorable <= set(dropped)
    assert {p for p in dropped if unicodedata.category(chr(p)) not in ("Cc", "Cf")} <= ignorable
    blank = [point for point in POINTS if folded(f"B{chr(point)}20") == "b 20"]
    assert 0x2800 in blank and 0x09 in blank and 0xA0 in blank


def test_a_column_is_folded_as_its_texts_are() -> None:
    texts = ["B20", "b20\x7f", " B  20 ", "B 20", "B20" + chr(0xFE0F), "", "  ", "\tB20", "B\x0020", "Ä", "a" * 40]
    column = pa.array(texts, pa.string())
    assert folded_column(column).to_pylist() == [folded(text) for text in texts]
    assert alike_in(pa.array(["b20", "b20\x08"])) == [("b20", "b20\x08")]
    assert alike_in(pa.array(["b 20", "b  20"])) == [("b  20", "b 20")]


@pytest.mark.parametrize("point", [0xFE0F, 0x3164, 0x7F], ids=hex)
def test_an_invisible_spelling_of_a_sensitive_term_is_refused(point: int) -> None:
    records = [["B20", "a"], ["B20" + chr(point), "a"], ["a", "b"], ["a", "b"], ["a"], ["b"]]
    with pytest.raises(InvalidParameter, match="sensitive terms must have one spelling") as caught:
        disjoin.disassociate(records, k=2, m=2, sensitive=["B20"])
    assert ascii(chr(point))[1:-1] in str(caught.value) and chr(point) not in str(caught.value)
    release = disjoin.disassociate(records, k=2, m=2, sensitive=["B20"], sensitive_match="loose")
    assert len(release.guarantee.sensitive) == 2


def test_four_invisible_spellings_are_one_value_of_l() -> None:
    values = ["B20", "B20" + chr(0xFE0F), "B20" + chr(0x034F), "B20\x7f"]
    table = {"age": ["30"] * 4, "ill": values}
    with pytest.raises(DisjoinError):
        disjoin.generalize(table, 2, "age", sensitive="ill", l=4)
    with pytest.raises(DisjoinError):
        disjoin.generalize(table, 2, "age", sensitive="ill", l=4, sensitive_match="loose")
    verdict = judge(Table.from_columns(table), KAnonymity(2, "age", "ill", l=4))
    assert {violation.invariant for violation in verdict.violations} == {"T5"}
    assert verdict.facts["largest_l"] == 1


def test_a_cell_without_a_visible_character_is_missing() -> None:
    """P7: such cells are no values next to `?` that make a class diverse."""
    values = ["?", chr(0x3164), chr(0x2800), chr(0xFE0F)]
    assert disjoin.read_table({"ill": values}).values_of("ill").to_pylist() == ["?"]
    assert disjoin.read_table(pa.table({"ill": values})).values_of("ill").to_pylist() == ["?"]
    table = Table.from_columns({"age": ["30"] * 4, "ill": values})
    assert judge(table, KAnonymity(2, "age", "ill", l=2)).facts["largest_l"] == 1


@pytest.mark.parametrize(
    "one", ["?", "\u3164", "1", "01", "1.0", "+1", "1.10", "-0", "0", ".5", "0.5", "a", "1e0", "", "9" * 400, "\uff11"]
)
@pytest.mark.parametrize("other", ["?", "1", "1.1", "0.0", "0.50", "A", "1/1", "9" * 400, "0" + "9" * 400])
def test_values_are_equal_to_the_verifier_where_they_are_to_methods(one: str, other: str) -> None:
    """P6: equal numbers are one value."""
    assert (folded_value(one) == folded_value(other)) == (value_as_read(one) == value_as_read(other))
