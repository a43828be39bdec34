"""The jobs of the Spark engine, on stand-ins for its frames, publish what the local engine publishes."""

import errno
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import CannotWrite, GuaranteeUnreachable, InvalidParameter, NotAnonymous, UnreadableInput
from disjoin.methods.disassociation import Disassociation
from disjoin.model import Transactions
from disjoin.pipeline import publish
from disjoin.spark import inspect_frame, publish_frame
from disjoin.spark.horpart import Sizes
from disjoin.spark.settings import SparkSettings
from helpers.arrow_frames import Session
from helpers.hypothesis_profile import examples

words = [*"abcdefg", "é", "é", "😀", "z z", "new\nline"]
baskets = st.lists(st.sets(st.sampled_from(words), min_size=1, max_size=5), min_size=6, max_size=60)
settings = st.fixed_dictionaries(
    {
        "k": st.integers(2, 4),
        "m": st.integers(1, 3),
        "strategy": st.sampled_from(["cardiff", "remaining", "suppression", "abandon", "abandon-next"]),
        "refine": st.sampled_from([True, True, False]),
        "refine_builder": st.sampled_from(["levels", "pairs"]),
        "refine_mode": st.sampled_from(["safe", "safe", "paper"]),
    },
    optional={
        "max_cluster_size": st.integers(5, 12),
        "sensitive": st.sampled_from(["a", ["b", "é"]]),
        "max_joint_size": st.integers(8, 30),
    },
)
sizes = st.builds(
    Sizes,
    st.integers(1, 80),
    st.integers(1, 200),
    st.integers(1, 40),
    st.integers(1, 6),
    st.integers(0, 4),
    st.sampled_from([0, Sizes().driver_items]),  # clusters are joined in executors, or on the driver
)


@pytest.fixture(autouse=True, scope="module")
def no_pause():
    with patch("disjoin.spark.staging._PAUSE", 0):  # stand-ins write nothing once they have failed
        yield


def frame_of(records, **session):
    lists = pa.array([None if record is None else list(record) for record in records], pa.list_(pa.string()))
    return Session(**session).frame(pa.table({"terms": lists}))


def on_frames(records, method, sizes=None, tmp=None, **session):
    with patch.object(SparkSettings, "sizes", lambda self: sizes or Sizes()):
        return publish_frame(frame_of(records, **session), method, SparkSettings(staging=tmp and str(tmp)))


def assert_same(spark, local):
    ours, theirs = spark.release, local.release
    assert ours.published == theirs.published
    assert ours.guarantee == theirs.guarantee
    assert ours.suppressed_records == theirs.suppressed_records
    assert dict(ours.parameters) == dict(theirs.parameters)
    assert ours.verdict.facts == theirs.verdict.facts
    private = {name: value for name, value in local.private.items() if name != "seconds"}
    assert {name: spark.private[name] for name in private} == private


@given(records=baskets, times=st.integers(1, 3), given=settings, l=st.none() | st.integers(2, 3), sizes=sizes)
@examples(120)
def test_every_setting_publishes_what_the_local_engine_publishes(records, times, given, l, sizes):  # noqa: E741
    method = Disassociation(**given, allow_missing_sensitive=True, l=l if "sensitive" in given else None)
    data = Transactions.from_sets(records * times)
    try:
        local = publish(data, method, threads=1)
    except (GuaranteeUnreachable, InvalidParameter) as failure:
        with pytest.raises(type(failure)) as raised:
            on_frames(records * times, method, sizes)
        assert str(raised.value) == str(failure)
        return
    assert_same(on_frames(records * times, method, sizes), local)


@given(
    records=baskets,
    times=st.integers(1, 3),
    given=settings,
    l=st.none() | st.integers(2, 3),
    clustering=st.sampled_from(["core", "core-horpart"]),
    sizes=sizes,
)
@examples(80)
def test_a_core_is_published_as_the_local_engine_does(records, times, given, l, clustering, sizes):  # noqa: E741
    given = {name: value for name, value in given.items() if name != "max_cluster_size"}
    given |= {"allow_missing_sensitive": True, "l": l if "sensitive" in given else None}
    method = Disassociation(**given, clustering=clustering)
    data = Transactions.from_sets(records * times)
    try:
        local = publish(data, method, threads=1)
    except GuaranteeUnreachable as failure:
        with pytest.raises(type(failure)) as raised:
            on_frames(records * times, method, sizes)
        assert str(raised.value) == str(failure)
        return
    assert_same(on_frames(records * times, method, sizes), local)


