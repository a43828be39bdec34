"""What disassociation must do with every strategy and clustering, on every toy dataset, and with threads as without."""

import hashlib
import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.advise import publisher_of
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable
from disjoin.generate.baskets import baskets as make_baskets
from disjoin.methods import METHODS
from disjoin.methods.disassociation.choices import REFINE_BUILDERS, STRATEGY_NAMES
from disjoin.model import Transactions
from disjoin.pipeline import publish, write
from helpers.synthetic import baskets

TOYS = {
    "shopping": [["tea", "milk"], ["tea"], ["milk", "bread"], ["tea", "bread"], ["tea", "milk", "bread"]] * 6,
    "all equal": [["a", "b"]] * 12,
    "all different": [[f"t{i}", f"u{i}"] for i in range(12)],
    "one term": [["only"]] * 7,
    "unicode": [["Ärger", "naïve", "日本"], ["日本", "007"], ["7", "007"], ["nausea", "Nausea"]] * 5,
    "one long record": [[f"t{i:02d}" for i in range(40)]] + [[f"t{i:02d}"] for i in range(40)],
}
MANY = make_baskets(60, 3)  # enough that clusters are joined, and joint ones again
WAYS = [METHODS["disassociation"](k=3, m=m, strategy=s, max_cluster_size=9) for s in STRATEGY_NAMES for m in (1, 2, 3)]
AROUND_THE_CORE = [
    METHODS["disassociation"](k=3, m=m, clustering=c) for c in ("core", "core-horpart", "bounded") for m in (1, 2, 3)
]
ONE_THREAD = Local(1)


