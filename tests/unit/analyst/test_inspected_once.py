"""What a release holds has been inspected and is not checked again; what nobody has inspected is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import disjoin
from disjoin.analyst import as_clusters, index, mine, support
from disjoin.verify import check
from disjoin.verify import checking as certificate

RECORDS = [["tea", "milk"]] * 6 + [["tea"]] * 6 + [["tea", "pills"], ["milk", "honey"], ["honey"]]
CHECKS = ((index, "require_form"), (index, "require_once"), (as_clusters, "require_sound_groups"))


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    done: Counter[str] = Counter()

    def counted(module: object, name: str) -> None:
        real = getattr(module, name)

        def function(*given: object) -> None:
            done[name] += 1
            real(*given)

        monkeypatch.setattr(module, name, function)

    for module, name in CHECKS:
        counted(module, name)
    return done


def test_clusters_of_a_release_are_not_checked_again(checks: Counter[str]) -> None:
    release = disjoin.disassociate(RECORDS, k=3, m=2)
    asked, mined = support(release, [["tea", "milk"]]), mine(release, 5)
    assert not checks
    assert support(release.published, [["tea", "milk"]]).equals(asked)
    assert mine(release.published, 5).equals(mined)
    assert checks == {"require_form": 2, "require_once": 4}


def test_groups_of_a_release_are_not_checked_again(checks: Counter[str]) -> None:
    release = disjoin.cahd(RECORDS, p=3, sensitive=["pills"])
    asked = support(release, [["tea", "pills"]])
    assert not checks
    assert support(release.published, [["tea", "pills"]]).equals(asked)
    assert checks == {"require_form": 1, "require_once": 2, "require_sound_groups": 1}


def test_which_clusters_are_joint_is_found_out_once() -> None:
    published = disjoin.disassociate(RECORDS, k=3, m=2).published
    assert published.is_joint is published.is_joint
    assert not published.is_joint.flags.writeable


def test_a_loaded_release_answers_without_being_inspected_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    disjoin.disassociate(RECORDS, k=3, m=2).write(tmp_path / "release")
    inspections: list[object] = []

    def counted(*given: Any, **more: Any) -> Any:
        inspections.append(given)
        return check(*given, **more)

    monkeypatch.setattr(certificate, "check", counted)
    release = disjoin.load(tmp_path / "release")
    assert len(inspections) == 1
    first = release.support([["tea", "milk"]])
    desk = index.desk_of(release)
    assert release.support([["tea", "milk"]]).equals(first)
    release.mine(5), release.pairs(), release.reconstruct()
    assert index.desk_of(release) is desk
    assert len(inspections) == 1
