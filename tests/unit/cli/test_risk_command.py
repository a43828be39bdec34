"""disjoin risk: the curve, giveaways and a suggestion, on the screen and as facts; nothing is written."""

from __future__ import annotations

import json

import pytest

from disjoin.cli.main import run


@pytest.fixture
def baskets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["tea milk", "tea milk jam", "milk jam", "tea"] * 10 + ["tea hiv"]
    (tmp_path / "baskets.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_facts(baskets, capsys):
    assert run(["risk", "baskets.dat", "-k", "3", "-m", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {
        "records", "k", "m", "curve", "looked_at", "giveaways", "harmed", "suggestion",
    }  # fmt: skip
    assert (found["records"], found["k"], found["m"], len(found["curve"])) == (41, 3, 1, 2)
    assert found["giveaways"]["terms"][0] == {"term": "hiv", "records": 1}
    assert [file.name for file in baskets.iterdir()] == ["baskets.dat"]


def test_words(baskets, capsys):
    assert run(["risk", "baskets.dat", "-k", "3"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Start with k = ") and "\nPrivate: " in said
    assert "hiv singles out 1 record" in said


def test_too_few_records_are_refused(baskets, capsys):
    assert run(["risk", "baskets.dat", "-k", "50"]) == 4
    assert "50" in capsys.readouterr().err
