"""The slow twins reproduce the papers' worked examples (TLMS12 figures 2 and 4, AS23 tables 4 and 7-12)."""

import json
from pathlib import Path

import pytest

from oracle import disassociation as oracle

GOLDEN = json.loads((Path(__file__).parent / "papers.json").read_text(encoding="utf-8"))


def bag(tree):
    """Compare chunks as bags: drop the domains and the order of making."""
    chunks = sorted(sorted(c["subrecords"]) for c in tree["record_chunks"])
    return tree["size"], chunks, sorted(tree["term_chunk"])


AS23 = json.loads((Path(__file__).parent / "as23_records.json").read_text(encoding="utf-8"))
BLOCKS = [name for name in GOLDEN if name.startswith("table7_record4")]


def records_of(block):
    return [r if r else GOLDEN[block]["record4"] for r in AS23]


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("strategy", ["none", *oracle.STRATEGIES])
def test_the_twin_reproduces_every_strategy_of_as23(block, strategy):
    facts = GOLDEN[block]
    clusters, dropped = oracle.horpart(records_of(block), 4, 2, strategy, block.rsplit("_", 1)[1])
    numbered = [sorted(r + 1 for r in c) for c in clusters]
    name = {"none": "listing_without_lower_bound", "cardiff": "remaining"}.get(strategy, strategy.replace("-", "_"))
    expected = facts[name]
    if strategy == "suppression":
        assert [sorted(r + 1 for r in c) for c in dropped] == [sorted(c) for c in expected["suppressed"]]
        expected = expected["kept"]
    assert numbered == [sorted(c) for c in expected]


def test_the_twin_reproduces_figure_2():
    fig = GOLDEN["fig2"]
    for cluster, expected in zip(fig["clusters"], fig["verpart"], strict=True):
        made = oracle.verpart([fig["records"][r - 1] for r in cluster], fig["k"], fig["m"])
        assert bag(made) == bag(expected)


def test_the_twin_reproduces_figure_4_with_and_without_the_lemma_2_check():
    fig = GOLDEN["fig4"]
    assert bag(oracle.verpart(fig["records"], 3, 2)) == bag(fig["with_check"][0])
    assert bag(oracle.verpart(fig["records"], 3, 2, check=False)) == bag(fig["without_check"][0])


def test_the_twin_reproduces_the_minimality_case_and_table_4():
    case = GOLDEN["minimality"]
    assert bag(oracle.verpart(case["records"], 2, 2)) == bag(case["published"][0])
    records = records_of("table7_record4_T8_tie_lex")[:4]
    assert bag(oracle.verpart(records, 2, 2)) == bag(GOLDEN["table4_verpart"]["published"][0])


@pytest.mark.parametrize("strategy", ["abandon", "adding"])
def test_the_twin_reproduces_the_whole_chain_on_table_7(strategy):
    facts = GOLDEN["table7_full"][strategy]
    records = records_of("table7_record4_T8_tie_first")
    made = [oracle.verpart([records[r - 1] for r in c], 2, 2) for c in facts["clusters"]]
    assert [bag(m) for m in made] == [bag(e) for e in facts["verpart"]]


def test_horpart_on_figure_2_is_as_the_specification_lists_it():
    records = GOLDEN["fig2"]["records"]

    def numbered(strategy, least):
        return [[r + 1 for r in c] for c in oracle.horpart(records, 6, least, strategy)[0]]

    assert numbered("none", 3) == [[1, 3, 7, 10], [2, 5, 6, 8], [4, 9]]
    assert numbered("abandon", 3) == [list(range(1, 11))]
    assert numbered("adding", 3) == numbered("remaining", 3) == [[1, 3, 7, 10], [2, 5, 6, 8, 4, 9]]
