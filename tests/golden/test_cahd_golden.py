"""CAHD on the worked example of its paper (section C.6), in the twin and in the kernels."""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.cahd import Cahd
from disjoin.methods.cahd.cuthill_mckee import rows_and_columns
from disjoin.methods.cahd.run import marked, require_reachable
from disjoin.model import Groups, PrivacyDegree, Transactions
from disjoin.verify import check
from helpers import cahd_rows
from oracle import cahd as twin

GOLDEN = json.loads((Path(__file__).parent / "cahd.json").read_text(encoding="utf-8"))
SECRET = GOLDEN["sensitive"]
COLUMNS = ["Wine", "Strawberries", "Meat", "Cream"]
NAMES = ["Bob", "David", "Claire", "Andrea", "Ellen"]


def numbered(names):
    """The rows of these people: numbers of ordinary items, numbers of sensitive items."""
    return [
        (
            frozenset(COLUMNS.index(term) for term in GOLDEN["rows"][name] if term not in SECRET),
            frozenset(SECRET.index(term) for term in GOLDEN["rows"][name] if term in SECRET),
        )
        for name in names
    ]


def kernel_groups(rows, p, alpha, published_check):
    return cahd_rows.formed(rows, p, alpha, len(COLUMNS), len(SECRET), published_check)


@pytest.mark.parametrize("form", [twin.form_groups, kernel_groups])
@pytest.mark.parametrize("check_as_printed", [False, True])
@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_the_groups_are_those_of_the_example(form, check_as_printed, p):
    found = form(numbered(GOLDEN["order"]), p, GOLDEN["alpha"], check_as_printed)
    named = [sorted(GOLDEN["order"][row] for row in group) for group in found]
    wanted = GOLDEN["printed_check_groups" if check_as_printed else "groups"][str(p)]
    assert named == [sorted(group) for group in wanted]


def test_the_twin_lists_a_group_from_its_middle_outwards():
    for key, as_printed in (("groups", False), ("printed_check_groups", True)):
        for p, wanted in GOLDEN[key].items():
            found = twin.form_groups(numbered(GOLDEN["order"]), int(p), GOLDEN["alpha"], as_printed)
            assert [[GOLDEN["order"][row] for row in group] for group in found] == wanted


def kernel_order(order):
    rows = cahd_rows.as_rows(numbered(NAMES), len(COLUMNS), len(SECRET))
    return rows_and_columns(rows.ordinary.offsets, rows.ordinary.items, len(COLUMNS), order)


def test_the_bipartite_order_is_that_of_the_example():
    rows, columns = kernel_order("bipartite")
    assert [NAMES[row] for row in rows] == GOLDEN["rcm_bipartite_rows"]
    assert [COLUMNS[column] for column in columns] == ["Strawberries", "Cream", "Meat", "Wine"]
    ordinary = [row for row, _ in numbered(NAMES)]
    assert twin.bipartite_order(ordinary, range(4)) == (rows.tolist(), columns.tolist())


def test_the_order_by_common_items_is_that_of_the_example():
    rows, _ = kernel_order("aat")
    assert [NAMES[row] for row in rows] == GOLDEN["rcm_aat_rows"]
    assert twin.common_items_order([row for row, _ in numbered(NAMES)]) == rows.tolist()


def test_scipy_orders_the_example_in_the_same_way():
    ones = np.array([[column in row for column in range(4)] for row, _ in numbered(NAMES)], dtype=float)
    both = csr_array(np.block([[np.zeros((5, 5)), ones], [ones.T, np.zeros((4, 4))]]))
    found = reverse_cuthill_mckee(both, symmetric_mode=True)
    assert [NAMES[row] for row in found if row < 5] == GOLDEN["rcm_bipartite_rows"]


def test_six_cannot_be_reached_and_five_is_named_as_the_largest_p():
    data = Transactions.from_sets(GOLDEN["rows"].values())
    method = Cahd(p=GOLDEN["infeasible_p"], sensitive=SECRET)
    with pytest.raises(GuaranteeUnreachable, match=r"'Pregnancy Test' is in 1 of 5 records.*p can be at most 5"):
        require_reachable(method.p, marked(method, data))


@pytest.mark.parametrize(("p", "holds"), [(2, True), (3, False)])
def test_the_inspector_finds_the_degrees_of_the_figure(p, holds):
    groups = []
    for people in (["Bob", "David", "Ellen"], ["Andrea", "Claire"]):
        terms = [GOLDEN["rows"][name] for name in people]
        records = Counter(tuple(sorted(set(row) - set(SECRET))) for row in terms)
        sensitive = {s: 1 for s in SECRET if any(s in row for row in terms)}
        groups.append({"size": len(people), "records": sorted(records.items()), "sensitive": sensitive})
    degrees = [Fraction(group["size"], max(group["sensitive"].values())) for group in groups]
    assert degrees == GOLDEN["fig1c_privacy_degrees"]
    verdict = check(Groups.from_nested(sorted(groups, key=lambda group: group["size"])), PrivacyDegree(p))
    assert verdict.holds is holds
    assert verdict.facts["degree"] == [2, 1]
