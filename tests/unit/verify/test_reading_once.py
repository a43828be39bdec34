"""A folder is read once and inspected once, however much is asked of it; what was read is what is judged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.model import KmAnonymity
from disjoin.release import reader
from disjoin.verify import checking
from helpers.tampering import edit

RECORDS = [["tea", "milk"]] * 6 + [["tea"]] * 6 + [["tea", "honey"], ["milk", "honey"], ["honey"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "baskets.csv").write_text("".join(f"{','.join(record)}\n" for record in RECORDS))
    return disjoin.disassociate(RECORDS, k=3, m=2).write(tmp_path / "release")


@pytest.fixture
def work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often tables and descriptor are read, and how often the inspector is asked."""
    done: Counter[str] = Counter()

    def counted(module: object, name: str, what: str) -> None:
        real = getattr(module, name)

        def function(*given: object) -> object:
            done[what] += 1
            return real(*given)

        monkeypatch.setattr(module, name, function)

    counted(reader, "read_descriptor", "descriptor")
    counted(reader, "mismatches", "tables")
    counted(checking, "_parts", "inspection")
    return done


ONCE = {"descriptor": 1, "tables": 1, "inspection": 1}


@pytest.mark.parametrize("original", [None, RECORDS], ids=["alone", "with the original"])
def test_python_reads_and_inspects_a_folder_once(folder: Path, work: Counter[str], original: object) -> None:
    assert disjoin.verify(folder, original=original).holds
    assert work == ONCE


@pytest.mark.parametrize(
    "options", [[], ["--original", "baskets.csv"], ["-k", "3"], ["--original", "baskets.csv", "-k", "3", "--exact"]]
)
def test_the_command_reads_and_inspects_a_folder_once(
    folder: Path, work: Counter[str], monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.chdir(folder.parent)
    assert run(["verify", "release", *options, "-q"]) == 0
    assert work == ONCE


def test_a_beginning_of_sensitive_terms_is_looked_up_in_what_was_read(folder: Path, work: Counter[str]) -> None:
    run(["verify", str(folder), "--sensitive", "hon*", "-q"])
    assert (work["descriptor"], work["tables"]) == (1, 1)


def test_what_does_not_hold_by_itself_is_not_inspected_again(folder: Path, work: Counter[str]) -> None:
    edit(folder, lambda package: package["disjoin"]["guarantee"].update(k=50))
    verdict = disjoin.verify(folder)
    assert not verdict.holds
    assert verdict.facts["why_not_compared"] == "the release does not satisfy its own guarantee"
    assert work == ONCE


def test_the_texts_are_compared_although_another_promise_is_required(folder: Path, work: Counter[str]) -> None:
    """What the folder states is then another question than what is required, so the inspector is asked both."""
    (folder / "README.md").write_text("Bob likes honey.\n")
    verdict = disjoin.verify(folder, guarantee=KmAnonymity(2, 2))
    assert {violation.place for violation in verdict.violations} == {"README.md"}
    assert work == {"descriptor": 1, "tables": 1, "inspection": 2}


def test_the_texts_are_compared_although_the_original_is_another(folder: Path, work: Counter[str]) -> None:
    """The tables alone keep their promise, and only the texts of such a release can be made again."""
    verdict = disjoin.verify(folder, original=[*RECORDS, ["tea"]])
    assert "O1" in {violation.invariant for violation in verdict.violations}
    assert verdict.facts.get("texts_compared", True)
    assert work == {"descriptor": 1, "tables": 1, "inspection": 2}


def test_a_release_in_memory_is_not_read_at_all(work: Counter[str]) -> None:
    release = disjoin.disassociate(RECORDS, k=3, m=2)
    work.clear()
    assert disjoin.verify(release, original=RECORDS).holds
    assert work == {"inspection": 1}
