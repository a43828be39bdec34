"""Association rules: bounds that hold for the original, and the figures of mlxtend where a release is exact."""

import pandas as pd
import pytest
from mlxtend.frequent_patterns import apriori, association_rules

import disjoin
from disjoin.analyst import rules
from disjoin.generate.baskets import write_baskets
from helpers.item_releases import rumours, sealed_noisy

NUMBERS = ["support", "confidence", "lift"]


def test_figures_of_the_original_are_within_the_bounds(tmp_path):
    write_baskets(400, 1, tmp_path / "baskets.csv")
    data = disjoin.read(tmp_path / "baskets.csv")
    found = rules(disjoin.disassociate(data, k=5, m=2), min_support=0.05).to_pylist()
    sets = [set(record) for record in data.to_sets()]
    assert len(found) > 5
    for rule in found:
        first, second = set(rule["antecedents"]), set(rule["consequents"])
        a, b, both = (sum(terms <= record for record in sets) for terms in (first, second, first | second))
        truth = {"support": both / 400, "confidence": both / a, "lift": both * 400 / (a * b)}
        for name, true in truth.items():
            assert rule[f"{name}_at_least"] - 1e-9 <= true <= rule[f"{name}_at_most"] + 1e-9, (name, rule)
            assert rule[f"{name}_at_least"] - 1e-9 <= rule[name] <= rule[f"{name}_at_most"] + 1e-9, (name, rule)


def test_the_surest_rule_comes_first():
    release = disjoin.disassociate([["tea", "milk"]] * 6 + [["tea"]] * 6, k=3, m=2)
    [first, *_] = rules(release).to_pylist()
    assert (first["antecedents"], first["consequents"], first["confidence_at_least"]) == (["milk"], ["tea"], 1.0)


def test_an_exact_release_has_the_rules_of_mlxtend():
    records = (
        [["tea", "milk", "jam"]] * 12 + [["tea", "milk"]] * 9 + [["tea"]] * 7 + [["jam"]] * 6 + [["milk", "jam"]] * 5
    )
    release = disjoin.disassociate(records, k=2, m=2)
    mined = release.mine(None, min_support=1)
    assert mined["at_least"].to_pylist() == mined["at_most"].to_pylist(), "the release is exact"

    found = rules(release, min_support=0.05, min_confidence=0.3).to_pandas()
    rows = pd.DataFrame([{term: term in record for term in ("jam", "milk", "tea")} for record in records])
    theirs = association_rules(apriori(rows, min_support=0.05, use_colnames=True), min_threshold=0.3)
    theirs = theirs[theirs.consequents.map(len) == 1]

    def by_rule(table):
        keys = zip(table.antecedents.map(frozenset), table.consequents.map(frozenset), strict=True)
        return dict(zip(keys, table[NUMBERS].to_numpy().tolist(), strict=True))

    ours, wanted = by_rule(found), by_rule(theirs)
    assert ours.keys() == wanted.keys()
    assert len(ours) > 5
    for rule, numbers in wanted.items():
        assert ours[rule] == pytest.approx(numbers)
    for name in NUMBERS:
        for bound in ("at_least", "at_most"):
            assert found[f"{name}_{bound}"].to_list() == pytest.approx(found[name].to_list())


def test_rules_of_noisy_records_have_no_bounds():
    found = rules(sealed_noisy(rumours()), min_support=0.01, min_confidence=0.01)
    assert found.num_rows > 0
    assert found["confidence_at_least"].null_count == found["lift_at_most"].null_count == found.num_rows
