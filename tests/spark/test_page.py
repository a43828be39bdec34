"""The page about Spark is run: its commands, and its Python."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "spark.md"


def block(language):
    text = PAGE.read_text(encoding="utf-8")
    [found] = re.findall(rf"<!-- run on Spark -->\n```{language}\n(.*?)```", text, flags=re.DOTALL)
    return found


def test_the_commands_on_the_page_work(tmp_path):
    for line in block("bash").splitlines():
        told = f"{sys.executable} -m disjoin.cli {line.removeprefix('disjoin ')}"
        subprocess.run(told, shell=True, cwd=tmp_path, check=True, timeout=600)
    assert (tmp_path / "patients" / "report.html").exists()


def test_the_python_on_the_page_works(spark, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(block("python"), {})
    assert "finds at least 3 candidates" in capsys.readouterr().out
    assert (tmp_path / "release" / "datapackage.json").exists()
