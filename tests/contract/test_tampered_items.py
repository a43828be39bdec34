"""Folders of generalised and noisy records that a careful forger changed: the inspector names what is broken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from disjoin import pipeline
from disjoin.cli.main import run
from disjoin.engine import Local
from disjoin.methods.apriori import Apriori
from disjoin.model import Bag, DifferentialPrivacy, Hierarchy, NoisyRecords
from disjoin.readers.read import as_transactions
from disjoin.verify import certify
from helpers.tampering import adopt, change, edit, reverse, with_row

TREE = Hierarchy.from_rows([[leaf, leaf[0].upper(), "*"] for leaf in ("a1", "a2", "b1", "b2", "c1", "c2")])
BASKETS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"], ["c1"], ["c1"]]


@pytest.fixture
def items(tmp_path: Path) -> Path:
    """Return a folder with the records A b1, A b1 b2 (2x), A b2 and c1 (2x)."""
    method = Apriori(k=2, m=2, hierarchy=TREE)
    return pipeline.publish(as_transactions(BASKETS), method, Local()).release.write(tmp_path / "items")


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    bag = Bag.from_rows([(["milk"], 3), (["milk", "tea"], 12)])
    return certify(NoisyRecords(bag), DifferentialPrivacy(1), method="diffpart", parameters={}).write(
        tmp_path / "noisy"
    )


def found(folder: Path, **others: Any) -> set[str]:
    """Return what is broken, apart from F1: no forger gets all numbers and bytes of a folder right, but he might."""
    return {violation.invariant for violation in pipeline.verify(folder, **others).violations} - {"F1"}


def rows(folder: Path, edit_rows: Callable[[Any], Any]) -> None:
    change(folder, "records.parquet", edit_rows)


def mapping(folder: Path, edit_rows: Callable[[Any], Any]) -> None:
    change(folder, "mapping.parquet", edit_rows, published=pa.string())


def test_the_starting_point_is_sound(items: Path) -> None:
    assert pipeline.verify(items, original=BASKETS).holds


TAMPERINGS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "A1": ("a row stands for no record", lambda folder: rows(folder, with_row(0, count=0))),
    "A2": ("rows change places", lambda folder: rows(folder, reverse)),
    "A3": ("a leaf is left out", lambda folder: mapping(folder, lambda listed: listed[:-1])),
    "A4": ("half a subtree is published as its node", lambda folder: mapping(folder, with_row(5, published="C"))),
    "A5": ("a term is shown that is published as another", lambda folder: rows(folder, with_row(3, terms=["a1"]))),
    "A6": ("a row is there once", lambda folder: rows(folder, with_row(3, count=1))),
    "B1": ("a record more", lambda folder: rows(folder, with_row(3, count=3))),
    "B3": ("a term more in a row", lambda folder: rows(folder, with_row(0, terms=["A", "b1", "c1"]))),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_tampering_is_caught_by_its_invariant(name: str, items: Path) -> None:
    _, tamper = TAMPERINGS[name]
    tamper(items)
    assert name in found(items, original=BASKETS)
    assert found(items) == {broken for broken in found(items, original=BASKETS) if broken[0] == "A"}


def test_another_hierarchy_is_caught(items: Path) -> None:
    file = items / "hierarchy.csv"
    file.write_bytes(file.read_bytes().replace(b"c2;C", b"c2;B"))
    adopt(items, "hierarchy.csv", 6)
    assert found(items, original=BASKETS) == set(), "c2 is published as itself, wherever it belongs"
    file.write_bytes(file.read_bytes().replace(b"a2;A", b"a2;B"))
    adopt(items, "hierarchy.csv", 6)
    assert found(items, original=BASKETS) == {"A3"}


def test_another_original_is_caught(items: Path) -> None:
    assert found(items, original=[*BASKETS[:-1], ["c3"]]) == {"B2", "B3"}


def test_noisy_records_in_another_order_are_caught(noisy: Path) -> None:
    rows(noisy, reverse)
    assert found(noisy) == {"N2"}


def test_a_number_of_suppressed_records_in_a_noisy_release_is_caught(noisy: Path) -> None:
    edit(noisy, lambda package: package["disjoin"]["counts"].update(suppressed_records=4))
    assert found(noisy) == {"N3"}


def test_the_command_says_what_it_cannot_see(noisy: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    baskets = tmp_path / "baskets.csv"
    baskets.write_text("milk,tea\nrye\n")
    run(["verify", str(noisy), "--original", str(baskets)])
    assert "the tables cannot show it" in capfd.readouterr().out
    assert run(["verify", str(noisy), "--sensitive", "tea"]) == 2
    assert "Leave --sensitive out" in capfd.readouterr().err


def test_the_command_refuses_promises_that_generalised_records_do_not_keep(
    items: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", str(items)]) == 0
    assert run(["verify", str(items), "-k", "3"]) == 3
    assert "A6 at the release: these terms occur together in 2 records, but at least 3" in capfd.readouterr().out
    assert run(["verify", str(items), "--sensitive", "c1"]) == 3
    assert "only k and m" in capfd.readouterr().out
