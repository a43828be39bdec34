"""The method reproduces the papers' worked examples exactly."""

import json
from pathlib import Path

import numpy as np
import pytest

from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.clustering import Clustered, Task, horpart
from disjoin.methods.disassociation.horpart import Partition
from disjoin.methods.disassociation.run import draft_of, forest_of
from disjoin.model import Transactions
from disjoin.progress import silent
from helpers.synthetic import expanded
from oracle.disassociation import STRATEGIES

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "papers.json").read_text(encoding="utf-8"))
BLOCKS = [name for name in GOLDEN if name.startswith("table7_record4")]
AS23 = json.loads((HERE / "as23_records.json").read_text(encoding="utf-8"))


def records_of(block):
    return [record if record else GOLDEN[block]["record4"] for record in AS23]


def numbered(partition):
    return [sorted(part.tolist()) for part in np.split(partition.records + 1, partition.ends[1:-1])]


def published(records, clusters, k, m, sensitive=()):
    """VERPART on given clusters (record numbers from 1), as a bag of trees."""
    data = Transactions.from_sets(records).with_sensitive(sensitive)
    chosen = np.array([r - 1 for c in clusters for r in c], np.int32)
    partition = Partition(chosen, np.array([len(c) for c in clusters], np.int64))
    task = Task(Disassociation(k=k, m=m, refine=False), data, Local(1), silent)
    draft = draft_of(forest_of(task, Clustered(partition)), data, partition)
    return bag(expanded(draft.published.to_nested()))


def bag(trees):
    return sorted(
        (t["size"], sorted(sorted(c["subrecords"]) for c in t["record_chunks"]), sorted(t["term_chunk"])) for t in trees
    )


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_of_as23_gives_the_clusters_of_its_tables(block, strategy):
    facts = GOLDEN[block]
    ties = block.rsplit("_", 1)[1]
    method = Disassociation(
        k=facts["k"], m=2, max_cluster_size=facts["max_cluster_size_strict"], strategy=strategy, ties=ties
    )
    data = Transactions.from_sets(records_of(block), keep_order=True)
    expected = facts[{"cardiff": "remaining"}.get(strategy, strategy.replace("-", "_"))]
    if strategy == "suppression":
        expected = expected["kept"]
    assert numbered(horpart(Task(method, data, Local(1), silent)).partition) == [sorted(c) for c in expected]


@pytest.mark.parametrize("strategy", ["abandon", "adding"])
def test_the_chain_on_as23_table_7_is_exact(strategy):
    facts = GOLDEN["table7_full"][strategy]
    made = published(records_of("table7_record4_T8_tie_first"), facts["clusters"], 2, 2)
    assert made == bag(facts["verpart"])


def test_figure_2_of_tlms12_is_exact():
    fig = GOLDEN["fig2"]
    assert published(fig["records"], fig["clusters"], fig["k"], fig["m"]) == bag(fig["verpart"])


def test_figure_4_of_tlms12_moves_a_term_to_keep_lemma_2():
    fig = GOLDEN["fig4"]
    assert published(fig["records"], [[1, 2, 3, 4, 5]], fig["k"], fig["m"]) == bag(fig["with_check"])


def test_the_minimality_case_is_published_as_the_specification_says():
    case = GOLDEN["minimality"]
    assert published(case["records"], [[1, 2, 3, 4]], case["k"], case["m"]) == bag(case["published"])


def test_table_4_of_as23_is_exact():
    records = records_of("table7_record4_T8_tie_lex")
    assert published(records, [[1, 2, 3, 4]], 2, 2) == bag(GOLDEN["table4_verpart"]["published"])


def test_a_sensitive_term_goes_to_the_term_chunk_whatever_its_support():
    # Specification A.9: P1 of figure 2 with madonna sensitive.
    fig = GOLDEN["fig2"]
    [(size, chunks, terms)] = published(fig["records"], fig["clusters"][:1], 3, 2, ["madonna"])
    assert size == 5
    assert chunks == [
        [["audi a4", "sony tv"]] * 3,
        [["flu"], ["flu", "itunes"], ["flu", "itunes"], ["flu", "itunes"], ["itunes"]],
    ]
    assert terms == ["ikea", "madonna", "ruby", "viagra"]


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("abandon", [list(range(1, 11))]),
        ("adding", [[1, 3, 7, 10], [2, 4, 5, 6, 8, 9]]),
        ("remaining", [[1, 3, 7, 10], [2, 4, 5, 6, 8, 9]]),
    ],
)
def test_horpart_on_figure_2_is_as_the_specification_lists_it(strategy, expected):
    data = Transactions.from_sets(GOLDEN["fig2"]["records"])
    method = Disassociation(k=3, m=2, max_cluster_size=6, strategy=strategy)
    assert numbered(horpart(Task(method, data, Local(1), silent)).partition) == expected
