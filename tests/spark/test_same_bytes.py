"""On Spark itself, `local[2]`: the folder is the local engine's, byte for byte, and nothing of the input is logged."""

import filecmp
import random
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import disjoin.spark
from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.methods.disassociation import Disassociation
from disjoin.model import Transactions
from disjoin.parquet import tables
from disjoin.parquet.tables import files_in
from disjoin.pipeline import publish
from disjoin.readers.read import read
from disjoin.spark import sources
from disjoin.spark.horpart import Sizes
from disjoin.spark.reading import terms_in_lines
from disjoin.spark.settings import SparkSettings

pytestmark = pytest.mark.spark

MARKED = "marked-term-7f3a"
ODD_NAME = "a b%20[1]{ä}=*"  # of a folder: Spark takes some of these signs for patterns


def baskets(n, seed=1):
    draw = random.Random(seed)
    words = [*(f"t{number:02}" for number in range(40)), "é", "é", "😀 beyond", MARKED]
    return [{words[min(int(draw.paretovariate(0.7)) - 1, 43)] for _ in range(draw.randint(1, 6))} for _ in range(n)]


def frame_of(spark, records, parts=3):
    lists = [sorted(record) for record in records]
    random.Random(5).shuffle(lists)
    return spark.createDataFrame(pa.table({"items": pa.array(lists, pa.list_(pa.string()))})).repartition(parts)


def assert_same_folder(outcome, records, settings, tmp_path):
    ours = outcome.release.write(tmp_path / "spark")
    theirs = publish(Transactions.from_sets(records), Disassociation(**settings)).release.write(tmp_path / "local")
    names = list(files_in(theirs))
    assert list(files_in(ours)) == names
    assert filecmp.cmpfiles(ours, theirs, names, shallow=False) == (names, [], [])


@pytest.mark.parametrize(
    ("settings", "shard", "parts", "adaptive"),
    [
        ({"k": 5, "m": 2}, 300, 4, "true"),
        ({"k": 2, "m": 3, "strategy": "suppression", "refine": False}, 250, 1, "false"),
        ({"k": 5, "m": 1, "sensitive": ["t03", MARKED], "l": 3}, 400, 7, "true"),
        ({"k": 5, "m": 2, "clustering": "core-horpart"}, 300, 2, "true"),
    ],
)
def test_the_folder_is_that_of_the_local_engine(spark, tmp_path, settings, shard, parts, adaptive):
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    records = baskets(900)
    staging = tmp_path / ODD_NAME
    staging.mkdir()
    frame = frame_of(spark, records, parts)
    outcome = disjoin.spark.disassociate(frame, staging=staging, shard_records=shard, **settings)
    assert_same_folder(outcome, records, settings, tmp_path)
    assert list(staging.iterdir()) == []


