"""Plant one violation of each of V13 to V15 in a sound release: it is found where it is promised, and only there."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Verdict
from disjoin.verify import check
from oracle.covers import unresisted
from oracle.inspection import canonical
from unit.verify.forests import joint, leaf

Tree = dict[str, Any]
SURE = {"cover_aware": Fraction(1)}


def sound() -> list[Tree]:
    """A joint of two leaves that share s, and a leaf of its own; k = m = 2, no covers, and one record may be known."""
    first = leaf(8, [{"ab": 3, "a": 1, "b": 1}, {"c": 5}], "t")
    second = leaf(5, [{"d": 4}, {"e": 4}])
    alone = leaf(6, [{"fg": 3, "g": 1, "f": 1}], "hv")
    return canonical([joint([first, second], [{"s": 3}]), alone])


def with_leaf(*leaves: Tree) -> list[Tree]:
    return canonical([*sound(), *leaves])


PLANTED = [
    (with_leaf(leaf(9, [{"xy": 3, "y": 4}], "w")), SURE, "V13"),  # x tells y
    (with_leaf(leaf(9, [{"x": 3}, {"y": 9}], "w")), SURE, "V13"),  # everybody has y
    (with_leaf(leaf(14, [{"xyz": 2, "xy": 2, "yz": 2, "xz": 2, "x": 1, "y": 1, "z": 1}], "w")), SURE, None),
    (with_leaf(leaf(14, [{"xyz": 4, "yz": 2, "xz": 2, "x": 1, "y": 1, "z": 1}], "w")), SURE, "V13"),  # x and y tell z
    (with_leaf(leaf(9, [{"xy": 4, "x": 1, "y": 1}], "w")), SURE, None),
    (with_leaf(leaf(9, [{"xy": 4, "x": 1, "y": 1}], "w")), {"cover_aware": Fraction(4, 5)}, "V13"),  # 4 of 5
    (with_leaf(joint([leaf(4, [], "u"), leaf(4, [], "w")], [{"xy": 3, "y": 2}])), SURE, "V13"),
    (with_leaf(joint([leaf(4, [], "u"), leaf(4, [], "w")], [{"x": 8}])), SURE, "V13"),
    (with_leaf(leaf(9, [{"x": 2}], "w")), {"slack": 1}, "V14"),
    (with_leaf(leaf(2, [], "w")), {"slack": 1}, "V14"),
    (with_leaf(leaf(6, [{"x": 4}, {"y": 4}])), {"slack": 1}, "V14"),  # enough for k = 2, and none to spare
    (with_leaf(leaf(6, [{"x": 5}, {"y": 4}])), {"slack": 1}, None),
    (sound(), {"also": ((3, 2),)}, None),
    (sound(), {"also": ((4, 2),)}, "V15"),
    (with_leaf(leaf(9, [{"xyz": 1, "xy": 2, "yz": 2, "xz": 2}], "w")), {"also": ((2, 3),)}, "V15"),
]


def inspect(trees: list[Tree], **guarantee: Any) -> Verdict:
    return check(Clusters.from_nested(trees), KmAnonymity(2, 2, **guarantee))


@pytest.mark.parametrize(("trees", "guarantee", "expected"), PLANTED)
def test_a_planted_violation_is_found_where_it_is_promised(
    trees: list[Tree], guarantee: dict[str, Any], expected: str | None
) -> None:
    wanted = {expected} - {None}
    asked = {"cover" if name == "cover_aware" else name: value for name, value in guarantee.items()}
    assert unresisted(trees, 2, 2, **asked) == wanted
    assert {violation.invariant for violation in inspect(trees, **guarantee).violations} == wanted
    assert inspect(trees).holds


def test_what_is_checked_is_what_is_promised() -> None:
    usual = tuple(f"V{number}" for number in range(1, 13))
    assert inspect(sound()).checked == usual
    guaranteed = inspect(sound(), cover_aware=1, slack=1, also=((3, 2),))
    assert guaranteed.holds
    assert guaranteed.checked == (*usual, "V13", "V14", "V15")


def test_a_cover_names_the_terms_with_the_one_that_is_told_last() -> None:
    trees = with_leaf(leaf(14, [{"xyz": 4, "yz": 2, "xz": 2, "x": 1, "y": 1, "z": 1}], "w"))
    (violation,) = inspect(trees, **SURE).violations
    assert violation.example == ("x", "y", "z")
    assert "4 of 4" in violation.message


@pytest.mark.parametrize("limit", [0, -1, 1.01, "one", "1/3000000"])
def test_a_limit_that_is_none_is_refused(limit: object) -> None:
    with pytest.raises(InvalidParameter, match="cover_aware"):
        KmAnonymity(2, 2, cover_aware=limit)  # type: ignore[arg-type]


def test_a_promise_is_the_same_after_a_round_trip() -> None:
    guarantee = KmAnonymity(5, 2, slack=1, cover_aware=Fraction(4, 5), also=((5, 10), (7, 2)))
    assert KmAnonymity.from_json(guarantee.to_json()) == guarantee
    assert "one whole record of others" in guarantee.sentence()
    assert "confidence of 0.8" in guarantee.sentence()
    with pytest.raises(InvalidParameter, match="also"):
        KmAnonymity.from_json({**guarantee.to_json(), "also": [7]})
