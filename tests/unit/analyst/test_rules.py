"""The bounds of a rule hold for the original."""

import disjoin
from disjoin.analyst import rules
from disjoin.generate.baskets import write_baskets


def test_the_confidence_in_the_original_is_within_the_bounds(tmp_path):
    write_baskets(400, 1, tmp_path / "baskets.csv")
    data = disjoin.read(tmp_path / "baskets.csv")
    found = rules(disjoin.disassociate(data, k=5, m=2), min_support=0.05).to_pylist()
    sets = [set(record) for record in data.to_sets()]
    assert len(found) > 5
    for rule in found:
        have = [record for record in sets if set(rule["when"]) <= record]
        true = sum(rule["then"] in record for record in have) / len(have)
        assert rule["at_least"] - 1e-9 <= true <= rule["at_most"] + 1e-9
        assert rule["at_least"] <= rule["confidence"] + 1e-9


def test_the_surest_rule_comes_first():
    release = disjoin.disassociate([["tea", "milk"]] * 6 + [["tea"]] * 6, k=3, m=2)
    found = rules(release).to_pylist()
    assert found[0]["when"] == ["milk"]
    assert (found[0]["then"], found[0]["at_least"]) == ("tea", 1.0)
