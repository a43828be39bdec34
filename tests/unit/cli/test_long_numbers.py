"""P12: numbers that Python or decimal arithmetic does not take end in one sentence and exit code 2, never in 70."""

from __future__ import annotations

import json

import pytest

import disjoin
from disjoin.cli.main import run

LONG = "9" * 5000
ROWS = [(20 + n % 7, "abc"[n % 3]) for n in range(40)]


@pytest.fixture
def table(tmp_path):
    def written(first: str, ill: str = "a") -> str:
        rows = [(first, ill), *ROWS]
        (tmp_path / "t.csv").write_text("age,ill\n" + "".join(f"{age},{ill}\n" for age, ill in rows))
        return str(tmp_path / "t.csv")

    return written


def ended(capfd, *arguments):
    code = run([*map(str, arguments)])
    return code, capfd.readouterr().err.splitlines()[-1]


def test_a_number_of_5000_digits_among_numbers_is_refused(capfd, table, tmp_path):
    code, error = ended(
        capfd, "generalize", table(LONG), "-k", 2, "--quasi", "age", "--others", "ill", "-o", tmp_path / "r"
    )
    assert code == 2
    assert "its values must be all numbers or all words" in error
    assert len(error) < 400


def test_it_is_a_word_to_the_verifier(capfd, table):
    code = run(["verify", "--published", table(LONG, LONG), "--quasi", "age", "--sensitive", "ill", "-k", "2"])
    assert code == 3
    ordered = ("--t", "0.5", "--t-distance", "ordered", "--sensitive", "ill")
    code, error = ended(capfd, "verify", "--published", table("20", LONG), "--quasi", "age", "-k", 2, *ordered)
    assert (code, "some values of 'ill' are not numbers" in error) == (2, True)


@pytest.mark.parametrize("delta", ["1000", "50.01", LONG])
def test_a_delta_that_is_no_limit_is_refused(capfd, table, tmp_path, delta):
    for start in (("generalize", table("20"), "-o", tmp_path / "r"), ("verify", "--published", table("20"))):
        code, error = ended(capfd, *start, "-k", 2, "--quasi", "age", "--sensitive", "ill", "--delta", delta)
        assert code == 2
        assert "delta must be" in error


def test_a_large_delta_in_a_release_is_refused(capfd, tmp_path):
    columns = {"age": [str(20 + n % 3) for n in range(30)], "ill": ["ab"[n // 3 % 2] for n in range(30)]}
    path = disjoin.generalize(columns, 2, "age", sensitive="ill", delta=2).write(tmp_path / "r") / "datapackage.json"
    for wrong in ("1000", LONG, 1000):
        path.write_text(
            json.dumps(json.loads(path.read_text())).replace('"delta": "2"', f'"delta": {json.dumps(wrong)}')
        )
        code, error = ended(capfd, "verify", tmp_path / "r")
        assert code == 2
        assert "datapackage.json" in error
        path.write_text(path.read_text().replace(f'"delta": {json.dumps(wrong)}', '"delta": "2"'))


def test_a_plan_with_a_long_number_is_refused(capfd, tmp_path):
    (tmp_path / "plan.toml").write_text(f"k = {LONG}\n")
    code, error = ended(capfd, "run", tmp_path / "plan.toml")
    assert (code, "a plan must be a valid TOML file" in error) == (2, True)
