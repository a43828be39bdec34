"""Every sentence of the advice is true of the numbers."""

from __future__ import annotations

import re

from disjoin.advise.chart import chart_of, letters_of, sketch_of
from disjoin.advise.recommendation import (
    about_the_part,
    advice_in_words,
    how_sure_harm_is,
    page_of,
    what_exposed_means,
    what_was_tried,
    why_not,
)
from disjoin.advise.trial import Grid, SettingPoint
from helpers.surveys import Figures, surveyed

PAPER, CORE5, CORE20 = SettingPoint("horpart", 5, 2), SettingPoint("core", 5, 2), SettingPoint("core", 20, 2)
SPLIT20 = SettingPoint("core-horpart", 20, 2)
GROCERIES: dict[SettingPoint, Figures | str] = {
    PAPER: (0.274, 0.003),
    CORE5: (0.141, 0.277),
    CORE20: (0.226, 0.068),
    SPLIT20: (0.255, 0.047),
}
FACTS = {"date": "2026-01-01", "machine": "2 cores", "versions": {"disjoin": "1"}}


def said(figures: dict[SettingPoint, Figures | str], grid: Grid | None = None) -> str:
    return "\n".join(advice_in_words(surveyed(figures, grid)))


def test_the_recommendation_says_why_and_what_it_costs() -> None:
    words = said(GROCERIES)
    assert words.startswith(
        "Recommended: core-horpart at k = 20. Of the settings with less pair error than the paper's"
    )
    assert " Its settings: clustering = core-horpart, k = 20, m = 2." in words
    assert (
        "Compared with the paper's method at k = 5, it keeps more pairs (74.5% against 72.6%), estimates pairs better "
        "(pair error 0.255 against 0.274), but exposes more records (4.7% against 0.3%)." in words
    )
    assert "If 4.7% of the records is too much, use the paper's method at k = 5." in words
    assert "More for analysis: core at k = 20 exposes 6.8% of the records; its pair error is 0.226" in words


def test_what_exposes_too_much_is_advised_against_by_name() -> None:
    words = said(GROCERIES)
    assert "Not recommended, because more than 10% of the records are exposed: core at k = 5 (27.7%)." in words
    assert "Prefer core at k = 20, or try m = 3." in words
    assert "Not advisable" not in said({PAPER: (0.3, 0.1), CORE20: (0.2, 0.02)})


def test_where_nothing_exposes_little_larger_k_and_m_are_named() -> None:
    words = said({CORE5: (0.1, 0.5), CORE20: (0.2, 0.4)})
    assert (
        "Recommended: core at k = 20. All settings expose more than 10% of the records, and this one the fewest."
        in words
    )
    assert "Try a larger k, or m = 3." in words
    assert "paper" not in words


def test_the_papers_method_is_recommended_in_its_own_words() -> None:
    assert "That is the paper's method: no setting has less pair error." in said({PAPER: (0.3, 0), CORE5: (0.4, 0)})
    words = said({PAPER: (0.3, 0), CORE5: (0.2, 0.2)})
    assert "That is the paper's method: settings with less pair error expose more than 10% of the records." in words
    assert "Compared" not in words


def test_larger_crowds_that_keep_more_are_pointed_out() -> None:
    words = said({PAPER: (0.3, 0.01), CORE5: (0.2, 0.01), CORE20: (0.25, 0.005)})
    assert "Recommended: core at k = 5. Of the settings that are about as careful as the paper's method" in words
    assert (
        "A larger k does not always keep less: compared with the paper's method at k = 5, core at k = 20 keeps" in words
    )
    assert "and exposes fewer records (0.5% against 1.0%)" in words


def test_who_has_no_figures_is_said_and_the_others_stay() -> None:
    survey = surveyed({PAPER: (0.3, 0), CORE20: "9 records cannot hide one another in groups of 20."})
    assert why_not(survey) == ["core at k = 20 has no figures. 9 records cannot hide one another in groups of 20."]
    page = page_of(survey, FACTS, {"chart.svg": "seen"})
    assert "| core | 20 | 2 | - | - | - |" in page
    assert why_not(survey)[0] in page
    assert [label for _, label, *_ in chart_of(survey).rows] == ["k = 5"]


def test_exposure_is_explained_with_the_numbers_of_the_yardstick() -> None:
    survey = surveyed(GROCERIES)
    assert "a chunk shows 3 terms together that fewer than 5 records have there" in what_exposed_means(survey)
    assert "no other record has there" in page_of(survey, FACTS, {})
    assert "guarantee that no record is exposed" not in what_exposed_means(survey)
    assert "m = 3 or more guarantee that no record is exposed in this way" in what_exposed_means(
        surveyed({PAPER: (0.3, 0), SettingPoint("core", 5, 3): (0.4, 0)})
    )
    hidden = surveyed({PAPER: (0.3, 0)}, Grid(ks=(5,), sensitive=("rum",), l=3))
    assert what_was_tried(hidden) == "1,000 records with 50 terms; m = 2, 1 sensitive term, l = 3."


def test_the_share_of_harmed_records_has_its_interval() -> None:
    survey = surveyed({PAPER: (0.3, 0.059), CORE20: "9 records cannot hide one another in groups of 20."})
    assert how_sure_harm_is(survey) == (
        "Harmed is counted in 6,000 records that are drawn. With 95 % confidence it is: horpart at k = 5 2.6% to 3.4%."
    )
    assert how_sure_harm_is(survey) in page_of(survey, FACTS, {})
    assert how_sure_harm_is(surveyed({PAPER: "no"})) == ""


def test_a_part_is_said_to_be_one() -> None:
    assert about_the_part(surveyed(GROCERIES)) == ""
    assert "These are 1,000 of 5,000 records" in about_the_part(surveyed(GROCERIES, whole=5000))


def test_the_sketch_has_every_letter_where_it_belongs() -> None:
    survey = surveyed(GROCERIES)
    lines = sketch_of(survey)[1:-2]
    places = {
        letter: (line.index(letter), number)
        for number, line in enumerate(line.split("|")[1] for line in lines)
        for letter in re.findall("[a-d]", line)
    }
    assert sorted(places) == letters_of(survey) == ["a", "b", "c", "d"]
    assert [letter for letter, _ in sorted(places.items(), key=lambda place: place[1][0])] == ["b", "c", "d", "a"]
    assert [letter for letter, _ in sorted(places.items(), key=lambda place: place[1][1])] == ["b", "c", "d", "a"]


def test_settings_with_the_same_figures_are_all_in_the_sketch() -> None:
    survey = surveyed({SettingPoint("core", k, 2): (0.2, 0.0) for k in (5, 10, 20)})
    assert [line for line in sketch_of(survey) if "|abc" in line]


def test_the_chart_marks_the_frontier_and_the_one_that_is_advised() -> None:
    chart = chart_of(surveyed(GROCERIES | {SettingPoint("horpart", 20, 2): (0.4, 0.003)}))
    line = re.search(r'<path d="M([^"]+)" fill="none" stroke="var\(--muted\)"', chart.body)[1].split("L")
    assert len(line) == len(chart.rows) - 1
    assert re.search(r'r="9"[^>]*/><[^>]*><title>core-horpart k = 20:', chart.body)
    assert "core at k = 5, pair error 0.141, exposed 27.7%; core at k = 20" in chart.description
