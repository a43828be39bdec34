"""Covers, slack, and promises that come for free: against slow twins, attackers and all possible originals."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, pairwise
from random import Random

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import disjoin
from disjoin.advise import publisher_of
from disjoin.attack.elimination import elimination
from disjoin.attack.sure_inference import sure_inference
from disjoin.engine import Local
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.clustering import Task
from disjoin.methods.disassociation.horpart import Partition
from disjoin.methods.disassociation.packing import cut_into_chunks
from disjoin.methods.disassociation.resistance import resisting
from disjoin.model import Clusters, KmAnonymity, Transactions
from disjoin.progress import silent
from disjoin.verify import check, with_stronger_guarantees
from disjoin.verify.clusters.resistance import MOST_KNOWN
from helpers.hypothesis_profile import examples
from oracle.burglar import breaks_by_known_records, sure, worlds_of
from oracle.covers import divided, unresisted
from unit.verify.forests import seeded, strong_forest

LIMITS = [Fraction(1), Fraction(1), Fraction(4, 5), Fraction(1, 2)]
seeds = st.integers(0, 2**32 - 1)


def crowd(random, most=45):
    """Records of few kinds with some noise, so that terms go together, and some always do."""
    letters = "abcdefghij"[: random.randint(3, 10)]
    kinds = [random.sample(letters, random.randint(1, min(5, len(letters)))) for _ in range(random.randint(2, 8))]
    records = []
    for _ in range(random.randint(8, most)):
        record = set(random.choice(kinds)) ^ {letter for letter in letters if random.random() < 0.08}
        records.append(sorted(record or {letters[0]}))
    return records


def settings_of(random):
    k, slack = random.choice([2, 2, 3]), random.choice([0, 1, 2])
    limit = random.choice([*LIMITS, None])
    clustering = random.choice(["horpart", "core", "core-horpart", "bounded"])
    sizes = {"max_cluster_size": 2 * (k + slack) + 1} if clustering == "horpart" else {}
    exposed = {"max_exposed": "0.2"} if clustering == "bounded" and random.random() < 0.3 else {}
    m = random.choice([1, 2]) if exposed else random.choice([1, 2, 2, 3])
    return {"k": k, "m": m, "slack": slack, "cover_aware": limit, "clustering": clustering, **sizes, **exposed}


@given(seeds)
@examples(120)
def test_whatever_resists_is_accepted_and_the_attackers_find_nothing(seed):
    random = Random(seed)
    records, settings = crowd(random), settings_of(random)
    assume(len(records) >= settings["k"] + settings["slack"])
    method = Disassociation(**settings)
    data = Transactions.from_sets(records)
    draft = publisher_of(method)(data, Local(1))
    claimed = method.claim(draft)
    verdict = check(draft.published, claimed, original=data, part_of_record=draft.part_of_record)
    assert verdict.holds, verdict.violations
    assert ("V13" in verdict.checked, "V14" in verdict.checked) == (method.cover_aware is not None, method.slack > 0)
    about = {"cover": claimed.cover_aware, "slack": claimed.slack}
    assert unresisted(draft.published.to_nested(), claimed.k, claimed.m, **about) == set()
    if method.slack:
        assert elimination(draft.published, method.slack, k=claimed.k, m=claimed.m).failing == 0
    if method.cover_aware is not None:
        assert sure_inference(draft.published, data, known=claimed.m).concerned == 0
    shuffled = [random.sample(record, len(record)) for record in random.sample(records, len(records))]
    assert publisher_of(method)(Transactions.from_sets(shuffled), Local(3)).published == draft.published


@given(seeds, st.sampled_from([limit for limit in LIMITS if limit]), st.integers(1, 3))
@examples(90)
def test_chunks_are_divided_as_those_of_the_twin(seed, limit, m):
    records = crowd(Random(seed), most=30)
    method = Disassociation(k=2, m=m, cover_aware=limit)
    data = Transactions.from_sets(records)
    everyone = Partition(np.arange(len(records), dtype=np.int32), np.array([len(records)]))
    task = Task(method, data, Local(1), silent)
    leaves = cut_into_chunks(task, everyone)
    names = data.vocabulary.to_pylist()
    before = _domains(leaves, names)
    after = resisting(task, everyone, leaves, m)
    wanted = divided(records, before, 2, m, limit)
    if wanted != _domains(after, names):  # Lemma 2 took the least frequent term out of its chunk
        (last,) = (names[i] for i in after.term_items)
        assert {part - {last} for part in wanted} - {frozenset()} == _domains(after, names)


def _domains(leaves, names):
    at = leaves.item_offsets[leaves.subrecord_offsets]
    return {frozenset(names[i] for i in leaves.items[a:b]) for a, b in pairwise(at)}


@given(seeds, st.integers(1, 2), st.booleans())
@examples(60)
def test_no_possible_original_makes_known_terms_tell_another(seed, m, joins):
    random = Random(seed)
    records = [sorted(random.sample("abcd", random.randint(1, 3))) for _ in range(random.randint(4, 6))]
    size = 3 if joins else len(records) + 1
    method = Disassociation(k=2, m=m, cover_aware=1, max_cluster_size=size)
    data = Transactions.from_sets(records)
    worlds = worlds_of(publisher_of(method)(data, Local(1)).published.to_nested())
    for record in records:
        for n in range(1, m + 1):
            for known in combinations(record, n):
                assert sure(worlds, frozenset(known)) == frozenset()


@given(seeds, st.integers(1, 2), st.integers(1, 2))
@examples(40)
def test_whoever_is_known_a_crowd_is_left(seed, m, slack):
    random = Random(seed)
    records = [sorted(random.sample("abc", random.randint(1, 2))) for _ in range(random.randint(2 + slack, 6))]
    method = Disassociation(k=2, m=m, slack=slack, max_cluster_size=len(records) + 1, refine=False)
    for tree in publisher_of(method)(Transactions.from_sets(records), Local(1)).published.to_nested():
        [worlds] = worlds_of([tree])
        assert not any(breaks_by_known_records(worlds, 2, m, known) for known in range(1, slack + 1))


@given(
    seeded(lambda random: strong_forest(random, random.randint(2, 3))),
    st.integers(1, 3),
    st.sampled_from([None, *LIMITS]),
    st.integers(0, 2),
    st.lists(st.sampled_from([(2, 4), (3, 1), (3, 4), (4, 2)]), max_size=2),
)
@examples(150)
def test_the_inspector_agrees_with_the_twin(trees, m, limit, slack, also):
    guarantee = KmAnonymity(2, m, slack=slack, cover_aware=limit, also=tuple(also))
    verdict = check(Clusters.from_nested(trees), guarantee)
    found = {violation.invariant for violation in verdict.violations} & {"V13", "V14", "V15"}
    assert found == unresisted(trees, 2, m, cover=limit, slack=slack, also=guarantee.also)


@given(seeds)
@examples(60)
def test_what_is_promised_besides_holds_and_no_more_would(seed):
    random = Random(seed)
    records, settings = crowd(random, most=30), settings_of(random)
    assume(len(records) >= settings["k"] + settings["slack"])
    method = Disassociation(**settings)
    data = Transactions.from_sets(records)
    draft = publisher_of(method)(data, Local(1))
    guarantee = with_stronger_guarantees(draft.published, method.claim(draft))
    assert isinstance(guarantee, KmAnonymity)
    trees = draft.published.to_nested()
    assert unresisted(trees, guarantee.k, guarantee.m, also=guarantee.also) == set()
    most_k = max([k for k, m in guarantee.also if m == guarantee.m], default=guarantee.k)
    most_m = max([m for k, m in guarantee.also if k == guarantee.k], default=guarantee.m)
    assert unresisted(trees, guarantee.k, guarantee.m, also=[(most_k + 1, guarantee.m)]) == {"V15"}
    assert most_m == MOST_KNOWN or unresisted(trees, guarantee.k, guarantee.m, also=[(guarantee.k, most_m + 1)]) == {
        "V15"
    }
    assert check(draft.published, guarantee, original=data, part_of_record=draft.part_of_record).holds


def test_a_release_of_short_records_made_for_two_terms_promises_ten(tmp_path):
    visits = [["flu"], ["flu", "cough"], ["cough"]] * 8
    release = disjoin.disassociate(visits, k=4, m=2, clustering="core")
    assert release.guarantee.also == ((4, 10), (8, 2))
    assert "hold for up to 10 terms and 4 candidates" in release.guarantee.sentence()
    folder = release.write(tmp_path / "r")
    assert "up to 10 terms" in (folder / "README.md").read_text()
    verdict = disjoin.verify(folder, original=visits)
    assert verdict.holds
    assert "V15" in verdict.checked


def test_a_promise_besides_that_the_tables_break_is_refused(tmp_path):
    visits = [["flu"], ["flu", "cough"], ["cough"]] * 8
    folder = disjoin.disassociate(visits, k=4, m=2, clustering="core").write(tmp_path / "r")
    described = json.loads((folder / "datapackage.json").read_text())
    described["disjoin"]["guarantee"]["also"] = [{"k": 9, "m": 2}]
    (folder / "datapackage.json").write_text(json.dumps(described))
    assert {violation.invariant for violation in disjoin.verify(folder).violations} >= {"V15"}
