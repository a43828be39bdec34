"""A real PostgreSQL server, started and stopped here, on loopback: `make test-db`."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import disjoin
from disjoin.api import export, flat_tables
from disjoin.cli.main import run
from disjoin.errors import CannotWrite, UnreadableInput
from disjoin.readers.databases import Query

pytestmark = pytest.mark.postgresql
ROWS = [(n // 2, ["flu", "fever", "cough"][n % 3]) for n in range(40)]
SQL = "select patient, code from diagnoses"
WHO = "postgres" if os.name == "posix" and os.geteuid() == 0 else None  # the server refuses to run as root


def _tool(name: str) -> str | None:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name) or next((str(place / name) for place in places if (place / name).exists()), None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Give the address of a server with the table diagnoses; it ends with the module."""
    control, init = _tool("pg_ctl"), _tool("initdb")
    if control is None or init is None:
        pytest.skip("PostgreSQL is not installed here (apt install postgresql)")
    with tempfile.TemporaryDirectory() as folder:
        if WHO:
            shutil.chown(folder, WHO)
        data, port = f"{folder}/data", _free_port()
        asked = {"check": True, "user": WHO, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        subprocess.run([init, "-D", data, "-U", "steward", "-A", "trust", "--no-sync"], **asked)
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        subprocess.run([control, "-D", data, "-w", "-o", options, "start"], **asked)
        try:
            address = f"postgresql://steward@127.0.0.1:{port}/postgres"
            _fill(address)
            yield address
        finally:
            subprocess.run([control, "-D", data, "-w", "-m", "immediate", "stop"], **asked)


def _fill(address: str) -> None:
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute("create table diagnoses (patient integer, code text, cost numeric, day date)")
        values = ",".join(f"({patient}, '{code}', {patient}.5, '2024-02-01')" for patient, code in ROWS)
        cursor.execute(f"insert into diagnoses values {values}")
        connection.commit()


def test_a_query_is_read(server):
    found = disjoin.read(Query(server, SQL))
    assert (len(found), found.intake.rows) == (20, 40)
    table = disjoin.read_table(Query(server, "select patient, day, cost::text as cost from diagnoses"))
    assert {*table.column("day").to_pylist()} == {"2024-02-01"}
    assert table.column("cost").to_pylist()[-1] == "19.5"


def test_a_type_that_cannot_be_read_and_a_wrong_query_are_one_sentence(server):
    with pytest.raises(
        UnreadableInput, match=r"the type of cost cannot be read: cast it in the query, as in cost::text"
    ):
        disjoin.read_table(Query(server, "select * from diagnoses"))
    with pytest.raises(UnreadableInput, match=r'the database reports: .*relation "nowhere" does not exist'):
        disjoin.read(Query(server, "select * from nowhere"))
    with pytest.raises(UnreadableInput, match="could not convert or store a value") as refused:
        disjoin.read(Query(server, "select patient, code::integer from diagnoses"))
    assert "flu" not in str(refused.value), "messages show no data"


def test_commands_read_and_export_writes_all_or_nothing(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CLINIC", server)
    monkeypatch.chdir(tmp_path)
    assert run(["disassociate", "--db", "env:CLINIC", "--sql", SQL, "-k", "3", "-o", "release"]) == 0
    assert run(["verify", "release", "--db", "env:CLINIC", "--sql", SQL]) == 0
    assert run(["export", "release", "--db", "env:CLINIC", "--table-prefix", "r_"]) == 0
    for name, table in flat_tables("release").items():
        counted = disjoin.read_table(Query(server, f"select count(*) as n from r_{name}"))
        assert counted.column("n").to_pylist() == [str(table.num_rows)]
    with pytest.raises(CannotWrite, match="already exists"):
        export("release", database="env:CLINIC", prefix="r_")
    export("release", database="env:CLINIC", prefix="r_", overwrite=True)
    capsys.readouterr()


def test_the_commands_of_the_page_run(server, tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "from-a-database.md").read_text(encoding="utf-8")
    page = re.sub(r"sqlite:(clinic|research)\.db", lambda found: f"env:{found[1].upper()}", page)
    lines = [line.removeprefix("$ ") for line in page.replace("\\\n", " ").splitlines()]
    found = [line for line in lines if line.startswith("disjoin ")]
    assert len(found) == 4
    monkeypatch.setenv("CLINIC", server)
    monkeypatch.setenv("RESEARCH", server)
    monkeypatch.chdir(tmp_path)
    for line in found:
        assert run(shlex.split(line)[1:]) == 0, (line, capsys.readouterr().err)
    [plan] = re.findall(r"^```text\n(\[input\].*?)^```", page, re.M | re.S)
    Path("plan.toml").write_text(f'{plan}\n[output]\npath = "again"\n')
    assert run(["run", "plan.toml"]) == 0
    [sql] = re.findall(r"^```sql\n(.*?);\n```", page, re.M | re.S)
    asked = sql.replace("'I10'", "'flu'").replace("'E11.9'", "'cough'")
    counted = disjoin.read_table(Query(server, f"select count(*) as n from ({asked}) as found"))
    assert int(counted.column("n").to_pylist()[0]) > 0
    capsys.readouterr()
