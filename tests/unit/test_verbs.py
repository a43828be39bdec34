"""What the commands tell, for anyone who writes Python: the same facts, in objects that print nothing by themselves."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import disjoin
from disjoin.advise.survey import advise
from disjoin.cli.main import run
from disjoin.lab.comparison import compare
from disjoin.report.profile import inspect as inspect_data
from disjoin.report.show import show

VISITS = [{"flu", "fever"}, {"flu", "cough"}, {"flu", "fever", "cough"}, {"fever", "cough"}, {"flu"}] * 4
PEOPLE = {
    "age": ["31", "34", "38", "52", "57"],
    "sex": list("mmfff"),
    "illness": ["flu", "cold", "cold", "flu", "cold"],
}
SECRETS = ("flu", "fever", "cough")


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.csv"
    path.write_text("".join(f"{','.join(sorted(visit))}\n" for visit in VISITS))
    return path


@pytest.fixture
def census(tmp_path: Path) -> Path:
    path = tmp_path / "census.csv"
    pd.DataFrame(PEOPLE).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def survey() -> disjoin.Survey:
    return disjoin.advise(VISITS, k=(2, 3), clusterings="horpart", threads=1)


@pytest.fixture(scope="module")
def contest() -> disjoin.Comparison:
    return disjoin.compare(VISITS, ["apriori", "disassociation"], k=3, threads=1)


def told(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert run([str(argument) for argument in arguments]) == 0
    return capfd.readouterr().out


@pytest.mark.parametrize(
    "function",
    [inspect_data, advise, compare, show, disjoin.hierarchy.build, disjoin.hierarchy.check],
)
def test_the_docstring_has_a_line_for_every_parameter_and_an_example(function) -> None:
    lines = re.findall(r"^((?:\w+, )*\w+): \S", inspect.getdoc(function), flags=re.MULTILINE)
    named = [parameter for line in lines for parameter in line.split(", ")]
    assert sorted(named) == sorted(inspect.signature(function).parameters)
    assert ">>> " in function.__doc__


def test_an_inspection_of_records_is_what_the_command_tells(capfd, baskets) -> None:
    inspection = disjoin.inspect(baskets, known=2)
    assert str(inspection) == told(capfd, "inspect", baskets, "--known", 2).removesuffix("\n")
    assert inspection.to_json() == json.loads(told(capfd, "inspect", baskets, "--known", 2, "--json"))
    assert repr(inspection) == "Inspection(20 records, 3 terms)"
    assert inspection.to_table().column("known").to_pylist() == [1, 2]
    assert disjoin.inspect(VISITS, known=2)["known_terms"] == inspection.known


def test_an_inspection_of_a_table_is_what_the_command_tells(capfd, census) -> None:
    inspection = disjoin.inspect(census, ["age", "sex"], sensitive="illness")
    options = ("inspect", census, "--quasi", "age,sex", "--sensitive", "illness")
    assert str(inspection) == told(capfd, *options).removesuffix("\n")
    assert inspection.to_json() == json.loads(told(capfd, *options, "--json"))
    assert repr(inspection) == "Inspection(5 rows, 3 columns)"
    assert inspection["unique_rows"] == 5
    for data in (PEOPLE, pd.DataFrame(PEOPLE), pa.table(PEOPLE)):
        assert disjoin.inspect(data, ["age", "sex"], sensitive="illness").facts == inspection.facts


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sensitive": "illness"}, "sensitive is for tables. Name the columns"),
        ({"person": "age"}, "person is for tables. Name the columns"),
        ({"quasi": "age", "sample": 3}, "sample is for records"),
    ],
)
def test_what_is_for_tables_is_not_taken_for_records_and_the_other_way_round(given, sentence) -> None:
    with pytest.raises(disjoin.InvalidParameter, match=re.escape(sentence)):
        disjoin.inspect(PEOPLE, **given)


def test_nothing_to_inspect_is_a_sentence() -> None:
    with pytest.raises(disjoin.InvalidParameter, match="no records"):
        disjoin.inspect([])


def test_a_drawing_is_what_the_command_draws(capfd, tmp_path) -> None:
    release = disjoin.disassociate(VISITS, k=3)
    folder = release.write(tmp_path / "release")
    for options, named in (((), {}), (("--cluster", 0), {"cluster": 0}), (("--typical",), {"typical": True})):
        drawn = told(capfd, "show", folder, *options).splitlines()
        for given in (release, folder, release.published):
            assert disjoin.show(given, **named, width=80).splitlines() == drawn
    assert disjoin.show(release).startswith("cluster 0: ")


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ({"group": 0}, "this release has clusters and no groups"),
        ({"cluster": 99}, "there is no cluster 99"),
        ({"cluster": -1}, "cluster must be"),
        ({"first": 0}, "first must be"),
        ({"width": 3}, "width must be"),
    ],
)
def test_what_a_release_does_not_have_cannot_be_shown(named, sentence) -> None:
    with pytest.raises(disjoin.InvalidParameter, match=sentence):
        disjoin.show(disjoin.disassociate(VISITS, k=3), **named)


def test_no_colours_and_no_commands_to_a_terminal_are_in_a_drawing(monkeypatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    drawn = disjoin.show(disjoin.disassociate([["a\x1b[31m", "b"]] * 9, k=3))
    assert "\x1b" not in drawn


def test_a_hierarchy_is_built_as_the_command_builds_it(tmp_path, census) -> None:
    run(["hierarchy", "build", str(census), "--column", "age", "--intervals", "5,20", "-o", str(tmp_path / "age.csv")])
    tree = disjoin.hierarchy.build(census, "age", intervals=[5, 20])
    assert tree == disjoin.hierarchy.read(tmp_path / "age.csv")
    assert disjoin.hierarchy.write(tree, tmp_path / "again.csv").read_bytes() == (tmp_path / "age.csv").read_bytes()
    with pytest.raises(disjoin.OutputExists):
        disjoin.hierarchy.write(tree, tmp_path / "again.csv")


@pytest.mark.parametrize(
    ("way", "rows"),
    [
        ({"mask": True}, ("f", "*")),
        ({"groups": {"m": "man", "f": "woman"}}, ("f", "woman", "*")),
        ({"above": "illness"}, None),
    ],
)
def test_there_are_other_ways_to_build_one(way, rows) -> None:
    data = {"sex": ["m", "f"], "illness": ["flu", "cold"]}
    found = disjoin.hierarchy.build(data, "sex", **way).rows()
    assert rows is None or rows in found


@pytest.mark.parametrize("ways", [{}, {"mask": True, "intervals": [5]}])
def test_a_hierarchy_is_built_in_one_way(ways) -> None:
    with pytest.raises(disjoin.InvalidParameter, match="use one of intervals, bands, dates, mask, groups and above"):
        disjoin.hierarchy.build(PEOPLE, "age", **ways)


def test_a_check_says_which_values_have_no_leaf_and_its_repr_does_not(tmp_path) -> None:
    tree = disjoin.Hierarchy.from_rows([["m", "any"]])
    path = disjoin.hierarchy.write(tree, tmp_path / "sex.csv")
    for found in (
        disjoin.hierarchy.check(path, PEOPLE),
        disjoin.hierarchy.check(tree, PEOPLE, "sex"),
    ):
        assert found.missing == ("f",)
        assert not found.is_complete
        assert repr(found) == "HierarchyCheck(1 leaf, height 1, 1 of 2 values missing)"
        assert found.to_json()["missing"] == ["f"]
    assert disjoin.hierarchy.check(path).is_complete
    with pytest.raises(disjoin.InvalidParameter, match="name the column"):
        disjoin.hierarchy.check(tree, PEOPLE)
    with pytest.raises(disjoin.InvalidParameter, match="give the table, too"):
        disjoin.hierarchy.check(tree, column="sex")


def test_a_survey_has_a_row_for_every_setting_and_says_which_to_take(survey, tmp_path) -> None:
    assert repr(survey) == "Survey(2 settings, 20 records)"
    assert [row["k"] for row in survey.to_table().to_pylist()] == [2, 3]
    assert survey.to_json()["rows"] == survey.to_table().to_pylist()
    assert survey.to_json()["recommended"] == survey.recommended
    assert str(survey) == "\n".join(survey.advice)
    assert disjoin.disassociate(VISITS, **survey.recommended).guarantee.m == 2
    assert (survey.write(tmp_path / "advice") / "advice.md").is_file()


@pytest.mark.filterwarnings("ignore:sensitive terms are listed without counts")
def test_what_is_recommended_keeps_sensitive_terms_sensitive() -> None:
    found = disjoin.advise(VISITS, k=3, clusterings="horpart", sensitive="cough", records=18, threads=1)
    assert found.recommended["sensitive"] == ("cough",)
    assert "allow_missing_sensitive" not in found.recommended
    assert disjoin.disassociate(VISITS, **found.recommended).guarantee.sensitive == ("cough",)


def test_a_warning_points_at_the_line_that_asks() -> None:
    with pytest.warns(UserWarning, match="sensitive terms are listed without counts") as warned:
        disjoin.advise(VISITS, k=3, clusterings="horpart", sensitive="cough", threads=1)
    assert {warning.filename for warning in warned} == {__file__}


def test_a_contest_has_a_row_for_every_method_and_measure(contest, tmp_path) -> None:
    assert repr(contest) == "Comparison(2 methods, 20 records)"
    rows = contest.to_table().to_pylist()
    assert rows == contest.rows() == contest.to_json()["rows"]
    assert {row["method"] for row in rows} == {"apriori", "disassociation"}
    assert contest.to_json()["hierarchy"]["from"] == "built over the sorted terms with a fan-out of 10"
    assert (contest.write(tmp_path / "results") / "comparison.md").is_file()


def test_an_unknown_method_is_refused_before_the_data_are_read() -> None:
    with pytest.raises(disjoin.InvalidParameter, match="there is no method 'magic'"):
        disjoin.compare("nowhere.csv", "magic")


def test_no_repr_shows_what_is_in_the_data(survey, contest) -> None:
    release = disjoin.disassociate(VISITS, k=3)
    found = [survey, contest, disjoin.inspect(VISITS), disjoin.evaluate(release, VISITS, measures="tkd")]
    assert not [secret for secret in SECRETS if any(secret in repr(each) for each in found)]


def test_nothing_is_printed(capfd, survey, contest) -> None:
    disjoin.inspect(VISITS)
    disjoin.show(disjoin.disassociate(VISITS, k=3))
    disjoin.hierarchy.build(PEOPLE, "age", intervals=[5])
    assert capfd.readouterr() == ("", "")
