"""REFINE publishes the same for any number of threads, however the work is cut up."""

from contextlib import ExitStack
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import refining
from disjoin.engines.local import Local
from disjoin.files.reading import read
from disjoin.methods import Disassociation
from disjoin.methods.disassociation import refine, refine_shared_chunks, refine_state
from disjoin.methods.disassociation import refine as refine_levels
from effort import examples
from oracle import refinement as twin
from properties.test_refinement_twins import cases, larger_case, places


def in_small_pieces(lines):
    """Let every thread take so few lines, clusters and occurrences at a time that even tiny data is cut up."""
    return (
        patch.object(refine_levels, "BLOCK_LINES", lines),
        patch.object(refine, "SPAN_CLUSTERS", 2),
        patch.object(refine_state, "SPAN_OCCURRENCES", lines),
        patch.object(refine_shared_chunks, "SPAN_OCCURRENCES", lines),
    )


def refined_in_pieces(case, lines, threads, **options):
    with ExitStack() as pieces:
        for patched in in_small_pieces(lines):
            pieces.enter_context(patched)
        return refining.refine_in_levels_and_trace(*case, threads=threads, **options)


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
    expected = refining.refine_in_levels_and_trace(*case)

    def tight(joiner, wanted, least):
        refine_state.close_gaps(joiner.ledger)
        return least

    with patch.object(refine_levels.Joiner, "_room", tight):
        assert refining.refine_in_levels_and_trace(*case) == expected


@pytest.mark.slow
def test_wv1_is_refined_to_the_same_clusters_by_one_two_and_three_threads(datasets):
    data = read(datasets / "wv1.dat.gz")
    drafts = [Disassociation(k=5, m=2).publish(data, Local(threads)) for threads in (1, 2, 3)]
    for draft in drafts[1:]:
        assert draft.published.to_nested() == drafts[0].published.to_nested()
        assert np.array_equal(draft.part_of_record, drafts[0].part_of_record)
