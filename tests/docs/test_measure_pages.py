"""Every measure that compares a release with its original is explained on a page."""

from pathlib import Path

import pytest

from disjoin.measure import EVALUATIONS, MEASURES
from disjoin.measure.pairs import SOURCES
from disjoin.model.published import forms_in_words

DOCS = Path(__file__).parent.parent.parent / "docs"


def page(comparison):
    return (DOCS / "measures" / f"{comparison.page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EVALUATIONS)
def test_every_comparison_is_on_its_page(name):
    comparison = EVALUATIONS[name]
    text = page(comparison)
    assert text.startswith("# ")
    for part in ("Idea", "Formula", "Direction", "Range", "On the steward's screen", "When it misleads"):
        assert f"**{part}.**" in text
    if comparison.unit == "error":  # the page lists sources and ranges, and says how names are made of them
        source = max((s for s in SOURCES if name.startswith(f"re{s}")), key=len)
        ranks = name.removeprefix(f"re{source}")
        assert f"`re{source}`" in text
        assert f"`re{ranks}`" in text
    else:
        assert f"`{name}`" in text


@pytest.mark.parametrize("name", EVALUATIONS)
def test_the_facts_on_the_page_are_those_of_the_measure(name):
    comparison, text = EVALUATIONS[name], page(EVALUATIONS[name])
    if comparison.direction != "neither":
        assert f"**Direction.** {comparison.direction.capitalize()} is better" in text
    if comparison.largest is not None:
        assert f"**Range.** {comparison.least} to {comparison.largest}." in text
    assert comparison.meaning.endswith(".")
    assert comparison.meaning.count(".") == 1


@pytest.mark.parametrize("name", EVALUATIONS)
def test_words_for_other_forms_are_sentences_about_these_forms(name):
    comparison = EVALUATIONS[name]
    assert comparison.wordings.keys() < {*comparison.forms} or not comparison.wordings
    for _, meaning in comparison.wordings.values():
        assert meaning.endswith(".")
        assert meaning.count(".") == 1
        assert meaning != comparison.meaning


@pytest.mark.parametrize("name", [name for name, comparison in EVALUATIONS.items() if len(comparison.forms) > 1])
def test_a_page_says_how_its_measure_is_taken_of_each_form(name):
    for form in EVALUATIONS[name].forms:
        assert f"| {forms_in_words()[form]} |" in page(EVALUATIONS[name])


def test_every_page_is_about_some_measure():
    pages = {path.stem for path in (DOCS / "measures").glob("*.md")}
    assert pages == {comparison.page for comparison in EVALUATIONS.values()} | MEASURES.keys()


def test_the_how_to_names_every_page():
    text = (DOCS / "how-to" / "evaluate.md").read_text(encoding="utf-8")
    for comparison in EVALUATIONS.values():
        assert f"measures/{comparison.page}.md" in text
