"""Apriori generalisation against its slow twin, and what it promises on any data."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.engine import Local
from disjoin.methods.apriori import ALGORITHMS, Apriori
from disjoin.methods.apriori import rare_itemsets as searching
from disjoin.model import Hierarchy, KmAnonymity, Transactions
from disjoin.verify import check
from helpers.hypothesis_profile import examples
from helpers.item_hierarchies import generalisable
from oracle import apriori as twin

ENGINE = Local(1)


def generalised(case, algorithm):
    """The draft, and the cut of the twin."""
    method = Apriori(k=case["k"], m=case["m"], hierarchy=Hierarchy.from_rows(case["rows"]), algorithm=algorithm)
    draft = method.publish(Transactions.from_sets(case["records"]), ENGINE)
    tree = twin.tree_of(case["rows"])
    return draft, twin.anonymised(case["records"], tree, case["k"], case["m"], algorithm)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@examples(100)
@given(generalisable())
def test_the_cut_the_records_and_the_loss_are_those_of_the_twin(algorithm, case):
    draft, cut = generalised(case, algorithm)
    assert draft.published.mapping == cut
    wanted = Counter(tuple(sorted(record)) for record in twin.generalised(case["records"], cut))
    assert draft.published.records.rows() == sorted(wanted.items())
    assert draft.private["ncp"] == float(twin.ncp(case["records"], twin.tree_of(case["rows"]), cut))
    occurring = {term for record in case["records"] for term in record}
    assert draft.private["generalized_terms"] == sum(cut[term] != term for term in occurring)


@examples(40)
@given(generalisable(), st.sampled_from(list(ALGORITHMS)), st.integers(1, 2), st.integers(0, 3))
def test_it_does_not_matter_in_how_small_parts_rare_sets_are_looked_for(case, algorithm, sets, steps):
    with pytest.MonkeyPatch.context() as small:
        small.setattr(searching, "SETS_AT_ONCE", sets)
        small.setattr(searching, "STEPS_AT_ONCE", steps)
        draft, cut = generalised(case, algorithm)
    assert draft.published.mapping == cut


@examples(40)
@given(generalisable(), st.sampled_from(list(ALGORITHMS)), st.randoms(use_true_random=False))
def test_any_order_of_records_terms_and_rows_of_the_hierarchy_gives_the_same(case, algorithm, chance):
    records, rows = case["records"], case["rows"]
    places = chance.sample(range(len(records)), len(records))
    mixed = [chance.sample(records[place], len(records[place])) for place in places]
    one, _ = generalised(case, algorithm)
    other, _ = generalised({**case, "records": mixed, "rows": chance.sample(rows, len(rows))}, algorithm)
    assert one.published == other.published
    assert one.private == other.private
    assert one.part_of_record[places].tolist() == other.part_of_record.tolist()


@examples(40)
@given(generalisable(), st.sampled_from(list(ALGORITHMS)))
def test_who_knows_up_to_m_terms_finds_k_records_that_may_have_them(case, algorithm):
    published = generalised(case, algorithm)[0].published
    rows, mapping = published.records.rows(), published.mapping
    for record in case["records"]:
        for size in range(1, case["m"] + 1):
            for known in combinations(record, size):
                images = {mapping[term] for term in known}
                assert sum(count for terms, count in rows if images <= {*terms}) >= case["k"]


@examples(40)
@given(generalisable(), st.sampled_from(list(ALGORITHMS)))
def test_every_record_is_published_as_the_row_that_it_is_said_to_be(case, algorithm):
    draft, cut = generalised(case, algorithm)
    rows = draft.published.records.rows()
    said = [rows[row][0] for row in draft.part_of_record]
    assert said == [tuple(sorted({cut[term] for term in record})) for record in case["records"]]


@examples(40)
@given(generalisable(), st.sampled_from(list(ALGORITHMS)))
def test_whatever_is_published_the_inspector_accepts(case, algorithm):
    draft, _ = generalised(case, algorithm)
    data = Transactions.from_sets(case["records"])
    guarantee = KmAnonymity(case["k"], case["m"])
    verdict = check(draft.published, guarantee, original=data, part_of_record=draft.part_of_record)
    assert verdict.holds, verdict.violations
