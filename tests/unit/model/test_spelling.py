"""What counts as another spelling of the same text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.model.spelling import alike, folded


@pytest.mark.parametrize(
    "other",
    [
        "b20",
        "B20 ",
        "\tB20",
        "\uff22\uff12\uff10",
        "\uff42\uff12\uff10",
        "B20\u200b",
        "\ufeffB20",
        "B\u00ad20",
        "\u00a0B20\u3000",
    ],
)
def test_another_spelling_is_alike(other: str) -> None:
    assert alike(["B20", other]) == [tuple(sorted(("B20", other)))]


@pytest.mark.parametrize("other", ["B21", "B 20", "B2O", "B20.", "B200"])
def test_another_code_is_not_alike(other: str) -> None:
    assert alike(["B20", other]) == []


def test_composed_and_decomposed_letters_are_alike() -> None:
    assert folded(unicodedata.normalize("NFD", "Épilepsie")) == folded("épilepsie")
    assert folded("STRASSE") == folded("straße")


@given(st.text())
def test_folding_again_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@given(st.text(), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_unicode_forms_of_a_text_are_alike(text: str, form: str) -> None:
    assert folded(unicodedata.normalize(form, text)) == folded(text)  # type: ignore[arg-type]
