"""Noisy records for the tests of the report: a small example, random ones, and releases of them."""

from __future__ import annotations

from hypothesis import strategies as st

from disjoin.model import Bag, DifferentialPrivacy, NoisyRecords, Release, Verdict
from disjoin.model.differential_privacy import Terms
from disjoin.model.release import SEAL

CHECKED = ("N1", "N2", "N3", "N4")
PARAMETERS = {"epsilon": "1", "fan_out": 10, "prune": "27/4", "keep": "11/4"}


def figure() -> NoisyRecords:
    """Return a few rows."""
    rows = [(["tea"], 40), (["milk"], 25), (["milk", "tea"], 12), (["jam", "milk", "rye"], 7)]
    return NoisyRecords(Bag.from_rows(rows))


def sealed(published: NoisyRecords, epsilon: object = 1, terms: Terms = "given", method: str = "diffpart") -> Release:
    """Make a release without asking the inspector: these tests are about looks."""
    guarantee = DifferentialPrivacy(epsilon, terms)  # type: ignore[arg-type]
    settings = PARAMETERS | {"epsilon": str(guarantee.epsilon)}
    facts = {"by_construction": True} | ({} if guarantee.proven else {"unproven": {"N4": 1}})
    return Release(published, guarantee, Verdict(guarantee, (), CHECKED, facts), method, settings, 0, seal=SEAL)


_TERMS = ("a", "b", "c", 'quo"te', "two\nlines", "<script>", "茶", "\x1b[31m", "\u202e")


@st.composite
def noisy(draw: st.DrawFn) -> NoisyRecords:
    """Random rows in proper form; possibly none."""
    rows = draw(st.sets(st.frozensets(st.sampled_from(_TERMS), min_size=1), max_size=8))
    return NoisyRecords(Bag.from_rows([(sorted(row), draw(st.integers(1, 40))) for row in sorted(rows, key=sorted)]))
