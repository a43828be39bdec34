"""What commands say about lists, blanks and people, and the options that answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from disjoin.cli.run import run
from disjoin.engines.local import Local
from disjoin.errors import InvalidParameter
from disjoin.files.table_reading import as_table
from disjoin.methods.generalization import Generalization

VISITS = "patient_id,diagnosis\n" + "".join(f"p{n},{c}\n" for n in range(6) for c in ("B20", "b20", "NA")) + "p7,\n"
INVOICES = "InvoiceNo,StockCode,CustomerID\n" + "".join(f"{n},tea,c{n % 2}\n" for n in range(6))


def test_inspect_lists_possible_blanks_and_spellings_and_says_who_is_a_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "visits.csv").write_text(VISITS)
    assert run(["inspect", str(tmp_path / "visits.csv"), "--blank", "skip", "-q"]) == 0
    assert run(["inspect", str(tmp_path / "visits.csv"), "--blank", "skip"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("6 people (one record per patient_id), 19 rows, ")
    assert "Blank cells left out: 1" in said
    assert "Terms that may stand for blanks: NA in 6 records. Say --blank-words usual --blank skip" in said
    assert "Terms that differ only in spelling: B20 (6 records), b20 (6)" in said
    assert run(["inspect", str(tmp_path / "visits.csv"), "--blank", "skip", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["rows"], facts["skipped_blanks"]) == (19, 1)
    assert [one["term"] for one in facts["similar_terms"][0]] == ["B20", "b20"]


def test_publishing_notes_possible_blanks_and_a_plan_leaves_them_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "visits.csv").write_text(VISITS)
    plan = '[input]\npath = "visits.csv"\nblank = "skip"\n{}[method]\nk = 2\n[output]\npath = "{}"\n'
    for name, words in (("with", ""), ("without", 'blank_words = ["NA"]\n')):
        (tmp_path / "plan.toml").write_text(plan.format(words, name))
        assert run(["run", str(tmp_path / "plan.toml")]) == 0
        said = capsys.readouterr()
        assert ("Note: terms that may stand for blanks: NA in 6 records" in said.err) == (name == "with")
        assert "Read: 6 people (one record per patient_id), 19 rows." in said.out


def test_records_that_are_not_people_are_refused_by_publishing_and_reported_by_inspect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "invoices.csv").write_text(INVOICES)
    source = [str(tmp_path / "invoices.csv"), "--id-column", "InvoiceNo"]
    publish = ["disassociate", *source, "-k", "2", "-m", "1", "-q", "-o", str(tmp_path / "release")]
    assert run(publish) == 2
    assert "2 values of 'CustomerID' have 6 of them" in capsys.readouterr().err
    assert run(["inspect", *source]) == 0
    assert "Records are not people: 2 values of CustomerID" in capsys.readouterr().out
    assert run([*publish, "--per-record"]) == 0
    assert run(["verify", str(tmp_path / "release"), "--original", *source]) == 0


def test_sensitive_cells_that_look_like_lists_are_not_generalised_unless_that_is_meant() -> None:
    table = as_table({"age": ["30", "31"] * 4, "codes": ["I10;E11", "E11;J45", "J45", "I10"] * 2})
    settings = {"k": 2, "quasi": ("age",), "sensitive": ("codes",)}
    with pytest.raises(InvalidParameter, match=r"the cells of 'codes' look like lists.*--split ';'.*--whole-cells"):
        Generalization(**settings).publish(table, Local())
    assert Generalization(**settings, whole_cells=True).publish(table, Local())
