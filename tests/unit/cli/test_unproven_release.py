"""The command line and a release that says it is not proven: it can be looked at, and it is never called verified."""

import json

import pytest

from disjoin.cli.main import run
from disjoin.cli.publish import tell
from disjoin.model import Clusters, KmAnonymity, Transactions
from disjoin.pipeline import Outcome
from disjoin.report.facts import intake_of
from disjoin.verify import certify
from oracle.inspection import canonical
from unit.verify.forests import joint, leaf


def a_release(trees, proven=False):
    guarantee = KmAnonymity(2, 2, proven=proven)
    clusters = Clusters.from_nested(canonical(trees))
    parameters = {"k": 2, "m": 2} | ({} if proven else {"refine_mode": "paper"})
    return certify(clusters, guarantee, method="disassociation", parameters=parameters)


BROKEN = [joint([leaf(2, [{"p": 2}]), leaf(3, [{"y": 3}])], [{"p": 2}])]
SOUND = [leaf(3, [{"a": 3}], "t")]


@pytest.fixture
def broken(tmp_path):
    return a_release(BROKEN).write(tmp_path / "broken")


@pytest.fixture
def sound(tmp_path):
    return a_release(SOUND).write(tmp_path / "sound")


def told(capfd, *arguments):
    code = run([str(argument) for argument in arguments])
    return code, capfd.readouterr().out


def test_verify_asks_for_the_proof_and_says_that_the_release_admits_its_lack(capfd, broken):
    code, out = told(capfd, "verify", broken)
    assert code == 3
    assert out.startswith("The guarantee is not proven.\n")
    assert "V9 at cluster 0" in out
    assert "The release itself states that its guarantee is not proven." in out
    assert "guarantee holds" not in out


def test_verify_tells_programs_the_same(capfd, broken):
    code, out = told(capfd, "verify", broken, "--json")
    facts = json.loads(out)
    assert code == 3
    assert not facts["holds"]
    assert "proven" not in facts["guarantee"]
    assert facts["facts"]["stated"]["proven"] is False


def test_whatever_else_is_required_the_proof_is_too(capfd, broken, sound):
    assert told(capfd, "verify", broken, "-m", 1)[0] == 3
    code, out = told(capfd, "verify", sound, "-m", 1)
    assert code == 0
    assert "The release itself states k = 2, m = 2.\n" in out


def test_what_is_worse_than_unproven_is_not_called_unproven(capfd, broken):
    code, out = told(capfd, "verify", broken, "-k", 3)
    assert code == 3
    assert out.startswith("The guarantee does not hold.\n")


def test_a_release_that_keeps_what_it_does_not_claim_holds(capfd, sound):
    code, out = told(capfd, "verify", sound)
    assert code == 0
    assert out.startswith("The guarantee holds.")
    assert "The release does not claim it: it states that its guarantee is not proven." in out


def test_show_draws_it_and_says_that_it_is_not_proven(capfd, broken, tmp_path):
    code, out = told(capfd, "show", broken)
    assert code == 0
    assert "joint cluster 0" in out
    assert "not proven" in out
    assert json.loads(told(capfd, "show", broken, "--json")[1])["proven"] is False
    proven = a_release(SOUND, proven=True).write(tmp_path / "proven")
    assert "proven" not in told(capfd, "show", proven)[1]
    assert "proven" not in json.loads(told(capfd, "show", proven, "--json")[1])


def test_after_publishing_it_is_not_called_verified(capfd, tmp_path):
    data = Transactions.from_sets([["a"], ["a"], ["a", "t"]])
    masses = {"term_mass": 0.5, "pair_mass": 0.25}
    private = masses | {"before_refining": masses}
    tell(Outcome(a_release(BROKEN), private, intake_of(data), tmp_path))
    out = capfd.readouterr().out
    assert out.startswith("Not proven: ")
    assert "Verified" not in out
    assert "do not publish it" in out
    tell(Outcome(a_release(SOUND, proven=True), private, intake_of(data), tmp_path))
    assert capfd.readouterr().out.startswith("Verified: ")
