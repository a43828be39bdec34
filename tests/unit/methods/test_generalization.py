"""The method Generalization: what it takes, what it refuses in which words, and what it publishes."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import disjoin
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.generalization import ALGORITHM_NAMES, Generalization
from disjoin.methods.generalization.choices import ALGORITHMS
from disjoin.methods.generalization.closeness import largest_share_within
from disjoin.methods.generalization.encoding import encoded
from disjoin.methods.generalization.requirements import entropy_reaches, roles_of
from disjoin.methods.settings import import_object, settings_of
from disjoin.model import Hierarchy, KAnonymity, PrivacyDegree, Role, Table
from disjoin.verify import check

SEX = Hierarchy.from_rows([["f", "*"], ["m", "*"]])


def people(**more):
    columns = {"age": ["31", "36", "?", "52", "58", "7"], "sex": list("fmfmmf"), "job": list("aabbcc")} | more
    return Table.from_columns(columns).with_hierarchies({"sex": SEX})


def published(table, **settings):
    return Generalization(**{"k": 2, "quasi": ("age", "sex"), "drop_unassigned": True} | settings).publish(
        table, Local()
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda record: record.name)
def test_the_code_of_every_algorithm_is_where_its_record_says(algorithm):
    assert callable(algorithm.load())
    assert algorithm.takes is None or callable(import_object(algorithm.takes))
    assert {*algorithm.settings} <= {setting.name for setting in settings_of(Generalization)}


@pytest.mark.parametrize("algorithm", ALGORITHM_NAMES)
@pytest.mark.parametrize("asked", [{}, {"l": 2}, {"alpha": "1/2"}, {"entropy_l": 2}, {"weights": "height"}])
def test_the_inspector_accepts_what_is_published(algorithm, asked):
    table = people(name=list("uvwxyz"), note=list("ppqqrr"))
    method = Generalization(
        k=2,
        quasi=("age", "sex"),
        sensitive=("job",),
        identifiers=("name",),
        others=("note",),
        algorithm=algorithm,
        **asked,
    )
    draft = method.publish(table, Local())
    guarantee = method.claim(draft)
    original = method.prepared(table)
    verdict = check(draft.published, guarantee, original=original, part_of_record=draft.part_of_record)
    assert verdict.holds, verdict.violations
    assert {"T2", "T3", "T7", "U1", "U2"} <= set(verdict.checked)
    assert draft.published.table.schema.names == ("age", "sex", "job", "note")
    assert guarantee.quasi == ("age", "sex") and guarantee.sensitive == ("job",)


def test_numbers_are_published_as_the_hull_of_their_class():
    table = people(age=["31", "36.0", "36", "52", "58", "7"])
    draft = published(table)
    shown, rows = draft.published.table.column("age").to_pylist(), draft.part_of_record
    assert {shown[rows[row]] for row in (1, 3)} <= {"36", "[36, 52]", "[36, 58]"}
    tight = {}
    for row, text in enumerate(table.column("age").to_pylist()):
        tight.setdefault((shown[rows[row]], draft.published.table.column("sex").to_pylist()[rows[row]]), []).append(
            text
        )
    for (text, _), ages in tight.items():
        ends = sorted(ages, key=Fraction)
        assert Fraction(text.strip("[]").split(", ")[0]) == Fraction(ends[0])
        assert Fraction(text.strip("[]").split(", ")[-1]) == Fraction(ends[-1])


def test_a_missing_number_among_others_is_published_as_everything():
    table = Table.from_columns({"age": ["?", "?", "7", "8", "?", "9"], "g": list("aabbcc")})
    table = table.with_hierarchies({"g": Hierarchy.from_rows([[x, "*"] for x in "abc"])})
    draft = published(table, quasi=("age", "g"))
    shown = draft.published.table.column("age").to_pylist()
    assert [shown[row] for row in draft.part_of_record] == ["?", "?", "[7, 8]", "[7, 8]", "*", "*"]


def test_a_missing_value_gets_a_leaf_and_is_in_the_published_hierarchy_only_if_published():
    table = Table.from_columns({"sex": ["?", "f", "f", "m", "m"]}).with_hierarchies({"sex": SEX})
    draft = published(table, quasi=("sex",), algorithm="top-down")
    assert "?" not in draft.published.table.values_of("sex").to_pylist()
    assert draft.published.table.hierarchies["sex"] == SEX
    table = Table.from_columns({"sex": ["?", "?", "f", "f"]}).with_hierarchies({"sex": SEX})
    draft = published(table, quasi=("sex",))
    assert draft.published.table.values_of("sex").to_pylist() == ["?", "f"]
    assert "?" in draft.published.table.hierarchies["sex"].names.to_pylist()


def test_a_category_without_a_hierarchy_stays_or_becomes_everything(tmp_path):
    towns = {"town": ["Ulm", "Ulm", "Bonn", "Kiel", "?"], "age": ["30", "31", "30", "31", "30"]}
    with pytest.warns(UserWarning, match="town has no hierarchy: a value is published unchanged or becomes \\*"):
        release = disjoin.generalize(towns, 2, ["town"], others="age")
    assert sorted(release.published.table.column("town").to_pylist()) == ["*", "*", "*", "Ulm", "Ulm"]
    assert release.published.table.hierarchies["town"].rows() == [("Bonn", "*"), ("Kiel", "*"), ("Ulm", "*")]
    assert disjoin.verify(release.write(tmp_path / "release"), original=towns).holds


def test_roles_come_from_the_settings_and_from_the_table():
    table = people().with_roles({"job": Role.SENSITIVE, "age": Role.QUASI_IDENTIFIER})
    draft = Generalization(k=2, quasi=("sex",), l=2).publish(table, Local())
    assert draft.published.quasi == ("age", "sex")
    assert draft.published.table.schema.with_role(Role.SENSITIVE) == ("job",)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"quasi": ()}, "at least one column must be a quasi-identifier"),
        ({"quasi": ("agee",)}, "no column 'agee'; the columns are 'age', 'sex', 'job'"),
        ({"sensitive": ("age",)}, "one role, 'age' is named as quasi-identifier and as sensitive"),
        (
            {"quasi": ("odd",)},
            "'odd' has no hierarchy, so its values must be all numbers or all words, and 1 value is no number",
        ),
        ({"quasi": ("age", "one")}, "hierarchy of 'one' must have a level above its values"),
        (
            {"quasi": ("age", "few")},
            "every value of 'few' needs a leaf in its hierarchy, and 1 value has none",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(settings, words):
    table = people(odd=["1", "2", "x", "4", "5", "6"]) if "odd" in settings.get("quasi", ()) else people()
    if "one" in settings.get("quasi", ()):
        table = people(one=["a"] * 6).with_hierarchies({"one": Hierarchy.from_rows([["a"]])})
    if "few" in settings.get("quasi", ()):
        table = people(few=list("aababb")).with_hierarchies({"few": Hierarchy.from_rows([["a", "*"]])})
    with pytest.raises(InvalidParameter, match=words):
        published(table, **{"quasi": ("age",)} | settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": 7}, "6 rows cannot form a class of 7. Lower k to 6"),
        (
            {"alpha": "1/4"},
            "is in 2 of 6 rows of the whole table. Use alpha = 1/3 or more \\(about 0.334\\)",
        ),
        ({"l": 4}, "needs 4 different values of 'job', but the whole table has 3"),
        ({"entropy_l": "3.01"}, "entropy_l = 3 or less"),
    ],
)
def test_what_the_whole_table_does_not_reach_is_unreachable(settings, words):
    with pytest.raises(GuaranteeUnreachable, match=words):
        published(people(), sensitive=("job",), **settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"alpha": 2}, "alpha must be above 0"),
        ({"l": 0}, "l must be a whole number of at least 1"),
        ({"entropy_l": "x"}, "entropy_l must be a number"),
        ({"algorithm": "mondrian"}, "algorithm must be one of two-level"),
        ({"weights": "heavy"}, "weights must be one of uniform"),
        ({"partition_size": 3}, "partition_size must be a whole number of at least 5"),
        ({"stub": 1}, "stub must be true or false"),
        ({"quasi": ("a", "a")}, "names a column twice"),
    ],
)
def test_settings_are_born_valid(settings, words):
    with pytest.raises(InvalidParameter, match=words):
        Generalization(**settings)


def test_sensitive_demands_need_a_sensitive_column():
    with pytest.raises(InvalidParameter, match="need a sensitive column"):
        published(people(), l=2)


def test_stored_parameters_make_the_method_again_and_agree_with_the_promise():
    guarantee = KAnonymity(3, ("age",), ("job",), Fraction(1, 2), 2)
    method = Generalization(k=3, quasi=("age",), alpha=0.5, l=2, algorithm="top-down-kaca", stub=False)
    stored = dict(method.parameters())
    assert stored["alpha"] == "1/2" and stored["partition_size"] == 30 and "quasi" not in stored
    assert Generalization.contradictions(guarantee, stored, 0) == []
    assert "1 records are suppressed" in Generalization.contradictions(guarantee, stored, 1)[0]
    assert "the parameter k is 4" in Generalization.contradictions(guarantee, stored | {"k": 4}, 0)[-1]
    assert "not written as" in Generalization.contradictions(guarantee, stored | {"stub": True, "alpha": 0.5}, 0)[0]
    assert (
        "the method has no parameters of these names"
        in Generalization.contradictions(guarantee, stored | {"speed": 1}, 0)[0]
    )
    assert "guarantees k-anonymity" in Generalization.contradictions(PrivacyDegree(2), stored, 0)[0]


def test_a_column_without_a_role_is_refused_or_dropped_and_named():
    """P1: what the data owner did not assign is never published."""
    method = Generalization(k=2, quasi=("age",), sensitive=("job",))
    with pytest.raises(InvalidParameter, match=r"'sex' has none. Name each as quasi.* or .*drop_unassigned=True"):
        method.publish(people(), Local())
    dropping = replace(method, drop_unassigned=True)
    assert dropping.publish(people(), Local()).published.table.schema.names == ("age", "job")
    notes = dropping.warnings(people())
    assert "they have no role: sex" in notes[0] and "no limit is set for job" in notes[1]
    assert Generalization(k=2, quasi=("age", "sex"), sensitive=("job",), l=2).warnings(people()) == []


def test_a_share_with_a_large_denominator_allows_the_same_counts():
    for share in (Fraction("0.3333333333333333"), Fraction(1, 3), Fraction(2, 3) - Fraction(1, 10**15), Fraction(1)):
        for rows in (1, 2, 3, 10, 40):
            simple = largest_share_within(share, rows)
            assert simple.denominator <= rows
            assert all(share * size // 1 == simple * size // 1 for size in range(1, rows + 1))


def test_entropies_next_to_their_limit_are_decided_exactly():
    assert entropy_reaches([5] * 7, Fraction(7)) and not entropy_reaches([5] * 7, Fraction(7) + Fraction(1, 10**12))
    assert entropy_reaches([4, 1, 1], Fraction(2)) is (6**6 >= 2**6 * 4**4)


def test_identifiers_play_no_part():
    one, other = (people(name=names) for names in (list("uvwxyz"), list("zyxwvu")))
    first, second = (published(table, identifiers=("name",)) for table in (one, other))
    assert first.published == second.published
    assert np.array_equal(first.part_of_record, second.part_of_record)


def test_heights_that_need_too_large_numbers_are_refused():
    trees = {f"q{h}": Hierarchy.from_rows([["a", *(f"n{i}" for i in range(h))]]) for h in range(1, 40, 2)}
    table = Table.from_columns({name: ["a", "a"] for name in trees}).with_hierarchies(trees)
    rows = encoded(table, roles_of(table, tuple(trees)))
    with pytest.raises(InvalidParameter, match="uniform weights, or hierarchies with fewer levels"):
        ALGORITHMS["kaca"].load()(rows, Generalization(k=2, weights="height"), lambda *_: None)
