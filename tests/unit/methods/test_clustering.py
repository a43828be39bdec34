"""The setting `clustering`: what it stores, what it refuses, and what `auto` keeps."""

from __future__ import annotations

import numpy as np
import pytest

import disjoin
from disjoin.advise import publisher_of
from disjoin.advise.clustering_choice import CHOICES
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.generate.baskets import baskets as make_baskets
from disjoin.measure import weighted_pair_error
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import CLUSTERINGS, STRATEGIES, candidates
from disjoin.model import KmAnonymity, Transactions

SHOPPING = Transactions.from_sets(make_baskets(90, 5))
PAIRS_APART = [["a", "b"], ["a"], ["b"]] * 5 + [["c", "d"], ["d"], ["c"]] * 5
MIXED = PAIRS_APART * 3 + make_baskets(400, 2)  # a core, and a rest with rare terms


def published(data, **settings):
    return publisher_of(Disassociation(**settings))(data, Local(1))


@pytest.mark.parametrize("record", [*CLUSTERINGS.values(), *STRATEGIES.values()], ids=lambda record: record.name)
def test_the_code_of_every_clustering_and_strategy_is_where_its_record_says(record):
    assert callable(CHOICES[record.name] if getattr(record, "tries_others", False) else record.load())


@pytest.mark.parametrize("clustering", ["auto", "pruned", "bounded"])
def test_a_method_alone_compares_no_clusterings(clustering):
    with pytest.raises(InvalidParameter, match=f"the clustering '{clustering}' compares releases"):
        Disassociation(k=3, clustering=clustering).publish(SHOPPING, Local(1))


def test_a_release_names_the_clustering_only_where_it_is_not_the_old_one():
    assert "clustering" not in Disassociation().parameters()
    assert Disassociation(clustering="core-horpart").parameters()["clustering"] == "core-horpart"
    core = Disassociation(clustering="core", strategy="adding").parameters()
    assert core["clustering"] == "core"
    assert not {"max_cluster_size", "strategy", "ties"} & core.keys(), "nothing is split"


@pytest.mark.parametrize(
    ("settings", "largest"), [({"k": 5}, 5000), ({"k": 300}, 6000), ({"k": 5, "max_cluster_size": 40}, 40)]
)
def test_beside_a_core_clusters_may_be_large(settings, largest):
    assert Disassociation(clustering="core-horpart", **settings).parameters()["max_cluster_size"] == largest


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"clustering": "kmeans"},
            "clustering must be one of horpart, core, core-horpart, pruned, auto, bounded, got 'kmeans'",
        ),
        ({"clustering": "core", "max_cluster_size": 50}, "max_cluster_size has no effect on the clustering 'core'"),
        ({"clustering": "bounded", "max_cluster_size": 50}, "no effect on the clustering 'bounded'"),
        ({"clustering": "core", "max_exposed": 0.1}, "max_exposed is for the clustering 'bounded'"),
        ({"clustering": "bounded", "max_exposed": 2}, "max_exposed must be in 0..1"),
        ({"clustering": "bounded", "m": 3, "max_exposed": 0.1}, "max_exposed is for m up to 2, got m = 3"),
        ({"clustering": "core", "ties": "first"}, "not for the clustering 'core'"),
    ],
)
def test_what_would_mislead_is_refused(settings, words):
    with pytest.raises(InvalidParameter, match=words):
        Disassociation(**settings)


def test_a_release_cannot_state_auto():
    stated = {"k": 5, "m": 2}
    assert Disassociation.contradictions(KmAnonymity(5, 2), stated, 0) == []
    assert Disassociation.contradictions(KmAnonymity(5, 2), {**stated, "clustering": "core"}, 0) == []
    for name in ("auto", "horpart", "other"):
        [words] = Disassociation.contradictions(KmAnonymity(5, 2), {**stated, "clustering": name}, 0)
        assert f"clustering is {name!r}" in words


def test_auto_keeps_the_least_error_that_shows_no_more_and_publishes_as_if_it_had_been_asked_for():
    draft = published(SHOPPING, k=3, clustering="auto")
    judged, chosen = draft.private["clusterings"], draft.private["clustering"]
    errors = {name: found["weighted_pair_error"] for name, found in judged.items()}
    each = {name: published(SHOPPING, k=3, clustering=name) for name in ("horpart", *candidates())}
    alone = {name: round(weighted_pair_error(each[name].published, SHOPPING), 9) for name in each}
    assert errors == {name: alone[name] for name in errors}
    assert set(alone) - set(errors) == {"core-horpart"}, "its clusters are the core's, and need not be tried again"
    assert alone["core-horpart"] == alone["core"]
    shown = ("harmed_records", "sure_inference")
    attacked = [name for name in judged if judged[name].get("sure_inference") is not None]
    allowed = [name for name in attacked if all(judged[name][what] <= judged["horpart"][what] for what in shown)]
    assert errors[chosen] == min(errors[name] for name in allowed)
    assert draft.published == each[chosen].published
    assert draft.parameters == Disassociation(k=3, clustering=chosen).parameters()
    assert len(set(errors.values())) > 1, "there was something to choose"


def test_auto_takes_the_paper_s_method_where_nothing_is_better():
    draft = published(Transactions.from_sets([["a", "b"]] * 9), k=3, clustering="auto")
    assert draft.private["clustering"] == "horpart"
    assert draft.parameters == Disassociation(k=3).parameters()