@given(records=baskets, times=st.integers(1, 2), batch_rows=st.integers(1, 9), bucket=st.integers(1, 400))
@examples(40)
def test_whom_a_little_knowledge_singles_out_is_what_the_local_engine_finds(records, times, batch_rows, bucket):
    records = records * times
    with patch("disjoin.spark.uniqueness.BUCKET", bucket):
        spark = inspect_frame(frame_of(records, batch_rows=batch_rows), SparkSettings(), 2).to_json()
    local = disjoin.inspect(records, known=2).to_json()
    assert spark.pop("format") == "spark"
    assert spark == {name: local[name] for name in spark}
    assert {"record_size", "most_frequent", "known_terms", "similar_terms"} <= set(spark)


@pytest.mark.parametrize(("known", "words"), [(3, "up to 2 known terms"), (0, "known must be")])
def test_more_known_terms_than_spark_counts_are_refused(known, words):
    with pytest.raises(InvalidParameter, match=words):
        inspect_frame(frame_of(MANY), SparkSettings(), known)


MANY = [{chr(97 + n % 5), chr(97 + n * n % 7), chr(97 + n % 11), chr(97 + n * 7 % 17)} for n in range(120)]
SMALL = Sizes(40, 400, 30, 3, 2)


IN_LEVELS = ("open_tops", "write_keys", "sort_tops", "join_group", "keep_terms", "move_terms")  # work of executors


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"refine_mode": "paper", "refine_passes": 2},
        {"m": 1, "sensitive": ["c"], "max_joint_size": 40},
        {"clustering": "core-horpart", "m": 3},
    ],
)
def test_clusters_that_executors_join_are_those_that_the_local_engine_joins(more):
    method = Disassociation(**{"k": 3, "m": 2, "max_cluster_size": 6} | more)
    records = MANY + [{"x", "y"}] * (9 if method.clustering_record.has_core else 0)
    outcome = on_frames(records, method, replace(SMALL, driver_items=0))
    assert_same(outcome, publish(Transactions.from_sets(records), method, threads=1))
    assert np.count_nonzero(outcome.release.published.parents >= 0) > 10
    assert {"terms of clusters", "keys of clusters", "joined clusters"} <= set(outcome.private["driver"]["by"])


def test_pairs_are_joined_on_the_driver():
    method = Disassociation(k=3, m=2, max_cluster_size=6, refine_builder="pairs")
    outcome = on_frames(MANY, method, replace(SMALL, driver_items=0))
    assert_same(outcome, publish(Transactions.from_sets(MANY), method, threads=1))
    assert "joined clusters" not in outcome.private["driver"]["by"]


def without_one(table, rows=1):
    return table.slice(rows)


def with_one_twice(table):
    return pa.concat_tables([table, table.slice(0, 1)])


def with_a_raised_count(table):
    counts = table["counts"].to_pylist()
    row = next(number for number, each in enumerate(counts) if each)
    counts[row][0] += 1
    return table.set_column(table.schema.get_field_index("counts"), "counts", pa.array(counts, pa.list_(pa.int64())))


def tampering(name, change):
    """Return a function that changes the tables of one kind of work, and the list of those that it changed."""
    hits = []

    def tamper(work, table):
        if work != name or table.num_rows == 0:
            return table
        hits.append(work)
        return change(table)

    return tamper, hits


