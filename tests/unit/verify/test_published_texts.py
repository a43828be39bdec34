"""P8: a table of another tool is judged as it is published, and the verdict says which spellings count as one value."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.cli.main import run
from disjoin.readers import tables


def verified(capfd, path, *more):
    code = run(["verify", "--published", str(path), "--quasi", "age", *more])
    return code, capfd.readouterr().out


def test_blanks_around_values_tell_rows_apart(capfd, tmp_path):
    path = tmp_path / "four.csv"
    path.write_text("age,ill\n34,a\n34 ,b\n 34,a\n34\t,b\n")
    code, out = verified(capfd, path, "-k", "4")
    assert code == 3
    assert out.count("T3 at the class of row") == 4
    assert "Compared as published: age has 4 different texts, or 1 without blanks around them." in out


def test_cells_that_are_all_padded_alike_are_one_class(capfd, tmp_path):
    path = tmp_path / "padded.csv"
    path.write_text("age,ill\n" + "34  ,a\n" * 4)
    code, out = verified(capfd, path, "-k", "4")
    assert code == 0
    assert "Compared as published" not in out


@pytest.mark.parametrize("cells", [["", "?", None, " "], ["NA", "na", "?", "NULL"]], ids=["empty", "blank words"])
def test_missing_values_that_are_written_otherwise_are_other_classes(capfd, tmp_path, cells):
    pq.write_table(pa.table({"age": pa.array(cells, pa.string()), "ill": ["a"] * 4}), tmp_path / "t.parquet")
    assert verified(capfd, tmp_path / "t.parquet", "-k", "2", "--blank-words", "usual")[0] == 3


def test_the_original_is_compared_without_blanks(capfd, tmp_path):
    (tmp_path / "original.csv").write_text("age,ill\n34,a\n34,b\n35,a\n35,b\n")
    (tmp_path / "published.csv").write_text("age,ill\n34 ,a\n34 ,b\n35,a\n35 ,b\n")
    code, out = verified(capfd, tmp_path / "published.csv", "-k", "2", "--original", str(tmp_path / "original.csv"))
    assert code == 3
    assert "T3" in out
    assert "U3" not in out.replace("Checked: T1, T3, U1, U3.", "")


def test_rows_of_stars_with_blanks_count_as_suppressed(capfd, tmp_path):
    path = tmp_path / "stars.csv"
    path.write_text("age,ill\n" + "*,a\n" * 2 + "* ,a\n" * 2 + "30,a\n" * 2 + "40,a\n" * 2)
    code, out = verified(capfd, path, "-k", "2", "--suppress", "0.25")
    assert (code, "T12" in out) == (3, True)


def test_spellings_of_sensitive_values_that_count_as_one_are_named(capfd, tmp_path):
    path = tmp_path / "spellings.csv"
    path.write_text("age,ill\n34,flu\n34,Flu\n34,flu \n34,1\n34,1.0\n")
    code, out = verified(capfd, path, "-k", "5", "--sensitive", "ill", "-l", "2")
    assert code == 0
    assert "The 5 texts of ill count as 2 values: spellings of a word, and equal numbers, are one value." in out


def test_a_table_as_written_is_the_same_table_without_blanks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("age,ill\n34,a\n34 ,\n 35,NA\n?,a\n")
    written = tables.read_table(path, as_written=True)
    assert written.values_of("age").to_pylist() == [" 35", "34", "34 ", "?"]
    trimmed = tables.without_blanks(written, ["age", "ill"], "usual")
    assert trimmed == tables.read_table(path, blank_words="usual")
