"""Rows that are starred: what others lose by recount, promises that hold with the stars, and who may be told."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.forms.registry import FORMS
from disjoin.methods.generalization import ALGORITHMS
from disjoin.methods.generalization.draft import formed_classes, generalise
from disjoin.methods.generalization.encoding import encoded
from disjoin.methods.generalization.local_search import priced, scale_of
from disjoin.methods.generalization.requirements import roles_of
from disjoin.methods.generalization.suppression import floor_share, losses_by_row, span_losses_without
from disjoin.model import Hierarchy, KAnonymity, Table
from disjoin.model.intervals import interval_from
from disjoin.verify.table.inspection import judge
from helpers import recodings
from helpers.hypothesis_profile import examples
from oracle import generalization as demanded
from oracle import local_search as slow

STRANGERS = {"age": [*map(str, range(30, 46)), "88", "60", "19", "5"], "ill": ["flu", "cold"] * 10}


def classes_in(table: Table, quasi: tuple[str, ...]) -> dict[tuple[str, ...], list[int]]:
    rows = zip(*(table.column(name).to_pylist() for name in quasi), strict=True)
    found: dict[tuple[str, ...], list[int]] = {}
    for row, values in enumerate(rows):
        found.setdefault(values, []).append(row)
    return found


@given(recodings.problems(most_rows=20), st.sampled_from(list(ALGORITHMS)), st.sampled_from(["1/3", "1/2", "9/10"]))
@examples(30)
def test_what_is_starred_keeps_the_promise_and_the_limit(problem, algorithm, share):
    table = recodings.table_of(problem)
    settings = recodings.settings_of(problem, algorithm, suppress=share)
    try:
        draft = generalise(settings, table, Local(), lambda *_: None)
    except GuaranteeUnreachable:
        return  # the algorithm alone leaves too many rows at the roots
    published = draft.published.table
    starred = 0
    for values, rows in classes_in(published, draft.published.quasi).items():
        assert demanded.satisfies(problem_with(problem, published), rows), "the starred rows are a class like any other"
        starred += len(rows) * (set(values) == {"*"})
    assert starred <= floor_share(Fraction(share), len(table))
    assert judge(published, settings.claim(draft), table).holds


def problem_with(problem, published):
    """The problem with the secrets in the order of the published rows."""
    from dataclasses import replace

    columns = [published.column(name).to_pylist() for name in published.schema.names if name.startswith("s")]
    return replace(problem, secrets=tuple(zip(*columns, strict=True)))


@given(recodings.problems(most_rows=14, asked=[{}]))
@examples(30)
def test_losses_with_and_without_a_row_are_what_a_recount_finds(problem):
    table = recodings.table_of(problem)
    rows = encoded(table, roles_of(table))
    work, settings = priced(rows), recodings.settings_of(problem, "local-search")
    found = formed_classes(rows, settings, Local(), lambda *_: None)
    original = [problem.rows[i] for i in rows.rows.tolist()]
    scale, of_row = scale_of(rows), found.class_of_row
    whole, without = span_losses_without(work, of_row)
    for row in range(len(rows)):
        mates = [original[i] for i in np.flatnonzero(of_row == of_row[row]).tolist()]
        others = [original[i] for i in np.flatnonzero(of_row == of_row[row]).tolist() if i != row]
        assert whole[row] == slow.loss_of(problem.trees, mates) * scale == losses_by_row(rows, work, found)[row]
        assert without[row] == slow.loss_of(problem.trees, others) * scale


def test_rows_far_from_all_others_are_starred_and_counted(tmp_path):
    release = disjoin.generalize(STRANGERS, 2, "age", sensitive="ill", l=2, suppress="1/5")
    ages = release.published.table.column("age").to_pylist()
    assert ages.count("*") == 4
    assert max(ages) == "[44, 45]"
    assert "At most 1 in 5 of the rows are suppressed" in release.guarantee.sentence()
    path = release.write(tmp_path / "release")
    assert disjoin.load(path).guarantee == release.guarantee
    assert "T12" in disjoin.verify(path, original=STRANGERS).checked
    assert "4 rows (20%); the others keep" in (path / "README.md").read_text()
    assert "the others keep" in (path / "report.html").read_text()


@pytest.mark.parametrize("algorithm", list(ALGORITHMS))
@pytest.mark.parametrize(
    "asked", [{}, {"l": 2}, {"t": "0.2"}, {"beta": "0.6"}, {"alpha": "0.6"}], ids=lambda asked: "-".join(asked) or "k"
)
def test_others_never_lose_more_than_without_stars(algorithm, asked):
    given = {"sensitive": "ill", "algorithm": algorithm, **asked}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, starred = (
            disjoin.generalize(STRANGERS, 2, "age", **given, **more) for more in ({}, {"suppress": "0.3"})
        )
    widths = [[width_of(age) for age in one.published.table.column("age").to_pylist()] for one in (plain, starred)]
    others = [width for width in widths[1] if width is not None]
    assert 14 <= len(others) <= 20
    assert sum(others) / len(others) <= sum(widths[0]) / 20


def width_of(age: str) -> Fraction | None:
    ends = interval_from(age)
    return None if ends is None else ends[1] - ends[0]


def test_without_the_option_nothing_is_said_of_stars():
    release = disjoin.generalize(STRANGERS, 3, "age", sensitive="ill", l=2)
    assert "starred" not in FORMS["table"].statistics(release.published, release.guarantee, {})
    assert "suppress" not in release.parameters


@pytest.mark.parametrize("wrong", ["0", "1", "-0.1", "1.5"])
def test_a_share_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidParameter, match="suppress must be above 0 and below 1"):
        disjoin.generalize(STRANGERS, 3, "age", suppress=wrong)


def test_people_are_counted_among_starred_rows():
    visits = {"patient": [str(n // 4 * 2 + n % 2) for n in range(20)], **STRANGERS}
    release = disjoin.generalize(visits, 2, "age", sensitive="ill", l=2, person="patient", suppress="0.4")
    assert disjoin.verify(release, original=visits).holds


STARS = Table.from_columns({"age": ["*", "[20, 29]", "[20, 29]"], "ill": ["flu", "flu", "cold"]})
ORIGINAL = Table.from_columns({"age": ["88", "21", "29", "30"], "ill": ["flu", "flu", "cold", "flu"]})


def test_too_many_stars_break_t12():
    stars = Table.from_columns({"age": ["*", "[20, 29]", "[20, 29]", "[30, 39]", "[30, 39]"]})
    verdict = judge(stars, KAnonymity(2, "age", suppress="0.19"))
    assert {"T3", "T12"} == {violation.invariant for violation in verdict.violations}
    assert verdict.facts["starred"] == 1


def test_rows_at_what_includes_all_values_count_as_suppressed():
    """P14: a node above all leaves but the root, and the interval around all numbers, are `*` by another name."""
    hull = Table.from_columns({"age": ["[20, 39]"] * 2 + ["[20, 29]"] * 2 + ["[30, 39]"] * 2})
    verdict = judge(hull, KAnonymity(2, "age", suppress="0.2"))
    assert ({violation.invariant for violation in verdict.violations}, verdict.facts["starred"]) == ({"T12"}, 2)
    assert judge(hull, KAnonymity(2, "age", suppress="1/3")).holds
    tree = Hierarchy.from_rows([["a", "ab", "any", "*"], ["b", "ab", "any", "*"], ["c", "c", "any", "*"]])
    names = Table.from_columns({"city": ["any"] * 2 + ["ab"] * 2 + ["c"] * 2}).with_hierarchies({"city": tree})
    verdict = judge(names, KAnonymity(2, "city", suppress="0.2"))
    assert ({violation.invariant for violation in verdict.violations}, verdict.facts["starred"]) == ({"T12"}, 2)


def test_methods_count_them_as_suppressed_too():
    """P14: a release states how many rows have nothing but what includes all values, and T12 agrees."""
    tree = Hierarchy.from_rows([[name, "any", "*"] for name in "abcd"])
    table = Table.from_columns({"city": list("aaabbbcd"), "ill": ["flu", "cold"] * 4}).with_hierarchies({"city": tree})
    with pytest.raises(GuaranteeUnreachable, match="suppresses 3 rows"):
        disjoin.generalize(table, 2, "city", sensitive="ill", suppress="0.2", algorithm="kaca")
    release = disjoin.generalize(table, 2, "city", sensitive="ill", suppress="0.4", algorithm="kaca")
    facts = FORMS["table"].statistics(release.published, release.guarantee, {})
    assert facts["starred"]["rows"] == release.verdict.facts["starred"] == 3


def test_suppressed_and_dropped_rows_are_accepted_when_told():
    guarantee = KAnonymity(2, "age")
    assert {violation.invariant for violation in judge(STARS, guarantee, ORIGINAL).violations} == {"T3", "U1"}
    told = judge(STARS, guarantee, ORIGINAL, dropped=1, starred=True)
    assert told.holds
    assert told.facts["starred"] == 1
    assert {violation.invariant for violation in judge(STARS, guarantee, ORIGINAL, starred=True).violations} == {"U1"}


def test_a_class_is_named_by_its_row_among_all():
    table = Table.from_columns({"age": ["*", "30", "30", "41"]})
    (found,) = judge(table, KAnonymity(2, "age"), starred=True).violations
    assert found.place == "the class of row 3"
