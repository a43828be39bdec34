"""Terms that are left out of records: exactly they go, with what has nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import disjoin
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.model import Transactions
from disjoin.plan import Plan
from disjoin.studio.plans import in_toml

sets = st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(sets, st.sets(st.sampled_from("abcd")), st.booleans())
def test_only_these_terms_go(records, unwanted, in_order):
    data = Transactions.from_sets([sorted(record) for record in records], keep_order=in_order)
    unwanted &= set().union(*records)
    kept = data.without(unwanted)
    wanted = [record - unwanted for record in records if record - unwanted]
    assert kept.to_sets() == wanted
    assert kept.intake.blank_records == len(records) - len(wanted)
    assert kept.vocabulary.to_pylist() == sorted(set().union(*records) - unwanted)


def test_ids_stay_with_their_records(tmp_path):
    file = tmp_path / "visits.csv"
    file.write_text("patient_id,diagnosis\n1,flu\n2,card 4471\n3,flu\n3,cold\n")
    kept = disjoin.read(file, leave_out=["card 4471"])
    assert kept.to_sets() == [{"flu"}, {"flu", "cold"}]
    assert kept.intake.ids.to_pylist() == ["1", "3"]


@pytest.mark.parametrize("leave_out", [["x"], ["a", "b"], [1]])
def test_what_is_misspelt_or_leaves_nothing_is_refused(leave_out):
    with pytest.raises(InvalidParameter):
        disjoin.read([{"a"}, {"b"}], leave_out=leave_out)


def test_the_command_and_a_plan_leave_out_the_same(tmp_path, capsys):
    (tmp_path / "baskets.csv").write_text("tea,jam\ntea,card 4471\n" * 6)
    (tmp_path / "cards.txt").write_text("card 4471\n")
    asked = ["inspect", str(tmp_path / "baskets.csv"), "--leave-out", str(tmp_path / "cards.txt")]
    assert run(asked) == 0
    assert "12 records, 2 terms" in capsys.readouterr().out
    (tmp_path / "plan.toml").write_text(
        '[input]\npath = "baskets.csv"\nleave_out = "cards.txt"\n[method]\nk = 2\n[output]\npath = "release"\n'
    )
    plan = Plan.from_file(tmp_path / "plan.toml")
    assert plan.reading["leave_out"] == ["card 4471"]
    assert 'leave_out = ["card 4471"]' in in_toml(plan)
