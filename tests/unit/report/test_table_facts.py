"""Facts about published tables against slow twins and against the measures."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter
from disjoin.forms.table.facts import classes_of, statistics_of
from disjoin.forms.table.pictures import WORST, sensitive_facts, typical_class
from disjoin.measure.tables import level_shares, spread_of_nodes
from disjoin.model.generalized import Generalized, loss_of, quasi_column
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.intervals import interval_from
from disjoin.model.release import Report
from disjoin.model.table import Role, Table
from disjoin.report.facts import facts_of
from helpers.hypothesis_profile import examples
from unit.report.table_releases import (
    QUASI,
    SENSITIVE,
    classes_by_hand,
    figure,
    generalized,
    promise_of,
    rows_of,
    sealed,
)


def statistics(published: Generalized, k: int = 2) -> dict:
    return statistics_of(published, promise_of(published, k), {})


def one_column(values: list[str], role: Role = SENSITIVE) -> Generalized:
    """Return a table of one class with these values."""
    columns = {"all": ["1"] * len(values), "what": values}
    return Generalized(Table.from_columns(columns, {"all": QUASI, "what": role}))


@examples(40)
@given(generalized())
def test_classes_are_those_that_grouping_by_hand_gives(published):
    found, by_hand = classes_of(published), classes_by_hand(published)
    assert [tuple(found.values_of(c).values()) for c in range(len(found))] == list(by_hand)
    rows = rows_of(published)
    assert [[rows[r] for r in found.rows_of(c)] for c in range(len(found))] == list(by_hand.values())
    facts, sizes = statistics(published), [len(rows) for rows in by_hand.values()]
    assert facts["classes"]["total"] == facts["class_sizes"]["number"] == len(sizes)
    assert facts["classes"]["rows_in_classes_of_k"] == sum(size for size in sizes if size == 2)
    assert facts["satisfied"]["k"] == facts["class_sizes"]["least"] == min(sizes)


@examples(40)
@given(generalized())
def test_what_can_be_guessed_of_sensitive_columns_is_counted_right(published):
    facts, classes = statistics(published), classes_by_hand(published).values()
    for entry in facts["sensitive_columns"]:
        counts = [Counter(row[entry["column"]] for row in rows) for rows in classes]
        shares = [Fraction(max(count.values()), count.total()) for count in counts]
        assert Fraction(entry["largest_share"]["exact"]) == max(shares)
        assert entry["largest_share"]["rounded"] == round(float(max(shares)), 4)
        assert entry["least_values"] == min(map(len, counts))
        effective = min(math.exp(_entropy(count)) for count in counts)
        assert effective - 0.0001 - 1e-9 < entry["least_effective_values"] <= effective + 1e-9
        alike = [count.total() for count in counts if len(count) == 1]
        assert entry["alike"] == {"classes": len(alike), "rows": sum(alike)}
        whole = sum(counts, Counter())
        assert entry["values"] == len(whole)
        for worst in entry["worst"]:
            value, share = worst["value"], worst["largest_share"]
            assert worst["rows"] == whole[value]
            assert Fraction(share["count"], share["size"]) == max(Fraction(c[value], c.total()) for c in counts)
        assert Fraction(entry["worst"][0]["largest_share"]["exact"]) == max(shares)
    satisfied = facts["satisfied"]
    assert satisfied["alpha"] == max((e["largest_share"]["exact"] for e in facts["sensitive_columns"]), key=Fraction)
    assert satisfied["l"] == min(entry["least_values"] for entry in facts["sensitive_columns"])


def _entropy(count: Counter[str]) -> float:
    return -sum(n / count.total() * math.log(n / count.total()) for n in count.values())


@examples(40)
@given(generalized())
def test_what_is_left_is_what_the_measures_say(published):
    facts, table = statistics(published), published.table
    columns = [quasi_column(table, name) for name in published.quasi]
    for loss, name in ((spread_of_nodes, "granularity"), (level_shares, "precision")):
        lost = [loss_of(column, loss) for column in columns]
        kept = [round(float(1 - part / len(table)), 4) for part in lost]
        assert [entry[name] for entry in facts["quasi_identifiers"]] == kept
        assert facts[name] == round(float(1 - sum(lost) / (len(table) * len(columns))), 4)


@examples(40)
@given(generalized())
def test_rows_stand_at_the_level_of_the_lowest_node_or_at_the_width_of_their_interval(published):
    tree, numbers = statistics(published)["quasi_identifiers"]
    lowest = {"a": 0, "b": 0, "<i>": 0, "\x1b[31m": 0, "lone": 0, "A": 1, "B|B": 1, "*": 2}
    assert tree["rows_by_level"] == [
        sum(lowest[row["tree"]] == level for row in rows_of(published)) for level in range(3)
    ]
    values = [row["num\u202e"] for row in rows_of(published)]
    ends = [interval_from(value) for value in values]
    known = [pair for pair in ends if pair]
    span = (max(high for _, high in known) - min(low for low, _ in known)) if known else 0
    widths = [
        Fraction(v == "*") if e is None else (e[1] - e[0]) / (span or 1) for v, e in zip(values, ends, strict=True)
    ]
    before = -1.0
    for step in numbers["rows_by_width"]:
        assert step["rows"] == sum(before < width <= step["to"] for width in widths)
        before = step["to"]
    assert (numbers["missing"], numbers["everything"]) == (values.count("?"), values.count("*"))
    assert numbers["values"] == len(set(values))


def test_the_figure_of_the_thesis():
    facts = statistics(figure())
    assert facts["columns"] == {"quasi": ["Job", "Birth", "Postcode"], "sensitive": ["Illness"], "other": ["Note"]}
    assert facts["classes"] == {"total": 3, "rows_in_classes_of_k": 6, "share_in_classes_of_k": 1.0}
    assert [entry["rows_by_level"] for entry in facts["quasi_identifiers"]] == [[6, 0], [4, 2], [4, 2, 0, 0, 0]]
    assert facts["precision"] == round(1 - 2.5 / 18, 4)  # its distortion is 2.5
    [illness] = facts["sensitive_columns"]
    assert illness["largest_share"] == {"count": 2, "size": 2, "exact": "1", "rounded": 1.0}
    assert illness["alike"] == {"classes": 2, "rows": 4}
    assert facts["satisfied"] == {"k": 2, "alpha": "1", "l": 1, "entropy_l": 1.0}


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((2, 1), 1.8898),  # 1.88988..., and what is told is not more than what holds
        ((1, 3), 1.7547),
        ((5, 5, 5), 3.0),
        ((7,) * 49, 49.0),
        ((10**5,) * 3, 3.0),
        ((4,), 1.0),
    ],
)
def test_effective_numbers_of_values_are_rounded_down_and_whole_ones_are_whole(counts, expected):
    values = [f"v{value:02d}" for value, count in enumerate(counts) for _ in range(count)]
    classes = classes_of(one_column(values))
    assert sensitive_facts(classes, "what")["least_effective_values"] == expected


@examples(30)
@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=1, max_size=4))
def test_the_least_effective_number_is_that_of_the_worst_class(classes):
    columns = {
        "class": [str(c) for c, counts in enumerate(classes) for n in counts for _ in range(n)],
        "what": [str(v) for counts in classes for v, n in enumerate(counts) for _ in range(n)],
    }
    published = Generalized(Table.from_columns(columns, {"class": QUASI, "what": SENSITIVE}))
    entropies = [math.exp(_entropy(Counter({str(v): n for v, n in enumerate(counts)}))) for counts in classes]
    told = sensitive_facts(classes_of(published), "what")["least_effective_values"]
    assert told == math.floor(min(entropies) * 10000 + 1e-6) / 10000


def test_a_table_without_sensitive_columns_promises_nothing_about_them():
    facts = statistics(one_column(["a", "b", "b"], Role.OTHER))
    assert facts["sensitive_columns"] == []
    assert facts["satisfied"] == {"k": 3}


def test_of_many_values_the_worst_are_listed():
    published = one_column([f"v{i:03d}" for i in range(300) for _ in range(1 + (i == 7))])
    [entry] = statistics(published)["sensitive_columns"]
    assert entry["values"] == 300
    assert len(entry["worst"]) == WORST
    assert entry["worst"][0]["value"] == "v007"


def test_a_table_with_no_rows_has_facts_and_a_strange_value_is_refused():
    none = Generalized(Table.from_columns({"q": [], "s": []}, {"q": QUASI, "s": SENSITIVE}))
    facts = statistics(none)
    assert facts["classes"]["total"] == 0
    assert facts["satisfied"] == {"k": 0}
    for values, tree in ((["young"], None), (["x"], Hierarchy.from_rows([["a", "*"]]))):
        table = Table.from_columns({"q": values}, {"q": QUASI})
        with pytest.raises(InvalidParameter, match="'q'"):
            statistics(Generalized(table.with_hierarchies({} if tree is None else {"q": tree})))


@examples(20)
@given(generalized())
def test_facts_survive_json_and_depend_on_the_content_alone(published):
    report = facts_of(sealed(published))
    assert report.form == "table"
    assert report.counts == {"records": len(published), "columns": 5, "suppressed_records": 0}
    assert Report.from_json(report.to_json()) == report
    table = published.table
    spare = tuple(pa.array(sorted({*values.to_pylist(), "~"}), pa.string()) for values in table.values)
    ranks = [
        np.searchsorted(more.to_pylist(), values.to_pylist()) for more, values in zip(spare, table.values, strict=True)
    ]
    codes = tuple(rank[old].astype(np.int32) for rank, old in zip(ranks, table.codes, strict=True))
    same = Generalized(Table(table.schema, codes, spare, table.hierarchies))  # values that no row has do not matter
    assert json.loads(facts_of(sealed(same)).to_json()) == json.loads(report.to_json())


def test_the_typical_class_has_something_to_see():
    tree = Hierarchy.from_rows([["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"]])
    columns: dict[str, list[str]] = {"p": [], "q": [], "s": []}
    for p, q, values in (
        ("a", "a", "xxxxx"),  # nothing is generalised
        ("a", "A", "xyzzy"),
        ("A", "A", "xyzzy"),  # everything is
        ("b", "A", "xxxxx"),  # nothing to tell rows apart
        ("c", "c", "x" * 90),
    ):
        columns["p"] += [p] * len(values)
        columns["q"] += [q] * len(values)
        columns["s"] += list(values)
    table = Table.from_columns(columns, {"p": QUASI, "q": QUASI, "s": SENSITIVE})
    classes = classes_of(Generalized(table.with_hierarchies({"p": tree, "q": tree})))
    assert classes.values_of(typical_class(classes)) == {"p": "a", "q": "A"}