def with_levels_in_executors(monkeypatch, shard):
    """Let executors join clusters, however few there are, in groups of a few runs."""
    monkeypatch.setattr(SparkSettings, "sizes", lambda self: Sizes(shard, 10 * shard, shard // 3, driver_items=0))


@pytest.mark.parametrize(
    ("settings", "adaptive"),
    [
        ({"k": 5, "m": 2}, "true"),
        ({"k": 3, "m": 1, "sensitive": ["t03", MARKED], "max_joint_size": 150}, "false"),
        ({"k": 3, "m": 2, "max_cluster_size": 12, "refine_mode": "paper", "refine_passes": 2}, "true"),
    ],
)
def test_clusters_that_executors_join_are_those_of_the_local_engine(spark, tmp_path, monkeypatch, settings, adaptive):
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    with_levels_in_executors(monkeypatch, 300)
    records = baskets(900)
    outcome = disjoin.spark.disassociate(frame_of(spark, records), **settings)
    assert outcome.private["driver"]["by"]["joined clusters"] > 0
    assert_same_folder(outcome, records, settings, tmp_path)


def test_tables_in_parts_are_cut_alike(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROWS_IN_A_PART", 5)
    settings = {"k": 5, "m": 2, "max_joint_size": 80}  # so that there are several trees
    outcome = disjoin.spark.disassociate(frame_of(spark, baskets(300)), shard_records=100, **settings)
    assert_same_folder(outcome, baskets(300), settings, tmp_path)
    assert len(list((tmp_path / "spark" / "subrecords").iterdir())) > 2


def test_a_long_table_is_grouped_by_its_id(spark, tmp_path):
    records = baskets(200)
    rows = [(number, term) for number, record in enumerate(records) for term in record]
    random.Random(2).shuffle(rows)
    frame = spark.createDataFrame(rows, "visit int, item string")
    outcome = disjoin.spark.disassociate(frame, k=4, m=2, id="visit", item="item")
    assert_same_folder(outcome, records, {"k": 4, "m": 2}, tmp_path)


def test_rows_that_are_not_as_the_header_are_refused_and_not_shown(spark, tmp_path):
    source, reading = tmp_path / "visits.csv", {"id": ("visit",), "terms": "item"}
    source.write_text(f'visit,item\n1,"a, ""b"""\n2,{MARKED},{MARKED}\n3\n', encoding="utf-8")
    with pytest.raises(UnreadableInput, match="2 rows have more or fewer cells") as refusal:
        sources.frame_of(spark, str(source), reading)
    assert MARKED not in str(refusal.value)
    source.write_text('visit,item\n1,"a, ""b"""\n1,c\n', encoding="utf-8")
    [record] = sources.frame_of(spark, str(source), reading).toArrow()["terms"].to_pylist()
    assert sorted(record) == ['a, "b"', "c"]


READ_ALIKE = {
    "baskets.dat": "\ufeffa b\rc\n\n a\x0bb\t😀\r\nz\u00a0z a",
    "visits.csv": '\ufeffvisit , item\n1, a\n1,"  b, ""c"" "\n01,😀\n\n2,a\tb\r\n2,NA\n',
}
REFUSED = {"a.dat": b"a \xff\n", "b.dat": b"a\0b\n", "a.csv": b"visit,item\n1,\xff\n"}
REFUSED |= {"b.csv": b'visit,item\n1,"a\n2,b"\n', "c.csv": b"visit,item\n1,\x0ca\n", "d.csv": b"visit,item\r1,a\r2,b\r"}
LONG = {"id": "visit", "terms": "item"}


def reading_of(source):
    return {"format": "fimi"} if source.suffix == ".dat" else LONG


def records_of(spark, source):
    rows = sources.frame_of(spark, str(source), reading_of(source)).toArrow().column(0).combine_chunks()
    return [sorted(set(each)) for each in (terms_in_lines(rows) if source.suffix == ".dat" else rows).to_pylist()]


def test_files_are_read_as_the_local_engine_reads_them_or_refused(spark, tmp_path):
    tmp_path = tmp_path / ODD_NAME
    tmp_path.mkdir()
    for name, text in READ_ALIKE.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
        local = read(tmp_path / name, **reading_of(tmp_path / name)).to_sets()
        assert sorted(filter(None, records_of(spark, tmp_path / name))) == sorted(map(sorted, local))
    for name, content in REFUSED.items():
        (tmp_path / name).write_bytes(content)
        frame = partial(sources.frame_of, spark, str(tmp_path / name), reading_of(tmp_path / name))
        with pytest.raises(UnreadableInput, match="found 1 others" if name.endswith(".dat") else "not UTF-8"):
            disjoin.spark.inspect_frame(frame(), SparkSettings(), 1)


def test_folders_of_parquet_are_read_with_lists_or_as_long_tables(spark, tmp_path):
    lists, long = tmp_path / "lists", tmp_path / "long"
    lists.mkdir()
    long.mkdir()
    for part, record in enumerate((["b", "a"], ["😀"])):
        pq.write_table(pa.table({"terms": pa.array([record], pa.list_(pa.string()))}), lists / f"{part}.parquet")
        pq.write_table(pa.table({"visit": [7, 7 + part], "item": [*record, "c"][:2]}), long / f"{part}.parquet")
    assert sorted(sources.frame_of(spark, str(lists), {}).toArrow()["terms"].to_pylist()) == [["b", "a"], ["😀"]]
    assert sorted(records_of(spark, long)) == [["a", "b", "😀"], ["c"]]


def test_ids_that_differ_only_in_their_spelling_are_refused(spark):
    frame = spark.createDataFrame([("P1", "a"), ("p1", "b"), ("P2", "a")], "person string, item string")
    with pytest.raises(InvalidParameter, match="differ only in spelling"):
        disjoin.spark.disassociate(frame, k=2, id="person", item="item")


ODD = {
    "lines, blanks and signs beyond 16 bits": (
        ["a\nb", "a", " b", "é", "é", "\U0001d11e", "\U0010ffff", "a\u200bb"],
        "string",
    ),
    "whole numbers": ([10, 9, -1, 2**40, 7], "bigint"),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_terms_in_mostly_empty_partitions_are_published_as_without_spark(spark, tmp_path, kind):
    terms, sort = ODD[kind]
    draw = random.Random(3)
    lists = [draw.choices(terms, k=draw.randint(0, 4)) for _ in range(90)]  # some are empty, some repeat a term
    frame = spark.createDataFrame([(each,) for each in lists], f"items array<{sort}>").repartition(1).repartition(40)
    outcome = disjoin.spark.disassociate(frame, k=3, shard_records=30, split="none")
    records = [set(map(str, each)) for each in lists if each]
    assert_same_folder(outcome, records, {"k": 3}, tmp_path)


def some_of(batches):
    for batch in batches:
        yield batch.filter(pa.array([random.random() < 0.5 for _ in range(batch.num_rows)]))


def test_a_frame_that_is_random_is_refused(spark, tmp_path):
    frame = frame_of(spark, baskets(400)).mapInArrow(some_of, "items array<string>")
    with pytest.raises(UnreadableInput, match="read twice"):
        disjoin.spark.disassociate(frame, k=3, staging=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_terms_that_name_people_are_refused(spark, tmp_path):
    """Issue 32, point 7: Spark has no threshold of people."""
    records = [*baskets(100), {"bread", "gift for Mrs Weber"}, {"bread", "anna@example.org"}]
    with pytest.raises(InvalidParameter, match=r"column of terms contains .* Use engine='local', min_people=N"):
        disjoin.spark.disassociate(frame_of(spark, records), k=3, staging=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_task_that_fails_leaves_nothing_behind(spark, tmp_path, monkeypatch):
    def broken(self):
        raise RuntimeError("a broken disk")

    monkeypatch.setattr(SparkSettings, "sizes", broken)
    with pytest.raises(RuntimeError):
        disjoin.spark.disassociate(frame_of(spark, baskets(100)), k=3, staging=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.realdata
def test_wv1_in_shards_of_5000_is_the_local_release(spark, datasets, tmp_path):
    records = read(datasets / "wv1.dat.gz").to_sets()
    outcome = disjoin.spark.disassociate(frame_of(spark, records), shard_records=5000)
    assert outcome.private["driver"]["bytes"] < 60 * len(records)
    assert_same_folder(outcome, records, {}, tmp_path)


def test_no_term_is_in_the_event_log(spark, events):
    spark.stop()  # which writes the rest of it
    logs = [file.read_bytes() for file in events.rglob("*") if file.is_file()]
    assert any(b"MapInArrow" in log for log in logs)
    assert not any(MARKED.encode() in log for log in logs)
