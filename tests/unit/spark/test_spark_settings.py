"""What is said about Spark, in plans and on the command line; nothing here starts it."""

import socket

import pyarrow as pa
import pytest
from click.testing import CliRunner

from disjoin.cli.publish import command_of
from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.plan import Plan
from disjoin.spark import session
from disjoin.spark.reading import terms_in_lines
from disjoin.spark.settings import SparkSettings
from disjoin.spark.sources import _fold, _kind_of, frame_of
from disjoin.spark.staging import staging_in
from disjoin.studio.plans import in_toml

TEXT = """
[input]
path = "visits.parquet"

[method]
k = 5

[output]
path = "release"

[engine]
name = "spark"
master = "local[2]"
staging = "private"
shard_records = 1000
conf = ["spark.ui.enabled=false"]
"""


def test_a_plan_says_that_it_runs_on_spark_and_is_written_as_it_was_read(tmp_path):
    (tmp_path / "plan.toml").write_text(TEXT, encoding="utf-8")
    plan = Plan.from_file(tmp_path / "plan.toml")
    assert plan.engine == SparkSettings("local[2]", str(tmp_path / "private"), 1000, ("spark.ui.enabled=false",))
    (tmp_path / "again.toml").write_text(in_toml(plan), encoding="utf-8")
    assert Plan.from_file(tmp_path / "again.toml").engine == plan.engine


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ('name = "dask"', "local or spark"),
        ('name = "spark"\nthreads = 2', "no setting"),
        ('name = "spark"\nconf = "a=b"', "a list of settings"),
        ('name = "spark"\nconf = ["ab"]', "name=value"),
        ('name = "spark"\nshard_records = 0', "shard_records"),
        ('name = "spark"\nmaster = 7', "master must be text"),
        ('name = "local"\nmaster = "x"', "no setting"),
    ],
)
def test_what_a_plan_cannot_say_about_its_engine_is_refused(engine, words, tmp_path):
    head = TEXT.split("[engine]")[0]
    (tmp_path / "plan.toml").write_text(f"{head}[engine]\n{engine}\n", encoding="utf-8")
    with pytest.raises(InvalidParameter, match=words):
        Plan.from_file(tmp_path / "plan.toml")


def test_options_of_spark_without_spark_are_refused(tmp_path):
    told = CliRunner().invoke(command_of("disassociation"), ["x.csv", "-o", str(tmp_path / "r"), "--master", "local"])
    assert "--master is for --engine spark" in str(told.exception)


def test_only_methods_that_run_on_spark_have_its_options():
    assert "--engine" not in CliRunner().invoke(command_of("cahd"), ["--help"]).output
    assert "--engine" in CliRunner().invoke(command_of("disassociation"), ["--help"]).output


def test_sizes_follow_the_records_of_a_task():
    assert SparkSettings().sizes().shard_records == 4_000_000
    assert SparkSettings(shard_records=300).sizes().block_records == 300


@pytest.mark.parametrize(
    ("name", "reading", "kind"),
    [
        ("a.dat.gz", {}, "fimi"),
        ("a.parquet", {}, "parquet"),
        ("a.csv", {"id": ("p",), "terms": "t"}, "csv"),
        ("a.txt", {"format": "fimi"}, "fimi"),
    ],
)
def test_sources_are_known_by_their_names(name, reading, kind, tmp_path):
    (tmp_path / name).touch()
    assert _kind_of(str(tmp_path / name), reading) == kind


def test_sources_that_spark_does_not_read_are_refused_in_a_sentence(tmp_path):
    (tmp_path / "a.csv").touch()
    with pytest.raises(InvalidParameter, match="make a frame in Python"):
        _kind_of(str(tmp_path / "a.csv"), {})
    with pytest.raises(InvalidParameter, match="not standard input"):
        _kind_of("-", {})
    with pytest.raises(UnreadableInput, match="no such file"):
        _kind_of(str(tmp_path / "b.csv"), {})
    with pytest.raises(InvalidParameter, match="Spark does not support blank"):
        frame_of(None, "x", {"blank": "skip"})


def test_lines_are_split_at_blanks_as_files_are():
    lines = pa.array(["1 22\t3", "", "  7 \r", "a\x0bb\rc"])
    assert terms_in_lines(lines).to_pylist() == [["1", "22", "3"], [], ["7"], ["a\x0bb", "c"]]


def test_ids_are_compared_in_one_spelling():
    [batch] = _fold([pa.RecordBatch.from_pydict({"record": ["P1", " p1"]})])
    assert batch.column(0).to_pylist() == ["p1", "p1"]


def test_a_staging_folder_must_be_there_and_must_be_a_path(tmp_path):
    with pytest.raises(InvalidParameter, match="Mount the storage"), staging_in("s3://bucket/x"):
        pass
    with pytest.raises(InvalidParameter, match="there is none"), staging_in(tmp_path / "missing"):
        pass
    with staging_in(tmp_path) as staging:
        assert staging.folder.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []


def test_classes_that_java_has_loaded_are_taken_from_a_folder_of_ours_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(session, "archive_name", lambda: "classes-of-a-test.jsa")
    folder = tmp_path / "disjoin"
    folder.mkdir(mode=0o700)
    assert session.for_java() == session.FOR_JAVA
    (folder / "classes-of-a-test.jsa").touch()
    assert f"-XX:SharedArchiveFile={folder}/classes-of-a-test.jsa" in session.for_java()
    folder.chmod(0o777)  # so that anybody could have put it there
    assert session.for_java() == session.FOR_JAVA


def test_a_server_of_connect_that_is_not_there_is_told_at_once(monkeypatch):
    for name in ("grpc_proxy", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        session._require_answer(f"sc://127.0.0.1:{port}")
    for address in (f"sc://127.0.0.1:{port}", "sc://127.0.0.1:99999999"):
        with pytest.raises(InvalidParameter, match="no server of Spark Connect answers at sc://127") as refusal:
            session._require_answer(f"{address}/;token=secret")
        assert "secret" not in str(refusal.value)
