"""The noise of releases: opendp's, within what may be spent, and without a trace in its settings."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.hypothesis_profile import examples

opendp = pytest.importorskip("opendp", reason="the extra dp is not installed")

from disjoin.methods.diffpart.noise import _within, opendp_source  # noqa: E402


def has_contributions():
    from opendp.mod import OpenDPException, assert_features

    try:
        assert_features("contrib")
    except OpenDPException:
        return False
    return True


@given(st.fractions(Fraction(1, 10**9), 100))
@examples(60)
def test_it_spends_no_more_than_it_may_and_hardly_less(epsilon):
    laplace, spent, scale = _within(epsilon)
    assert spent == Fraction(laplace.map(1)) <= epsilon
    assert spent >= epsilon * (1 - Fraction(1, 10**14))
    assert scale >= float(1 / epsilon)


def test_counts_come_back_as_whole_numbers_with_noise():
    counts = np.arange(4095, dtype=np.int64)
    noisy = opendp_source()(counts, Fraction(1, 10))
    assert noisy.counts.dtype == np.int64
    assert noisy.counts.size == counts.size
    noise = noisy.counts - counts
    # The mean of |noise| is near 10, with a standard deviation of 0.16: these bounds are 30 of them away.
    assert 5 < np.abs(noise).mean() < 20
    assert noise.min() < 0 < noise.max()
    assert noisy.deviation == pytest.approx(10 * 2**0.5)


def test_two_runs_draw_different_noise():
    counts = np.zeros(1023, dtype=np.int64)
    one, other = (opendp_source()(counts, Fraction(1, 10)).counts for _ in range(2))
    assert not np.array_equal(one, other)  # equal with a chance below 2^-1000


def test_the_settings_of_opendp_stay_as_they_were():
    from opendp.mod import disable_features, enable_features

    was = has_contributions()
    try:
        for allowed, switch in ((False, disable_features), (True, enable_features)):
            switch("contrib")
            opendp_source()(np.zeros(1, dtype=np.int64), Fraction(1, 2))
            assert has_contributions() is allowed
    finally:
        (enable_features if was else disable_features)("contrib")
