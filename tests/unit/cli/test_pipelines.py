"""In pipelines and shells: verdicts for build servers, completion, help, and commands that are misspelt."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import disjoin
from disjoin.cli.main import COMPLETE, run
from disjoin.methods import METHODS

ROOT = Path(__file__).parents[3]


@pytest.fixture
def release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return disjoin.disassociate([{"tea", "milk"}, {"tea"}, {"milk"}] * 4, k=3).write(tmp_path / "release")


def test_a_verdict_that_holds_has_a_case_for_every_invariant(release, capsys):
    assert run(["verify", "release", "--junit", "out/verdict.xml"]) == 0
    suite = ElementTree.parse("out/verdict.xml").getroot()[0]
    names = [case.get("name").split(":")[0] for case in suite]
    assert names == list(disjoin.verify("release").checked)
    assert (suite.get("tests"), suite.get("failures")) == (str(len(names)), "0")
    capsys.readouterr()


def test_a_failure_says_what_was_found_without_terms(release, capsys):
    assert run(["verify", "release", "-k", "9", "--junit", "verdict.xml"]) == 3
    text = Path("verdict.xml").read_text()
    failed = [case for case in ElementTree.fromstring(text)[0] if len(case)]
    assert failed and all(case[0].get("message") for case in failed)
    assert "tea" not in text
    capsys.readouterr()


@pytest.mark.parametrize(
    ("word", "said"), [("disasociate", "Did you mean disassociate?"), ("xyzzy", "Use disjoin --help to see all.")]
)
def test_a_misspelt_command_is_told_with_what_is_like_it(word, said, capsys):
    assert run([word]) == 2
    assert said in capsys.readouterr().err


def test_help_lists_commands_in_groups(capsys):
    assert run(["--help"]) == 0
    groups = re.findall(r"^(\w[\w ]*):\n((?:  .*\n)+)", capsys.readouterr().out, re.MULTILINE)
    found = {title: re.findall(r"^  (\S+)", rows, re.MULTILINE) for title, rows in groups}
    assert found["Look at data"] == ["inspect", "risk", "advise"]
    assert found["Publish"] == [*(method.command for method in METHODS.listed.values()), "run"]
    assert found["Check a release"] == ["verify", "attack", "evaluate", "dossier"]
    assert found["Use a release"] == ["support", "mine", "reconstruct", "show", "export"]
    assert found["More"][:3] == ["compare", "experiment", "studio"]  # of the leaf packages


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_their_lines(shell, capsys):
    assert run(["completion", shell]) == 0
    assert COMPLETE in capsys.readouterr().out


def test_a_shell_that_asks_is_answered(monkeypatch, capsys):
    monkeypatch.setenv(COMPLETE, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "disjoin disas")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert run([]) == 0
    assert capsys.readouterr().out.split(",")[-1].strip() == "disassociate"


def _as_bash(script: str, *arguments: str, **environment: str) -> int:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-c", script, *arguments], env={**os.environ, "PATH": path, **environment}, capture_output=True
    )
    return ran.returncode


@pytest.mark.slow
def test_the_hook_and_the_action_fail_on_a_release_that_does_not_hold(release):
    hook = re.search(r"entry: bash -c '(.*)' --", (ROOT / ".pre-commit-hooks.yaml").read_text())
    [last] = re.findall(r"run: (disjoin verify .*)", (ROOT / "action.yml").read_text())
    Path("other.parquet").write_bytes(b"no release")
    files = ("--", "release/README.md", "release/subrecords/part-00000.parquet", "other.parquet")
    assert _as_bash(hook[1], *files) == 0
    assert _as_bash(last, RELEASE="release", JUNIT="verdict.xml") == 0
    assert Path("verdict.xml").exists()
    (Path("release") / "README.md").write_text("forged")
    assert _as_bash(hook[1], *files) != 0
    assert _as_bash(hook[1], "--", "other.parquet") == 0
    assert _as_bash(last, RELEASE="release", JUNIT="verdict.xml") == 3


@pytest.mark.parametrize(("version", "installed"), [("", "/the/action"), ("disjoin==0.1.0", "disjoin==0.1.0")])
def test_the_action_installs_what_it_is_unless_told(version, installed):
    [line] = re.findall(r"run: python -m pip install --quiet (.*)", (ROOT / "action.yml").read_text())
    assert _as_bash(f"[ {line} = {installed} ]", VERSION=version, GITHUB_ACTION_PATH="/the/action") == 0
