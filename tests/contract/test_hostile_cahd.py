"""What a hostile reviewer of CAHD tried: what held is held to, and what gave way stays mended."""

import random
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin import pipeline
from disjoin.cli.main import run
from disjoin.errors import GuaranteeUnreachable
from disjoin.model import PrivacyDegree
from disjoin.verify import certify
from helpers.hypothesis_profile import examples

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # what users are told is tested by itself

SHOP = [["tea", "milk"], ["tea", "pills"], ["milk", "bread"], ["pills"], ["tea", "milk", "test"], ["bread"]] * 4
STRANGE = ["1", "10", "02", "é", "e\u0301", "茶", "a b", 'q"x', "we, us", "-1", "NaN", "null", "<b>", "\u2028"]


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def chances(size, bare, counts):
    """Go through all ways to deal sensitive items to records of which the first are bare; return what each risks."""
    ways, had = 0, [[0] * size for _ in counts]
    for dealt in product(*(combinations(range(size), count) for count in counts)):
        if set(range(bare)) <= {record for records in dealt for record in records}:
            ways += 1
            for item, records in enumerate(dealt):
                for record in records:
                    had[item][record] += 1
    return [[Fraction(times, ways) for times in row] for row in had] if ways else []


@given(st.integers(1, 5), st.data())
@examples(40)
def test_no_record_with_an_ordinary_item_is_linked_more_surely_than_its_group_says(size, data):
    bare = data.draw(st.integers(0, size - 1))
    counts = data.draw(st.lists(st.integers(1, size), min_size=1, max_size=3))
    for item, risks in enumerate(chances(size, bare, counts)):
        assert max(risks[bare:]) <= Fraction(counts[item], size)


def partitions(records):
    """Return all ways to divide records into groups."""
    if not records:
        yield []
        return
    for rest in partitions(records[1:]):
        yield [[records[0]], *rest]
        for place, group in enumerate(rest):
            yield [*rest[:place], [records[0], *group], *rest[place + 1 :]]


@given(st.lists(st.sets(st.sampled_from("xyst"), min_size=1), min_size=3, max_size=5))
@examples(15)
def test_the_largest_p_that_is_named_is_the_largest_p_of_any_grouping(records):
    secrets = sorted({"s", "t"} & {term for record in records for term in record})
    if not secrets or not any(record - {"s", "t"} for record in records):
        return

    def degree(groups):
        return min(len(g) // n for g in groups for s in secrets if (n := sum(s in record for record in g)))

    best = max(degree(groups) for groups in partitions(records))
    said = "No p can be reached" if best < 2 else f"p can be at most {best}"
    with pytest.raises(GuaranteeUnreachable, match=said):
        disjoin.cahd(records, secrets, p=max(best, 1) + 1)
    if best >= 2:
        assert disjoin.verify(disjoin.cahd(records, secrets, p=best), original=records).holds


def test_strange_terms_repeats_and_bare_records_in_any_order_give_the_same_bytes(tmp_path):
    rng = random.Random(5)
    records = [rng.sample(STRANGE, rng.randint(1, 3)) for _ in range(30)] * 2 + [["hiv"], ["hiv"], ["flu", "hiv"]]
    records[0], records[1] = [*records[0], "flu"], [*records[1], "hiv"]
    found = []
    for number in range(2):
        mixed = [rng.sample(record, len(record)) for record in rng.sample(records, len(records))]
        release = disjoin.cahd(mixed, rng.sample(["hiv", "flu"], 2), p=5)
        found.append(contents(release.write(tmp_path / str(number))))
    assert found[0] == found[1]


def test_an_alpha_beyond_all_numbers_looks_at_all_records():
    assert (
        disjoin.cahd(SHOP, "pills", p=3, alpha=10**30).published == disjoin.cahd(SHOP, "pills", p=3, alpha=8).published
    )


@pytest.mark.parametrize("p", [2**62, 10**30])
def test_a_p_beyond_all_numbers_takes_no_item_at_random(p):
    with pytest.raises(GuaranteeUnreachable, match="1 item was to be treated as sensitive, but none is in no more"):
        disjoin.cahd(SHOP, p=p, random_sensitive=1)


def test_all_items_that_are_too_frequent_are_counted_at_once():
    with pytest.raises(GuaranteeUnreachable, match=r"at most 2\. 2 other sensitive items are in more than 1 in 5, too"):
        disjoin.cahd(SHOP, ("tea", "milk", "pills", "test"), p=5)


@pytest.mark.parametrize("named", ["Bob has hiv", "pills"])
def test_nothing_can_be_hidden_among_sensitive_items_of_the_promise(named, tmp_path):
    honest = disjoin.cahd(SHOP, "pills", p=3)
    guarantee = PrivacyDegree(3, (named,))
    forged = certify(honest.published, guarantee, method="cahd", parameters=honest.parameters)
    verdict = disjoin.verify(pipeline.write(forged, tmp_path / "r"))
    assert [v.invariant for v in verdict.violations] == ["F1"]
    assert "the guarantee names sensitive items" in verdict.violations[0].message


def test_the_check_as_printed_writes_nothing_when_it_is_unsafe(tmp_path):
    baskets = tmp_path / "b.csv"
    baskets.write_text("meat,viagra,wine\nmeat,wine\ncream,test,berries\nberries,meat\ncream,meat,wine\n")
    command = [
        "cahd",
        str(baskets),
        "--sensitive",
        "viagra,test",
        "--grouping",
        "paper",
        "--published-check",
        "-q",
        "-o",
        str(tmp_path / "r"),
    ]
    assert run([*command, "-p", "4"]) == 3
    assert [file.name for file in tmp_path.iterdir()] == ["b.csv"]
    assert run([*command, "-p", "2"]) == 0
    assert disjoin.load(tmp_path / "r").parameters["published_check"] is True
