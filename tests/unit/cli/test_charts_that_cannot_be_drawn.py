"""The chart engine ends its process where memory is short: that is a sentence, and nothing is written."""

from __future__ import annotations

import sys

import pytest

from disjoin.charts import chart_process as artist
from disjoin.cli.run import run

pytestmark = pytest.mark.charts

DEATHS = {
    "SIGKILL": "import os, signal; input(); os.kill(os.getpid(), signal.SIGKILL)",
    "SIGABRT": "import os; os.abort()",
    "exit code 133": "raise SystemExit(133)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("death", DEATHS)
def test_when_everybody_who_draws_dies_it_is_one_sentence_and_nothing_is_written(death, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(artist, "COMMAND", (sys.executable, "-c", DEATHS[death]))
    monkeypatch.setattr(artist, "draw", lambda chart: pytest.fail("drawn in this process, which would die too"))
    (tmp_path / "baskets.csv").write_text("tea,milk\n" * 6)
    code = run(["disassociate", str(tmp_path / "baskets.csv"), "-k", "3", "-o", str(tmp_path / "release"), "--quiet"])
    told = capfd.readouterr().err
    assert code == 2
    assert "The charts of the report cannot be drawn, and nothing was written" in told
    assert f"ended ({death}). Free some memory" in told
    assert [entry.name for entry in tmp_path.iterdir()] == ["baskets.csv"]
