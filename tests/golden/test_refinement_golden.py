"""REFINE on the papers' worked examples: TLMS12's figures 3 and 5, AS23's table 7, and the counterexamples CE1-CE3.

Every test asks each of IMPLEMENTATIONS the same: clusters of records go in (in HORPART's order of emission), the
nested form comes out.
"""

import json
import re
from pathlib import Path

import pytest

from disjoin.model import Clusters, KmAnonymity, Transactions
from disjoin.verify import check
from disjoin.verify.clusters.reconstructions import most_records
from disjoin.verify.forest import Forest
from helpers import refine_runs
from oracle import refinement as twin
from oracle.disassociation import verpart
from oracle.inspection import canonical
from oracle.reconstruction import reconstructions_of_tree

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "papers.json").read_text(encoding="utf-8"))
AS23 = json.loads((HERE / "as23_records.json").read_text(encoding="utf-8"))
COUNTEREXAMPLES = ["refine_filler_counterexample", "refine_property1_counterexample"]

# (clusters, k, m, mode=...) -> nested form; the fast method joins this list.
IMPLEMENTATIONS = [twin.refine, refine_runs.refine_pairs]
for_each_implementation = pytest.mark.parametrize("refine", IMPLEMENTATIONS)


def bag(trees):
    """Compare as bags (of subrecords, chunks, children): the order of making and the domains are dropped."""
    out = []
    for tree in trees:
        chunks = sorted(sorted(c["subrecords"]) for c in tree.get("record_chunks", tree.get("shared_chunks")))
        below = (1, bag(tree["children"])) if "children" in tree else (0, sorted(tree["term_chunk"]))
        out.append((tree["size"], chunks, below))
    return sorted(out)


def found(verdict):
    return {violation.invariant for violation in verdict.violations}


def most(trees, itemset):
    clusters = Clusters.from_nested(trees)
    forest, names = Forest.of(clusters), clusters.vocabulary.to_pylist()
    return most_records(forest, [names.index(term) for term in itemset])


def exact_check(trees, clusters, k, m):
    data = Transactions.from_sets(record for cluster in clusters for record in cluster)
    return check(Clusters.from_nested(canonical(trees)), KmAnonymity(k, m), original=data, exact=True)


@for_each_implementation
@pytest.mark.parametrize("mode", ["safe", "paper"])
def test_figure_3_is_exact_in_both_modes(refine, mode):
    fig = GOLDEN["fig2"]
    clusters = [[fig["records"][r - 1] for r in cluster] for cluster in fig["clusters"]]
    made = refine(clusters, fig["k"], fig["m"], mode=mode)
    assert bag(made) == bag(GOLDEN["fig3"]["refine"])
    assert exact_check(made, clusters, fig["k"], fig["m"]).holds


@for_each_implementation
@pytest.mark.parametrize("strategy", ["abandon", "adding"])
def test_the_whole_chain_on_as23_table_7_is_exact(refine, strategy):
    facts = GOLDEN["table7_full"][strategy]
    records = [record if record else GOLDEN["table7_record4_T8_tie_first"]["record4"] for record in AS23]
    clusters = [[records[r - 1] for r in cluster] for cluster in facts["clusters"]]
    made = refine(clusters, 2, 2)
    assert bag(made) == bag(facts["refine_safe"])
    assert exact_check(made, clusters, 2, 2).holds


@for_each_implementation
@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_the_papers_mode_breaks_the_guarantee_and_the_safe_mode_keeps_it(refine, name):
    case = GOLDEN[name]
    clusters, k, m = case["clusters"], case["k"], case["m"]
    paper, safe = refine(clusters, k, m, mode="paper"), refine(clusters, k, m, mode="safe")
    assert bag(paper) == bag(case["paper_mode"])
    assert bag(safe) == bag(case["safe_mode"])
    verdict = exact_check(paper, clusters, k, m)
    assert found(verdict) == {"G1", {COUNTEREXAMPLES[0]: "V7", COUNTEREXAMPLES[1]: "V9"}[name]}
    assert tuple(case["violating_itemset"]) in {v.example for v in verdict.violations if v.invariant == "G1"}
    assert most(paper, case["violating_itemset"]) == case["max_records_paper_mode"] < k
    assert exact_check(safe, clusters, k, m).holds
    assert most(safe, case["violating_itemset"]) >= k


