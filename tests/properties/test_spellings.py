"""Whatever is declared and however it is spelt: no release shows a spelling of a sensitive term among ordinary ones."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.cahd import Cahd
from disjoin.methods.disassociation import Disassociation
from disjoin.model import Transactions
from disjoin.model.spelling import folded
from disjoin.pipeline import publish
from disjoin.verify.source import as_read
from helpers.hypothesis_profile import examples

TERMS = ["a1", "A1", "a1 ", "\uff41\uff11", "a12", "A12", "b", "B", "c", "d", "e", "f"]
records = st.lists(st.lists(st.sampled_from(TERMS), min_size=1, max_size=4, unique=True), min_size=8, max_size=24)
declared = st.sets(st.sampled_from(["a1", "A1", "A1*", "a*", "b", "B*", "c"]), min_size=1, max_size=3)
settings = st.fixed_dictionaries({"sensitive_match": st.sampled_from(["exact", "loose", "loose"])})


def outcome(given: Any, method: Any) -> Any:
    with suppress(InvalidParameter, GuaranteeUnreachable):
        return publish(Transactions.from_sets(given), method, Local(1)).release
    return None


def in_chunks(published: Any) -> set[str]:
    return {published.vocabulary[int(item)].as_py() for item in published.items}


def meant(term: str, patterns: set[str]) -> bool:
    word = folded(term)
    return any(word.startswith(folded(p[:-1])) if p.endswith("*") else word == folded(p) for p in patterns)


@given(records, declared, settings, st.sampled_from(["horpart", "core"]), st.sampled_from([None, 2]))
@examples(120)
def test_no_chunk_has_a_spelling_of_a_sensitive_term(given, patterns, how, clustering, one_in):
    terms = tuple(patterns)
    method = Disassociation(k=2, clustering=clustering, sensitive=terms, l=one_in, allow_missing_sensitive=True, **how)
    release = outcome(given, method)
    if release is None:
        return
    assert not [term for term in in_chunks(release.published) if meant(term, patterns)]
    there = {term for record in given for term in record if meant(term, patterns)}
    assert set(release.guarantee.sensitive) == there


@given(records, declared, settings)
@examples(120)
def test_no_ordinary_item_is_a_spelling_of_a_sensitive_one(given, patterns, how):
    release = outcome(given, Cahd(p=2, sensitive=tuple(patterns), allow_missing_sensitive=True, **how))
    if release is None:
        return
    assert not [term for term in in_chunks(release.published) if meant(term, patterns)]
    for group in release.published.to_nested():
        size = sum(count for _, count in group["records"])
        words = {folded(term) for term in group["sensitive"]}
        assert all(2 * sum(n for t, n in group["sensitive"].items() if folded(t) == word) <= size for word in words)


@given(st.text(max_size=6), st.sampled_from(["lower", "upper", "title", "strip", "casefold"]))
@examples(300)
def test_the_inspector_reads_words_as_the_methods_do(text, change):
    other = getattr(text, change)()
    assert (as_read(text) == as_read(other)) == (folded(text) == folded(other))