BROKEN = {
    "a verdict is missing": ("inspect_block", without_one),
    "a verdict comes twice": ("inspect_block", with_one_twice),
    "a count of a leaf is raised": ("cut", with_a_raised_count),
    "a count of a joint is raised": ("build", with_a_raised_count),
    "a leaf is missing": ("cut", without_one),
    "a joint comes twice": ("build", with_one_twice),
    "rows of leaves are lost after they were counted": ("number_leaves", without_one),
    "a record comes twice": ("route", with_one_twice),
    "a record is lost": ("route", without_one),
    "a subtree is missing": ("expand", without_one),
    "a cluster is not opened": ("open_tops", without_one),
    "a key is missing": ("write_keys", without_one),
    "a cluster is lost on the way to a level": ("sort_tops", without_one),
    "a cluster comes twice": ("sort_tops", with_one_twice),
    "a cluster is lost in a level": ("join_group", without_one),
    "what is left of a term chunk is missing": ("keep_terms", without_one),
    "what moved is missing": ("move_terms", without_one),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_worker_means_no_release_and_nothing_is_left_behind(how, tmp_path):
    tamper, hits = tampering(*BROKEN[how])
    sizes = replace(SMALL, driver_items=0) if BROKEN[how][0] in IN_LEVELS else SMALL
    with pytest.raises((NotAnonymous, RuntimeError, AssertionError)):
        on_frames(MANY, Disassociation(k=3, m=2, max_cluster_size=8), sizes, tmp_path, tamper=tamper)
    assert hits
    assert list(tmp_path.iterdir()) == []


def with_a_raised_first_count(table):
    counts = table["count"].to_pylist()
    counts[0] += 1
    return table.set_column(table.schema.get_field_index("count"), "count", pa.array(counts))


def with_counts_tenfold(table):
    counts = [10 * count for count in table["count"].to_pylist()]
    return table.set_column(table.schema.get_field_index("count"), "count", pa.array(counts))


BROKEN_CORE = {
    "a count is raised": ("show_content", with_a_raised_first_count),
    "a subrecord is dropped": ("show_content", without_one),
    "records are lost on the way to the inspection": ("slice_core", without_one),
    "records come twice": ("slice_core", with_one_twice),
    "a verdict is missing": ("inspect_slice", without_one),
    "a verdict comes twice": ("inspect_slice", with_one_twice),
    "a record of the core is lost": ("one_leaf", without_one),
    "a record of the rest is lost": ("some_records", without_one),
    "sets are counted too often": ("count_sets", with_counts_tenfold),
}


@pytest.mark.parametrize("how", BROKEN_CORE)
def test_a_core_that_was_tampered_with_is_not_published(how, tmp_path):
    tamper, hits = tampering(*BROKEN_CORE[how])
    records = [{"a", "b"}] * 20 + [{"c"}] * 10 + [{"s"}] * 3 + [{"a", "c", "s"}] * 2 + [{"d", "e"}] * 5 + MANY[:40]
    method = Disassociation(k=4, m=2, clustering="core-horpart", sensitive="s")
    with pytest.raises((NotAnonymous, RuntimeError, AssertionError)):
        on_frames(records, method, SMALL, tmp_path, tamper=tamper)
    assert hits
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("work", ["encode", "sketch", "finish_shard", "cut", "build", "inspect_block"])
@pytest.mark.parametrize(
    "failure",
    [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device"), RuntimeError("a task failed")],
    ids=repr,
)
def test_whatever_stops_a_job_leaves_nothing_in_the_staging_folder(work, failure, tmp_path):
    def tamper(name, table):
        if name == work:
            raise failure
        return table

    with pytest.raises(type(failure)) as told:
        on_frames(MANY, Disassociation(k=3, m=2, max_cluster_size=8), SMALL, tmp_path, tamper=tamper)
    assert list(tmp_path.iterdir()) == []
    if isinstance(failure, OSError):
        assert isinstance(told.value, CannotWrite)
        assert "a disk is full, that of the staging folder" in str(told.value)


def test_a_frame_that_is_not_the_same_when_it_is_read_again_is_refused(tmp_path):
    def tamper(work, table):
        return table.slice(1) if work == "encode" else table

    with pytest.raises(UnreadableInput, match="read twice with different results"):
        on_frames(MANY, Disassociation(k=3), SMALL, tmp_path, tamper=tamper)
    assert list(tmp_path.iterdir()) == []


def test_the_staging_folder_is_private_while_it_is_there(tmp_path):
    seen = []

    def tamper(work, table):
        seen.extend((folder.stat().st_mode & 0o777) for folder in tmp_path.iterdir())
        return table

    on_frames(MANY, Disassociation(k=3), SMALL, tmp_path, tamper=tamper)
    assert set(seen) == {0o700}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([["a", None]] * 6, "blank"),
        ([["a", ""]] * 6, "blank"),
        ([["I10;E11"], ["E11;J45"], ["J45"], ["I10"]] * 6, "look like lists"),
        ([["a"]] * 2, "cannot form a cluster"),
        ([], "cannot form a cluster"),
    ],
)
def test_what_cannot_be_published_is_refused(records, words):
    with pytest.raises((UnreadableInput, GuaranteeUnreachable), match=words):
        on_frames(records, Disassociation(k=3))


@pytest.mark.parametrize("batch_rows", [1, 9])
def test_lines_that_are_no_text_are_refused_by_number(batch_rows):
    lines = pa.array([b"a b", b"\xff", b"a\0", b"b", b"b \xc3("] * 3).view(pa.string())
    frame = Session(batch_rows=batch_rows).frame(pa.table({"value": lines}))
    with pytest.raises(UnreadableInput, match="found 9 others"):
        publish_frame(frame, Disassociation(k=3), SparkSettings())


