"""Facts against slow twins, and that nothing but the published content can reach them."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from disjoin.analyst import index
from disjoin.charts.distribution import distribution_of
from disjoin.errors import UnreadableInput
from disjoin.forms.clusters.facts import statistics_of
from disjoin.forms.clusters.pictures import typical_clusters
from disjoin.measure import MEASURES
from disjoin.model import Clusters, KmAnonymity, Report, Verdict, clusters
from disjoin.model.release import SEAL
from disjoin.report.facts import facts_of
from helpers.hypothesis_profile import examples
from helpers.releases import figure_3, forests, sealed


def slow_statistics(published: Clusters, k: int, m: int) -> dict:
    leaves = [node for node in range(len(published)) if node not in published.parents.tolist()]
    chunks = [(node, chunk) for node in range(len(published)) for chunk in published.chunks_of(node)]
    universal, seen, slacks = [], set(), []
    for node, chunk in chunks:
        domain = {term for terms, _ in chunk for term in terms}
        seen |= domain
        for term in domain:
            support = sum(count for terms, count in chunk if term in terms)
            if node in leaves and support == published.sizes[node]:
                universal.append(node)
    for node in leaves:
        own = published.chunks_of(node)
        if not published.term_chunk_of(node):
            mass = sum(count for chunk in own for _, count in chunk)
            slacks.append(mass - int(published.sizes[node]) - k * (max(1, min(m, len(own))) - 1))
    return {
        "widths": sorted(len({term for terms, _ in chunk for term in terms}) for _, chunk in chunks),
        "only_in_term_chunks": len(set(published.vocabulary.to_pylist()) - seen),
        "universal_terms": {"entries": len(universal), "leaves": len(set(universal))},
        "least_slack": min(slacks, default=None),
        "chunks": {"record": sum(n in leaves for n, _ in chunks), "shared": sum(n not in leaves for n, _ in chunks)},
        "leaves": len(leaves),
    }


@examples(40)
@given(forests(), st.integers(1, 8), st.integers(1, 3))
def test_range_by_range_the_facts_are_the_same(published, numbers, m):
    guarantee = KmAnonymity(2, m)

    def found() -> list:
        measured = {name: measure.to_json(published, guarantee) for name, measure in MEASURES.items()}
        return [statistics_of(published, guarantee), measured, typical_clusters(published)]

    whole = found()
    with patch.object(clusters, "AT_ONCE", numbers), patch.object(index, "_AT_ONCE", numbers):
        event(f"{len(published.ranges())} ranges")
        assert found() == whole


@examples(40)
@given(forests(), st.integers(2, 5), st.integers(1, 3))
def test_statistics_are_what_counting_by_hand_gives(published, k, m):
    facts = statistics_of(published, KmAnonymity(k, m))
    slow = slow_statistics(published, k, m)
    for name in ("universal_terms", "least_slack", "chunks"):
        assert facts[name] == slow[name], name
    assert facts["terms"]["only_in_term_chunks"] == slow["only_in_term_chunks"]
    assert facts["clusters"]["leaves"] == slow["leaves"]
    widths = facts["chunk_widths"]
    assert [(b["from"], b["count"]) for b in widths["histogram"] if b["count"]] == [
        (width, slow["widths"].count(width)) for width in sorted(set(slow["widths"]))
    ]


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 2000) | st.integers(0, 10**15), st.integers(1, 5)), min_size=1, max_size=60))
def test_a_distribution_accounts_for_every_value(pairs):
    values, weights = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    everything = sorted(v for v, w in pairs for _ in range(w))
    facts = distribution_of(values, weights)
    assert facts["number"] == len(everything)
    assert (facts["least"], facts["largest"]) == (everything[0], everything[-1])
    assert facts["median"] == everything[(len(everything) - 1) // 2]
    bins = facts["histogram"]
    assert len(bins) <= 21
    assert all(a["to"] + 1 == b["from"] for a, b in pairwise(bins))
    assert [b["count"] for b in bins] == [sum(b["from"] <= v <= b["to"] for v in everything) for b in bins]


def test_a_few_giants_do_not_flatten_the_histogram():
    sizes = np.append(np.arange(1000) % 40 + 5, [50_000])
    bins = distribution_of(sizes)["histogram"]
    assert sum(b["count"] > 0 for b in bins) >= 10
    assert bins[-1]["to"] == 50_000


def test_what_the_inspector_learnt_from_the_original_stays_out():
    release = sealed(figure_3())
    told = Verdict(release.guarantee, (), (*release.verdict.checked, "O1", "G1"), {"true_association_rate": 0.8})
    assert facts_of(replace(release, verdict=told, seal=SEAL)) == facts_of(release)


def test_facts_of_figure_3():
    report = facts_of(sealed(figure_3(), suppressed_records=2))
    assert report.counts == {"records": 10, "suppressed_records": 2, "terms": 12}
    assert report.verdict["holds"]
    assert report.sentence == KmAnonymity(3, 2).sentence()
    assert report.statistics["clusters"] == {"total": 3, "leaves": 2, "joint": 1, "top_level": 1}
    assert report.statistics["terms"] == {"total": 12, "only_in_term_chunks": 3, "term_chunk_entries": 3}
    assert report.statistics["least_slack"] is None
    assert report.measures["term_mass"]["value"] == 0.9268


@examples(20)
@given(forests())
def test_a_report_survives_json(published):
    report = facts_of(sealed(published))
    assert Report.from_json(report.to_json()) == report


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2, "method": "x"}', '{"schema": 1}'])
def test_what_is_no_report_is_refused(text):
    with pytest.raises(UnreadableInput, match="expected"):
        Report.from_json(text)


def test_a_report_with_other_facts_is_refused():
    facts = json.loads(facts_of(sealed(figure_3())).to_json())
    with pytest.raises(UnreadableInput, match="others"):
        Report.from_json(json.dumps(facts | {"original": "patients.csv"}))