@pytest.mark.parametrize(("name", "missing"), [(COUNTEREXAMPLES[0], "S2"), (COUNTEREXAMPLES[1], "S1")])
def test_each_counterexample_is_prevented_by_its_own_rule(name, missing):
    case = GOLDEN[name]
    other = {"S1": "S2", "S2": "S1"}[missing]
    with_rule = twin.refine(case["clusters"], case["k"], case["m"], rules=(missing,))
    without_rule = twin.refine(case["clusters"], case["k"], case["m"], rules=(other,))
    assert bag(with_rule) == bag(case["safe_mode"])
    assert bag(without_rule) == bag(case["paper_mode"])


def test_the_minimality_case_has_nineteen_constructive_readings_and_one_literal_one():
    case = GOLDEN["minimality"]
    [tree] = case["published"]
    readings = reconstructions_of_tree(tree)
    assert len(readings) == case["constructive_reconstructions"] == 19
    literal = [world for world in readings if bag([verpart(world, case["k"], case["m"])]) == bag([tree])]
    assert len(literal) == case["literal_reconstructions"] == 1
    assert sorted(map(list, literal[0])) == sorted(case["records"])


# ------------------------------------------------------------------ figure 5: why Property 1 asks for more


def bags_in(text):
    """Read the block's short form, for instance `{a,o}x3,{o}x1 | {b}x2`."""
    chunks = []
    for chunk in text.split("|"):
        runs = re.findall(r"\{([^}]*)\}x(\d+)", chunk)
        chunks.append({"subrecords": [terms.split(",") for terms, count in runs for _ in range(int(count))]})
    return chunks


def figure_5(top):
    fig = GOLDEN["fig5"]
    leaves = {
        name: {"size": 3, "record_chunks": bags_in(text), "term_chunk": []} for name, text in fig["leaves"].items()
    }
    pairs = (("J1_shared", "1", "2"), ("J2_shared", "3", "4"))
    halves = [
        {"size": 6, "shared_chunks": bags_in(fig[shared]), "children": [leaves[left], leaves[right]]}
        for shared, left, right in pairs
    ]
    return canonical([{"size": 12, "shared_chunks": bags_in(fig[top]), "children": halves}])


def test_figure_5_needs_property_1():
    fig = GOLDEN["fig5"]
    unsafe, safe = figure_5("unsafe_top"), figure_5("safe_top")
    assert most(unsafe, "xo") == fig["max_records_with_x_and_o"]["unsafe"] == 1
    assert most(safe, "xo") == fig["max_records_with_x_and_o"]["safe"] == 3
    assert found(check(Clusters.from_nested(unsafe), KmAnonymity(fig["k"], fig["m"]))) == {"V8", "V9"}
    # Property 1 holds here, and so does the guarantee; V9 says that this is not proven in general.
    assert found(check(Clusters.from_nested(safe), KmAnonymity(fig["k"], fig["m"]))) == {"V9"}


FIGURE_5_RECORDS = [  # o occurs four times, three times with a; leaf 1 has a in its record chunk
    ["aexo", "aex", "ax"],
    ["abeo", "b", "b"],
    ["acfo", "cf", "c"],
    ["adfo", "d", "d"],
]


def top_of_figure_5(mode):
    leaves = twin.make_leaves(FIGURE_5_RECORDS, 3, 2)
    halves = [twin.join(leaves[:2], 3, 2), twin.join(leaves[2:], 3, 2)]
    return twin.join(halves, 3, 2, mode)


def test_a_join_as_in_figure_5_keeps_property_1_in_the_papers_mode():
    top = top_of_figure_5("paper")
    assert top["shared_chunks"] == [[["o"]] * 4, [["a"]] * 3]
    trees, _ = twin.published([top])
    assert found(exact_check(trees, FIGURE_5_RECORDS, 3, 2)) == {"V9"}
    # Without Property 1 o and a would be one chunk: k^m-anonymous, and yet {x, o} has one candidate.
    unsafe = [{**trees[0], "shared_chunks": [{"subrecords": [["a", "o"]] * 3 + [["o"]]}]}]
    verdict = exact_check(unsafe, FIGURE_5_RECORDS, 3, 2)
    assert found(verdict) == {"V8", "V9", "G1"}
    assert ("o", "x") in {v.example for v in verdict.violations if v.invariant == "G1"}
    assert verdict.facts["G1"]["fewest_candidates"] == 1


def test_a_join_as_in_figure_5_leaves_the_term_below_alone_in_the_safe_mode():
    top = top_of_figure_5("safe")
    assert top["shared_chunks"] == [[["o"]] * 4]
    assert exact_check(twin.published([top])[0], FIGURE_5_RECORDS, 3, 2).holds