def test_empty_and_missing_lists_are_left_out_and_counted():
    outcome = on_frames([["a", "a"], [], None, ["a"]] * 5, Disassociation(k=3))
    assert outcome.private["input"] == {
        "format": "spark",
        "records": 10,
        "terms": 1,
        "occurrences": 10,
        "blank_records": 10,
        "repeated_terms": 5,
    }


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"strategy": "adding"}, "one by one"),
        ({"ties": "first"}, "order of the input"),
        ({"clustering": "auto"}, "for one machine"),
        ({"clustering": "bounded"}, "for one machine"),
        ({"slack": 1}, "for one machine"),
    ],
)
def test_what_spark_cannot_do_is_refused_in_a_sentence(setting, words):
    with pytest.raises(InvalidParameter, match=words):
        on_frames(MANY, Disassociation(k=3, **setting))


SKEWED = {
    "90 % equal records": [set("abc")] * 90 + [{"a", str(n % 5)} for n in range(10)],
    "a term in all records": [{"a", str(n % 7), str(n % 11)} for n in range(60)],
    "a record with all terms": [{str(n % 12)} for n in range(60)] + [{str(n) for n in range(12)}],
    "another term in every record": [{f"t{n}"} for n in range(50)],
    "very few records": [set("ab"), set("ac"), set("bc")],
}


@pytest.mark.parametrize("shape", SKEWED)
@pytest.mark.parametrize("strategy", ["cardiff", "remaining"])
def test_skewed_records_are_published_as_the_local_engine_does(shape, strategy):
    records, method = SKEWED[shape], Disassociation(k=3, m=2, strategy=strategy, max_cluster_size=7)
    local = publish(Transactions.from_sets(records), method, threads=1)
    assert_same(on_frames(records, method, Sizes(6, 30, 9, 2, 3)), local)


def test_a_driver_without_room_for_the_release_is_told_so_before_records_are_written(tmp_path):
    done = set()

    def tamper(work, table):
        done.add(work)
        return table

    with (
        patch("disjoin.spark.frames.free_memory", lambda: 200_000_000),
        pytest.raises(InvalidParameter, match=r"about 0\.3 GB for 120 records, but 0\.2 GB are free"),
    ):
        on_frames(MANY, Disassociation(k=3), SMALL, tmp_path, tamper=tamper)
    assert done == {"prove", "count_terms"}
    assert list(tmp_path.iterdir()) == []


def test_little_passes_through_the_driver():
    generator = np.random.default_rng(1)
    records = [{str(int(term)) for term in generator.zipf(1.5, 6) % 90} for _ in range(1500)]
    outcome = on_frames(records, Disassociation(k=5), Sizes(400, 4000, 500, 16, 32), batch_rows=200)
    by = outcome.private["driver"]["by"]
    assert sum(by.values()) == outcome.private["driver"]["bytes"]
    assert 0 < outcome.private["driver"]["bytes"] < 60 * len(records)


def test_little_is_told_of_terms_where_clusters_are_joined_in_executors():
    generator, levels = np.random.default_rng(3), []

    def tamper(work, table):
        levels.extend([work] * (work == "count_terms_of_tops"))
        return table

    records = [{str(int(term)) for term in generator.zipf(1.3, 8) % 300} for _ in range(500)]
    sizes = replace(Sizes(100, 1000, 200, 16, 32), driver_items=0)
    outcome = on_frames(records, Disassociation(k=3, max_cluster_size=9), sizes, batch_rows=200, tamper=tamper)
    by = outcome.private["driver"]["by"]
    assert len(levels) > 2
    assert by["terms of clusters"] < 5 * 300 * len(levels)  # two narrow numbers for each term, and marks of Arrow


def test_leaves_that_are_split_again_do_not_pass_through_the_driver():
    generator = np.random.default_rng(2)
    records = [{str(int(term)) for term in generator.zipf(1.2, 8) % 400} for _ in range(600)]
    method = Disassociation(k=5, m=1, strategy="remaining", sensitive=["3", "7"], refine=False, max_cluster_size=9)
    outcome = on_frames(records, method, Sizes(60, 600, 200, 16, 32), batch_rows=200)
    by, leaves = outcome.private["driver"]["by"], outcome.release.published.sizes.size
    assert by["leaves made"] < 17 * leaves  # four narrow numbers for each that is published, and marks of Arrow
    assert by["sensitive terms of leaves"] < 25 * leaves  # three for each of both terms
