"""The page about Spark is run: its commands, and its Python."""

import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.spark

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "spark.md"


def block(language, mark="run on"):
    text = PAGE.read_text(encoding="utf-8")
    [found] = re.findall(rf"<!-- {mark} Spark -->\n```{language}\n(.*?)```", text, flags=re.DOTALL)
    return found


def test_the_commands_on_the_page_work(tmp_path):
    for line in block("bash").splitlines():
        told = f"{sys.executable} -m disjoin {line.removeprefix('disjoin ')}"
        subprocess.run(told, shell=True, cwd=tmp_path, check=True, timeout=600)
    assert (tmp_path / "patients" / "report.html").exists()


def test_the_job_on_the_page_can_be_submitted(tmp_path, of_tests):
    items = pa.array([["flu", "fever"], ["flu", "cough"], ["fever", "cough"], ["flu"]] * 5, pa.list_(pa.string()))
    pq.write_table(pa.table({"items": items}), tmp_path / "baskets.parquet")
    (tmp_path / "publish.py").write_text(block("python", "submit to"), encoding="utf-8")
    (tmp_path / "private").mkdir()
    submit = Path(sys.executable).with_name("spark-submit")
    told = [submit, "--master", "local[1]", "publish.py", "baskets.parquet", tmp_path / "private", "release"]
    subprocess.run(told, cwd=tmp_path, env=of_tests, check=True, timeout=600)
    assert (tmp_path / "release" / "datapackage.json").exists()
    assert list((tmp_path / "private").iterdir()) == []


def test_the_python_on_the_page_works(spark, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(block("python"), {})
    assert "finds at least 3 candidates" in capsys.readouterr().out
    assert (tmp_path / "release" / "datapackage.json").exists()
