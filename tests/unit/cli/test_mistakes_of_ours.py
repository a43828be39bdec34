"""What the program does wrong is one sentence: what kind of mistake, where in the source, nothing of the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from disjoin.cli import main as door
from disjoin.cli.main import UNEXPECTED, run
from disjoin.errors import CannotWrite
from disjoin.release import reader as writing


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (tmp_path / "baskets.txt").write_text("tea milk\ntea milk jam\ntea jam\nmilk jam\n" * 5)

    def fail(*given: object, **named: object) -> None:
        raise KeyError("Ann Smith")

    monkeypatch.setattr(writing, "_described", fail)
    return ["disassociate", str(tmp_path / "baskets.txt"), "-k", "3", "-o", str(tmp_path / "release"), "-q"]


def test_a_mistake_of_ours_is_one_sentence_without_data(
    failing: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(failing) == UNEXPECTED == 70
    said = capfd.readouterr().err
    assert said.startswith("Error: disjoin failed unexpectedly (KeyError in release/reader.py, line ")
    assert said.count("\n") == 1
    assert "Ann Smith" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["baskets.txt"]


def test_who_asks_for_the_traceback_gets_it(
    failing: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISJOIN_TRACEBACK", "1")
    assert run(failing) == UNEXPECTED
    assert "Traceback" in capfd.readouterr().err


def test_who_asks_for_the_trace_of_a_cause_gets_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(arguments: object) -> int:
        raise CannotWrite("no release was written.") from ValueError("Ann Smith")

    monkeypatch.setattr(door, "_invoke", fail)
    assert run(["--help"]) == CannotWrite.exit_code
    assert capfd.readouterr().err == "Error: no release was written.\n"
    monkeypatch.setenv("DISJOIN_TRACEBACK", "1")
    run(["--help"])
    assert "ValueError: Ann Smith" in capfd.readouterr().err


def test_a_terminal_that_has_hung_up_does_not_change_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def hung_up(*given: object, **named: object) -> None:
        raise OSError(5, "Input/output error")

    def stop(arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(door.click, "echo", hung_up)
    monkeypatch.setattr(door, "_invoke", stop)
    assert run(["--help"]) == 130
