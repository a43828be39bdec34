"""One record more, and what can be seen of it in 12 releases each: everything if the terms were seen, else nothing.

A catalogue of 25 terms, in groups of 5. In each of the last four groups two pairs of terms have 153 records each. The
first count of a group with both pairs is 306; it passes at 229 (6.75 standard deviations of 17, times level 2) with
noise of scale 12, so 77 too few would be needed, and the same amount too many for a pair alone. Either has a chance of
exp(-77 / 12) / 2, less than one in a thousand.

The term `aaa` stands first. Where the list of terms is seen and nobody has `aaa`, all others move up by one: then every
pair stands alone in its group, or lies across two, and nothing is published.
"""

from statistics import median

import pytest

from disjoin.engine import Local
from disjoin.methods.diffpart import DiffPart
from disjoin.model import Transactions

pytest.importorskip("opendp", reason="the extra dp is not installed")

RUNS, TIMES = 12, 153
CATALOGUE = ["aaa", *(f"t{number:02d}" for number in range(1, 25))]
PAIRS = [pair for first in (5, 10, 15, 20) for pair in ((first, first + 1), (first + 3, first + 4))]
WITHOUT = [[CATALOGUE[a], CATALOGUE[b]] for a, b in PAIRS] * TIMES + [[term] for term in CATALOGUE[1:]]
WITH = [*WITHOUT, ["aaa"]]


def pair_masses(records, domain):
    """How many published records have two terms, in every run; the noise is the real one and has no seed."""
    data, method = Transactions.from_sets(records), DiffPart(epsilon=1, domain=domain, fan_out=5)
    runs = [method.publish(data, Local(1)).published.records.rows() for _ in range(RUNS)]
    return [sum(count for terms, count in rows if len(terms) == 2) for rows in runs]


def test_where_the_terms_were_seen_one_record_changes_every_release():
    """A false alarm needs a run in which three of four groups fail, or four of eight pairs pass: less than 1e-7."""
    limit = 3.5 * TIMES
    assert max(pair_masses(WITHOUT, "seen")) < limit < min(pair_masses(WITH, "seen"))


def test_where_the_terms_are_given_nobody_can_tell_whether_the_record_was_there():
    """Ranges of 12 equal draws each lie apart with a chance of 2 in 24 over 12: 1e-6, about that of a false alarm."""
    without, beside = pair_masses(WITHOUT, CATALOGUE), pair_masses(WITH, CATALOGUE)
    assert max(min(without), min(beside)) <= min(max(without), max(beside))
    assert median(beside) == pytest.approx(median(without), rel=0.1)
    assert median(beside) > 7 * TIMES  # and it is not for lack of anything to see
