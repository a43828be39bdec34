"""Columns and sensitive values of a table that differ in their spelling alone."""

from fractions import Fraction

import pytest

import disjoin
from disjoin.attack.table_risk import table_risk
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.generalization import ALGORITHM_NAMES, Generalization
from disjoin.methods.generalization.requirements import roles_of
from disjoin.model import Role, Table
from disjoin.report.facts import facts_of

ASKED = [{"l": 2}, {"alpha": "1/2"}, {"entropy_l": 2}]


def people(diseases):
    return {"age": [str(30 + n) for n in range(len(diseases))], "disease": diseases}


@pytest.mark.parametrize("asked", ASKED)
def test_spellings_of_a_sensitive_value_are_refused_with_their_rows(asked):
    with pytest.raises(InvalidParameter, match=r"'disease' must have one spelling each.* rows 1 and 2\.") as e:
        disjoin.generalize(people(["Flu", "flu", "gout", "flu"]), 2, "age", sensitive="disease", **asked)
    assert "sensitive_match='loose'" in str(e.value) and "Flu" not in str(e.value)


@pytest.mark.parametrize("algorithm", ALGORITHM_NAMES)
@pytest.mark.parametrize("asked", ASKED)
def test_or_they_count_as_one_and_are_published_as_written(algorithm, asked):
    diseases = ["Flu", "flu", "gout", "Gout", "Flu", "gout"]
    release = disjoin.generalize(
        people(diseases), 2, "age", sensitive="disease", sensitive_match="loose", algorithm=algorithm, **asked
    )
    assert sorted(release.published.table.column("disease").to_pylist()) == sorted(diseases)
    assert release.verdict.facts["largest_l"] == 2
    assert "sensitive_match" not in release.parameters


@pytest.mark.parametrize("asked", ASKED)
def test_a_table_with_one_value_in_many_spellings_has_one_value(asked):
    with pytest.raises(GuaranteeUnreachable):
        disjoin.generalize(
            people(["Flu", "flu", "FLU", "fLu"]), 2, "age", sensitive="disease", sensitive_match="loose", **asked
        )


@pytest.mark.filterwarnings("ignore:nothing is asked")
def test_where_nothing_is_asked_of_values_their_spelling_does_not_matter():
    release = disjoin.generalize(people(["Flu", "flu", "gout", "Gout"]), 2, "age", sensitive="disease")
    assert release.verdict.holds


def test_the_setting_is_born_valid():
    with pytest.raises(InvalidParameter, match="sensitive_match must be one of exact, loose"):
        Generalization(quasi="age", sensitive_match="fuzzy")


@pytest.mark.parametrize("role", ["quasi", "sensitive", "identifiers"])
def test_a_named_column_with_a_namesake_is_refused(role):
    table = Table.from_columns({"age": ["1"], "diagnosis": ["a"], "Diagnosis ": ["b"]})
    with pytest.raises(InvalidParameter, match="differ only in their spelling: 'Diagnosis ', 'diagnosis'"):
        roles_of(table, **{"quasi": ["age"]} | {role: ["diagnosis"]})


def test_namesakes_that_each_have_a_role_or_none_are_fine():
    columns = {"age": ["1"], "diagnosis": ["a"], "Diagnosis ": ["b"]}
    table = Table.from_columns(columns, {"Diagnosis ": Role.SENSITIVE})
    assert roles_of(table, ["age"], ["diagnosis"]).sensitive == ("diagnosis", "Diagnosis ")
    assert roles_of(Table.from_columns(columns), ["age"]).dropped == ("diagnosis", "Diagnosis ")


def test_an_unknown_column_is_answered_with_the_one_that_may_be_meant():
    table = Table.from_columns({"age": ["1"], "diagnosis": ["a"]})
    with pytest.raises(InvalidParameter, match=r"there is no column 'Diagnosis'; did you mean 'diagnosis'\?"):
        roles_of(table, ["age"], ["Diagnosis"])
    with pytest.raises(InvalidParameter, match="there is no column 'illness'; the columns are 'age', 'diagnosis'"):
        roles_of(table, ["age"], ["illness"])


def test_inspection_and_report_count_words_too():
    table = Table.from_columns(people(["Flu", "flu", "gout", "Gout"]))
    (found,) = table_risk(
        Table.from_columns({"age": ["1"] * 4, "disease": ["Flu", "flu", "FLU", "gout"]}), "age", "disease"
    ).diversity
    assert (found.l, found.alpha) == (2, Fraction(3, 4))
    release = disjoin.generalize(table, 2, "age", sensitive="disease", sensitive_match="loose", l=2)
    (facts,) = facts_of(release).statistics["sensitive_columns"]
    assert (facts["values"], facts["least_values"]) == (2, 2)
