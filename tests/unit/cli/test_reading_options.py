"""What commands say about lists, blanks and people, and the options that answer."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.engine import Local
from disjoin.errors import InvalidParameter
from disjoin.methods.generalization import Generalization
from disjoin.plan import Plan
from disjoin.readers.tables import as_table

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
    assert "Terms that may be blanks: NA in 6 records. Use blank_words = usual and blank = skip" in said
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
        assert ("Note: terms that may be blanks: NA in 6 records" in said.err) == (name == "with")
        assert "Read: 6 people (one record per patient_id), 19 rows." in said.out


def test_records_that_are_not_people_are_refused_by_publishing_and_reported_by_inspect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "invoices.csv").write_text(INVOICES)
    source = [str(tmp_path / "invoices.csv"), "--id", "InvoiceNo"]
    publish = ["disassociate", *source, "-k", "2", "-m", "1", "-q", "-o", str(tmp_path / "release")]
    assert run(publish) == 2
    assert "2 values of 'CustomerID' have 6 of them" in capsys.readouterr().err
    assert run(["inspect", *source]) == 0
    assert "Records are not people: 2 values of CustomerID" in capsys.readouterr().out
    assert run([*publish, "--per-record"]) == 0
    assert run(["verify", str(tmp_path / "release"), "--original", *source]) == 0


@pytest.mark.parametrize(
    "command", ["inspect", "risk", "advise", "disassociate", "mixed", "verify", "evaluate", "attack"]
)
def test_every_command_names_the_columns_by_id_and_terms_and_hides_the_older_names(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert "--id NAME" in said
    assert "--terms NAME" in said
    assert "--id-column" not in said


@pytest.mark.parametrize("names", [("--id", "--terms"), ("--id-column", "--term-column")])
def test_older_names_of_columns_are_accepted(
    tmp_path: Path, names: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log.csv").write_text("a,b,c\n" + "".join(f"x,{n % 4},tea\n" for n in range(8)))
    columns = (names[0], "b", names[1], "c")
    publish = ["disassociate", str(tmp_path / "log.csv"), *columns, "-k", "2", "-q", "-o", str(tmp_path / "release")]
    assert run(publish) == 0
    assert run(["verify", str(tmp_path / "release"), "--original", str(tmp_path / "log.csv"), *columns]) == 0
    assert "4 candidates" in capsys.readouterr().out


def test_a_plan_may_have_the_older_names_but_not_both(tmp_path: Path) -> None:
    def plan(*lines: str) -> Plan:
        text = '[input]\npath = "log.csv"\n' + "\n".join(lines) + '\n[output]\npath = "release"\n'
        (tmp_path / "plan.toml").write_text(text)
        return Plan.from_file(tmp_path / "plan.toml")

    older = plan('id_column = "visit"', 'term_column = "code"')
    assert older.reading == plan('id = "visit"', 'terms = "code"').reading == {"id": "visit", "terms": "code"}
    with pytest.raises(InvalidParameter, match="its older name"):
        plan('id_column = "visit"', 'id = "visit"')


def test_sensitive_cells_that_look_like_lists_are_not_generalised_unless_that_is_meant() -> None:
    table = as_table({"age": ["30", "31"] * 4, "codes": ["I10;E11", "E11;J45", "J45", "I10"] * 2})
    settings = {"k": 2, "quasi": ("age",), "sensitive": ("codes",)}
    with pytest.raises(InvalidParameter, match=r"the cells of 'codes' look like lists.*Use whole_cells=True"):
        Generalization(**settings).publish(table, Local())
    assert Generalization(**settings, whole_cells=True).publish(table, Local())


@pytest.mark.parametrize("flag", ["-t", "--t"])
def test_t_closeness_may_be_asked_with_one_dash_or_two(
    tmp_path: Path, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"{20 + n},{'ab'[n % 2]}\n" for n in range(12))
    (tmp_path / "people.csv").write_text("age,ill\n" + rows)
    about = ["--quasi", "age", "--sensitive", "ill", "-k", "2", flag, "0.3"]
    assert run(["generalize", str(tmp_path / "people.csv"), *about, "-q", "-o", str(tmp_path / "release")]) == 0
    assert disjoin.load(tmp_path / "release").guarantee.closeness.t == Fraction(3, 10)
    assert run(["verify", "--published", str(tmp_path / "people.csv"), *about]) == 3
    assert "The guarantee does not hold" in capsys.readouterr().out
