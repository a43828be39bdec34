"""Somebody knows values of a row: all rows that can hold them are candidates, and the true one is among them."""

from __future__ import annotations

import itertools

import pytest

import disjoin
from disjoin.attack.known_terms import candidates
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter

PEOPLE = {
    "age": [f"{20 + n * 7 % 23}" for n in range(40)],
    "postcode": [f"10{1 + n % 3}1{n % 4}" for n in range(40)],
    "ill": [("flu", "cold", "asthma")[n % 3] for n in range(40)],
}


@pytest.fixture(scope="module")
def release():
    trees = {"postcode": disjoin.hierarchy.build(PEOPLE, "postcode", mask=True)}
    return disjoin.generalize(PEOPLE, quasi=["age", "postcode"], sensitive=["ill"], k=4, l=2, hierarchies=trees)


def test_everybody_is_among_at_least_k_candidates_by_whatever_is_known(release):
    rows = list(zip(*PEOPLE.values(), strict=True))
    for row, columns in itertools.product(rows, (("age",), ("postcode",), ("age", "postcode"))):
        known = {name: value for name, value in zip(PEOPLE, row, strict=True) if name in columns}
        found = candidates(release, [f"{name}={value}" for name, value in known.items()])
        alike = sum(all(PEOPLE[name][n] == value for name, value in known.items()) for n in range(40))
        assert found.certain <= alike <= found.possible
        assert found.possible >= 4 and found.is_kept and found.within_guarantee
        assert sum(chance for _, chance in found.learned) == pytest.approx(1)


def test_what_is_known_roughly_is_an_interval_or_a_name_of_the_hierarchy(release):
    assert candidates(release, ["age=0..99", "postcode=*"]).certain == 40
    near = candidates(release, ["postcode=1011*"])
    assert near.certain <= sum(code.startswith("1011") for code in PEOPLE["postcode"]) <= near.possible
    nobody = candidates(release, ["age=80"])
    assert nobody.possible == 0
    assert nobody.sentence() == "Known: age=80. No record of this release can have it."


@pytest.mark.parametrize("known", ["flu", "height=180", "postcode=99"])
def test_what_is_no_value_of_a_column_is_one_sentence(release, known):
    with pytest.raises(InvalidParameter, match=r"expected a known value per column|is no value of"):
        candidates(release, [known])


def test_a_sensitive_column_is_beyond_the_promise(release):
    assert "does not cover" in candidates(release, ["age=20..50", "ill=flu"]).verdict


def test_the_command_says_the_same(release, tmp_path, capsys):
    folder = release.write(tmp_path / "release")
    assert run(["attack", str(folder), "--known", "age=27,postcode=10110"]) == 0
    assert candidates(release, ["age=27", "postcode=10110"]).sentence() in capsys.readouterr().out
