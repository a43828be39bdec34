"""DiffPart as a method: its parameters, its terms, its refusals."""

import sys
from fractions import Fraction

import pytest

from disjoin.engine import Local
from disjoin.errors import InvalidParameter, MissingExtra
from disjoin.methods.diffpart import DiffPart, NoNoise, SeededNoise
from disjoin.methods.diffpart.run import Account, OverBudget
from disjoin.methods.settings import settings_of
from disjoin.model import DifferentialPrivacy, Hierarchy, KmAnonymity, Transactions
from disjoin.pipeline import publish
from helpers.noise_sources import Raised

TEA = [["tea", "milk"], ["tea"], ["milk", "bread"], ["tea", "bread"]] * 50
NOTHING_IS_PRUNED = {"prune": Fraction(1, 100), "keep": Fraction(1, 2)}


def draft_of(records, **parameters):
    return DiffPart(**{"domain": "seen"} | parameters).publish(Transactions.from_sets(records), Local(1))


def rows_of(records, **parameters):
    return draft_of(records, **parameters).published.records.rows()


def test_combinations_that_no_record_has_get_noise_too():
    assert len(rows_of([["a"]], domain=list("abc"), noise=Raised())) == 7  # one node: all subsets of three terms
    assert len(rows_of([["a"]], domain=list("abcd"), fan_out=2, noise=Raised())) == 15  # and level by level
    assert len(rows_of([["z"]], domain=list("abcd"), fan_out=3, noise=Raised())) == 15  # even without a single record


@pytest.mark.parametrize(
    ("records", "domain", "expected"),
    [
        ([["only"]] * 7, "seen", [(("only",), 7)]),
        ([["a", "b"]] * 12, "seen", [(("a", "b"), 12)]),
        ([["only"]] * 3, ("only", "other"), [(("only",), 3)]),
        ([], ("a", "b"), []),
        ([], "seen", []),
        ([["a", "z"], ["z"], ["b"]], ("a", "b"), [(("a",), 1), (("b",), 1)]),
    ],
    ids=["one term", "all equal", "wider domain", "no records", "nothing at all", "outside the domain"],
)
@pytest.mark.parametrize("fan_out", [2, 10])
def test_small_data_is_no_special_case(records, domain, expected, fan_out):
    assert rows_of(records, domain=domain, fan_out=fan_out, noise=NoNoise(), **NOTHING_IS_PRUNED) == expected


def test_terms_outside_the_domain_are_dropped_and_only_the_steward_is_told():
    data = Transactions.from_sets([["a", "z"], ["z", "y"], ["b"]])
    draft = DiffPart(domain=list("ab"), noise=NoNoise(), **NOTHING_IS_PRUNED).publish(data, Local(1))
    assert draft.published.records.vocabulary.to_pylist() == ["a", "b"]
    facts = {
        name: draft.private[name] for name in ("domain", "outside_terms", "outside_occurrences", "outside_records")
    }
    assert facts == {"domain": 2, "outside_terms": 2, "outside_occurrences": 3, "outside_records": 1}
    [note] = DiffPart(domain=list("ab")).warnings(data)
    assert note.startswith("2 terms of the data are not in the domain and left out, 3 times.")
    assert DiffPart(domain=list("abzyx")).warnings(data) == []


@pytest.mark.parametrize("given", [{}, {"domain": ()}, {"domain": []}, {"domain": None}])
def test_without_a_domain_nothing_is_published_and_both_ways_out_are_named(given):
    with pytest.raises(InvalidParameter, match=r"a source other than the data.*domain=items\.txt.*domain='seen'"):
        DiffPart(**given)


