"""No published term belongs to fewer people than asked, by any method, on random data; the twins agree."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import DisjoinError
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.min_people import kept_of
from disjoin.model import Hierarchy, MixedRecords, Table, Transactions
from disjoin.model.parameters import MinPeople
from disjoin.verify.min_people import _kept_terms
from helpers.hypothesis_profile import examples
from oracle import min_people as oracle

LEAVES = "abcdef"
ROWS = [("a", "ab", "low", "*"), ("b", "ab", "low", "*"), ("c", "cd", "low", "*"), ("d", "cd", "low", "*")]
ROWS += [("e", "e2", "high", "*"), ("f", "f2", "high", "*")]
TREE = Hierarchy.from_rows(ROWS)
PARENTS = {child: parent for row in ROWS for child, parent in pairwise(row)}
# Terms of the tree, one of its categories, one that it does not have, and the word that replaces rare ones.
term_sets = st.frozensets(st.sampled_from([*LEAVES, "ab", "zz", "other"]), min_size=1, max_size=4)
people = st.lists(term_sets, min_size=4, max_size=14)
ways = st.sampled_from(["leave-out", "category", "other"])


@examples(300)
@given(people, st.integers(2, 5), ways)
def test_method_and_verifier_replace_what_the_oracle_replaces(has, least, rare):
    wanted = oracle.replaced(has, oracle.labels(has, least, rare, PARENTS))
    data = Transactions.from_sets(has)
    tree = TREE if rare == "category" else None
    theirs = _kept_terms(data.with_hierarchy(tree), MinPeople(least, rare))
    assert theirs.to_sets() == wanted
    if any(wanted):
        kept = kept_of(Disassociation(k=2, min_people=least, rare=rare, hierarchy=tree), data)
        assert kept.data.to_sets() == [each for each in wanted if each]
        assert kept.rows.tolist() == [place for place, each in enumerate(wanted) if each]
    counts = Counter(label for each in wanted for label in each)
    assert all(count >= least for count in counts.values())  # the oracle keeps the promise itself


def released(method, has, least, rare):
    """Publish by a method; None if it says that it cannot."""
    tree = {"hierarchy": TREE} if rare == "category" else {}
    asked = {"min_people": least, "rare": rare}
    sexes = ["fm"[place % 2] for place in range(len(has))]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if method == "disassociate":
                return disjoin.disassociate(has, 2, 2, **asked, **tree)
            if method == "cahd":
                return disjoin.cahd(has, ["f"], 2, allow_missing_sensitive=True, **asked, **tree)
            if method == "mixed":
                data = MixedRecords.from_people({"sex": sexes}, has)
                return disjoin.mixed(data, 2, 2, quasi=["sex"], **asked, **tree)
            return disjoin.generalize_items(has, 2, 2, **asked)
    except (disjoin.InvalidParameter, disjoin.GuaranteeUnreachable):
        return None


def names_in(release):
    """Return every term that a release names, categories of generalised items aside."""
    published = release.published
    return set((published.terms if release.method == "apriori" else published.vocabulary).to_pylist())


@pytest.mark.parametrize("method", ["disassociate", "cahd", "mixed", "generalize_items"])
@examples(60)
@given(has=people, least=st.integers(2, 5), rare=ways, seed=st.randoms(use_true_random=False))
def test_no_method_publishes_a_term_of_too_few_people(method, has, least, rare, seed):
    rare = "other" if method == "generalize_items" and rare == "category" else rare
    release = released(method, has, least, rare)
    if release is None:
        return
    wanted = oracle.replaced(has, oracle.labels(has, least, rare, PARENTS))
    counts = Counter(label for each in wanted for label in each)
    assert names_in(release) == set(counts)
    assert {"H1", "H2"} <= set(release.verdict.checked)
    assert release.guarantee.min_people == MinPeople(least, rare)
    if method != "mixed":  # whose columns go by place here
        shuffled = has[:]
        seed.shuffle(shuffled)
        assert released(method, shuffled, least, rare).published == release.published


columns = st.lists(
    st.tuples(st.sampled_from("12345678"), st.sampled_from("xyzabc"), st.sampled_from(["1", "2", "3", "4", "4 ", "5"])),
    min_size=4,
    max_size=16,
)


@examples(100)
@given(columns, st.integers(2, 4), st.sampled_from(["leave-out", "category", "other"]), st.booleans())
def test_no_value_of_another_column_belongs_to_too_few_people(rows, least, rare, by_person):
    """Spellings of an id are one person; a cell is *, a category or the word other."""
    ids, values, ages = ([row[place] for row in rows] for place in (2, 1, 0))
    table = Table.from_columns({"id": ids, "value": values, "age": ages}).with_hierarchies(
        {"value": TREE} if rare == "category" else {}
    )
    who = {"person": "id", "similar_ids": "merge"} if by_person else {"identifiers": "id", "one_row_per_person": True}
    try:
        release = disjoin.generalize(table, 2, "age", others="value", min_people=least, rare=rare, **who)
    except (disjoin.InvalidParameter, disjoin.GuaranteeUnreachable):
        return
    names = [each.strip() for each in ids] if by_person else list(range(len(rows)))
    has = [
        frozenset(value for value, mine in zip(values, names, strict=True) if mine == name)
        for name in dict.fromkeys(names)
    ]
    becomes = oracle.labels(has, least, rare, PARENTS)
    assert Counter(release.published.table.column("value").to_pylist()) == Counter(
        becomes[value] or "*" for value in values
    )


def test_ids_and_order_of_the_input_do_not_shape_a_release(tmp_path):
    rows = [(person, term) for person in range(60) for term in {f"t{person % 5}", f"t{person % 7}", f"r{person // 4}"}]
    folders = []
    for name, key in (("one", str), ("other", lambda person: f"id{97 * person % 101}")):
        mixed_up = rows[:]
        random.Random(name).shuffle(mixed_up)
        file = tmp_path / f"{name}.csv"
        file.write_text("id,term\n" + "".join(f"{key(person)},{term}\n" for person, term in mixed_up))
        release = disjoin.disassociate(disjoin.read(file), 3, 2, min_people=6)
        folder = (
            release.write(tmp_path / name) if hasattr(release, "write") else disjoin.write(release, tmp_path / name)
        )
        folders.append({each.name: each.read_bytes() for each in sorted(folder.iterdir())})
    assert folders[0] == folders[1]


def test_nothing_left_is_an_error():
    with pytest.raises(DisjoinError, match="no term belongs to at least 3 people"):
        disjoin.disassociate([{"a"}, {"b"}, {"c"}], 2, min_people=3)
