"""docs/formats/release.md: what it shows is true."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from disjoin.files.release import write_release
from disjoin.files.release_tables import COLUMNS
from releases import figure_3, sealed

PAGE = (Path(__file__).parents[3] / "docs" / "formats" / "release.md").read_text(encoding="utf-8")


@pytest.fixture
def here(tmp_path, monkeypatch) -> None:
    write_release(sealed(figure_3()), tmp_path / "release", documents={})
    monkeypatch.chdir(tmp_path)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", [0, 1])
def test_the_python_of_the_page_runs(here, number, capsys):
    names: dict = {}
    exec(blocks("python")[number], names)  # our own text
    if number == 0:
        assert isinstance(names["clusters"], pa.Table)
        assert "'ikea'" in capsys.readouterr().out
    else:
        assert names["support"]["madonna"] == 8


def test_the_sql_of_the_page_finds_the_pairs(here):
    duckdb = pytest.importorskip("duckdb")
    pairs = {(one, other): n for one, other, n in duckdb.sql(blocks("sql")[0]).fetchall()}
    assert pairs["audi a4", "sony tv"] == 3
    assert pairs["ikea", "ruby"] == 3


def test_the_page_has_the_columns():
    for table, columns in COLUMNS.items():
        rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", PAGE.split(f"`{table}`\n", 1)[1], re.MULTILINE)
        assert [name for name, _ in rows[: len(columns)]] == [column.name for column in columns]