def test_auto_passes_over_what_cannot_be_published():
    # Splitting leaves parts of two records only, which the strategy would all suppress.
    data = Transactions.from_sets([[f"t{i}", f"u{i}"] for i in range(6)] * 2)
    settings = {"k": 3, "max_cluster_size": 4, "strategy": "suppression"}
    with pytest.raises(GuaranteeUnreachable):
        published(data, **settings)
    draft = published(data, clustering="auto", **settings)
    assert draft.private["clustering"] == "core"
    assert draft.suppressed_records == 0


def test_auto_says_why_nothing_can_be_published():
    data = Transactions.from_sets([["x", "a"]] * 8 + [["b"]])
    with pytest.raises(GuaranteeUnreachable, match="more than one in 2"):
        published(data, k=3, clustering="auto", sensitive="x", l=2)


@pytest.mark.parametrize("clustering", ["core", "core-horpart"])
def test_a_rest_too_small_to_be_published_is_one_cluster_with_the_core(clustering):
    data = Transactions.from_sets([*PAIRS_APART, ["a", "c"], ["b", "d"]])
    draft = published(data, k=3, clustering=clustering)
    assert draft.published.sizes.tolist() == [32]


@pytest.mark.parametrize("clustering", ["core", "core-horpart"])
def test_data_that_is_anonymous_as_it_stands_is_published_as_it_stands(clustering):
    data = Transactions.from_sets(PAIRS_APART)
    draft = published(data, k=3, clustering=clustering)
    assert draft.published.sizes.tolist() == [30]
    [chunk] = draft.published.chunks_of(0)
    assert sum(n for terms, n in chunk if len(terms) == 2) == 10


def test_without_a_core_the_rest_is_everything():
    data = Transactions.from_sets([[f"t{i}", f"u{i}"] for i in range(12)])
    assert published(data, k=3, clustering="core").published.sizes.tolist() == [12]
    split = published(data, k=3, clustering="core-horpart", max_cluster_size=6)
    assert split.published == published(data, k=3, max_cluster_size=6).published


def test_records_of_sensitive_terms_alone_are_in_the_core_and_fill_it_from_the_term_chunk():
    data = Transactions.from_sets([["x"], ["x", "a"], *[["a", "b"]] * 4, ["c"], ["d"], ["e"]])
    draft = published(data, k=3, clustering="core", sensitive="x")
    sizes = {draft.published.term_chunk_of(leaf): int(size) for leaf, size in enumerate(draft.published.sizes)}
    assert sizes == {("x",): 6, ("c", "d", "e"): 3}


def test_a_core_that_is_not_diverse_is_merged_with_the_rest():
    rest = [[f"t{i}"] for i in range(8)]
    data = Transactions.from_sets([["x", "a"]] * 3 + [["a"]] * 3 + rest)
    apart = published(data, k=3, clustering="core", sensitive="x", l=2)
    assert sorted(apart.published.sizes.tolist()) == [6, 8]
    together = published(data, k=3, clustering="core", sensitive="x", l=3)
    assert together.published.sizes.tolist() == [14]


def test_the_rest_is_split_and_joined_while_the_core_stays_as_it_is():
    data = Transactions.from_sets(MIXED)
    core = published(data, k=3, clustering="core").published
    mixed = published(data, k=3, clustering="core-horpart", max_cluster_size=20)
    leaves = ~mixed.published.is_joint
    assert mixed.published.is_joint.any(), "clusters of the rest are joined"
    assert leaves.sum() > 5
    inside = int(np.argmax(mixed.published.sizes * leaves))
    assert mixed.published.parents[inside] == -1, "the core has nothing to share"
    assert mixed.published.chunks_of(inside) in [core.chunks_of(leaf) for leaf in range(len(core))]


def test_suppression_works_on_the_rest_only():
    data = Transactions.from_sets(MIXED)
    settings = {"k": 5, "strategy": "suppression"}
    assert published(data, clustering="core", **settings).suppressed_records == 0
    mixed = published(data, clustering="core-horpart", max_cluster_size=12, **settings)
    assert mixed.suppressed_records > 0
    assert len(set(mixed.part_of_record[:90].tolist())) == 1, "the core is in one cluster, whatever its size"
    assert (mixed.part_of_record[:90] >= 0).all()


@pytest.mark.slow  # without the compiler
@pytest.mark.parametrize("settings", [{"clustering": "core"}, {"clustering": "core-horpart", "max_cluster_size": 20}])
def test_a_release_around_a_core_is_written_read_and_verified_like_any_other(settings, tmp_path):
    release = disjoin.disassociate(MIXED, k=3, **settings)
    verdict = disjoin.verify(release.write(tmp_path / "release"), original=MIXED)
    assert verdict.holds, verdict.violations
    loaded = disjoin.load(tmp_path / "release")
    assert loaded.published == release.published
    assert loaded.parameters["clustering"] == settings["clustering"]
    again = disjoin.disassociate([record[::-1] for record in MIXED[::-1]], k=3, threads=3, **settings)
    for one, other in zip(*map(written, (tmp_path / "release", again.write(tmp_path / "again"))), strict=True):
        assert one == other


def written(folder):
    return [(file.name, file.read_bytes()) for file in sorted(folder.iterdir())]
