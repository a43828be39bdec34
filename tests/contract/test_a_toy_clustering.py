"""A clustering, and a strategy for small parts, is a function and one record; everything else works on it."""

from __future__ import annotations

import json

import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.generate.baskets import baskets
from disjoin.methods.disassociation.choices import CLUSTERINGS, STRATEGIES, Clustering, Strategy

RECORDS = baskets(120, 3)
BY_LENGTH = Clustering("by-length", "short records apart from long ones", "toy.clustering:by_length", splits=False)
BLOCKS = Strategy("blocks", "nothing is split but into blocks", "toy.clustering:blocks")


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """The records."""
    monkeypatch.setitem(CLUSTERINGS, BY_LENGTH.name, BY_LENGTH)
    monkeypatch.setitem(STRATEGIES, BLOCKS.name, BLOCKS)


@pytest.fixture
def original(tmp_path):
    file = tmp_path / "baskets.csv"
    file.write_text("".join(",".join(sorted(record)) + "\n" for record in RECORDS), encoding="utf-8")
    return file


def command(capfd, original, *asked):
    """What `disassociate` tells in JSON, and its exit code."""
    target = original.parent / "release"
    reading = ("--format", "basket", "--separator", ",")
    code = run([str(each) for each in ("disassociate", original, *reading, *asked, "-o", target, "--json", "-q")])
    captured = capfd.readouterr()
    return code, json.loads(captured.out) if code == 0 else captured.err


def test_python_publishes_with_the_clustering_and_the_inspector_agrees():
    release = disjoin.disassociate(RECORDS, k=3, refine=False, clustering="by-length")
    assert release.published.sizes.tolist() == [60, 60]
    assert release.parameters["clustering"] == "by-length"
    assert disjoin.verify(release, original=RECORDS).holds


def test_the_command_publishes_with_the_clustering_and_the_folder_is_verified(capfd, original):
    code, facts = command(capfd, original, "-k", 3, "--clustering", "by-length")
    assert code == 0
    assert facts["public"]["parameters"]["clustering"] == "by-length"
    assert run(["verify", str(original.parent / "release")]) == 0


def test_auto_tries_it_too(capfd, original):
    code, facts = command(capfd, original, "-k", 3, "--clustering", "auto")
    assert code == 0
    # core-horpart makes the same clusters here as core does, and equal clusters are tried once.
    assert set(facts["private"]["clusterings"]) == {"horpart", "core", "pruned", "by-length"}


def test_help_lists_it(capfd):
    assert run(["disassociate", "--help"]) == 0
    words = "".join(capfd.readouterr().out.split())
    assert "horpart|core|core-horpart|pruned|auto|bounded|by-length" in words
    assert "cardiff|blocks" in words


def test_what_its_record_rules_out_is_refused():
    with pytest.raises(InvalidParameter, match="max_cluster_size has no effect on the clustering 'by-length'"):
        disjoin.disassociate(RECORDS, k=3, clustering="by-length", max_cluster_size=40)


def test_python_and_the_command_publish_with_the_strategy(capfd, original):
    release = disjoin.disassociate(RECORDS, k=3, max_cluster_size=41, refine=False, strategy="blocks")
    assert release.published.sizes.tolist() == [40, 40, 40]
    code, facts = command(capfd, original, "-k", 3, "--strategy", "blocks")
    assert (code, facts["public"]["parameters"]["strategy"]) == (0, "blocks")


def test_without_its_record_nobody_knows_it(monkeypatch, capfd, original):
    monkeypatch.delitem(CLUSTERINGS, BY_LENGTH.name)
    with pytest.raises(
        InvalidParameter, match="clustering must be one of horpart, core, core-horpart, pruned, auto, bounded, got"
    ):
        disjoin.disassociate(RECORDS, k=3, clustering="by-length")
    code, words = command(capfd, original, "--clustering", "by-length")
    assert (code, "'by-length' is not one of" in words) == (2, True)
