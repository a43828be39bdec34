"""What a little knowledge finds in groups, generalised records and mixed data, against counting by hand."""

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import disjoin
from disjoin.attack.known_items import beliefs, candidates_elsewhere
from disjoin.attack.known_terms import candidates, known_from
from disjoin.errors import InvalidParameter
from disjoin.model import GeneralizedItems, Groups, Hierarchy, KmAnonymity, NoisyRecords, PrivacyDegree
from disjoin.model.differential_privacy import DifferentialPrivacy
from oracle.groups_utility import bounds_over_worlds, worlds_of


class Sealed:
    """Published data with a promise, as a release has them."""

    def __init__(self, published, guarantee):
        self.published, self.guarantee = published, guarantee


def findings(release, known):
    return candidates_elsewhere(release, known_from(known), None)


def _given(records, secrets, chosen):
    having = list(zip(secrets, chosen, strict=True))
    return [{*terms, *(secret for secret, who in having if n in who)} for n, terms in enumerate(records)]


def originals(groups):
    """Every way to give the secret items of groups to their records, as lists of records."""
    ways = []
    for records, secrets in groups:
        places = [list(combinations(range(len(records)), count)) for count in secrets.values()]
        ways.append([_given(records, secrets, chosen) for chosen in product(*places)])
    return ways


record = st.sets(st.sampled_from("abc"), min_size=1).map(sorted)
group = st.lists(record, min_size=2, max_size=3).flatmap(
    lambda records: st.tuples(
        st.just(records),
        st.dictionaries(st.sampled_from("XY"), st.integers(1, len(records)), max_size=2),
    )
)


bare_group = st.lists(st.sets(st.sampled_from("abc")).map(sorted), min_size=2, max_size=3).flatmap(
    lambda records: st.fixed_dictionaries(
        {
            "records": st.just([[terms, 1] for terms in records]),
            "sensitive": st.dictionaries(st.sampled_from("XY"), st.integers(1, len(records)), max_size=2),
        }
    )
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(bare_group.filter(worlds_of), min_size=1, max_size=2),
    st.sets(st.sampled_from("abcXY"), min_size=1, max_size=3),
)
def test_groups_are_bounded_by_the_fewest_and_the_most_of_all_possible_originals(groups, known):
    found = findings(Sealed(Groups.from_nested(groups), PrivacyDegree(2)), sorted(known))
    assert (found.certain, found.possible) == bounds_over_worlds(groups, known)


@settings(max_examples=40, deadline=None)
@given(st.lists(group, min_size=1, max_size=2), st.sets(st.sampled_from("abc"), min_size=1, max_size=2))
def test_chances_are_those_of_equally_likely_originals(groups, known):
    published = Groups.from_nested(
        {"records": [[terms, 1] for terms in records], "sensitive": secrets} for records, secrets in groups
    )
    found = findings(Sealed(published, PrivacyDegree(2)), sorted(known))
    n_candidates = sum(known <= set(terms) for records, _ in groups for terms in records)
    assert found.certain == found.possible == n_candidates
    for secret, chance in found.learned:
        having = sum(
            sum(known <= record and secret in record for way in ways for record in way) / len(ways)
            for ways in originals(groups)
        )
        assert chance == pytest.approx(having / n_candidates)


def test_a_secret_item_that_is_likelier_than_promised_breaks_the_promise_and_a_known_one_is_beyond_it():
    published = Groups.from_nested([{"records": [[["tea"], 1], [["jam"], 2]], "sensitive": {"pills": 2}}])
    assert findings(Sealed(published, PrivacyDegree(2)), "tea").is_kept is False
    assert "does not hold" in findings(Sealed(published, PrivacyDegree(2)), "tea").verdict
    beyond = findings(Sealed(published, PrivacyDegree(2)), ["tea", "pills"])
    assert (beyond.within_guarantee, beyond.certain, beyond.possible) == (False, 0, 1)
    assert "It is in 1 group. No other sensitive item is there." in beyond.sentence()


def test_generalised_records_are_found_by_what_known_terms_became():
    tree = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "rye", "*"]])
    mapping = {"tea": "drink", "milk": "drink", "rye": "rye"}
    published = GeneralizedItems.from_mapping([(["drink"], 2), (["drink", "rye"], 3)], mapping, tree)
    guarantee = KmAnonymity(3, 1)
    found = findings(Sealed(published, guarantee), "tea")
    assert (found.possible, found.is_kept, found.learned) == (5, True, (("rye", 0.6),))
    assert found.certain == 0  # P4: tea is published as drink, which may be milk
    assert "Published as drink." in found.sentence()
    assert findings(Sealed(published, guarantee), "rye").sure == ("drink",)
    assert findings(Sealed(published, guarantee), ["rye", "milk"]).within_guarantee is False
    assert findings(Sealed(published, guarantee), "gin").possible == 0


def test_people_are_looked_for_by_values_and_terms_and_the_bounds_are_those_of_supports():
    people = {"sex": ["f", "m"] * 12, "age": [str(30 + n % 4) for n in range(24)]}
    terms = [["flu"] if n % 3 else ["flu", "gout"] for n in range(24)]
    data = {**people, "codes": terms}
    tree = Hierarchy.from_rows([["f", "*"], ["m", "*"]])
    release = disjoin.mixed(data, k=3, m=2, quasi=["sex", "age"], terms="codes", hierarchies={"sex": tree})
    for known in (["sex=f"], ["age=31", "flu"], ["sex=m", "age=31", "gout", "flu"], ["gout"], ["sex=f", "scurvy"]):
        found = candidates(release, known)
        [row] = release.support([known]).to_pylist() if "scurvy" not in known else [{"at_most": 0, "at_least": 0}]
        assert found.possible == row["at_most"], known
        assert found.certain <= row["at_most"]
        assert found.within_guarantee
        assert found.possible == 0 or found.possible >= 3


def test_noise_moves_beliefs_by_its_factor_only_and_nothing_is_looked_for_in_it():
    for before, low, high in beliefs(DifferentialPrivacy("0.5")):
        assert low < before < high
        assert high / (1 - high) == pytest.approx(1.6487212707 * before / (1 - before))
    with pytest.raises(InvalidParameter, match="made up from noisy counts"):
        findings(Sealed(NoisyRecords, DifferentialPrivacy(1)), "tea")
