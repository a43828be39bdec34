"""What DiffPart must do as a method: releases that verify, and nothing exact about the original in them."""

import re

import pytest

import disjoin
from disjoin.engine import Local
from disjoin.methods.diffpart import DiffPart
from disjoin.model import DifferentialPrivacy, Transactions
from disjoin.pipeline import publish, write

pytest.importorskip("opendp", reason="the extra dp is not installed")

SHOPPING = [["tea", "milk"], ["tea"], ["milk", "bread"], ["tea", "bread"]] * 200 + [["secretterm"]] * 187


CATALOGUE = ("tea", "milk", "bread", "coffee")


def released(**parameters):
    method = DiffPart(**{"domain": CATALOGUE} | parameters)
    return publish(Transactions.from_sets(SHOPPING), method, Local(1)).release


def test_a_release_holds_alone_and_beside_its_original(tmp_path):
    release = released(epsilon="3/2")
    path = write(release, tmp_path / "release")
    assert disjoin.verify(path).holds  # also against itself: made again from its tables it has the same bytes
    assert disjoin.verify(path, original=SHOPPING).holds
    loaded = disjoin.load(path)
    assert loaded.published == release.published
    assert loaded.guarantee == DifferentialPrivacy("3/2", "given")
    assert loaded.parameters == DiffPart(epsilon="3/2", domain=CATALOGUE).parameters()
    assert loaded.suppressed_records == 0


def test_a_release_of_terms_seen_is_written_whole_and_verified_by_nobody(tmp_path):
    path = write(released(domain="seen"), tmp_path / "release")
    for original in (None, SHOPPING):
        verdict = disjoin.verify(path, original=original)
        assert [violation.invariant for violation in verdict.violations] == ["N4"]  # made again it has the same bytes
    assert disjoin.load(path).guarantee == DifferentialPrivacy(1, "seen")


@pytest.mark.parametrize("records", [[], [["outside"]], [[]]], ids=["none", "outside the domain", "blank"])
def test_a_release_is_made_whether_there_is_a_record_or_not(records, tmp_path):
    path = write(disjoin.diffpart(records, domain=CATALOGUE, keep=1000), tmp_path / "release")
    assert disjoin.verify(path).holds


def test_a_release_without_records_is_a_release_and_tells_nothing_exact_about_the_original(tmp_path):
    path = write(released(keep=1000, domain="seen"), tmp_path / "release")  # no noise stands out a thousand deviations
    assert disjoin.load(path).published.n_records == 0
    for file in path.iterdir():
        content = file.read_bytes()
        assert not re.search(b"secretterm|bread", content), file.name
        if file.suffix in {".json", ".md"}:
            assert not re.search(rb"(?<!\w)987(?!\w)", content), file.name  # the number of records


def test_two_runs_are_two_releases():
    counts = {tuple(released(epsilon="1/10", domain=("tea", "milk")).published.records.rows()) for _ in range(5)}
    assert len(counts) > 1  # five equal ones have a chance far below a millionth
