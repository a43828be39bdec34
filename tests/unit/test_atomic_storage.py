"""Addresses as outputs, and folders of Delta Lake, Iceberg and Hudi as inputs: refused in a sentence."""

from contextlib import nullcontext

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.plan import Plan

LAKES = {
    "delta": "_delta_log/00000000000000000000.json",
    "hudi": ".hoodie/hoodie.properties",
    "iceberg": "metadata/snap-1.avro",
}


def lake(folder, kind):
    """Return a table with a deleted file, as a lake keeps it, and that file in a partition."""
    (folder / LAKES[kind]).parent.mkdir(parents=True)
    (folder / LAKES[kind]).write_text("{}", encoding="utf-8")
    (folder / "day=1").mkdir()
    file = folder / "day=1" / "deleted.parquet"
    pq.write_table(pa.table({"items": [["a", "b"]] * 9}), file)
    return folder, file


@pytest.mark.parametrize("kind", LAKES)
@pytest.mark.parametrize(
    "command",
    [
        ["inspect"],
        ["disassociate", "-o", "out"],
        ["disassociate", "-o", "out", "--engine", "spark"],
        ["generalize", "-o", "out", "--quasi", "items"],
        ["cahd", "-o", "out", "-p", "2", "--sensitive", "a"],
    ],
)
def test_a_lake_table_is_read_by_its_log_only(kind, command, tmp_path, monkeypatch, capfd):
    """K2: the files of a Delta Lake table were read as bare Parquet, so deleted rows were published."""
    monkeypatch.chdir(tmp_path)
    if "spark" in command:
        monkeypatch.setattr("disjoin.spark.session.session_for", nullcontext)  # it is seen without Spark
        monkeypatch.setattr("disjoin.spark.preflight.ready", lambda *given: None)
    for place in lake(tmp_path / "lake", kind):
        verb, *rest = command
        assert run([verb, str(place), "--no-ledger", *rest] if rest else [verb, str(place)]) == 2
        said = capfd.readouterr().err
        assert f"spark.read.format('{kind}').load('{tmp_path / 'lake'}')" in said
        assert "also contain deleted rows" in said
    assert sorted(each.name for each in tmp_path.iterdir()) == ["lake"]


def test_a_folder_named_metadata_is_no_lake_by_itself(tmp_path):
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "codebook.csv").write_text("a,b\n", encoding="utf-8")
    pq.write_table(pa.table({"items": [["a", "b"]] * 9}), tmp_path / "records.parquet")
    assert len(disjoin.read(tmp_path / "records.parquet")) == 9


@pytest.mark.parametrize("address", ["s3://bucket/x", "dbfs:/x", "s3a://bucket/x", "file:///x", "gs://bucket/x"])
@pytest.mark.parametrize(
    "command",
    [
        ["disassociate", "records.dat", "--no-ledger", "-o"],
        ["generate", "visits", "--records", "20", "-o"],
        ["inspect", "records.dat", "--report"],
        ["compare", "records.dat", "-o"],
    ],
)
def test_an_address_is_no_place_to_write_to(address, command, tmp_path, monkeypatch, capfd):
    """K3: `-o s3://bucket/x` made a local folder `s3:`, and reported success."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "records.dat").write_text("a b\n" * 20, encoding="utf-8")
    assert run([*command, address]) == 2
    assert f"found an address ({address.partition('/')[0]})" in capfd.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["records.dat"]


def test_an_address_in_python_and_in_a_plan_is_refused(tmp_path, monkeypatch, capfd):
    """K3: in Python and in a plan, too."""
    monkeypatch.chdir(tmp_path)
    release = disjoin.disassociate([["a", "b"]] * 20, k=2, m=1)
    with pytest.raises(InvalidParameter, match="found an address"):
        release.write("s3://bucket/x")
    (tmp_path / "records.dat").write_text("a b\n" * 20, encoding="utf-8")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[input]\npath = "records.dat"\n[method]\nk = 2\n[output]\npath = "s3://bucket/x"\n', encoding="utf-8"
    )
    assert run(["run", str(plan)]) == 2
    assert "found an address (s3:)" in capfd.readouterr().err
    assert not (tmp_path / "s3:").exists()


def test_an_address_is_read_by_spark_only(capfd):
    """K3: `dbfs:/x` was "no such file"."""
    assert run(["inspect", "dbfs:/x/y.parquet"]) == 2
    assert "found an address. Copy or mount it. Use --engine spark" in capfd.readouterr().err


def test_a_plan_keeps_addresses_for_spark(tmp_path):
    """K3: a plan made a path below its folder of an address."""
    facts = {"input": {"path": "s3a://b/x"}, "method": {}, "output": {"path": "out"}}
    facts["engine"] = {"name": "spark", "staging": "file:///shared"}
    plan = Plan.from_facts(facts, tmp_path)
    assert (plan.source, plan.engine.staging) == ("s3a://b/x", "file:///shared")
