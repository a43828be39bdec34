"""A plan reads, publishes and writes; its caller sees the data before the method runs, and the written folder."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from disjoin import Transactions, verify
from disjoin.errors import InvalidParameter
from disjoin.methods import METHODS
from disjoin.methods.apriori import Apriori
from disjoin.methods.contract import Method
from disjoin.methods.diffpart import DiffPart
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.generalization import Generalization
from disjoin.plan import Plan
from disjoin.readers.tables import as_table
from disjoin.studio.plans import in_toml

RECORDS = [["tea", "milk"], ["tea"], ["tea", "milk"], ["milk", "tea"], ["milk"]]


@pytest.fixture
def baskets(tmp_path):
    file = tmp_path / "baskets.csv"
    file.write_text("".join(",".join(record) + "\n" for record in RECORDS))
    return file


def test_without_a_destination_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = Plan(Transactions.from_sets(RECORDS), Disassociation(k=2, m=1)).run()
    assert verify(outcome.release).holds
    assert outcome.intake["records"] == 5
    assert outcome.path is None
    assert not list(tmp_path.iterdir())


def test_a_recorder_has_the_data_before_and_the_folder_after(baskets, tmp_path):
    plan, seen = Plan(str(baskets), Disassociation(k=2, m=1), tmp_path / "release"), []

    @contextmanager
    def recorder(data):
        seen.append((len(data), plan.destination.exists()))
        yield lambda release, path: seen.append((release, path, path.is_dir()))
        seen.append("end")

    outcome = plan.run(recorder=recorder)
    assert seen == [(5, False), (outcome.release, tmp_path / "release", True), "end"]
    assert outcome.path == tmp_path / "release"


def test_a_recorder_that_raises_stops_the_run(baskets, tmp_path):
    def recorder(data):
        raise InvalidParameter("not again.")

    with pytest.raises(InvalidParameter, match="not again"):
        Plan(str(baskets), Disassociation(k=2, m=1), tmp_path / "release").run(recorder=recorder)
    assert not (tmp_path / "release").exists()


def test_reading_is_reported_for_files_only(baskets):
    method, steps = Disassociation(k=2, m=1), []
    Plan(str(baskets), method).run(lambda step, done, total: steps.append(step))
    assert steps[:2] == ["reading", "reading"]
    assert "writing" not in steps
    steps.clear()
    Plan(Transactions.from_sets(RECORDS), method).run(lambda step, done, total: steps.append(step))
    assert steps
    assert "reading" not in steps


def test_the_format_is_noted_only_if_it_was_detected_for_differential_privacy(baskets):
    method = DiffPart(domain=("tea", "milk"))
    found = Plan(str(baskets), method)
    given = Plan(str(baskets), method, reading={"format": "basket", "separator": ","})
    in_memory = Plan(found.read(), method)
    about = [any("detected" in note for note in plan.notes(plan.read())) for plan in (found, given, in_memory)]
    assert about == [True, False, False]


def test_the_order_of_terms_is_read_if_the_method_needs_it(baskets):
    plans = [Plan(str(baskets), Disassociation(k=2, m=1, ties=ties)) for ties in ("first", "lex")]
    assert [plan.read().written is not None for plan in plans] == [True, False]


def test_hierarchies_are_read_for_the_columns_that_the_method_names(tmp_path):
    (tmp_path / "age.csv").write_text("31;30-39;*\n34;30-39;*\n")
    (tmp_path / "city.csv").write_text("Bonn;*\nAhlen;*\n")
    table = as_table({"age": ["31", "34"], "city": ["Bonn", "Ahlen"]})
    method = Generalization(k=2, quasi=("age",), others=("city",))
    assert list(Plan(table, method, reading={"hierarchies": str(tmp_path)}).read().hierarchies) == ["age"]


def test_data_in_memory_make_no_plan_file(tmp_path):
    with pytest.raises(InvalidParameter, match="found data in memory"):
        in_toml(Plan(Transactions.from_sets(RECORDS), Apriori(), tmp_path / "release"))


def test_every_method_has_the_attributes_of_the_contract():
    assert all(Method in METHODS[name].__mro__ for name in METHODS)
    assert [name for name in METHODS if METHODS[name].may_be_empty] == ["diffpart"]
