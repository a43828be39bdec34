"""Real datasets go through and verify against their originals (the whole campaign is `make campaign`)."""

import pytest

import disjoin
from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import STRATEGY_NAMES
from disjoin.pipeline import publish, write

RUNS = [
    *(("groceries", 5, 2, strategy) for strategy in STRATEGY_NAMES),
    *(("mushroom", k, 3, "cardiff") for k in (2, 5, 25)),
    ("wv1", 5, 2, "cardiff"),
    ("wv1", 25, 3, "adding"),
    ("wv2", 2, 1, "remaining"),
    ("retail", 5, 2, "cardiff"),
    ("online-retail", 5, 2, "abandon"),
]


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(("name", "k", "m", "strategy"), RUNS)
def test_a_real_dataset_is_released_and_verifies_against_its_original(datasets, tmp_path, name, k, m, strategy):
    data = disjoin.read(datasets / f"{name}.dat.gz")
    outcome = publish(data, Disassociation(k=k, m=m, strategy=strategy), Local())
    path = write(outcome.release, tmp_path / "r")
    verdict = disjoin.verify(path, original=data)
    assert verdict.holds, verdict.violations[:3]
    assert outcome.release.published.sizes.min() >= k
    if strategy != "suppression":
        assert outcome.release.published.n_records == len(data)
        assert outcome.release.published.vocabulary.equals(data.vocabulary)
