"""Python draws as the command line does: in another process, which may end without ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import disjoin
from disjoin.charts import chart_process as artist
from disjoin.charts import specifications as charts
from disjoin.errors import CannotWrite

SRC = Path(disjoin.__file__).parents[1]


@pytest.fixture(autouse=True)
def nobody_hired():
    artist.dismiss()
    yield
    artist.dismiss()


def release():
    return disjoin.disassociate([["tea", "milk"]] * 6, k=3)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_when_the_process_that_draws_dies_it_is_one_sentence_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(artist, "COMMAND", (sys.executable, "-c", "import os; os.abort()"))
    monkeypatch.setattr(artist, "draw", lambda chart: pytest.fail("drawn in this process, which would die too"))
    with pytest.raises(CannotWrite, match=r"charts of the report cannot be drawn, and nothing was written: .*SIGABRT"):
        release().write(tmp_path / "release")
    assert not list(tmp_path.iterdir())


def test_nothing_is_drawn_in_the_process_of_the_caller(tmp_path, monkeypatch):
    monkeypatch.setattr(artist, "draw", lambda chart: pytest.fail("drawn in this process"))
    assert "<svg" in (release().write(tmp_path / "release") / "report.html").read_text()


def test_one_process_draws_for_all_releases_of_a_session(tmp_path, monkeypatch):
    hired = []
    plain = artist._hired
    monkeypatch.setattr(artist, "_hired", lambda: hired.append(1) or plain())
    for name in "ab":
        release().write(tmp_path / name)
    assert len(hired) == 1


def test_a_drawing_that_was_interrupted_is_not_taken_for_the_next_one():
    one, other = (charts.framed(word, data={"values": []}, mark="bar", encoding={}) for word in ("one", "other"))
    other["title"] = "other"
    with artist.Artist() as drawing:
        plain = artist.json.loads

        def stopped(text):
            raise KeyboardInterrupt

        artist.json.loads = stopped
        try:
            with pytest.raises(KeyboardInterrupt):
                drawing.draw(one)
        finally:
            artist.json.loads = plain
        assert drawing.draw(other) == charts.draw(other)


SCRIPT = f"""
import sys
sys.path.insert(0, {str(SRC)!r})
import disjoin
disjoin.disassociate([["tea", "milk"]] * 6, k=3).write(sys.argv[1])
print("done")
"""


def test_a_script_without_a_guard_that_finds_the_package_by_itself_can_write(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-W", "error::ResourceWarning", "script.py", "release"]
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, "done\n", "")
    assert "<svg" in (tmp_path / "release" / "report.html").read_text()