def test_a_domain_that_was_seen_is_warned_about_and_nothing_is_claimed():
    pytest.importorskip("opendp", reason="the extra dp is not installed")
    seen, given = (DiffPart(domain=domain) for domain in ("seen", ("tea", "milk", "bread")))
    [note] = seen.warnings(Transactions.from_sets(TEA))
    assert "not differentially private" in note
    drafts = [method.publish(Transactions.from_sets(TEA), Local(1)) for method in (seen, given)]
    assert seen.claim(drafts[0]) == DifferentialPrivacy(1, "seen")
    assert given.claim(drafts[1]) == DifferentialPrivacy(1, "given")
    assert given.claim(drafts[0]) == DifferentialPrivacy(1, "seen")  # whoever asks
    assert seen.claim(drafts[1]) == DifferentialPrivacy(1, "seen")


def test_the_domain_of_a_hierarchy_is_its_leaves_whether_they_occur_or_not():
    tree = Hierarchy.from_rows([["tea", "hot", "*"], ["milk", "cold", "*"], ["water", "*"]])
    assert DiffPart(domain=tree) == DiffPart(domain=["tea", "milk", "water"])


def test_a_low_threshold_is_warned_about_and_one_without_an_end_refused():
    assert len(DiffPart(domain="seen", prune=3).warnings(Transactions.from_sets(TEA))) == 2
    with pytest.raises(InvalidParameter, match=r"prune must be at least 2\.\d\d with a fan_out of 10, got 2:"):
        DiffPart(domain="seen", prune=2)
    assert DiffPart(domain="seen", prune=2, fan_out=5).prune == 2


@pytest.mark.parametrize("noise", [SeededNoise(1), NoNoise()])
def test_noise_for_experiments_cannot_become_a_release(noise):
    method = DiffPart(domain="seen", noise=noise)
    draft = draft_of(TEA, noise=noise)
    with pytest.raises(InvalidParameter, match="noise for experiments"):
        publish(Transactions.from_sets(TEA), method, Local(1))
    with pytest.raises(InvalidParameter, match="noise for experiments"):
        DiffPart(domain="seen").claim(draft)  # not even if somebody asks a method that uses the real noise
    assert "noise" not in {setting.name for setting in settings_of(DiffPart)}


def test_no_record_can_be_followed_and_none_counts_as_left_out():
    draft = draft_of(TEA, noise=SeededNoise(3))
    assert draft.part_of_record is None
    assert draft.suppressed_records == 0
    assert draft.sensitive == ()


def test_the_same_seed_draws_the_same_and_another_one_does_not():
    one = SeededNoise(5)
    assert rows_of(TEA, noise=one) == rows_of(TEA, noise=one) == rows_of(TEA[::-1], noise=SeededNoise(5))
    assert rows_of(TEA, noise=one) != rows_of(TEA, noise=SeededNoise(6))


def test_seeded_noise_has_the_law_of_the_real_one():
    import numpy as np

    noisy = SeededNoise(1).source()(np.zeros(50_000, dtype=np.int64), Fraction(1, 2))
    decay = np.exp(-0.5)
    for value in (-2, -1, 0, 1, 2):
        chance = (1 - decay) / (1 + decay) * decay ** abs(value)
        assert abs((noisy.counts == value).mean() - chance) < 0.01  # the seed is fixed: no luck involved


