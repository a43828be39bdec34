"""VER13's worked example (tables 1.1 and 1.2) and the spec's numbers: distortion, discernibility, CAVG, ILoss."""

from __future__ import annotations

from fractions import Fraction

import pytest

from disjoin.measure import EVALUATIONS, TableEvidence
from disjoin.measure.tables import iloss_of_nodes, level_shares
from disjoin.model import Hierarchy, Role, Table
from disjoin.model.generalized import loss_of, quasi_column

QUASI = ("job", "birth", "postcode")
POSTCODES = [[code[:4], f"{code[:3]}*", f"{code[:2]}**", f"{code[0]}***", "****"] for code in ("4350", "5432", "5433")]
HIERARCHIES = {
    "job": Hierarchy.from_rows([["Cat1", "*"], ["Cat2", "*"]]),
    "birth": Hierarchy.from_rows([["1955", "*"], ["1975", "*"]]),
    "postcode": Hierarchy.from_rows(POSTCODES),
}
ILLNESSES = ["HIV", "HIV", "flu", "flu", "flu", "fever"]


def table(*rows: str) -> Table:
    columns = dict(zip(QUASI, zip(*(row.split() for row in rows), strict=True), strict=True))
    return Table.from_columns({**columns, "illness": ILLNESSES}, {"illness": Role.SENSITIVE})  # type: ignore[arg-type]


ORIGINAL = table(
    "Cat1 1975 4350", "Cat1 1955 4350", "Cat1 1955 5432", "Cat1 1955 5433", "Cat2 1975 4350", "Cat2 1975 4350"
)
PUBLISHED = table(
    *("Cat1 * 4350", "Cat1 * 4350", "Cat1 1955 543*", "Cat1 1955 543*", "Cat2 1975 4350", "Cat2 1975 4350")
).with_hierarchies(HIERARCHIES)


def found(name: str) -> object:
    evidence = TableEvidence(ORIGINAL, PUBLISHED, QUASI, ("illness",), k=2, label="illness")
    return EVALUATIONS[name].compute(evidence).value


def test_distortion_discernibility_and_mean_class_size_of_table_1_2() -> None:
    assert found("distortion") == Fraction(5, 2)
    assert found("discernibility") == 12
    assert found("cavg") == 1


def test_the_other_measures_of_table_1_2_by_hand() -> None:
    assert found("precision") == 1 - Fraction(5, 2) / 18
    assert found("distortion_per_cell") == Fraction(5, 36)
    assert found("distortion_height") == 2 + 2 * Fraction(3, 25)  # 1/4 of 1 + 1/2 + 1/3 + 1/4
    assert found("granularity") == 1 - (2 * 1 + 2 * Fraction(1, 2)) / 18
    assert found("iloss") == 2 * Fraction(1, 2) + 2 * Fraction(1, 3)
    assert found("ncp") == (2 * 1 + 2 * Fraction(2, 3)) / 18
    assert (found("classes"), found("smallest_class"), found("largest_class")) == (3, 2, 2)
    assert found("classification_metric") == Fraction(1, 6)  # flu or fever in the last class


def test_information_gained_per_anonymity_lost_by_hand() -> None:
    # HIV 2, flu 3, fever 1 have 1.4591 bits; two rows are left unsure by 1 bit; the smallest class falls from 6 to 2
    assert found("igpl") == pytest.approx((1.459147917027245 - 1 / 3) / 5)


def test_distortion_of_two_rows_under_their_closest_common_generalisation() -> None:
    masked = [["4351", "435*", "43**", "4***", "****"], ["4352", "435*", "43**", "4***", "****"]]
    trees = {
        "sex": Hierarchy.from_rows([["male", "*"], ["female", "*"]]),
        "age": Hierarchy.from_rows([["young", "*"], ["old", "*"]]),
        "postcode": Hierarchy.from_rows(masked),
    }
    row = Table.from_columns({"sex": ["*"], "age": ["young"], "postcode": ["435*"]}).with_hierarchies(trees)
    assert sum(loss_of(quasi_column(row, name), level_shares) for name in trees) == Fraction(5, 4)


def test_iloss_of_a_lawyer_who_becomes_a_professional() -> None:
    jobs = [["lawyer", "professional"], ["engineer", "professional"], ["dancer", "artist"], ["writer", "artist"]]
    tree = Hierarchy.from_rows([[*job, "any job"] for job in jobs])
    assert iloss_of_nodes(tree)[tree.names.to_pylist().index("professional")] == Fraction(1, 4)
