"""DiffPart: no path over its budget, nothing but noisy counts decides, and without noise nothing is lost."""

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disjoin.engine import Local
from disjoin.methods.diffpart import DiffPart, NoNoise, SeededNoise
from disjoin.methods.diffpart.domain import Taxonomy, known_records
from disjoin.methods.diffpart.run import Account, Rules, divide, whole
from disjoin.model import Transactions
from helpers.hypothesis_profile import examples
from helpers.noise_sources import Deaf, Fixed
from helpers.synthetic import NAMES, baskets
from oracle.diffpart import inner_nodes, leaves, level, publish, tree_of

ANY_RECORD_AT_ALL = {"prune": Fraction(1, 100), "keep": Fraction(1, 2)}  # with exact counts: one record is enough


def crowd(seed):
    """Records of all names: what hypothesis draws is mostly too small to reach the depth of a tree."""
    random = Random(seed)
    return [random.sample(NAMES, random.randint(1, 6)) for _ in range(25)]


RECORDS = st.one_of(baskets(), st.integers(0, 999).map(crowd))


def draft_of(records, **parameters):
    return DiffPart(**{"domain": "seen"} | parameters).publish(Transactions.from_sets(records), Local(1))


def paths_of(records, epsilon, fan_out, source):
    """The accounts of all partitions that were divided: (what was spent, whether it came to its end)."""
    known = known_records(Transactions.from_sets(records), "seen")
    rules = Rules(Taxonomy(len(known.terms), fan_out), known, source, 0.7, 0.7)
    waiting, found = [whole(rules, Account(epsilon))], []
    while waiting:
        partition = waiting.pop()
        division = divide(partition, rules)
        waiting += division.partitions
        found.append((division.account.spent, partition.inner_nodes == 1))
    return found


@given(RECORDS, st.integers(2, 5))
@examples(60)
def test_without_noise_the_distinct_records_come_out_with_their_counts(records, fan_out):
    draft = draft_of(records, fan_out=fan_out, noise=NoNoise(), **ANY_RECORD_AT_ALL)
    expected = Counter(tuple(sorted(record)) for record in records)
    assert draft.published.records.rows() == sorted(expected.items())


@given(
    RECORDS,
    st.integers(2, 4),
    st.fractions("1/10", 3, max_denominator=20),
    st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(2)]),
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(7, 4)]),
    st.integers(0, 50),
)
@examples(60)
def test_it_does_what_its_slow_twin_does(records, fan_out, epsilon, prune, keep, salt):
    noise = Fixed(reach=1, salt=salt)
    draft = draft_of(records, domain=NAMES, epsilon=epsilon, fan_out=fan_out, prune=prune, keep=keep, noise=noise)
    expected, ended = publish(
        records,
        NAMES,
        budget=epsilon,
        fan_out=fan_out,
        prune=prune,
        keep=keep,
        noise=noise.of,
        deviation=lambda _: 1,
    )
    assert {frozenset(terms): count for terms, count in draft.published.records.rows()} == expected
    assert all(spent == epsilon for spent in ended)
    assert draft.private["most_spent"] <= float(epsilon)


@given(RECORDS, st.integers(2, 5), st.fractions("1/1000", 100, max_denominator=1000), st.integers(0, 9))
@examples(60)
def test_no_path_spends_more_than_epsilon_and_one_that_ends_in_records_spends_all(records, fan_out, epsilon, seed):
    few = SeededNoise(seed).source()
    calls = []

    def source(counts, allowance):
        noisy = few(counts, allowance)
        calls.append(allowance)
        lowered = noisy.counts if len(calls) < 50 else noisy.counts - 10**9  # lest it goes on for ever
        return noisy._replace(counts=lowered)

    for spent, is_last in paths_of(records, epsilon, fan_out, source):
        assert spent <= epsilon
        assert spent == epsilon if is_last else spent < epsilon / 2
    assert min(calls) > 0


@given(RECORDS, st.integers(0, len(NAMES) - 1), st.integers(2, 5), st.integers(0, 99))
@examples(60)
def test_one_record_more_changes_one_count_by_one_in_steps_that_cost_no_more_than_epsilon(records, term, fan_out, salt):
    """PROOF.md in numbers: with the same noisy counts, what differs between two neighbours is within the budget."""
    epsilon, extra = Fraction(7, 10), [*records[0], NAMES[term]]
    without, beside = Deaf(salt=salt), Deaf(salt=salt)
    both = {"epsilon": epsilon, "fan_out": fan_out, "domain": NAMES}
    one = draft_of(records, noise=without, **both)
    other = draft_of([*records, extra], noise=beside, **both)
    assert one.published == other.published
    assert [(counts.size, asked) for counts, asked in without.asked] == [(c.size, asked) for c, asked in beside.asked]
    changes = [int(np.abs(b - a).sum()) for (a, _), (b, _) in zip(without.asked, beside.asked, strict=True)]
    assert changes[0] == 1
    assert set(changes) <= {0, 1}
    touched = [asked for change, (_, asked) in zip(changes, without.asked, strict=True) if change]
    assert sum(touched) <= epsilon


@given(RECORDS, RECORDS, st.integers(2, 5), st.integers(0, 99))
@examples(40)
def test_what_noisy_counts_do_not_tell_changes_nothing(records, others, fan_out, salt):
    drafts = [
        draft_of(each, fan_out=fan_out, domain=NAMES, noise=Deaf(salt=salt, share=2)) for each in (records, others)
    ]
    assert drafts[0].published == drafts[1].published
    assert len({(draft.private["partitions"], draft.private["pruned"]) for draft in drafts}) == 1


@given(st.integers(1, 200), st.integers(2, 12))
@examples(100)
def test_the_tree_is_the_one_that_grouping_builds(terms, fan_out):
    names = [f"{number:03d}" for number in range(terms)]
    tree = Taxonomy(terms, fan_out)

    def compare(node, twin):
        assert [names[place] for place in tree.terms(node)] == leaves(twin)
        assert (node.level, tree.inner_nodes(node)) == (level(twin), inner_nodes(twin))
        if node.level:
            below = [type(node)(node.level - 1, place) for place in tree.children(node)]
            for child, child_twin in zip(below, twin, strict=True):
                compare(child, child_twin)
            assert all(len(tree.terms(child)) == tree.terms_of_a_child(node) for child in below[:-1])

    compare(tree.root, tree_of(names, fan_out))
