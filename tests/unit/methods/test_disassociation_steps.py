"""Publishing ends: what is not looked at could not be rare, and what takes too many steps is refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.advise import publisher_of
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation import Disassociation, verpart
from disjoin.model import KmAnonymity, Transactions
from disjoin.verify import check
from helpers.hypothesis_profile import examples
from helpers.synthetic import expanded
from oracle import disassociation as oracle
from oracle.core import core_by_peeling

SLOW = pytest.mark.slow  # long records: without the compiler it takes long
CLUSTERINGS = ("horpart", "core", "core-horpart", "bounded")
BOUNDED_SLOWLY = [pytest.param(name, marks=SLOW if name == "bounded" else ()) for name in CLUSTERINGS]


def drawn(rows: int, terms: int, share: float, kinds: int | None = None, seed: int = 1) -> list[list[str]]:
    """Return records that have each term by chance; of the terms only some are different, if `kinds` says so."""
    random = Random(seed)
    records = []
    for _ in range(rows):
        has = [random.random() < share for _ in range(kinds or terms)]
        records.append([f"t{term:05}" for term in range(terms) if has[term % len(has)]] or ["t00000"])
    return records


def nested(rows: int, terms: int) -> list[list[str]]:
    return [[f"t{term:05}" for term in range(terms * (row + 1) // rows)] for row in range(rows)]


def published(records: list[list[str]], **settings: object):
    method = Disassociation(**settings)  # type: ignore[arg-type]
    return publisher_of(method)(Transactions.from_sets(records), Local(1)).published


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verpart, "MOST_STEPS", 20_000_000)
    monkeypatch.setattr(verpart, "STEPS_PER_OCCURRENCE", 0)


@pytest.fixture
def fewer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verpart, "MOST_STEPS", 1_000_000)
    monkeypatch.setattr(verpart, "STEPS_PER_OCCURRENCE", 0)


@examples(60)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 7), st.sampled_from([None, 3, 5]))
def test_dense_records_are_cut_as_the_slow_twin_cuts_them_for_every_m(seed, k, m, kinds):
    records = drawn(14, 9, 0.75, kinds, seed)
    found = published(records, k=k, m=m, max_cluster_size=100, refine=False)
    assert expanded(found.to_nested()) == oracle.publish(records, k, m, 100, "cardiff")


@examples(40)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(3, 7))
def test_the_core_of_dense_records_is_what_the_slow_twin_leaves(seed, k, m):
    from disjoin.methods.disassociation.km_core import core_of

    records = drawn(24, 7, 0.8, None, seed)
    data = Transactions.from_sets(records)
    inside = core_of(data.offsets, data.items, np.ones(data.n_terms, np.bool_), k, m)
    assert set(np.flatnonzero(inside).tolist()) == core_by_peeling([set(record) for record in records], k, m)


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        pytest.param(drawn, (50, 8_000, 1), marks=SLOW),
        pytest.param(nested, (50, 8_000), marks=SLOW),
        (drawn, (50, 2_000, 0.5, 40)),
    ],
)
def test_long_records_of_terms_that_go_together_take_few_steps(make, arguments):
    found = published(make(*arguments), k=5, m=2)
    assert check(found, KmAnonymity(5, 2)).holds


@pytest.mark.usefixtures("fewer_steps")
@pytest.mark.parametrize("clustering", BOUNDED_SLOWLY)
def test_long_records_of_unrelated_terms_are_refused_before_their_pairs_are_counted(clustering):
    with pytest.raises(GuaranteeUnreachable, match=r"too long for m = 2: .* 1,000,000 steps\. Choose m below 2") as no:
        published(drawn(50, 1_000, 0.5), k=5, m=2, clustering=clustering)
    assert no.value.exit_code == 4


@pytest.mark.usefixtures("fewer_steps")
@pytest.mark.parametrize("clustering", BOUNDED_SLOWLY)
def test_no_steps_are_needed_for_single_terms(clustering):
    assert published(drawn(50, 1_000, 0.5), k=5, m=1, clustering=clustering).sizes.sum() == 50


@SLOW
@pytest.mark.usefixtures("few_steps")
def test_a_large_m_takes_few_steps_where_few_sets_can_be_rare():
    records = [record for record in drawn(12, 40, 0.9) for _ in range(6)] + drawn(10, 40, 0.97, seed=2)
    found = published(records, k=5, m=10)
    assert check(found, KmAnonymity(5, 10)).holds


def test_a_large_m_that_takes_too_many_steps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verpart, "MOST_STEPS", 100_000)
    monkeypatch.setattr(verpart, "STEPS_PER_OCCURRENCE", 0)
    records = drawn(99, 40, 0.85)
    for clustering in CLUSTERINGS:
        with pytest.raises(GuaranteeUnreachable, match="Choose m below"):
            published(records, k=2, m=9, clustering=clustering)


@pytest.mark.slow
@pytest.mark.usefixtures("few_steps")
def test_where_one_term_more_takes_too_many_steps_the_guarantee_that_was_asked_for_is_kept():
    method = Disassociation(k=5, m=1, clustering="bounded")
    draft = publisher_of(method)(Transactions.from_sets(drawn(50, 4_000, 0.5)), Local(1))
    assert draft.private["clustering"] == "horpart"
    assert "too long for m = 2" in draft.private["given_up"]["bounded"]
    assert method.claim(draft) == KmAnonymity(5, 1)


def test_the_number_of_steps_grows_with_the_data() -> None:
    assert verpart.new_steps(1)[verpart.MOST] == verpart.MOST_STEPS
    assert verpart.new_steps(10**9)[verpart.MOST] == 10**9 * verpart.STEPS_PER_OCCURRENCE


@pytest.mark.usefixtures("fewer_steps")
def test_nothing_is_written_when_publishing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GuaranteeUnreachable, match="remove terms from the longest records"):
        disjoin.disassociate(drawn(50, 1_000, 0.5), k=5, m=2).write(tmp_path / "release")
    assert not list(tmp_path.iterdir())
