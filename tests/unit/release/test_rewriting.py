"""What a release states about itself is compared: parameters with the promise, and both with the method."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.engine import Local
from disjoin.methods import METHODS, MethodRecord
from disjoin.methods.cahd import Cahd
from disjoin.model import KmAnonymity, PrivacyDegree
from disjoin.pipeline import publish
from disjoin.readers.read import as_transactions
from disjoin.release.reader import read_release
from disjoin.release.rewrite_check import FolderComparison, contradictions
from helpers.tampering import compared, rehash

RECORDS = [["a", "b"]] * 6 + [["a"]] * 6 + [["a", "c"], ["b", "c"], ["c"]]


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    return read_release(disjoin.disassociate(RECORDS, k=3, m=2).write(tmp_path_factory.mktemp("r") / "release"))


def said(contents, *, guarantee=None, method=None, suppressed=None, **parameters):
    """Change what is stated; return the sentences."""
    changed = replace(
        contents,
        parameters={**contents.parameters, **parameters},
        guarantee=guarantee or contents.guarantee,
        method=method or contents.method,
        counts={**contents.counts, **({} if suppressed is None else {"suppressed_records": suppressed})},
    )
    found = contradictions(changed)
    assert all((v.invariant, v.place) == ("F1", "datapackage.json") for v in found)
    return [violation.message for violation in found]


def test_what_the_method_wrote_has_no_contradictions(contents):
    assert contradictions(contents) == []


def test_an_unknown_method_cannot_be_compared(contents):
    assert said(contents, method="magic", k=99) == ["the method 'magic' is not known."]


def test_parameters_are_those_of_the_method(contents):
    assert said(contents, secret="Bob") == ["'secret' is not a parameter of the method."]


@pytest.mark.parametrize("name", ["k", "m"])
def test_the_promise_is_the_one_that_was_asked_for(contents, name):
    guaranteed = getattr(contents.guarantee, name)
    assert said(contents, **{name: 9}) == [f"the parameter {name} is 9, but {guaranteed} is guaranteed."]


def test_the_share_of_sensitive_terms_is_the_one_that_was_asked_for(contents):
    guarantee = KmAnonymity(3, 2, 4, ("c",))
    assert said(contents, guarantee=guarantee, l=4) == []
    assert said(contents, guarantee=guarantee, l=2) == ["the parameter l is 2, but 4 is guaranteed."]


def test_the_mode_of_the_paper_proves_nothing(contents):
    [words] = said(contents, refine_mode="paper")
    assert words.startswith("the parameter refine_mode is 'paper', which is not proven")
    unproven = replace(contents.guarantee, proven=False)
    assert said(contents, refine_mode="paper", guarantee=unproven) == []
    assert said(contents, refine_mode="safe", guarantee=unproven) == []  # a release may claim less than it could


def test_only_one_strategy_leaves_records_out(contents):
    assert said(contents, suppressed=2) == ["2 records are suppressed, but not by strategy 'suppression'."]
    assert said(contents, suppressed=2, strategy="suppression") == []


def test_the_promise_is_of_the_kind_that_the_method_makes(contents):
    expected = "the method guarantees km-anonymity, but privacy-degree is stated."
    assert said(contents, guarantee=PrivacyDegree(4)) == [expected]
    assert said(contents, guarantee=PrivacyDegree(4), secret="Bob", suppressed=3) == [
        "'secret' is not a parameter of the method.",
        expected,
    ]


def test_each_method_says_by_itself_what_it_contradicts(contents, monkeypatch):
    @dataclass
    class Coin:
        @classmethod
        def contradictions(cls, guarantee, stated, suppressed):
            return [f"{guarantee.k} {sorted(stated)} {suppressed}"]

    monkeypatch.setitem(METHODS.listed, "coin", MethodRecord("coin", "Toss.", Coin, command="toss"))
    *strangers, own = said(contents, method="coin", suppressed=5)
    assert strangers == [f"{name!r} is not a parameter of the method." for name in contents.parameters]
    assert own == f"3 {sorted(contents.parameters)} 5."


def test_a_folder_that_nobody_touched_is_made_again_byte_for_byte(tmp_path):
    joined = [[f"group {g}", *more] for g in range(9) for more in ([], [], [], ["rare"], ["rare"], ["seldom"])]
    release = disjoin.disassociate(joined, k=3, m=2, max_cluster_size=9)
    assert release.published.is_joint.any()
    folder = release.write(tmp_path / "r")
    assert compared(folder) == FolderComparison(())
    (folder / "README.md").write_text("Bob is in cluster 3.\n", encoding="utf-8")
    rehash(folder, "README.md")
    found = compared(folder).violations
    assert {violation.invariant for violation in found} == {"F1"}
    assert "README.md" in {violation.place for violation in found}


@pytest.fixture
def crowds(tmp_path):
    records = [[f"item {number % 5}", "bread"] + ["pills"] * (number % 6 == 0) for number in range(30)] + [["test"]]
    outcome = publish(as_transactions(records), Cahd(p=4, sensitive=("pills", "test")), Local(1))
    return outcome.release.write(tmp_path / "r")


def test_a_folder_of_groups_that_nobody_touched_is_made_again_byte_for_byte(crowds):
    assert compared(crowds) == FolderComparison(())


def test_a_remark_in_a_page_of_a_release_of_groups_is_found(crowds):
    (crowds / "README.md").write_text("Bob is in group 3.\n", encoding="utf-8")
    rehash(crowds, "README.md")
    assert ("F1", "README.md") in {(violation.invariant, violation.place) for violation in compared(crowds).violations}


@pytest.mark.parametrize("table", ["groups.parquet", "records.parquet", "sensitive.parquet"])
def test_a_table_of_groups_that_was_laid_out_otherwise_is_found(crowds, table):
    pq.write_table(pq.read_table(crowds / table), crowds / table, store_schema=False, compression="none")
    rehash(crowds, table)
    assert ("F1", table) in {(violation.invariant, violation.place) for violation in compared(crowds).violations}


def test_a_signed_page_with_a_script_is_found(tmp_path):
    folder = disjoin.disassociate([["tea", "milk"], ["tea"]] * 5, k=3).write(tmp_path / "release")
    page = folder / "report.html"
    page.write_text(page.read_text(encoding="utf-8").replace("</svg>", "<script>alert(1)</script></svg>", 1))
    rehash(folder, "report.html")
    found = disjoin.verify(folder).violations
    assert {(violation.invariant, violation.place) for violation in found} == {
        ("F1", "report.html"),
        ("F1", "datapackage.json"),  # it has the hash of the page
    }
