"""`disjoin inspect --quasi` and `disjoin evaluate --published`: what is printed, and what is refused."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from disjoin.attack.table_risk import table_risk
from disjoin.cli.main import run
from disjoin.measure.evaluation import evaluate_tables
from disjoin.model import Hierarchy
from disjoin.model.column_roles import roles_of
from disjoin.readers.tables import read_table
from disjoin.report.profile import role_facts
from disjoin.report.profile_tables import table_inspection, table_inspection_text

ROWS = [
    "34,m,Bonn,flu",
    "34,m,Bonn,gout",
    "35,f,Bonn,flu",
    "35,f,Bonn,flu",
    "61,f,Trier,",
    "61,f,Trier,flu",
    "62,m,Trier,flu",
]
SHOWN = ["30-39,m,flu", "30-39,m,gout", "30-39,f,flu", "30-39,f,flu", "*,*,?", "*,*,flu", "*,*,flu"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    (folder / "census.csv").write_text("age,sex,town,ill\n" + "\n".join(ROWS) + "\n", encoding="utf-8")
    (folder / "other.csv").write_text("age,sex,ill\n" + "\n".join(SHOWN) + "\n", encoding="utf-8")
    (folder / "trees").mkdir()
    (folder / "trees" / "age.csv").write_text("34;30-39;*\n35;30-39;*\n61;60-69;*\n62;60-69;*\n", encoding="utf-8")
    (folder / "trees" / "sex.csv").write_text("m;*\nf;*\n", encoding="utf-8")
    return folder


def told(capfd: Any, folder: Path, line: str) -> tuple[int, str, str]:
    code = run([str(folder / word) if (folder / word).exists() else word for word in shlex.split(line)])
    out, err = capfd.readouterr()
    return code, out, " ".join(err.split())


def test_the_facts_are_those_of_the_library(capfd: Any, folder: Path) -> None:
    code, out, _ = told(
        capfd, folder, "inspect census.csv --quasi age,sex --quasi town --sensitive ill --known 2 --json"
    )
    assert code == 0
    table = read_table(folder / "census.csv")
    risk, roles = table_risk(table, ["age", "sex", "town"], ["ill"], 2), role_facts(roles_of(table))
    assert json.loads(out) == {**table_inspection(risk), "roles": roles, "possible_blanks": {}}


def test_people_read_what_the_file_gives_away(capfd: Any, folder: Path) -> None:
    code, out, err = told(capfd, folder, "inspect census.csv --quasi age,sex,town --sensitive ill")
    assert (code, err) == (0, "")
    flat = " ".join(out.split())
    for words in (
        "7 rows, 4 columns; quasi-identifiers: age, sex, town",
        "4 classes: the smallest has 1 row, the median 2, the largest 2",
        "unique: 1 row (14.3%)",
        "this file is 1-anonymous: an attacker who knows all quasi-identifiers finds a person with certainty",
        "ill: in some class all rows have the same value (l = 1, entropy l = 1, alpha = 1)",
        "age, sex 1 14.3% 57.14%",
        "Unique rows without one column (now 1) age 1 14.3% 57.14%",
    ):
        assert words in flat


def test_a_file_that_is_anonymous_is_said_to_be(capfd: Any, folder: Path) -> None:
    _, out, _ = told(capfd, folder, "inspect census.csv --quasi town --sensitive ill")
    assert "this file is 3-anonymous: every row is equal to at least 2 others" in out
    assert "ill: every class has at least 2 different values (l = 2, entropy l = 1.755), and at most 3 in 4 rows" in out
    assert "were not there" not in out


def test_many_sets_of_columns_are_cut_short_on_the_screen_only() -> None:
    from disjoin.model import Table

    risk = table_risk(Table.from_columns({name: list("ab") for name in "uvwxy"}), list("uvwxy"))
    facts = table_inspection(risk)
    assert len(facts["known_columns"]) == 25
    assert "and 10 other sets of columns" in table_inspection_text(facts)


def test_quiet_prints_nothing(capfd: Any, folder: Path) -> None:
    assert told(capfd, folder, "inspect census.csv --quasi age --quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("inspect census.csv", "may be a table with columns"),
        (
            "inspect census.csv",
            "--quasi COLUMN,... (for a table of people: name the columns that an attacker may know)",
        ),
        ("inspect census.csv --sensitive ill", "--sensitive is for tables. Name the columns"),
        ("inspect census.csv --quasi size", "there is no column 'size'"),
        ("inspect census.csv --quasi age --sensitive age", "a column has one role, 'age' is named twice"),
        ("inspect census.csv --quasi age --sample 3", "--sample is not for tables, and --quasi marks it as one"),
        ("inspect census.csv --quasi age --id sex --id ill", "one column identifies people, got 2 columns as id"),
        ("evaluate --original census.csv", "Give the RELEASE, or --published and --quasi"),
        ("evaluate --original census.csv --published other.csv", "name the columns that were generalised with --quasi"),
        ("evaluate somewhere --original census.csv --published other.csv", "either RELEASE or --published, not both"),
        ("evaluate somewhere --original census.csv --quasi age", "--quasi is for --published"),
        ("evaluate --original census.csv --published other.csv --quasi age", "'age' has no hierarchy"),
        ("evaluate --original census.csv --published other.csv --quasi sex,town", "there is no column 'town'"),
        ("evaluate --original census.csv --published other.csv --quasi age --hierarchy x", "--hierarchy is for items"),
        ("evaluate --original census.csv --published other.csv --quasi age --field x", "--field is not for tables"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(capfd: Any, folder: Path, line: str, message: str) -> None:
    code, out, err = told(capfd, folder, line)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_table_that_another_tool_published_is_evaluated(capfd: Any, folder: Path) -> None:
    line = (
        "evaluate --published other.csv --original census.csv --quasi age,sex --sensitive ill --hierarchies trees -k 2"
    )
    code, out, _ = told(capfd, folder, f"{line} --json")
    assert code == 0
    trees = {
        "age": Hierarchy.from_rows(
            [["34", "30-39", "*"], ["35", "30-39", "*"], ["61", "60-69", "*"], ["62", "60-69", "*"]]
        ),
        "sex": Hierarchy.from_rows([["m", "*"], ["f", "*"]]),
    }
    published = read_table(folder / "other.csv").with_hierarchies(trees)
    expected = evaluate_tables(published, read_table(folder / "census.csv"), ["age", "sex"], ["ill"], k=2)
    assert json.loads(out) == expected.to_json()
    assert expected["distortion"] == 4 * 0.5 + 3 + 3
    code, out, _ = told(capfd, folder, line)
    assert code == 0
    assert "Private: these are facts about the original." in out
    assert "Detail kept" in out


def test_some_measures_and_another_label_are_chosen(capfd: Any, folder: Path) -> None:
    line = "evaluate --published other.csv --original census.csv --quasi age --hierarchies trees --label sex"
    code, out, _ = told(capfd, folder, f"{line} --measure 'classification*' --json")
    assert code == 0
    [found] = json.loads(out)["measures"]
    assert found["details"]["label"] == "sex"
    assert found["value"] == pytest.approx(2 / 7)


def test_people_with_terms_are_counted_by_columns_and_terms_together(tmp_path, capsys):
    rows = "age,sex,codes\n31,m,I10;E11\n31,m,E11\n31,f,I10;J45\n31,f,J45;I10\n"
    (tmp_path / "people.csv").write_text(rows)
    command = ["inspect", str(tmp_path / "people.csv"), "--quasi", "age,sex", "--terms", "codes", "--split", ";"]
    assert run(command) == 0
    assert "singles out 0.0% of them; with 1 term in addition 25.0%" in capsys.readouterr().out
    assert run([*command[:2], "--terms", "codes"]) == 2


def test_the_page_says_what_the_screen_says_and_is_private(tmp_path, capsys):
    table, page = tmp_path / "people.csv", tmp_path / "page.html"
    table.write_text("age,sex,ill\n31,<b>m,flu\n34,f,cold\n31,<b>m,cold\n")
    asked = ["inspect", str(table), "--quasi", "age,sex", "--sensitive", "ill"]
    assert run([*asked, "--report", str(page)]) == 0
    text = page.read_text()
    assert "not to be published" in text and "prosecutor" in text and "people.csv" in text
    assert "<b>m" not in text and "<script" not in text and "\\n" not in text
    assert run([*asked, "--report", str(page)]) == 2, "a page that is there is not replaced"
    assert "already exists" in capsys.readouterr().err


def test_t_is_told_in_the_hierarchy_of_a_sensitive_column(tmp_path, capsys):
    table, trees = tmp_path / "people.csv", tmp_path / "trees"
    table.write_text("age,ill\n31,flu\n31,cold\n34,ulcer\n34,gastritis\n")
    trees.mkdir()
    trees.joinpath("ill.csv").write_text("flu;lung;*\ncold;lung;*\nulcer;stomach;*\ngastritis;stomach;*\n")
    asked = ["inspect", str(table), "--quasi", "age", "--sensitive", "ill", "--hierarchies", str(trees), "--json"]
    assert run(asked) == 0
    assert '"t_hierarchical": "1/2"' in capsys.readouterr().out
