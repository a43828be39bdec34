"""Methods are compared each in a process of its own; what goes wrong with one is no harm to the others."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.lab import subprocess_runner as children
from disjoin.lab.comparison import compare_methods
from disjoin.lab.comparison_trial import COLUMNS, CONTENDERS, Contender, conditions_for
from disjoin.model import Transactions
from helpers.comparison_entries import CLUMSY, DOOMED, NEWCOMER

pytestmark = pytest.mark.slow  # without the compiler

RECORDS = [["tea", "milk"], ["tea", "jam"], ["rum", "tea", "milk"], ["jam"]] * 10


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.csv"
    path.write_text("".join(",".join(record) + "\n" for record in RECORDS))
    return path


def test_a_method_that_is_added_to_the_list_is_in_the_table(
    baskets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(CONTENDERS, "newcomer", NEWCOMER)
    out = tmp_path / "results"
    assert run(["compare", str(baskets), "--methods", "newcomer", "-k", "3", "-o", str(out)]) == 0
    said = capsys.readouterr().out
    assert "newcomer" in said
    assert "Do not publish them" in said
    facts = json.loads((out / "comparison.json").read_text())
    found = {row["measure"]: row["value"] for row in facts["rows"] if row["method"] == "newcomer"}
    assert set(found) == set(COLUMNS)
    assert None not in found.values()
    assert facts["methods"]["newcomer"]["certified"]
    assert "| newcomer |" in (out / "comparison.md").read_text()
    assert {path.name for path in out.iterdir()} == {
        *("comparison.csv", "comparison.json", "comparison.md", "files.json"),
        *("losses.svg", "errors.svg", "attacks.svg", "time.svg", "memory.svg"),
    }


def test_who_fails_gets_a_line_that_says_why_and_the_others_go_on(
    baskets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(CONTENDERS, "clumsy", CLUMSY)
    monkeypatch.setitem(CONTENDERS, "doomed", DOOMED)
    names = "disassociation,clumsy,doomed,diffpart"
    out = str(tmp_path / "results")
    assert run(["compare", str(baskets), "--methods", names, "-k", "50", "--seed", "1", "-o", out, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    failed = {name: entry["failed"] for name, entry in facts["methods"].items() if "failed" in entry}
    assert failed["disassociation"]["kind"] == "GuaranteeUnreachable"
    assert "ended by SIGKILL" in failed["doomed"]["reason"]
    assert "which is an error in the program (ZeroDivisionError in " in failed["clumsy"]["reason"]
    assert "a mistake of ours" not in failed["clumsy"]["reason"]  # the text of an error may hold data
    assert "diffpart" not in failed
    assert "seed 1" in facts["methods"]["diffpart"]["notes"][0]
    assert not facts["methods"]["diffpart"]["certified"]


def test_if_all_fail_nothing_is_written(baskets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "results"
    assert run(["compare", str(baskets), "--methods", "disassociation", "-k", "50", "-o", str(out)]) == 4
    assert "nothing to compare. disassociation:" in capsys.readouterr().err
    assert not out.exists()


def test_an_interrupt_ends_the_process_and_leaves_nothing(
    baskets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    class Interrupted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            started.append((self, Path(arguments[0][-1])))
            self.waited = False

        def wait(self, timeout: float | None = None) -> int:
            if not self.waited:
                self.waited = True
                raise KeyboardInterrupt
            return super().wait(timeout)

    monkeypatch.setattr(children.subprocess, "Popen", Interrupted)
    out = tmp_path / "results"
    assert run(["compare", str(baskets), "--methods", "disassociation", "-o", str(out)]) == 130
    [(process, folder)] = started
    assert process.returncode is not None
    assert not folder.exists()
    assert sorted(tmp_path.iterdir()) == [baskets]


def test_a_function_that_no_other_process_can_find_is_refused_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTENDERS, "local", Contender("local", "Local", lambda conditions: None))  # type: ignore[arg-type,return-value]
    data = Transactions.from_sets(RECORDS)
    with pytest.raises(InvalidParameter, match="not a lambda or a nested function"):
        compare_methods(data, ["local"], conditions_for(data))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--methods", "nonsense"], "there is no method 'nonsense' to compare. There are: disassociation, "),
        (["-k", "1"], "k must be"),
        (["--top", "0"], "top must be"),
        (["--epsilon", "0"], "epsilon must be"),
        (["--fan-out", "1"], "fan_out must be"),
        (["--seed", "-1"], "seed must be"),
        (["--hierarchy", "items.csv"], "1 term has none, in record 1"),
    ],
)
def test_mistakes_are_told_before_any_work(
    baskets: Path,
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("items.csv").write_text("tea;drink;*\nmilk;drink;*\nrum;drink;*\n")
    monkeypatch.setattr(children, "_run", lambda folder: pytest.fail("no process is needed"))
    assert run(["compare", str(baskets), *arguments, "-o", "results"]) == 2
    assert words in capsys.readouterr().err
    assert not Path("results").exists()
