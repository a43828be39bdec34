"""Queries of databases are read like files, and tables of a release are written into one, whole or not at all."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import disjoin
from disjoin.api import export, flat_tables
from disjoin.cli.main import run
from disjoin.errors import CannotWrite, InvalidParameter, MissingExtra, OutputExists, UnreadableInput
from disjoin.readers.databases import Query

ROWS = [(n // 2, ["flu", "fever", "cough"][n % 3]) for n in range(40)]
SQL = "select patient, code from diagnoses"
SECRET = "s3cr3t"


@pytest.fixture
def sqlite(tmp_path):
    with sqlite3.connect(tmp_path / "clinic.db") as database:
        database.execute("create table diagnoses (patient integer, code text)")
        database.executemany("insert into diagnoses values (?, ?)", ROWS)
    return f"sqlite:{tmp_path / 'clinic.db'}"


@pytest.fixture
def duck(tmp_path):
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as database:
        database.execute("create table diagnoses (patient integer, code text)")
        database.executemany("insert into diagnoses values (?, ?)", ROWS)
    return f"duckdb:{tmp_path / 'clinic.duckdb'}"


@pytest.fixture
def release(tmp_path):
    return disjoin.disassociate(disjoin.read(_frame()), k=3).write(tmp_path / "release")


def _frame():
    import pyarrow as pa

    return pa.table({"patient": [row[0] for row in ROWS], "code": [row[1] for row in ROWS]})


@pytest.mark.parametrize("kind", ["sqlite", "duck"])
def test_a_query_is_read_as_the_same_rows_in_memory_are(kind, request):
    database = request.getfixturevalue(kind)
    found = disjoin.read(Query(database, SQL))
    expected = disjoin.read(_frame())
    assert (found.to_sets(), found.intake.id_column, found.intake.rows) == (expected.to_sets(), "patient", 40)
    assert disjoin.read_table(Query(database, SQL)) == disjoin.read_table(_frame())


def test_the_address_may_be_in_the_environment_and_is_in_no_message(sqlite, monkeypatch):
    monkeypatch.setenv("CLINIC", sqlite)
    assert len(disjoin.read(disjoin.Query("env:CLINIC", SQL))) == 20
    with pytest.raises(InvalidParameter, match="no variable 'NOBODY' with the address"):
        disjoin.read(Query("env:NOBODY", SQL))
    assert SECRET not in repr(Query(f"postgresql://me:{SECRET}@127.0.0.1:1/x", SQL))
    with pytest.raises(UnreadableInput, match="cannot be reached or refuses access") as refused:
        disjoin.read(Query(f"postgresql://me:{SECRET}@127.0.0.1:1/x", SQL))
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("database", "sql", "words"),
    [
        ("{there}", "select 1 from nowhere", "the database reports: .*nowhere"),
        ("sqlite:/nowhere/clinic.db", SQL, r"there is no such database file\. Check the path\.$"),
        ("sqlite:///nowhere/clinic.db", SQL, "an absolute path has four"),
        ("mysql://x", SQL, r"expected the address of a database, found something else\. Give postgresql:"),
        ("{there}", " ", "expected a query in SQL"),
    ],
)
def test_what_is_no_query_of_a_database_is_one_sentence(sqlite, database, sql, words):
    with pytest.raises((UnreadableInput, InvalidParameter), match=words):
        disjoin.read(Query(database.format(there=sqlite), sql))


def test_nothing_is_written_by_a_query(sqlite, duck):
    for database in (sqlite, duck):
        with pytest.raises(UnreadableInput, match="the database reports"):
            disjoin.read(Query(database, "delete from diagnoses"))
        assert len(disjoin.read(Query(database, SQL))) == 20


def test_a_missing_driver_names_its_extra(sqlite, monkeypatch):
    monkeypatch.setitem(sys.modules, "adbc_driver_sqlite.dbapi", None)
    with pytest.raises(MissingExtra, match=r"adbc-driver-sqlite.*pip install 'disjoin\[db\]'"):
        disjoin.read(Query(sqlite, SQL))


def test_commands_and_plans_take_queries(sqlite, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CLINIC", sqlite)
    monkeypatch.chdir(tmp_path)
    asked = ["--db", "env:CLINIC", "--sql", SQL]
    assert run(["disassociate", *asked, "-k", "3", "-o", "one"]) == 0
    assert run(["verify", "one", *asked]) == 0
    Path("plan.toml").write_text(
        f'[input]\ndatabase = "env:CLINIC"\nquery = "{SQL}"\n[method]\nk = 3\n[output]\npath = "two"\n'
    )
    assert run(["run", "plan.toml"]) == 0
    assert Path("one/subrecords.parquet").read_bytes() == Path("two/subrecords.parquet").read_bytes()
    written = b"".join(path.read_bytes() for path in Path("two").rglob("*") if path.is_file())
    assert b"CLINIC" not in written and b"clinic.db" not in written and b"diagnoses" not in written
    assert run(["inspect", *asked, "--json"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["inspect", "--db", "env:X"], "add --sql"),
        (["inspect", "--sql", "select 1"], "add --db"),
        (["inspect", "a.csv", "--db", "env:X", "--sql", "select 1"], "leave one of them out"),
        (["inspect"], "Missing argument 'FILE'"),
        (["evaluate", "release"], "Give --original"),
    ],
)
def test_a_file_or_a_whole_query_must_be_given(arguments, words, capsys):
    assert run(arguments) == 2
    assert words in capsys.readouterr().err


def test_a_plan_with_half_a_query_is_refused(tmp_path):
    from disjoin.plan import Plan

    for table in ({"database": "env:X"}, {"path": "a.csv", "database": "env:X", "query": "select 1"}):
        with pytest.raises(InvalidParameter, match="a path, or a database and a query"):
            Plan.from_facts({"input": table, "output": {"path": "r"}}, tmp_path)


def _subrecords(rows):
    return sorted((cluster, chunk, count, tuple(sorted(terms))) for cluster, chunk, count, terms in rows)


def test_a_release_is_exported_without_losing_anything(release, tmp_path):
    path = tmp_path / "out.db"
    rows = export(release, database=f"sqlite:{path}", prefix="r_")
    assert {*rows} == {"r_terms", "r_clusters", "r_clusters_terms", "r_subrecords", "r_subrecords_terms"}
    with sqlite3.connect(path) as database:
        found = database.execute(
            "select cluster, chunk, count, group_concat(term, '|') "
            "from r_subrecords join r_subrecords_terms using (id) group by id"
        ).fetchall()
    import pyarrow.parquet as pq

    expected = pq.read_table(release / "subrecords.parquet").to_pylist()
    assert _subrecords((*row[:3], row[3].split("|")) for row in found) == _subrecords(
        (row["cluster"], row["chunk"], row["count"], row["terms"]) for row in expected
    )


def test_tables_that_are_there_are_replaced_only_if_that_is_said(release, tmp_path):
    for database in (f"sqlite:{tmp_path / 'a.db'}", f"duckdb:{tmp_path / 'a.duckdb'}"):
        export(release, database=database)
        with pytest.raises(CannotWrite, match=r'^the table "terms" already exists\. Use overwrite=True'):
            export(release, database=database)
        assert export(release, database=database, overwrite=True) == {
            name: table.num_rows for name, table in flat_tables(release).items()
        }


def test_csv_files_and_what_does_not_hold(release, tmp_path, capsys):
    assert run(["export", str(release), "--csv", str(tmp_path / "tables")]) == 0
    assert "5 tables written: terms (" in capsys.readouterr().out
    assert (tmp_path / "tables" / "subrecords_terms.csv").read_text().startswith('"id","term"\n0,"')
    with pytest.raises(OutputExists):
        export(release, csv=tmp_path / "tables")
    with pytest.raises(InvalidParameter, match="the tables go either into a database or"):
        export(release)
    descriptor = release / "datapackage.json"
    facts = json.loads(descriptor.read_text())
    text = json.dumps(facts).replace('"k": 3', '"k": 30')
    assert text != json.dumps(facts)
    descriptor.write_text(text)
    assert run(["export", str(release), "--csv", str(tmp_path / "more")]) == 3
    assert not (tmp_path / "more").exists()


def test_a_command_that_used_duckdb_says_nothing_when_it_ends():
    command = "import duckdb, sys; from disjoin.cli import main; sys.argv[1:] = ['--version']; main()"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert (done.stdout.startswith("disjoin"), done.stderr) == (True, "")


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_database_that_cannot_be_filled_is_not_left_behind(release, tmp_path, kind, monkeypatch):
    """P14: on a full disk `export --db` left an empty file."""
    (tmp_path / "new").mkdir()
    monkeypatch.setattr("disjoin.readers.databases._identifier", lambda name: 1 / 0)  # as a disk fails: while writing
    with pytest.raises(ZeroDivisionError):
        export(release, database=f"{kind}:{tmp_path / 'new' / 'tables.db'}", overwrite=True)
    assert list((tmp_path / "new").iterdir()) == []
