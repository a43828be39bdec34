"""What the data owner learns of the cost of generalising and of noise."""

from __future__ import annotations

from pathlib import Path

import pytest

from disjoin.cli.main import run
from disjoin.engine import Local
from disjoin.forms.noisy.facts import TEXTS
from disjoin.forms.registry import FORMS
from disjoin.methods.apriori import Apriori
from disjoin.methods.diffpart import DiffPart, NoNoise
from disjoin.model import Hierarchy, Transactions

# The example of docs/methods/apriori.md.
FOOD = [["beer", "drinks"], ["wine", "drinks"], ["bread", "bakery"], ["bun", "bakery"]]
TREE = Hierarchy.from_rows([[*row, "*"] for row in FOOD])
BASKETS = [["beer", "bread", "bun"], ["wine", "bread"], ["wine", "bread", "bun"], ["beer", "wine", "bun"]]


def words_of(method, records=BASKETS):
    draft = method.publish(Transactions.from_sets(records), Local(1))
    return FORMS[draft.published.form].eyes_only(draft.published, draft.private)


def test_generalising_tells_its_penalty_and_how_many_terms_it_took():
    [words] = words_of(Apriori(k=2, m=2, hierarchy=TREE))
    assert words.startswith("Generalised: 2 of the terms that occur. Information loss (NCP): 0.227,")
    [words] = words_of(Apriori(k=2, m=2, hierarchy=TREE), [["beer"]] * 2)
    assert words.startswith("No term that occurs is generalised. Information loss (NCP): 0.000,")


def test_noise_tells_what_was_looked_into_spent_and_outside_the_domain():
    words = words_of(DiffPart(epsilon=2, noise=NoNoise(), domain=["bread", "beer"], prune=0, keep=0))
    assert words == ["Parts examined: 1. Epsilon spent along a path: 2."]
    words = words_of(DiffPart(noise=NoNoise(), domain=["wine"], prune=0, keep=0))
    assert words[1:] == ["Records without any term of the domain, which are left out: 1."]


def test_where_noise_left_nothing_it_says_what_would_help(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert words_of(DiffPart(domain="seen", noise=NoNoise(), keep=100))[0] == TEXTS["nothing left"]
    pytest.importorskip("opendp", reason="the extra dp is not installed")
    source = tmp_path / "baskets.csv"
    source.write_text("beer,bread\nwine\n")
    given = ["--domain", "beer,bread", "--keep", "1000"]
    assert run(["diffpart", str(source), *given, "-o", str(tmp_path / "release")]) == 0
    assert TEXTS["nothing left"] in " ".join(capfd.readouterr().out.split())
