"""KL divergence, supports and possible originals on the groups of GTK08, figure 1c; every number can be had by hand."""

import math

import pytest

from disjoin.analyst import support
from disjoin.analyst.reconstruction import reconstruct
from disjoin.measure import EVALUATIONS, GroupEvidence, kl_divergence
from disjoin.model import Groups, Transactions
from oracle import groups_utility as twin

PEOPLE = {
    "Bob": {"Wine", "Meat", "Viagra"},
    "David": {"Wine", "Meat"},
    "Claire": {"Strawberries", "Cream", "Pregnancy Test"},
    "Andrea": {"Strawberries", "Meat"},
    "Ellen": {"Wine", "Meat", "Cream"},
}
SENSITIVE = {"Pregnancy Test", "Viagra"}
FIGURE = [[PEOPLE[name] for name in names] for names in (("Bob", "David", "Ellen"), ("Andrea", "Claire"))]
PUBLISHED = Groups.from_nested(twin.publish(FIGURE, SENSITIVE))
ORIGINAL = Transactions.from_sets(PEOPLE.values())


@pytest.mark.parametrize(("item", "expected"), [("Pregnancy Test", math.log(2)), ("Viagra", math.log(1.5))])
def test_the_divergence_is_that_of_the_specification(item, expected):
    assert kl_divergence(PUBLISHED, ORIGINAL, item, ["Cream", "Meat"]) == pytest.approx(expected, rel=1e-15)


def test_one_group_of_all_five_tells_less():
    everybody = Groups.from_nested(twin.publish([list(PEOPLE.values())], SENSITIVE))
    # Claire alone has cream and no meat: 1 of 5. Bob, David and Andrea have meat and no cream: 3 of 5.
    assert kl_divergence(everybody, ORIGINAL, "Pregnancy Test", ["Cream", "Meat"]) == pytest.approx(math.log(5))
    assert kl_divergence(everybody, ORIGINAL, "Viagra", ["Cream", "Meat"]) == pytest.approx(math.log(5 / 3))


def test_supports_of_the_figure():
    itemsets = [["Wine", "Viagra"], ["Cream", "Viagra"], ["Meat", "Pregnancy Test"], ["Meat"], ["Viagra"]]
    rows = support(PUBLISHED, itemsets).to_pylist()
    found = [(row["seen"], round(row["estimate"], 4), row["at_most"]) for row in rows]
    assert found == [(1, 1.0, 1), (0, 0.3333, 1), (0, 0.5, 1), (4, 4.0, 4), (1, 1.0, 1)]


def test_associations_of_the_figure():
    # Viagra: cream 1/3 too much. Pregnancy Test: cream 1/2 too little, meat 1/2 too much. True: 2 + 2.
    error = EVALUATIONS["association_error"].compute(GroupEvidence(ORIGINAL, PUBLISHED)).value
    assert error == pytest.approx((1 / 3 + 1 / 2 + 1 / 2) / 4)


def test_the_original_is_one_of_four_possible_ones():
    worlds = {tuple(sorted(world.to_sets(), key=sorted)) for world in reconstruct(PUBLISHED, 200)}
    assert tuple(sorted(ORIGINAL.to_sets(), key=sorted)) in worlds
    assert len(worlds) == 4  # of six placements: what is shown of Bob and David is the same
