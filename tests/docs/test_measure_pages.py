"""Every measure has a heading on the page of each form that it is about, with its range and direction."""

import re
from pathlib import Path

import pytest

from disjoin.forms.registry import FORMS
from disjoin.measure import EVALUATIONS, MEASURES

DOCS = Path(__file__).parent.parent.parent / "docs"
ALL = {**EVALUATIONS, **MEASURES}
HEADED = sorted({(name, form) for name in ALL for form in (*ALL[name].forms, *EVALUATIONS[name].forms)})


def page(form):
    return (DOCS / "measures" / f"{form}.md").read_text(encoding="utf-8")


def heading(name):
    """The anchor of a measure: its name, without the ranks of an error of pairs."""
    return re.sub(r"_\d+_\d+$", "", name)


def section(name, form):
    [text] = re.findall(rf"^## {heading(name)}\n(.*?)(?=^## |\Z)", page(form), flags=re.MULTILINE | re.DOTALL)
    return text


@pytest.mark.parametrize(("name", "form"), HEADED)
def test_every_measure_has_a_heading_with_its_range_and_direction(name, form):
    measure, text = ALL[name], section(name, form)
    upper = "and up" if measure.largest is None else f"to {measure.largest:g}"
    assert f"Range {measure.least:g} {upper}" in text
    better = "Neither direction" if measure.direction == "neither" else measure.direction.capitalize()
    assert f"{better} is better" in text


@pytest.mark.parametrize("name", [name for name in EVALUATIONS if heading(name) != name])
def test_ranks_of_the_error_of_pairs_are_named(name):
    ranks = name.removeprefix(heading(name))
    assert f"`re{ranks}`" in section("re", "clusters")


@pytest.mark.parametrize("form", sorted({form for _, form in HEADED}))
def test_every_heading_is_a_measure_of_the_form(form):
    headings = set(re.findall(r"^## (.*)$", page(form), flags=re.MULTILINE))
    assert headings == {heading(name) for name, of in HEADED if of == form}


def test_there_is_a_page_for_every_form_that_is_measured():
    assert {path.stem for path in (DOCS / "measures").glob("*.md")} == {form for _, form in HEADED} == set(FORMS)


@pytest.mark.parametrize("name", EVALUATIONS)
def test_meanings_are_single_sentences(name):
    comparison = EVALUATIONS[name]
    assert comparison.wordings.keys() < {*comparison.forms} or not comparison.wordings
    for meaning in (comparison.meaning, *(meaning for _, meaning in comparison.wordings.values())):
        assert meaning.endswith(".")
        assert meaning.count(".") == 1


def test_the_how_to_names_every_page():
    text = (DOCS / "how-to" / "evaluate.md").read_text(encoding="utf-8")
    for form in {form for _, form in HEADED}:
        assert f"measures/{form}.md" in text
