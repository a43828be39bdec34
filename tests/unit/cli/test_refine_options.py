"""Joining clusters from the command line: every option does what it says, and what is wrong is one sentence."""

import json
from functools import cache

import numpy as np
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.generate.baskets import write_baskets
from disjoin.methods.disassociation import refine_join

pytestmark = pytest.mark.slow  # without the compiler


@pytest.fixture(scope="module")
def baskets(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "baskets.csv"
    write_baskets(120, 3, path)
    return path


def told(capfd, *arguments):
    code = run([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return code, out, err


@pytest.fixture(scope="module")
def made(baskets, tmp_path_factory):
    """Publish with these options, once for all tests of a worker; return the folder."""

    @cache
    def folder(*options):
        path = tmp_path_factory.mktemp("made") / "r"
        command = ["disassociate", baskets, "-k", 3, "-m", 2, *options, "-o", path, "-q"]
        assert run([str(argument) for argument in command]) == 0
        return path

    return folder


def opened(path):
    """Return the clusters and the stored parameters."""
    stored = json.loads((path / "datapackage.json").read_text())["disjoin"]["parameters"]
    return disjoin.load(path).published, stored


def test_clusters_are_joined_by_default_and_the_release_verifies_against_its_original(capfd, baskets, made):
    published, stored = opened(made())
    assert published.is_joint.any()
    assert (stored["refine"], stored["refine_mode"], stored["refine_builder"]) == (True, "safe", "levels")
    assert told(capfd, "verify", made(), "--original", baskets)[0] == 0


def test_the_summary_says_what_is_kept(capfd, baskets, tmp_path):
    _, out, _ = told(capfd, "disassociate", baskets, "-k", 3, "-o", tmp_path / "r")
    words = " ".join(out.split())
    assert "of item pairs and" in words and "of term occurrences kept." in words


def test_no_refine_joins_nothing(capfd, baskets, made, tmp_path):
    published, stored = opened(made("--no-refine"))
    assert not published.is_joint.any()
    assert stored["refine"] is False
    assert not [name for name in stored if name.startswith("refine_")]
    assert told(capfd, "verify", made("--no-refine"), "--original", baskets)[0] == 0
    assert "joined" not in told(capfd, "disassociate", baskets, "-k", 3, "--no-refine", "-o", tmp_path / "s")[1]


@pytest.mark.slow
def test_the_builder_pairs_joins_two_by_two(capfd, baskets, made):
    path = made("--refine-builder", "pairs")
    published, stored = opened(path)
    assert stored["refine_builder"] == "pairs"
    children = np.bincount(published.parents[published.parents >= 0], minlength=len(published))
    assert set(children[published.is_joint].tolist()) == {2}
    assert told(capfd, "verify", path, "--original", baskets)[0] == 0


def test_one_pass_puts_no_joint_cluster_into_another(made):
    published, stored = opened(made("--refine-passes", 1))
    everything, _ = opened(made())
    assert stored["refine_passes"] == 1
    assert published.is_joint.any()
    assert (published.parents[published.is_joint] < 0).all()
    assert (everything.parents[everything.is_joint] >= 0).any()


def test_no_joint_cluster_is_larger_than_asked_for(made):
    everything, _ = opened(made())
    limit = int(everything.sizes[everything.is_joint].max()) - 1
    published, stored = opened(made("--max-joint-size", limit))
    assert stored["max_joint_size"] == limit
    assert published.is_joint.any()
    assert published.sizes[published.is_joint].max() <= limit


@pytest.mark.slow
def test_the_mode_of_the_paper_is_never_taken_for_proven(capfd, baskets, tmp_path):
    path = tmp_path / "r"
    code, out, err = told(capfd, "disassociate", baskets, "-k", 3, "--refine-mode", "paper", "-o", path)
    assert code == 0
    assert err.startswith("Warning: refine_mode 'paper' is for comparison")
    assert err.count("\n") == 1
    assert out.startswith("Not proven: ")
    assert "Verified" not in out
    code, out, _ = told(capfd, "verify", path)
    assert code == 3
    assert "V9" in out
    assert "The release itself states that its guarantee is not proven." in out
    assert told(capfd, "verify", path, "--original", baskets)[0] == 3
    for name in ("README.md", "report.html"):
        assert "Not proven" in (path / name).read_text(encoding="utf-8"), name


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_analyst_can_use_a_release_of_the_papers_mode_for_comparison(made):
    release = disjoin.load(made("--refine-mode", "paper"))
    assert not release.guarantee.proven
    assert len(release.to_transactions(seed=1)) == 120


WRONG = {
    "no pass": (["--refine-passes", "0"], "refine_passes must be a whole number of at least 1, got 0"),
    "half a pass": (["--refine-passes", "1.5"], "'1.5' is not a valid integer"),
    "joints that cannot be": (["--max-joint-size", "5"], "max_joint_size must be a whole number of at least 6, got 5"),
    "an unknown mode": (["--refine-mode", "fast"], "'fast' is not one of 'safe', 'paper'"),
    "an unknown builder": (["--refine-builder", "trees"], "'trees' is not one of 'levels', 'pairs'"),
    "a value for a switch": (["--refine=yes"], "does not take a value"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_value_is_one_clear_sentence_and_nothing_is_written(capfd, baskets, tmp_path, case):
    options, message = WRONG[case]
    code, out, err = told(capfd, "disassociate", baskets, "-k", 3, *options, "-o", tmp_path / "r")
    assert (code, out) == (2, "")
    assert message in err
    assert len([line for line in err.splitlines() if line.startswith("Error: ")]) == 1
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def planned(tmp_path, baskets, line):
    (tmp_path / "plan.toml").write_text(
        f'[input]\npath = "{baskets}"\n[method]\nk = 3\n{line}\n[output]\npath = "made"\n', encoding="utf-8"
    )
    return tmp_path / "plan.toml"


def test_a_plan_can_say_that_nothing_is_to_be_joined(capfd, baskets, made, tmp_path):
    assert told(capfd, "run", planned(tmp_path, baskets, "refine = false"), "-q") == (0, "", "")
    for file in made("--no-refine").iterdir():
        assert (tmp_path / "made" / file.name).read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('refine = "yes"', "refine must be true or false, got 'yes'."),
        ("refine = 1", "refine must be true or false, got 1."),
        ('refine_mode = "fast"', "refine_mode must be one of safe, paper, got 'fast'."),
        ("refine_builder = 2", "refine_builder must be one of levels, pairs, got 2."),
        ("refine_passes = true", "refine_passes must be a whole number of at least 1, got True."),
        ("max_joint_size = 5.5", "max_joint_size must be a whole number of at least 6, got 5.5."),
    ],
)
def test_a_wrong_value_in_a_plan_is_one_sentence_that_names_the_plan(capfd, baskets, tmp_path, line, message):
    plan = planned(tmp_path, baskets, line)
    code, out, err = told(capfd, "run", plan)
    assert (code, out) == (2, "")
    assert err == f"Error: {plan}: {message}\n"
    assert not (tmp_path / "made").exists()


def test_ctrl_c_while_clusters_are_joined_leaves_nothing_behind(monkeypatch, capfd, baskets, tmp_path):
    passes = []
    join_runs = refine_join.join_runs

    def interrupted(*arguments):
        passes.append(join_runs(*arguments))
        if len(passes) == 2:  # in the middle: one pass is over
            raise KeyboardInterrupt
        return passes[-1]

    monkeypatch.setattr(refine_join, "join_runs", interrupted)
    code, out, err = told(capfd, "disassociate", baskets, "-k", 3, "-o", tmp_path / "r", "-q")
    assert len(passes) == 2
    assert (code, out) == (130, "")
    assert "no incomplete result remains" in err
    assert list(tmp_path.iterdir()) == []
