"""REFINE publishes the same for any number of threads, however the work is cut up, and wherever it is done."""

from contextlib import ExitStack
from itertools import pairwise
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation, refine, refine_join, refine_shared_chunks
from disjoin.methods.disassociation.horpart import records_in, secret_terms
from disjoin.model.ragged import Ragged, offsets_of
from disjoin.progress import silent
from disjoin.readers.read import read
from disjoin.spark.refine_levels import count_shareable, join_tops, keys_of, plan_levels, tops_of_leaves, tops_of_lines
from helpers import refine_runs
from helpers.hypothesis_profile import examples
from oracle import refinement as twin
from properties.test_refinement_twins import cases, larger_case, places


def in_small_pieces(lines):
    """Let every thread take so few lines, clusters and occurrences at a time that even tiny data is cut up."""
    return (
        patch.object(refine, "BLOCK_LINES", lines),
        patch.object(refine, "SPAN_CLUSTERS", 2),
        patch.object(refine_join, "SPAN_OCCURRENCES", lines),
        patch.object(refine_shared_chunks, "SPAN_OCCURRENCES", lines),
    )


def refined_in_pieces(case, lines, threads, **options):
    with ExitStack() as pieces:
        for patched in in_small_pieces(lines):
            pieces.enter_context(patched)
        return refine_runs.refine_in_levels_and_trace(*case, threads=threads, **options)


@given(
    case=cases,
    mode=st.sampled_from(["safe", "safe", "paper"]),
    hidden=st.sets(st.sampled_from("abcdefgh"), max_size=2),
    largest=st.none() | st.integers(4, 40),
    lines=st.integers(1, 30),
)
@examples(60)
def test_tiny_data_is_refined_to_the_same_forest_by_one_two_and_three_threads(case, mode, hidden, largest, lines):
    options = {"mode": mode, "sensitive": tuple(sorted(hidden)), "largest": largest}
    expected, leaves = twin.refine_in_levels_and_trace(*case, **options)
    for threads in (1, 2, 3):
        made, made_leaves = refined_in_pieces(case, lines, threads, **options)
        assert made == expected
        assert places(made, made_leaves) == places(expected, leaves)


@pytest.mark.parametrize("seed", range(20))
def test_closing_the_gaps_before_every_round_changes_nothing(seed):
    case = larger_case(Random(seed))
    expected = refine_runs.refine_in_levels_and_trace(*case)

    def tight(joiner, wanted, least):
        refine_join.close_gaps(joiner.ledger)
        return least

    with patch.object(refine.Joiner, "_room", tight):
        assert refine_runs.refine_in_levels_and_trace(*case) == expected


def ragged(values, offsets, chosen):
    """Rows of an array, one after the other."""
    return np.concatenate([values[:0], *(values[offsets[row] : offsets[row + 1]] for row in chosen)])


def taken(tops, order):
    """Clusters in another order, some or all."""
    leaves = ragged(np.arange(tops.leaves.size), tops.leaf_offsets, order)
    lines, leaf_lists, entries = (
        offsets_of(np.diff(each)[chosen])
        for each, chosen in ((tops.line_offsets, order), (tops.leaf_offsets, order), (tops.term_offsets, leaves))
    )
    return type(tops)(
        lines,
        *(ragged(each, tops.line_offsets, order) for each in tops[1:4]),
        leaf_lists,
        *(each[leaves] for each in tops[5:8]),
        entries,
        *(ragged(each, tops.term_offsets, leaves) for each in tops[9:]),
    )


class InGroups:
    """Has every cluster by itself, and joins groups of runs, cut at random, one by one in any order."""

    def __init__(self, tops, secret, limits, random):
        self.secret, self.limits, self.random = secret, limits, random
        self.tops = [taken(tops, [number]) for number in range(len(tops))]

    def lines(self, part):
        return tops_of_lines(part.line_offsets, part.line_term, part.line_marks)

    def counts(self):
        counts = np.zeros(self.secret.size, np.int64)
        for part in self.tops:
            count_shareable(self.lines(part), self.secret.size, counts)
        return counts

    def keys(self, rank):
        return np.concatenate([keys_of(self.lines(part), rank, self.secret) for part in self.tops])

    def join(self, level):
        ordered, starts = [self.tops[place] for place in level.order], level.starts
        groups = list(pairwise(sorted({0, *self.random.choices(range(starts.size - 1), k=3), starts.size - 1})))
        made = {}
        for lo, hi in self.random.sample(groups, len(groups)):
            together = one_after_the_other(ordered[starts[lo] : starts[hi]])
            made[starts[lo]] = join_tops(together, level.number, level.run, self.secret, self.limits)
        self.tops, members = [], []
        for first, (tops, of_each) in sorted(made.items()):
            self.tops += [taken(tops, [row]) for row in range(len(tops))]
            members += [[int(first) + place for place in row] for row in of_each.to_lists()]
        return Ragged.from_lists(members)


