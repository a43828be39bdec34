"""The receiver's commands on releases of generalised and of noisy records."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.model import DifferentialPrivacy, KmAnonymity
from disjoin.verify import certify
from helpers.item_releases import pantry, rumours


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    release = certify(pantry(), KmAnonymity(2, 2), method="apriori", parameters={"k": 2, "m": 2})
    return release.write(tmp_path_factory.mktemp("items") / "release")


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    release = certify(rumours(), DifferentialPrivacy(1), method="diffpart", parameters={"epsilon": "1"})
    return release.write(tmp_path_factory.mktemp("noisy") / "release")


def told(capfd, *arguments):
    """Run a command; return its exit code and what it printed on standard output and error."""
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


def test_what_was_written_is_loaded_as_it_was(items, noisy):
    assert disjoin.load(items).published == pantry()
    assert disjoin.load(noisy).published == rumours()


def test_support_answers_for_names_and_for_terms(capfd, items):
    code, out, err = told(capfd, "support", items, "bread,drink", "bread,tea")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["bread,drink", "5", "5", "5.0", "5"],
        ["bread,tea", "0", "0", "1.7", "5"],
    ]


def test_support_refuses_a_name_that_generalised_records_do_not_have(capfd, items):
    code, out, err = told(capfd, "support", items, "bread,beer")
    assert (code, out) == (2, "")
    assert "'beer' is neither a published name nor a term of the release" in err


def test_support_says_where_there_is_no_bound(capfd, noisy):
    code, out, err = told(capfd, "support", noisy, "milk,tea", "beer")
    assert (code, err) == (0, "1 term is not in the release: beer.\n")
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["milk,tea", "0", "0", "7.0", "-"],
        ["beer", "0", "0", "0.0", "-"],
    ]
    assert told(capfd, "support", noisy, "milk", "--csv")[1].splitlines()[1] == '"milk",0,0,7.0,'
    [row] = json.loads(told(capfd, "support", noisy, "milk", "--json")[1])["itemsets"]
    assert row == {"itemset": ["milk"], "seen": 0, "at_least": 0, "estimate": 7.0, "at_most": None}


def test_mine_lists_the_most_frequent(capfd, items, noisy, tmp_path):
    code, out, _ = told(capfd, "mine", items, "--top", "2")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["drink", "bread"]
    assert told(capfd, "mine", noisy, "--top", "2", "-o", tmp_path / "found.parquet")[0] == 0
    found = pq.read_table(tmp_path / "found.parquet")
    assert found["itemset"].to_pylist() == [["tea"], ["milk"]]
    assert found["at_most"].null_count == 2


def test_reconstruct_hands_noisy_records_out_and_refuses_generalised_ones(capfd, items, noisy, tmp_path):
    code, out, _ = told(capfd, "reconstruct", noisy, "-o", tmp_path / "worlds")
    assert (code, out) == (
        0,
        f"The 19 noisy records are in {tmp_path / 'worlds'}; there was nothing to reconstruct.\n",
    )
    assert len(disjoin.read(tmp_path / "worlds" / "reconstruction-0.parquet")) == 19
    code, _, err = told(capfd, "reconstruct", items, "-o", tmp_path / "none")
    assert code == 2
    assert "use the generalised records in records.parquet" in err
    assert not (tmp_path / "none").exists()
