"""Where people have several rows it is people who count: in every algorithm, and for the inspector."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import disjoin
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.generalization import Generalization
from disjoin.methods.generalization.choices import ALGORITHM_NAMES
from disjoin.model import Generalized, Hierarchy, KAnonymity, Role, Table
from disjoin.verify import check
from helpers.hypothesis_profile import examples
from oracle import table_inspection as oracle

TREES = {
    "town": Hierarchy.from_rows([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]),
    "sex": Hierarchy.from_rows([("f", "*"), ("m", "*")]),
}
ASKED = [{}, {"l": 2}, {"l": 3}, {"alpha": Fraction(1, 2)}, {"alpha": Fraction(2, 3), "l": 2}]
ROW = st.tuples(
    st.integers(0, 7), st.sampled_from("abcd"), st.sampled_from("fm"), st.integers(1, 9), st.sampled_from("xyz")
)


def table_of(rows, names=str):
    """Rows of (person, town, sex, age, disease) as a table; `names` says what people are called."""
    people, *columns = zip(*rows, strict=True)
    named = dict(zip(("town", "sex", "age", "disease"), columns, strict=True))
    return Table.from_columns({"patient": [names(p) for p in people], **named}).with_hierarchies(TREES)


def method_of(k, algorithm, asked, **more):
    settings = {"quasi": ("town", "sex", "age"), "sensitive": ("disease",), "person": "patient"} | more
    return Generalization(k=k, algorithm=algorithm, **settings, **asked)


def dicts(table):
    return table.to_arrow().to_pylist()


@given(
    st.lists(ROW, min_size=2, max_size=24), st.integers(2, 3), st.sampled_from(ASKED), st.sampled_from(ALGORITHM_NAMES)
)
@examples(150)
def test_every_class_has_the_people_that_are_promised(rows, k, asked, algorithm):
    table, method = table_of(rows), method_of(k, algorithm, asked)
    try:
        draft = method.publish(table, Local())
    except GuaranteeUnreachable:
        assume(False)
    guarantee = method.claim(draft)
    published = dicts(draft.published.table)
    assert "patient" not in draft.published.table.schema.names
    assert not oracle.people_violated(published, dicts(table), draft.part_of_record.tolist(), guarantee)
    verdict = check(draft.published, guarantee, original=method.prepared(table), part_of_record=draft.part_of_record)
    assert verdict.holds
    assert "U4" in verdict.checked


@given(
    st.lists(ROW, min_size=4, max_size=24), st.sampled_from(ASKED), st.sampled_from(ALGORITHM_NAMES), st.integers(0, 99)
)
@examples(80)
def test_neither_the_order_of_rows_nor_the_names_of_people_shape_what_is_published(rows, asked, algorithm, seed):
    random = Random(seed)
    shuffled = random.sample(rows, len(rows))
    names = random.sample([f"name {n}" for n in range(50)], 8)
    method = method_of(2, algorithm, asked)
    try:
        one, other = (
            method.publish(table, Local()).published
            for table in (table_of(rows), table_of(shuffled, names.__getitem__))
        )
    except GuaranteeUnreachable:
        assume(False)
    assert one == other


@given(st.lists(ROW, min_size=2, max_size=16), st.integers(2, 4), st.sampled_from(ASKED), st.integers(0, 999))
@examples(150)
def test_the_inspector_counts_people_as_its_twin_does(rows, k, asked, seed):
    """Published tables whose classes have enough rows, but whoever's rows they happen to be."""
    roles = {"town": "quasi-identifier", "sex": "quasi-identifier", "age": "quasi-identifier", "disease": "sensitive"}
    table = table_of([(p, "a", s, a, d) for p, _, s, a, d in rows])
    random, original = Random(seed), dicts(table)
    order = sorted(range(len(rows)), key=lambda row: (original[row]["sex"], random.random()))
    sizes = [
        {"town": "a", "sex": row["sex"], "age": "[1, 9]" if random.random() < 0.8 else row["age"]} for row in original
    ]
    made = [{**sizes[row], "disease": original[row]["disease"]} for row in range(len(rows))]
    places = sorted(order, key=lambda row: list(made[row].values()))
    parts = [places.index(row) for row in range(len(rows))]
    columns = {name: [made[row][name] for row in places] for name in roles}
    published = Generalized(Table.from_columns(columns, {n: Role(r) for n, r in roles.items()}).with_hierarchies(TREES))
    guarantee = KAnonymity(k, ("town", "sex", "age"), ("disease",), **asked, person="patient")
    verdict = check(published, guarantee, original=table, part_of_record=parts)
    found = {violation.invariant for violation in verdict.violations} & {"U4", "U5"}
    assert found == oracle.people_violated(dicts(published.table), original, parts, guarantee)


@given(st.lists(ROW, min_size=6, max_size=30), st.sampled_from(ASKED))
@examples(60)
def test_without_the_map_nothing_is_said_that_the_map_would_deny(rows, asked):
    table, method = table_of(rows), method_of(2, "local-search", {})
    try:
        draft = method.publish(table, Local())
    except GuaranteeUnreachable:
        assume(False)
    guarantee = KAnonymity(3, draft.published.quasi, ("disease",), **asked, person="patient")  # more than was asked for
    true = oracle.people_violated(dicts(draft.published.table), dicts(table), draft.part_of_record.tolist(), guarantee)
    verdict = check(draft.published, guarantee, original=method.prepared(table))
    found = {violation.invariant for violation in verdict.violations} & {"U4", "U5"}
    assert found <= true
    if "U4" in verdict.checked:
        assert ("U4" in found) == ("U4" in true)


def test_rows_of_one_person_are_no_crowd():
    rows = [(0, "a", "f", 7, d) for d in "xyzxy"] + [(p, "c", "m", 7, "x") for p in range(1, 6)]
    with pytest.raises(disjoin.InvalidParameter, match="person='patient'"):
        disjoin.generalize(table_of(rows), 5, ("town", "sex", "age"), identifiers="patient")
    release = disjoin.generalize(table_of(rows), 5, ("town", "sex", "age"), person="patient", others=("disease",))
    assert len(set(release.published.table.column("town").to_pylist())) == 1