def one_after_the_other(parts):
    columns = []
    for name, *values in zip(parts[0]._fields, *parts, strict=True):
        lengths = [np.diff(each) for each in values]
        columns.append(offsets_of(np.concatenate(lengths)) if name.endswith("offsets") else np.concatenate(values))
    return type(parts[0])(*columns)


def leaning_case(random):
    """Clusters some of which need their term chunks, as they have records without any other term."""
    k, m = random.choice([2, 3]), random.choice([1, 2, 3])
    rare = "abcdefgh"[: random.randint(2, 5)]
    clusters = []
    for number in range(random.randint(4, 14)):
        crowd = [[f"z{number % 3}", *random.sample(rare, random.randint(0, 1))] for _ in range(k)]
        alone = [random.sample(rare, random.randint(1, 2)) for _ in range(random.choice([0, 0, 1, 2]))]
        clusters.append(crowd + alone)
    return clusters, k, m


@given(
    seed=st.integers(0, 2**32 - 1),
    draw=st.sampled_from([larger_case, leaning_case]),
    mode=st.sampled_from(["safe", "safe", "paper"]),
    hidden=st.sets(st.sampled_from("abcdefgh"), max_size=2),
    passes=st.none() | st.integers(1, 3),
    largest=st.none() | st.integers(4, 40),
)
@example(seed=27, draw=larger_case, mode="paper", hidden={"d"}, passes=2, largest=13)  # with terms that are strict
@example(seed=119, draw=leaning_case, mode="safe", hidden={"g"}, passes=None, largest=13)  # some leaves lean
@examples(100)
def test_groups_of_runs_that_are_joined_apart_make_the_plan_of_all_together(seed, draw, mode, hidden, passes, largest):
    random = Random(seed)
    clusters, k, m = draw(random)
    data, partition, leaves = refine_runs.cut(clusters, k, m, sorted(hidden))
    method = refine_runs.settings(k, m, mode, passes, largest, "levels")
    secret = secret_terms(data)
    limits = refine_join.limits_of(method, len(data), data.n_terms, 9)
    supports = refine_join.supports_of_entries(
        records_in(data, partition.records), partition.ends, leaves, data.n_terms, map
    )
    plan = refine.plan_refine(leaves, supports, secret, method, limits, silent)
    work = InGroups(
        tops_of_leaves(leaves, np.arange(len(clusters)), supports, data.n_terms, limits), secret, limits, random
    )
    made = plan_levels(leaves.sizes, data.n_terms, limits, passes, lambda number, joints: None, work)
    assert made.parents.tolist() == plan.parents.tolist()
    assert made.sizes.tolist() == plan.sizes.tolist()
    tops = one_after_the_other(work.tops)
    entries = ragged(np.arange(tops.term_items.size), tops.term_offsets, np.argsort(tops.leaves))  # leaf by leaf
    assert sorted(tops.leaves) == list(range(len(clusters)))
    assert tops.term_items[entries].tolist() == leaves.term_items.tolist()
    assert made.joints_of(tops)[entries].tolist() == plan.moves.joint_of.tolist()
    assert tops.strict[entries].tolist() == plan.moves.strict.tolist()


@pytest.mark.slow
def test_wv1_is_refined_to_the_same_clusters_by_one_two_and_three_threads(datasets):
    data = read(datasets / "wv1.dat.gz")
    drafts = [Disassociation(k=5, m=2).publish(data, Local(threads)) for threads in (1, 2, 3)]
    for draft in drafts[1:]:
        assert draft.published.to_nested() == drafts[0].published.to_nested()
        assert np.array_equal(draft.part_of_record, drafts[0].part_of_record)
