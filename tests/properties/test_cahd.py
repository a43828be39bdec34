"""CAHD: the kernels do what their slow twins do, groups are safe, and sensitive items never steer the order."""

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disjoin.methods.cahd import Cahd
from disjoin.methods.cahd.cahd_groups import prepared
from disjoin.methods.cahd.cuthill_mckee import rows_and_columns
from disjoin.methods.cahd.run import marked
from disjoin.model import Transactions
from helpers import cahd_rows
from helpers.hypothesis_profile import examples
from helpers.synthetic import baskets
from oracle import cahd as twin


@given(cahd_rows.feasible(), st.booleans())
@examples(300)
def test_the_kernel_forms_the_groups_of_its_twin(case, as_printed):
    rows, p, alpha, n_items, n_sensitive = case
    found = cahd_rows.formed(rows, p, alpha, n_items, n_sensitive, as_printed)
    assert found == [sorted(group) for group in twin.form_groups(rows, p, alpha, as_printed)]


@given(cahd_rows.feasible(most_rows=60))
@examples(300)
def test_no_group_is_below_p_where_p_can_be_reached(case):
    rows, p, alpha, n_items, n_sensitive = case
    found = cahd_rows.formed(rows, p, alpha, n_items, n_sensitive)
    assert sorted(row for group in found for row in group) == list(range(len(rows)))
    for number, group in enumerate(found):
        size, count = twin.degree(group, rows)
        assert count * p <= size
        if number < len(found) - 1:  # all but the left-over group, which may be missing
            assert size == p and count <= 1


def test_the_check_as_it_was_printed_lets_unsafe_groups_pass():
    rng, unsafe, cases = random.Random(1), 0, 0
    while cases < 60:
        rows = [
            (frozenset(i for i in range(3) if rng.random() < 0.4), frozenset(s for s in range(2) if rng.random() < 0.2))
            for _ in range(rng.randint(4, 14))
        ]
        counts, p = twin.count_sensitive(rows), rng.randint(2, 4)
        if not counts or max(counts.values()) * p > len(rows):
            continue
        cases += 1
        degrees = [twin.degree(group, rows) for group in cahd_rows.formed(rows, p, 2, 3, 2, published_check=True)]
        unsafe += any(count * p > size for size, count in degrees)
    assert 0 < unsafe < cases


@given(cahd_rows.feasible(), st.sampled_from(["bipartite", "aat"]))
@examples(200)
def test_the_order_is_that_of_the_twin(case, order):
    rows, _, _, n_items, n_sensitive = case
    encoded, ordinary = cahd_rows.as_rows(rows, n_items, n_sensitive), [row for row, _ in rows]
    found, columns = rows_and_columns(encoded.ordinary.offsets, encoded.ordinary.items, n_items, order)
    if order == "bipartite":
        assert (found.tolist(), columns.tolist()) == twin.bipartite_order(ordinary, range(n_items))
    else:
        assert found.tolist() == twin.common_items_order(ordinary)
        assert sorted(columns.tolist()) == list(range(n_items))


@given(baskets(most_records=20), st.integers(0, 2**32), st.sampled_from(["bipartite", "aat"]))
@examples(60)
def test_sensitive_items_never_steer_the_order(records, seed, order):
    """Whoever has which sensitive items: the sequence of ordinary parts stays the same."""
    rng, sequences = random.Random(seed), []
    for _ in range(3):
        secrets = [["zz-flu"], ["zz-hiv"], ["zz-flu", "zz-hiv"], []]
        dressed = [record + rng.choice(secrets) for record in records] + [["zz-flu", "zz-hiv"], records[0]]
        data = marked(Cahd(p=2, sensitive=("zz-flu", "zz-hiv")), Transactions.from_sets(dressed))
        rows = prepared(data).rows
        sequence, _ = rows_and_columns(rows.ordinary.offsets, rows.ordinary.items, rows.n_items, order)
        sequences.append([rows.ordinary[row].tolist() for row in sequence])
    assert sequences[0] == sequences[1] == sequences[2]


@given(baskets(), st.sets(st.sampled_from([f"t{n:02d}" for n in range(14)]), min_size=1, max_size=3))
@examples(100)
def test_records_are_sorted_by_ordinary_then_sensitive_items_and_taken_apart(records, secret):
    data = Transactions.from_sets(records).with_sensitive(secret)
    found = prepared(data)
    rows, names = found.rows, found.vocabulary.to_pylist()
    halves = []
    for row in range(len(rows)):
        ordinary, sensitive = rows.ordinary[row], rows.sensitive[row]
        halves.append(([names[found.ordinary[i]] for i in ordinary], [names[found.sensitive[i]] for i in sensitive]))
    wanted = sorted((sorted(set(r) - secret), sorted(set(r) & secret)) for r in records)
    assert halves == wanted
    assert [set(a) | set(b) for a, b in halves] == [set(records[i]) for i in found.records]
    numbers = [int(np.flatnonzero(found.same == n)[0]) for n in found.same]  # the first row with the same number
    assert [halves[n][0] for n in numbers] == [ordinary for ordinary, _ in halves]
    assert len(set(found.same.tolist())) == len({tuple(ordinary) for ordinary, _ in halves})