def test_without_opendp_it_says_how_to_get_it_before_any_work(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "opendp"] + ["opendp", "opendp.measurements"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'disjoin\[dp\]'"):
        DiffPart(domain="seen").publish(None, Local(1))


def test_an_account_never_goes_over_its_total():
    account = Account(Fraction(1)).spend(Fraction(3, 4))
    assert account.spend(Fraction(1, 4)).spent == 1
    with pytest.raises(OverBudget):
        account.spend(Fraction(1, 4) + Fraction(1, 10**30))
    for nothing in (Fraction(0), Fraction(-1, 4)):
        with pytest.raises(OverBudget):
            account.spend(nothing)


def test_noise_that_takes_more_than_it_may_is_found_out():
    class Greedy:
        kind = "greedy"

        def source(self):
            honest = SeededNoise(1).source()
            return lambda counts, epsilon: honest(counts, epsilon)._replace(epsilon=epsilon * 2)

    with pytest.raises(OverBudget):
        draft_of(TEA, noise=Greedy())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epsilon": 0}, "epsilon must be at least"),
        ({"epsilon": "1e400"}, "and at most 100, got 1e400: 0.1 to 2"),
        ({"epsilon": "much"}, "epsilon must be a number"),
        ({"fan_out": 1}, "fan_out must be a whole number of at least 2"),
        ({"fan_out": 13}, r"fan_out must be at most 12, got 13: each of the 2\^fan_out subsets"),
        ({"fan_out": 2.5}, "fan_out must be a whole number"),
        ({"prune": -1}, r"prune must be in 0\.\.1000 standard deviations, got -1"),
        ({"keep": 1001}, r"keep must be in 0\.\.1000"),
        ({"keep": "1e400"}, r"standard deviations, got 1e400\."),
        ({"keep": "lots"}, "keep must be a number"),
        ({"domain": 7}, "domain must be a list of terms, a Hierarchy or the word 'seen', got 7"),
        ({"domain": "items.txt"}, "got 'items.txt'"),  # a file is for the command line, and no term
        ({"domain": b"seen"}, "got bytes"),
        ({"domain": ["a", b"x" * 99]}, "got bytes"),  # nothing of the user's is shown at length
        ({"domain": ["a", ""]}, "not empty"),
        ({"domain": ["a", None]}, "a term of the domain must be a string"),
        ({"domain": ["\ud800"]}, "not valid Unicode"),
        ({"noise": 5}, "noise must be left out"),
        ({"noise": SeededNoise}, "noise must be left out"),
    ],
)
def test_what_cannot_be_is_one_sentence(parameters, message):
    with pytest.raises(InvalidParameter, match=message):
        DiffPart(**{"domain": "seen"} | parameters)


def test_numbers_are_taken_exactly_and_stored_exactly():
    method = DiffPart(epsilon=0.1, domain="seen", prune="27/4", keep="2.75")
    assert method.parameters() == {"epsilon": "1/10", "fan_out": 10, "prune": "27/4", "keep": "11/4"}
    assert DiffPart(domain="seen", **method.parameters()) == method
    assert DiffPart(domain=["b", 7, "b"]).domain == ("7", "b")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"epsilon": "2"}, "the parameter epsilon is '2', but '1/2' is guaranteed"),
        ({"epsilon": "0.5"}, "not written as the method writes them"),
        ({"fan_out": 99}, "the method does not accept the parameters: fan_out must be at most"),
        ({"secret": 7}, "the method has no parameters of these names"),
        ({"domain": ["flu"]}, "a release states only whether it was given or seen"),
        ({"domain": "seen"}, "a release states only whether it was given or seen"),
        ({"noise": "off"}, "the method does not accept the parameters"),
    ],
)
def test_stored_parameters_that_nobody_wrote_contradict_the_promise(changed, message):
    guarantee, right = DifferentialPrivacy("1/2", "given"), dict(DiffPart(epsilon="1/2", domain="seen").parameters())
    assert any(message in words for words in DiffPart.contradictions(guarantee, right | changed, 0))
    assert DiffPart.contradictions(guarantee, right, 0) == []
    assert DiffPart.contradictions(guarantee, right, 1)
    assert DiffPart.contradictions(KmAnonymity(5, 2), right, 0)


def test_progress_is_told_while_partitions_are_divided():
    seen = []
    records = [[f"t{number:02d}"] for number in range(40)]
    method = DiffPart(domain="seen", fan_out=2, noise=NoNoise(), **NOTHING_IS_PRUNED)
    method.publish(Transactions.from_sets(records), Local(1), lambda *said: seen.append(said))
    assert {said[0] for said in seen} == {"dividing"}
    assert len(seen) > 1
    assert seen[-1][1] == seen[-1][2]
