"""`disjoin show` and joint clusters: readable, explained, and short however deep the tree is."""

import json

import numpy as np
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.forms.clusters.pictures import typical_joint, typical_leaf
from disjoin.generate.baskets import baskets
from disjoin.model import Clusters
from helpers.releases import sealed

EXPLAINED = "does not show from which of its clusters a row comes"


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return disjoin.disassociate(baskets(400, 3), k=3, m=2).write(tmp_path_factory.mktemp("joined") / "r")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return disjoin.disassociate(baskets(100, 3), k=3, m=2, refine=False).write(tmp_path_factory.mktemp("alone") / "r")


def shown(capfd, *arguments):
    assert run(["show", *(str(argument) for argument in arguments)]) == 0
    return capfd.readouterr().out


def test_typical_shows_a_cluster_and_a_joint_cluster_and_explains_it(capfd, release):
    published = disjoin.load(release).published
    out = shown(capfd, release, "--typical")
    assert out.startswith(f"cluster {typical_leaf(published)}: ")
    assert f"\njoint cluster {typical_joint(published)}: " in out
    assert "shared chunk 0" in out
    assert EXPLAINED in " ".join(out.split())
    listed = json.loads(shown(capfd, release, "--typical", "--json"))["clusters"]
    assert [entry["cluster"] for entry in listed] == [typical_leaf(published), typical_joint(published)]


def test_without_joint_clusters_there_is_nothing_to_explain(capfd, alone):
    for options in ((), ("--typical",), ("--cluster", 0)):
        out = shown(capfd, alone, *options)
        assert "joint" not in out
        assert "shared" not in out


def test_programs_learn_which_clusters_were_joined(capfd, release):
    published = disjoin.load(release).published
    joint = int(np.flatnonzero(published.is_joint)[0])
    [entry] = json.loads(shown(capfd, release, "--cluster", joint, "--json"))["clusters"]
    assert entry["children"] == np.flatnonzero(published.parents == joint).tolist()
    [child] = json.loads(shown(capfd, release, "--cluster", entry["children"][0], "--json"))["clusters"]
    assert child["parent"] == joint


def test_what_is_left_is_counted_apart_from_what_is_shown(capfd, release):
    published = disjoin.load(release).published
    roots = np.flatnonzero(published.parents < 0)
    out = " ".join(shown(capfd, release, "--first", 1).split())
    joint = int(published.is_joint[roots[1:]].sum())
    assert f"{len(roots) - 1} more, {joint} of them joint clusters." in out
    assert "more," not in shown(capfd, release, "--first", len(roots))
    assert "of them" not in shown(capfd, release, "--typical")


def test_a_joint_cluster_is_shown_with_all_its_rows_but_not_with_its_whole_tree(capfd, tmp_path):
    tree = {"size": 4, "term_chunk": ["a"]}
    for level in range(30):
        rows = [[[f"level {level}, term {i:02d}"], 2] for i in range(25)]
        other = {"size": 40, "term_chunk": ["b"]}
        children = [tree, *([other] * 15)]
        size = sum(child["size"] for child in children)
        tree = {"size": size, "shared_chunks": [{"subrecords": rows}], "children": children}
    path = tmp_path / "deep"
    from disjoin.release.reader import write_release
    from disjoin.report.documents import documents_of

    release = sealed(Clusters.from_nested([tree]))
    write_release(release, path, documents=documents_of(release))
    out = shown(capfd, path, "--cluster", 0)
    assert all(f"level 29, term {i:02d}" in out for i in range(25))
    assert "level 27" not in out
    assert len(out.splitlines()) < 120
    assert "more clusters in it" in out
    assert len(shown(capfd, path).splitlines()) < 120
