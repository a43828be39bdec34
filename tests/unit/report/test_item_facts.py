"""Facts about generalised terms against slow twins."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given

from disjoin.forms.items.facts import LISTED, Tree, cut_of, statistics_of
from disjoin.forms.items.pictures import EACH_SIDE, picture_of, typical_node
from disjoin.model import GeneralizedItems, Hierarchy, KmAnonymity, Report
from disjoin.report.facts import facts_of
from helpers.hypothesis_profile import examples
from unit.report.item_releases import figure, items, sealed


def statistics(published: GeneralizedItems) -> dict:
    return statistics_of(published, KmAnonymity(2, 2), {})


@examples(25)
@given(items())
def test_statistics_are_what_counting_by_hand_gives(published):
    facts, mapping, rows = statistics(published), published.mapping, published.records.rows()
    categories = {node for term, node in mapping.items() if term != node}
    general = [term for term, node in mapping.items() if node in categories]
    assert facts["terms"] == {
        "total": len(mapping),
        "as_themselves": len(mapping) - len(general),
        "generalised": len(general),
    }
    occurring = {term for row, _ in rows for term in row}
    assert facts["published"] == {
        "total": len(set(mapping.values())),
        "categories": len(categories),
        "in_records": len(occurring),
        "categories_in_records": len(occurring & categories),
    }
    held = sum(len(row) * count for row, count in rows)
    of_categories = sum(len(categories.intersection(row)) * count for row, count in rows)
    share = round(of_categories / held, 4) if held else 0.0
    assert facts["occurrences"] == {"total": held, "of_categories": of_categories, "share": share}
    supports = [sum(count for row, count in rows if term in row) for term in occurring]
    assert facts["smallest_support"] == min(supports, default=None)
    assert facts["distinct_records"] == len(rows)
    for name, values in {
        "supports": supports,
        "terms_of_a_category": [list(mapping.values()).count(node) for node in categories],
        "record_lengths": [len(row) for row, count in rows for _ in range(count)],
    }.items():
        bins = facts[name]["histogram"]
        assert facts[name]["number"] == len(values)
        assert [b["count"] for b in bins] == [sum(b["from"] <= v <= b["to"] for v in values) for b in bins]


@examples(25)
@given(items())
def test_every_term_is_published_at_one_level(published):
    lines, mapping = {line[0]: line for line in published.hierarchy.rows()}, published.mapping
    facts = statistics(published)
    level_of = {term: lines[term].index(node) for term, node in mapping.items()}
    for entry in facts["levels"]:
        assert entry["terms"] == sum(level == entry["level"] for level in level_of.values())
        assert entry["nodes"] == len({node for term, node in mapping.items() if level_of[term] == entry["level"]})
    assert sum(entry["terms"] for entry in facts["levels"]) == len(mapping)
    for entry in facts["largest_categories"]:
        behind = [term for term, node in mapping.items() if node == entry["category"]]
        assert entry["terms"] == len(behind)
        assert {level_of[term] for term in behind} == {entry["level"]}


def test_the_golden_example_is_told_as_it_is():
    facts = facts_of(sealed(figure())).statistics
    assert facts["terms"] == {"total": 5, "as_themselves": 3, "generalised": 2}
    assert facts["published"] == {"total": 4, "categories": 1, "in_records": 3, "categories_in_records": 1}
    assert facts["levels"] == [
        {"level": 0, "nodes": 3, "terms": 3},
        {"level": 1, "nodes": 1, "terms": 2},
        {"level": 2, "nodes": 0, "terms": 0},
    ]
    assert facts["occurrences"] == {"total": 10, "of_categories": 4, "share": 0.4}
    assert facts["smallest_support"] == 3
    assert facts["largest_categories"] == [{"category": "A", "level": 1, "terms": 2, "records": 4}]


def test_only_the_largest_categories_are_listed():
    many = {f"t{i:03d}{j}": f"g{i:03d}" for i in range(2 * LISTED) for j in range(1 + (i == 7))}
    tree = Hierarchy.from_rows([[term, node, "*"] for term, node in many.items()])
    listed = statistics(GeneralizedItems.from_mapping([], many, tree))["largest_categories"]
    assert len(listed) == LISTED
    assert [entry["category"] for entry in listed[:2]] == ["g007", "g000"]


@examples(25)
@given(items())
def test_a_cut_has_every_term_once_and_every_node_where_the_hierarchy_has_it(published):
    cut, tree = cut_of(published), Tree(published.hierarchy)
    lines = {line[0]: line for line in published.hierarchy.rows()}
    mapping = published.mapping
    assert sorted(term for node in range(len(cut)) for term in cut.terms_of(node)) == sorted(mapping)
    assert np.all(np.diff(cut.is_category.astype(int)) <= 0)
    for node, name in enumerate(cut.names.to_pylist()):
        behind = cut.terms_of(node)
        assert behind == sorted(term for term, image in mapping.items() if image == name)
        assert bool(cut.is_category[node]) == (behind != [name])
        line = lines[behind[0]]
        above = list(dict.fromkeys(part for part in line[line.index(name) :] if part != name))
        assert tree.path(name) == tuple(reversed(above))
        assert tree.leaves(name) == len(behind)


@examples(25)
@given(items())
def test_a_picture_shows_a_node_among_those_beside_it(published):
    cut = cut_of(published)
    for node in range(len(cut)):
        picture = picture_of(cut, node, rows=3)
        assert [sibling.records for sibling in picture.siblings if sibling.name == picture.name] == [picture.support]
        assert len(picture.terms) + picture.more_terms == (picture.n_terms if picture.is_category else 0)
        for sibling in picture.siblings:  # nothing is published both here and further down
            assert (sibling.records is None) == (sibling.name not in set(published.mapping.values()))
        having = [(row, n) for row, n in published.records.rows() if picture.name in row]
        assert picture.records.rows == tuple(sorted(having, key=lambda entry: -entry[1])[:3])
        assert picture.records.more == max(0, len(having) - 3)


def test_of_many_nodes_beside_one_the_nearest_are_shown():
    terms = [f"t{i:02d}" for i in range(30)]
    tree = Hierarchy.from_rows([[term, "*"] for term in terms])
    cut = cut_of(GeneralizedItems.from_mapping([(["t15"], 5)], {term: term for term in terms}, tree))
    for node in (0, 15, 29):
        picture = picture_of(cut, node)
        assert len(picture.siblings) == 2 * EACH_SIDE + 1
        assert picture.more_siblings == 30 - len(picture.siblings)
    assert [sibling.name for sibling in picture_of(cut, 15).siblings] == terms[15 - EACH_SIDE : 16 + EACH_SIDE]


def test_the_typical_node_is_a_category_of_a_few_terms_that_records_have():
    branches = {"huge": 40, "few": 5, "absent": 5, "pair": 2}
    rows = [[f"{name} {i}", name, "*"] for name, number in branches.items() for i in range(number)]
    mapping = {row[0]: row[1] for row in rows if row[1] != "pair"} | {"pair 0": "pair 0", "pair 1": "pair 1"}
    records = [(["few", name], 2) for name in ("huge", "pair 0", "pair 1")] + [(["few"], 9)]
    cut = cut_of(GeneralizedItems.from_mapping(records, mapping, Hierarchy.from_rows(rows)))
    assert cut.names[typical_node(cut)].as_py() == "few"


@examples(15)
@given(items())
def test_a_report_survives_json(published):
    report = facts_of(sealed(published))
    assert report.form == "items"
    assert Report.from_json(report.to_json()) == report
    assert json.loads(report.to_json())["verdict"] == {"holds": True, "checked": [f"A{i}" for i in range(1, 7)]}
