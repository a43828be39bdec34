"""One contender's turn: published, verified, measured; whatever form it publishes."""

from __future__ import annotations

import pytest

from disjoin.api import cahd, disassociate
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.lab import comparison_trial
from disjoin.lab.comparison_trial import (
    ATTACKED,
    COLUMNS,
    CONTENDERS,
    NOTHING,
    conditions_for,
    losses_of,
    tried,
    values_of,
)
from disjoin.lab.cost import _STATUS, peak_memory
from disjoin.measure import EVALUATIONS
from disjoin.model import Groups, Hierarchy, Transactions
from disjoin.pipeline import evaluate

RECORDS = [["tea", "milk"], ["tea", "jam"], ["rum", "tea", "milk"], ["jam"]] * 10
DATA = Transactions.from_sets(RECORDS)
TREE = Hierarchy.from_rows(
    [["tea", "drink", "*"], ["milk", "drink", "*"], ["rum", "drink", "*"], ["jam", "food", "*"], ["rye", "food", "*"]]
)


CONDITIONS = conditions_for(DATA, TREE, k=3, seed=1)


@pytest.mark.parametrize("name", list(CONTENDERS))
def test_every_contender_has_a_value_in_every_column_and_a_promise(name: str) -> None:
    trial = tried(CONTENDERS[name], CONDITIONS, DATA)
    assert set(trial.values) == set(COLUMNS)
    for column in COLUMNS.values():
        value = trial.values[column.name]
        if column.name in ATTACKED and CONTENDERS[name].method(CONDITIONS).name != "disassociation":
            assert value is None  # these attacks are on clusters
            continue
        assert value is not None
        assert 0 <= value <= (column.largest or value)
    assert trial.sentence.endswith(".")
    assert trial.guarantee["type"]


def test_the_figures_are_those_of_evaluate() -> None:
    trial = tried(CONTENDERS["disassociation"], conditions_for(DATA, TREE, k=3), DATA)
    evaluation = evaluate(disassociate(DATA, k=3), DATA, hierarchy=TREE, measures=["tkd", "tkd_ml2", "re", "tlost"])
    assert {row.name: trial.values[row.name] for row in evaluation.rows} == {
        row.name: row.value for row in evaluation.rows
    }
    assert any(note.startswith("harmed_records: ") and f"{10 * len(DATA):,} draws" in note for note in trial.notes)


def test_without_a_seed_noise_is_in_earnest_and_yet_nothing_is_proven_of_terms_seen() -> None:
    pytest.importorskip("opendp")
    trial = tried(CONTENDERS["diffpart"], conditions_for(DATA, TREE), DATA)
    assert (trial.certified, trial.by_construction) == (False, True)
    assert trial.sentence.startswith("Not proven: ")
    assert trial.guarantee["proven"] is False
    assert not [note for note in trial.notes if note != NOTHING]


def test_without_opendp_noise_is_seeded_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison_trial, "find_spec", lambda name: None)
    trial = tried(CONTENDERS["diffpart"], conditions_for(DATA, TREE), DATA)
    assert not trial.certified
    assert "opendp is not installed" in trial.notes[0]


def test_the_same_seed_finds_the_same_losses() -> None:
    conditions = conditions_for(DATA, TREE, seed=4, epsilon="2")
    first, second = (tried(CONTENDERS["diffpart"], conditions, DATA).values for _ in range(2))
    assert {name: first[name] for name in EVALUATIONS if name in first} == {
        name: second[name] for name in EVALUATIONS if name in second
    }


def test_what_cannot_be_reached_is_raised() -> None:
    with pytest.raises(GuaranteeUnreachable):
        tried(CONTENDERS["disassociation"], conditions_for(DATA, TREE, k=50), DATA)


def test_a_form_that_the_measures_are_not_about_is_refused_in_words() -> None:
    groups = cahd(RECORDS, sensitive=["rum"], p=2).published
    assert isinstance(groups, Groups)
    with pytest.raises(InvalidParameter, match=r"\(groups\) cannot be compared"):
        losses_of(groups, DATA, conditions_for(DATA, TREE))


def test_pairs_that_are_nowhere_count_in_re_and_not_in_re_present() -> None:
    data = Transactions.from_sets([["a", "b"], ["c", "d"]] * 5)  # of 6 pairs, 2 are there
    conditions = conditions_for(data, k=3)
    released = disassociate(data, k=3).published
    rows = losses_of(released, data, conditions)
    values = values_of(rows)
    [row] = [row for row in rows if row.name == "re"]
    assert values["re"] == row.value
    assert values["re_present"] == row.details["error_of_pairs_in_original"]


def test_a_hierarchy_is_built_over_the_terms_where_none_is_given() -> None:
    tree = conditions_for(DATA, fan_out=2).hierarchy
    assert tree.names.slice(0, tree.n_leaves).to_pylist() == DATA.vocabulary.to_pylist()
    assert tree.height == 2


@pytest.mark.skipif(not _STATUS.exists(), reason="this system does not say how much memory a process holds")
def test_the_peak_counts_what_was_held_since_and_not_before() -> None:
    import numpy as np

    # Far more than what a system that reclaims idle pages may take from a process meanwhile.
    np.ones(40_000_000)  # 320 MB, let go at once
    memory = peak_memory()
    assert memory() < 100_000_000
    np.ones(25_000_000)
    assert 100_000_000 < memory() < 300_000_000
