"""What is recommended follows from the numbers in the table, by rules that can be said in a sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from disjoin.advise.survey import frontier, recommended
from disjoin.advise.trial import CLUSTERINGS, ERROR, EXPOSED, Grid, SettingPoint
from helpers.hypothesis_profile import examples
from helpers.surveys import Figures, surveyed

PAPER = SettingPoint("horpart", 5, 2)
GRID = Grid(ks=(5, 10, 20), ms=(2, 3))
FEW = st.integers(0, 6).map(lambda number: number / 20)  # few values, so that some are equal
FIGURES = st.dictionaries(st.sampled_from(GRID.points), st.tuples(FEW, FEW), min_size=1)


@given(FIGURES)
@examples(100)
def test_on_the_frontier_is_who_is_worse_than_nobody(figures: dict[SettingPoint, Figures | str]) -> None:
    survey = surveyed(figures, GRID)
    kept = {entry.point for entry in frontier(survey.measured)}
    for entry in survey.measured:
        beaten = any(
            other[ERROR] <= entry[ERROR]
            and other[EXPOSED] <= entry[EXPOSED]
            and (other[ERROR] < entry[ERROR] or other[EXPOSED] < entry[EXPOSED])
            for other in survey.measured
        )
        assert (entry.point in kept) != beaten


@given(FIGURES, st.randoms(use_true_random=False))
@examples(100)
def test_the_recommendation_has_less_error_than_the_papers_method_or_is_it_and_never_exposes_too_much(
    figures: dict[SettingPoint, Figures | str], random: st.DataObject
) -> None:
    survey = surveyed(figures, GRID)
    best, paper = recommended(survey), survey.paper
    if min(entry[EXPOSED] for entry in survey.measured) <= 0.1:
        assert best[EXPOSED] <= 0.1
    if paper is not None and best is not paper and paper[EXPOSED] <= 0.1:
        assert best[ERROR] < paper[ERROR]
    order = list(figures.items())
    random.shuffle(order)  # type: ignore[attr-defined]
    assert recommended(surveyed(dict(order), GRID)).point == best.point


def best_of(figures: dict[SettingPoint, Figures | str]) -> SettingPoint:
    return recommended(surveyed({PAPER: (0.3, 0.002)} | figures, GRID)).point


def test_about_as_careful_as_the_paper_the_least_error_is_recommended() -> None:
    near, nearer, far = SettingPoint("core", 20, 2), SettingPoint("core-horpart", 20, 2), SettingPoint("core", 5, 2)
    assert best_of({nearer: (0.25, 0.003), near: (0.2, 0.012), far: (0.1, 0.0121)}) == near


def test_else_the_exposure_closest_to_the_papers_is() -> None:
    near, far, too_far = SettingPoint("core-horpart", 20, 2), SettingPoint("core", 20, 2), SettingPoint("core", 5, 2)
    assert best_of({far: (0.2, 0.07), near: (0.28, 0.05), too_far: (0.1, 0.3)}) == near


def test_what_exposes_too_much_is_never_recommended_for_less_error() -> None:
    assert best_of({SettingPoint("core", 5, 2): (0.1, 0.11), SettingPoint("core", 20, 2): (0.31, 0)}) == PAPER


def test_of_equals_the_stronger_promise_is_recommended() -> None:
    assert best_of({SettingPoint("core", k, 2): (0.2, 0.004) for k in (5, 10, 20)}) == SettingPoint("core", 20, 2)
    assert best_of({SettingPoint(name, 5, 3): (0.2, 0.004) for name in CLUSTERINGS}) == SettingPoint("horpart", 5, 3)


def test_where_the_papers_method_exposes_too_much_it_is_no_benchmark() -> None:
    figures: dict[SettingPoint, Figures | str] = {PAPER: (0.1, 0.9), SettingPoint("core", 5, 2): (0.2, 0.05)}
    assert recommended(surveyed(figures)).point == SettingPoint("core", 5, 2)


def test_where_all_expose_too_much_the_least_exposure_is_recommended() -> None:
    figures: dict[SettingPoint, Figures | str] = {
        SettingPoint("core", 5, 2): (0.1, 0.5),
        SettingPoint("core", 20, 2): (0.4, 0.3),
    }
    assert recommended(surveyed(figures)).point == SettingPoint("core", 20, 2)