def folder_hash(path):
    digest = hashlib.sha256()
    for file in sorted(path.iterdir()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def released(records, method, engine=ONE_THREAD):
    try:
        return publish(Transactions.from_sets(records), method, engine, publisher=publisher_of(method)).release
    except GuaranteeUnreachable:
        return None


@pytest.mark.parametrize("toy", TOYS)
@pytest.mark.parametrize("method", [*WAYS, *AROUND_THE_CORE], ids=lambda m: f"{m.clustering}-{m.strategy}-m{m.m}")
def test_it_verifies_against_the_original_and_is_the_same_with_threads_as_without(toy, method):
    release = released(TOYS[toy], method, Local(3))
    if release is None:
        assert method.strategy == "suppression"
        assert released(TOYS[toy], method) is None
        return
    assert disjoin.verify(release, original=TOYS[toy]).holds
    assert release.published == released(TOYS[toy], method).published


@given(baskets(least_records=4), st.integers(2, 4), st.integers(1, 3), st.sampled_from(STRATEGY_NAMES))
def test_whatever_is_published_the_inspector_accepts(records, k, m, strategy):
    method = METHODS["disassociation"](k=k, m=m, strategy=strategy, max_cluster_size=2 * k + 1)
    release = released(records, method)
    if release is not None:
        assert disjoin.verify(release, original=records).holds
        assert release.published.n_records + release.suppressed_records == len(records)


@pytest.mark.parametrize("settings", [{"max_cluster_size": 9}, {"clustering": "bounded"}], ids=["horpart", "bounded"])
@pytest.mark.parametrize("toy", TOYS)
def test_any_order_of_records_and_terms_gives_the_same_folder_byte_for_byte(toy, settings, tmp_path):
    rng = random.Random(1)
    hashes = set()
    for number in range(3):
        records = [rng.sample(r, len(r)) for r in rng.sample(TOYS[toy], len(TOYS[toy]))]
        release = released(records, METHODS["disassociation"](k=3, m=2, **settings), Local(1 + number))
        hashes.add(folder_hash(write(release, tmp_path / str(number))))
    assert len(hashes) == 1


@pytest.mark.parametrize("builder", REFINE_BUILDERS)
def test_joint_clusters_do_not_depend_on_the_order_of_the_input_or_on_threads(builder, tmp_path):
    rng = random.Random(2)
    method = METHODS["disassociation"](k=3, m=2, max_cluster_size=12, refine_builder=builder)
    hashes = set()
    for number, threads in enumerate((1, 3, 1, 3)):
        records = [rng.sample(r, len(r)) for r in rng.sample(MANY, len(MANY))] if number else MANY
        release = released(records, method, Local(threads))
        joint = release.published.is_joint
        assert (release.published.parents[joint] >= 0).any()  # even joints in joints
        hashes.add(folder_hash(write(release, tmp_path / str(number))))
    assert len(hashes) == 1


@pytest.mark.slow
@pytest.mark.parametrize("builder", REFINE_BUILDERS)
def test_a_release_with_joint_clusters_is_the_same_when_it_is_loaded_and_verifies_against_its_original(
    builder, tmp_path
):
    release = disjoin.disassociate(MANY, k=3, m=2, max_cluster_size=12, refine_builder=builder)
    path = release.write(tmp_path / "r")
    loaded = disjoin.load(path)
    assert loaded.published.is_joint.any()
    assert loaded.published == release.published
    assert loaded.parameters == release.parameters
    assert folder_hash(loaded.write(tmp_path / "again")) == folder_hash(path)
    verdict = disjoin.verify(path, original=MANY)
    assert verdict.holds, verdict.violations[:3]
    assert {"V4", "V8", "V9", "O1", "O6", "O7"} <= set(verdict.checked)
    assert "O5" in release.verdict.checked  # when it was made every shared chunk was compared, record by record
    assert verdict.facts["O7"]["itemsets"] > 0
    assert "stated" not in verdict.facts
    assert "unproven" not in verdict.facts


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")  # the paper's mode is not proven
def test_the_facts_of_a_verdict_count_what_a_proof_lacks(tmp_path):
    records = make_baskets(80, 1)  # among them pairs that the paper's mode puts where they are not safe
    release = disjoin.disassociate(records, k=3, m=2, refine_mode="paper")
    assert release.verdict.facts["unproven"]["V9"] > 0
    verdict = disjoin.verify(release.write(tmp_path / "r"))
    assert not verdict.holds
    assert verdict.facts["stated"]["proven"] is False
    assert {violation.invariant for violation in verdict.violations} == {"V9"}
    assert disjoin.verify(tmp_path / "r", guarantee=release.guarantee, original=records).holds


def test_no_record_id_no_file_name_and_no_time_is_in_a_release(tmp_path):
    source = tmp_path / "secret-name-of-the-ward.csv"
    rows = ["visit,term"] + [f"visit{i:05d},{t}" for i, r in enumerate(TOYS["shopping"]) for t in r]
    source.write_text("\n".join(rows) + "\n")
    data = disjoin.read(source, format="long", id="visit", terms="term")
    disjoin.disassociate(data, k=3).write(tmp_path / "r")
    for file in (tmp_path / "r").iterdir():
        content = file.read_bytes()
        for word in (b"visit0", b"secret-name", str(tmp_path).encode(), b"created_at"):
            assert word not in content, (file.name, word)
        assert not re.search(rb"20\d\d-\d\d-\d\d", content), file.name


def test_unreachable_is_an_error_and_leaves_no_file(tmp_path):
    with pytest.raises(GuaranteeUnreachable):
        disjoin.disassociate([["a"]] * 4, k=5).write(tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


# What other tools leak or lose: each must be impossible.


@given(baskets(least_records=4), st.sampled_from(STRATEGY_NAMES))
def test_a_cluster_of_fewer_than_k_records_is_impossible(records, strategy):
    release = released(records, METHODS["disassociation"](k=4, m=2, strategy=strategy, max_cluster_size=9))
    if release is not None:
        assert release.published.sizes.min() >= 4


@given(baskets(least_records=6), st.sampled_from([s for s in STRATEGY_NAMES if s != "suppression"]))
def test_no_occurrence_is_lost(records, strategy):
    draft = METHODS["disassociation"](k=3, m=2, strategy=strategy, max_cluster_size=9).publish(
        Transactions.from_sets(records), Local(1)
    )
    published = draft.published
    tops = np.where(published.parents < 0, np.arange(len(published)), -1)
    for node, parent in enumerate(published.parents):
        tops[node] = node if parent < 0 else tops[parent]
    for top in set(tops.tolist()):
        kept, shown = [], []
        for node in np.flatnonzero(tops == top).tolist():
            inside = [r for r, leaf in zip(records, draft.part_of_record, strict=True) if leaf == node]
            listed = published.term_chunk_of(node)
            assert set(listed) <= {t for r in inside for t in r}
            kept += [t for r in inside for t in r if t not in listed]
            shown += [t for chunk in published.chunks_of(node) for terms, n in chunk for t in terms for _ in range(n)]
        assert sorted(kept) == sorted(shown)


@given(baskets(least_records=6))
def test_rows_of_a_chunk_do_not_stand_in_the_order_of_the_records(records):
    published = (
        METHODS["disassociation"](k=2, m=2, max_cluster_size=9)
        .publish(Transactions.from_sets(records), Local(1))
        .published
    )
    for node in range(len(published)):
        for chunk in published.chunks_of(node):
            rows = [terms for terms, _ in chunk]
            assert rows == sorted(rows)
            assert len(set(rows)) == len(rows)


def test_the_tables_have_no_column_that_could_carry_a_row_id(tmp_path):
    import pyarrow.parquet as pq

    disjoin.disassociate(TOYS["shopping"], k=3).write(tmp_path / "r")
    assert pq.read_schema(tmp_path / "r" / "clusters.parquet").names == ["cluster", "parent", "size", "terms"]
    assert pq.read_schema(tmp_path / "r" / "subrecords.parquet").names == ["cluster", "chunk", "terms", "count"]


def test_a_release_that_is_loaded_and_written_again_is_the_same(tmp_path):
    first = disjoin.disassociate(TOYS["unicode"], k=3).write(tmp_path / "first")
    second = disjoin.load(first).write(tmp_path / "second")
    assert folder_hash(first) == folder_hash(second)
    assert np.array_equal(disjoin.load(second).published.counts, disjoin.load(first).published.counts)


@pytest.mark.slow  # without the compiler
def test_nothing_in_a_release_tells_that_its_clustering_was_chosen(tmp_path):
    data = Transactions.from_sets(MANY)
    auto = METHODS["disassociation"](k=3, m=2, clustering="auto")
    outcome = publish(data, auto, Local(1), publisher=publisher_of(auto))
    chosen = outcome.private["clustering"]
    assert chosen in outcome.private["clusterings"]
    write(outcome.release, tmp_path / "auto")
    stated = {name: outcome.release.parameters.get(name) for name in ("clustering", "max_cluster_size")}
    settings = {"clustering": stated["clustering"] or "horpart", "max_cluster_size": stated["max_cluster_size"]}
    same = METHODS["disassociation"](k=3, m=2, **settings)
    write(publish(data, same, Local(1), publisher=publisher_of(same)).release, tmp_path / "chosen")
    assert folder_hash(tmp_path / "auto") == folder_hash(tmp_path / "chosen")
    assert disjoin.verify(tmp_path / "auto", original=MANY).holds
