"""A plan that is written is the plan that is read."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter
from disjoin.methods.apriori import Apriori
from disjoin.methods.cahd import Cahd
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.generalization import Generalization
from disjoin.model import Hierarchy
from disjoin.plan import Plan
from disjoin.studio.plans import in_toml

METHODS = [
    Disassociation(k=7, m=3, clustering="core", refine=False, sensitive=("hepatitis, C", 'a "b"')),
    Disassociation(),
    Cahd(p=4, sensitive=("beer",)),
    Generalization(k=3, quasi=("age", "postal code"), alpha=Fraction(1, 3), person="id"),
]


def read_again(plan, folder):
    (folder / "plan.toml").write_text(in_toml(plan), encoding="utf-8")
    return Plan.from_file(folder / "plan.toml")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_written_plan_is_read_as_it_was(method, tmp_path):
    plan = Plan("data.csv", method, Path("out"), {"separator": ";"}, overwrite=True, threads=2)
    again = read_again(plan, tmp_path)
    assert (again.method, again.reading, again.overwrite, again.threads) == (method, {"separator": ";"}, True, 2)
    assert (again.source, again.destination) == (str(tmp_path / "data.csv"), tmp_path / "out")


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]), min_size=1), min_size=1, max_size=3, unique=True))
def test_terms_of_any_kind_come_back(terms):
    import tomllib

    plan = Plan("data.csv", Disassociation(sensitive=tuple(terms)), Path("out"))
    assert tomllib.loads(in_toml(plan))["method"]["sensitive"] == list(plan.method.sensitive)


def test_a_hierarchy_needs_the_name_of_its_file():
    tree = Hierarchy.from_rows([("tea", "drinks", "*"), ("jam", "food", "*")])
    plan = Plan("data.csv", Apriori(hierarchy=tree), Path("out"))
    with pytest.raises(InvalidParameter, match="was read from a file"):
        in_toml(plan)
    assert 'hierarchy = "items.csv"' in in_toml(plan, {"hierarchy": "items.csv"})
