"""A small release of every form, and what a change to one of its files may come to."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import disjoin
from disjoin.engine import Local
from disjoin.methods.cahd import Cahd
from disjoin.methods.diffpart import DiffPart
from disjoin.model import DifferentialPrivacy, Hierarchy
from disjoin.pipeline import publish
from disjoin.readers.read import as_transactions
from disjoin.release.descriptor import DESCRIPTOR
from disjoin.verify import certify
from helpers.item_releases import rumours
from helpers.tampering import rehash

BASKETS = [[f"item {number % 5}", "bread"] + ["pills"] * (number % 6 == 0) for number in range(30)] + [
    ["test", "bread"]
]
PANTRY = [["tea", "jam"], ["coffee"], ["milk", "bread"], ["tea", "bread"], ["coffee", "jam"], ["honey", "bread"]] * 3
TREE = [["tea", "drink", "*"], ["coffee", "drink", "*"], ["milk", "drink", "*"], ["jam", "sweet", "*"]]
TREE += [["honey", "sweet", "*"], ["bread", "*"], ["mustard", "*"]]


def write_releases(place: Path) -> dict[str, Path]:
    """Write a release of every form, and return them by form."""
    joined = [[f"group {g}", *more] for g in range(4) for more in ([], [], [], ["rare"], ["rare"], ["seldom"])]
    ages = [
        {"age": str(20 + number % 7), "city": "Bonn" if number % 2 else "Köln", "ill": ("flu", "cold")[number % 2]}
        for number in range(24)
    ]
    cities = Hierarchy.from_rows([["Bonn", "NRW", "*"], ["Köln", "NRW", "*"], ["Ulm", "BW", "*"]])
    made = {
        "clusters": disjoin.disassociate(joined, k=3, m=2, max_cluster_size=9),
        "groups": publish(as_transactions(BASKETS), Cahd(p=4, sensitive=("pills", "test")), Local(1)).release,
        "table": disjoin.generalize(
            ages, k=3, quasi=("age", "city"), sensitive=("ill",), l=2, hierarchies={"city": cities}
        ),
        "items": disjoin.generalize_items(PANTRY, k=3, m=2, hierarchy=Hierarchy.from_rows(TREE)),
    }
    made["noisy"] = certify(
        rumours(),
        DifferentialPrivacy(1),
        method="diffpart",
        parameters=DiffPart(domain=("jam", "milk", "tea")).parameters(),
    )
    return {form: release.write(place / form) for form, release in made.items()}


def try_out(whole: Path, copy: Path, name: str, change: Callable[[bytes], bytes], *, sign: bool) -> str:
    """Change a file of a copy, verify the copy, and say in a word what came of it; raise if that must not be."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(whole, copy)
    before = (copy / name).read_bytes()
    after = change(before)
    if after == before:
        return "same"
    (copy / name).write_bytes(after)
    if sign and name != DESCRIPTOR:
        rehash(copy, name)
        text = json.loads((copy / DESCRIPTOR).read_text())
        (copy / DESCRIPTOR).write_text(json.dumps(text, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    verdict = disjoin.verify(copy)
    if not verdict.holds:
        return "does not hold"
    if verdict.facts.get("texts_compared") is False:
        if not sign and name != DESCRIPTOR:
            raise AssertionError("a change that was not signed is accepted")
        return "said that texts were not compared"
    if name == DESCRIPTOR or not sign:
        raise AssertionError("a change that was not signed is accepted")
    if not name.endswith(".parquet") and "hierarch" not in name:
        raise AssertionError("a change in a text is accepted")
    return "another release"  # which keeps its promise, byte for byte as the writer writes it
