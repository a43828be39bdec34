"""O7: which itemsets are tried, all of them or a sample that really occurs (P17)."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from disjoin.model import Clusters, KmAnonymity, Transactions
from disjoin.model.ragged import Ragged
from disjoin.verify import check
from disjoin.verify.clusters import support_bounds
from disjoin.verify.source import Source
from unit.verify.forests import leaf

ROWS = Ragged(np.array([0, 3, 4, 6]), np.array([0, 1, 2, 3, 1, 4], dtype=np.int32))


def test_all_itemsets_are_tried_if_there_are_as_many_as_allowed() -> None:
    everything = [list(pair) for pair in combinations(range(5), 2)]
    assert support_bounds._itemsets(2, 5, (ROWS, ROWS), 10).tolist() == everything
    sample = support_bounds._itemsets(2, 5, (ROWS, ROWS), 9).tolist()
    assert all(items in ([0, 1], [0, 2], [1, 2], [1, 4]) for items in sample)


def test_a_sample_consists_of_itemsets_that_occur() -> None:
    drawn = {tuple(sorted(items)) for items in support_bounds._draw(ROWS, 2, 50).tolist()}
    assert drawn == {(0, 1), (0, 2), (1, 2), (1, 4)}
    assert {tuple(sorted(items)) for items in support_bounds._draw(ROWS, 3, 50).tolist()} == {(0, 1, 2)}
    assert support_bounds._draw(ROWS, 4, 5).shape == (0, 4)


def test_terms_that_no_record_has_are_not_missing() -> None:
    data = Transactions(offsets=np.array([0, 1, 2]), items=np.array([0, 1]), vocabulary=["a", "b", "c"])
    source = Source.of(data, Transactions.from_sets(["a"]).vocabulary, None, 0)
    assert support_bounds._missing_terms(source) == [("b", 1)]


def test_records_that_cannot_be_empty_bound_supports() -> None:
    """Five subrecords fill four records, so at most one record has parts of both chunks."""
    published = Clusters.from_nested([leaf(4, [{"a": 1, "ab": 1, "b": 1}, {"c": 2}])])
    verdict = check(published, KmAnonymity(2, 1), original=Transactions.from_sets(["ac", "ac", "b", "b"]))
    messages = {violation.example: violation.message for violation in verdict.violations if violation.invariant == "O7"}
    assert messages["a", "c"].startswith("at most 1 records have these terms by the release, but 2 have them")


def test_of_terms_that_are_not_published_the_most_frequent_is_shown() -> None:
    source = Source.of(Transactions.from_sets(["ab", "b", "c"]), Transactions.from_sets(["c"]).vocabulary, None, 0)
    (finding,) = support_bounds._too_frequent(source, support_bounds._missing_terms(source))
    assert finding.example == ("b",)
    assert finding.message.startswith("2 records of the original")
