from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.generate import GENERATORS
from disjoin.generate.baskets import DEPARTMENTS, REVEALING, THEMES, articles, baskets, write_baskets
from disjoin.readers.hierarchies import read_hierarchy


def test_no_basket_is_empty_or_has_an_article_twice() -> None:
    made = baskets(3000, 1)
    assert len(made) == 3000
    for basket in made:
        assert basket
        assert len(set(basket)) == len(basket)
        assert set(basket) <= set(articles())


def test_the_same_seed_gives_the_same_baskets_and_another_seed_others() -> None:
    assert baskets(200, 4) == baskets(200, 4)
    assert baskets(200, 4) != baskets(200, 5)


def test_more_baskets_begin_with_the_fewer() -> None:
    assert baskets(300, 2)[:100] == baskets(100, 2)


def test_the_baskets_of_a_seed_stay_what_they_are() -> None:
    # examples and pages quote these; a change of the catalogue changes them on purpose
    assert baskets(2, 1) == [["croissants", "sugar", "cola"], ["bananas", "croissants"]]


def test_every_article_of_a_theme_is_on_a_shelf_and_on_one_only() -> None:
    shelved = Counter(name for _, _, names in DEPARTMENTS for name in names)
    assert max(shelved.values()) == 1
    assert {name for _, _, names in (*THEMES, *REVEALING) for name in names} <= shelved.keys()
    assert not {name for name, _, _ in REVEALING} & shelved.keys()


def test_few_articles_are_common_and_revealing_ones_are_rare() -> None:
    made = baskets(5000, 3)
    counts = Counter(article for basket in made for article in basket)
    revealing = {name for name, _, _ in REVEALING}
    shares = sorted(counts.values(), reverse=True)
    assert sum(shares[: len(shares) // 5]) > 0.45 * sum(shares)
    assert 0.01 < sum(bool(revealing & set(basket)) for basket in made) / len(made) < 0.03
    assert max(counts[name] for name in revealing) < min(counts[name] for name in ("milk", "bread", "coffee"))


def test_articles_of_a_theme_are_bought_together_more_than_by_chance() -> None:
    made = [set(basket) for basket in baskets(5000, 3)]

    def share(*names: str) -> float:
        return sum(basket.issuperset(names) for basket in made) / len(made)

    for one, other in (("nappies", "baby wipes"), ("charcoal", "sausages"), ("flour", "baking powder")):
        assert share(one, other) > 3 * share(one) * share(other)


def test_there_are_quick_trips_and_weekly_shops() -> None:
    sizes = [len(basket) for basket in baskets(2000, 6)]
    assert sum(size <= 3 for size in sizes) > 300
    assert sum(size >= 12 for size in sizes) > 300


def test_the_file_is_a_basket_csv(tmp_path: Path) -> None:
    write_baskets(50, 7, tmp_path / "baskets.csv")
    with (tmp_path / "baskets.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == baskets(50, 7)


def test_a_negative_number_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="records"):
        baskets(-1, 1)


@pytest.mark.parametrize("name", sorted(GENERATORS.keys() - {"stays", "visits"}))  # which have several rows per patient
def test_every_generator_on_the_list_writes_that_many_lines(name: str, tmp_path: Path) -> None:
    GENERATORS[name](25, 1, tmp_path / "made")
    header = 1 if name == "census" else 0
    assert len((tmp_path / "made").read_text().splitlines()) == 25 + header


def test_every_article_has_its_place_in_the_hierarchy(tmp_path: Path) -> None:
    assert run(["generate", "baskets", "-n", "50", "-o", f"{tmp_path}/b.csv", "--hierarchy", f"{tmp_path}/h.csv"]) == 0
    tree = read_hierarchy(tmp_path / "h.csv")
    assert tree.names.slice(0, tree.n_leaves).to_pylist() == articles()
    assert tree.height == 3


def test_a_hierarchy_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("mine")
    assert run(["generate", "baskets", "-o", f"{tmp_path}/b.csv", "--hierarchy", f"{tmp_path}/h.csv"]) == 2
    assert (tmp_path / "h.csv").read_text() == "mine"
    assert not (tmp_path / "b.csv").exists()
