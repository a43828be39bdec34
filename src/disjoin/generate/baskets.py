"""Shopping baskets with named articles: readable synthetic transactions."""

from __future__ import annotations

import csv
import io
from bisect import bisect
from itertools import accumulate
from pathlib import Path
from random import Random

from disjoin.atomic import whole_file
from disjoin.generate import packaged_rows
from disjoin.model.parameters import require_integer

Shelves = tuple[tuple[str, float, tuple[str, ...]], ...]
_ROWS = packaged_rows("supermarket.csv")


def _shelves(kind: str) -> Shelves:
    rows = [row for row in _ROWS if row["kind"] == kind]
    return tuple((row["name"], float(row["weight"]), tuple(row["articles"].split(", "))) for row in rows)


DEPARTMENTS = _shelves("department")  # weights of departments for random picks
THEMES = _shelves("theme")  # articles that are bought together, with weights
REVEALING = _shelves("revealing")  # rare articles that reveal something about a person, and their companions
REVEALING_DEPARTMENT = "health and beauty"
PARTS = {row["name"]: row["part"] for row in _ROWS if row["kind"] == "department"}  # part of the supermarket
# Kind of trip: weight, least and most articles intended, probability of each further theme.
TRIPS = ((0.25, 1, 3, 0.15), (0.45, 2, 9, 0.45), (0.30, 5, 24, 0.75))
THEME_SHARE = 0.45  # share of a theme that is bought
REVEALING_SHARE = 0.02  # share of baskets with a revealing article
COMPANION_SHARE = 0.35  # share of these with a companion


class _Choice:
    """Draws entries by weight with `Random.random` only, whose numbers are the same in all Python versions."""

    def __init__(self, entries: list[tuple[float, tuple[str, ...]]]) -> None:
        self.values = [value for _, value in entries]
        self.cumulative = list(accumulate(weight for weight, _ in entries))

    def draw(self, random: Random) -> tuple[str, ...]:
        return self.values[bisect(self.cumulative, random.random() * self.cumulative[-1])]


def articles() -> list[str]:
    """Return the names of all articles, sorted.

    >>> "pregnancy test" in articles()
    True
    """
    return sorted({article for _, _, names in DEPARTMENTS for article in names} | {name for name, _, _ in REVEALING})


def baskets(records: int, seed: int) -> list[list[str]]:
    """Return baskets, none empty, no article twice in one. The same seed gives the same baskets on every machine, and a
    larger number begins with the smaller one. Articles have a long tail; 1 in 50 baskets has a revealing article."""
    require_integer("records", records, 0, "it is the number of baskets to generate.")
    random = Random(int(seed))
    shelves = _Choice(
        [(weight / (rank + 2), (name,)) for _, weight, names in DEPARTMENTS for rank, name in enumerate(names)]
    )
    themes = _Choice([(weight, names) for _, weight, names in THEMES])
    revealing = _Choice([(weight, (name, *beside)) for name, weight, beside in REVEALING])
    return [_basket(random, shelves, themes, revealing) for _ in range(records)]


def write_baskets(records: int, seed: int, path: str | Path, hierarchy: str | Path | None = None) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(baskets(records, seed))
    with whole_file(Path(path)) as file:
        file.write(text.getvalue().encode())
    if hierarchy is not None:
        write_departments(hierarchy)


def write_departments(path: str | Path) -> None:
    with whole_file(Path(path)) as file:
        file.write("".join(f"{';'.join(row)}\n" for row in departments()).encode())


def departments() -> list[tuple[str, str, str, str]]:
    """Return article, department, part of the supermarket and the root `*`, for every article, sorted.

    >>> departments()[0]
    ('alcohol-free beer', 'drinks', 'other food', '*')
    """
    shelves = [(article, name) for name, _, names in DEPARTMENTS for article in names]
    shelves += [(article, REVEALING_DEPARTMENT) for article, _, _ in REVEALING]
    return sorted((article, department, PARTS[department], "*") for article, department in shelves)


def _basket(random: Random, shelves: _Choice, themes: _Choice, revealing: _Choice) -> list[str]:
    shares = list(accumulate(share for share, *_ in TRIPS))
    least, most, more = TRIPS[bisect(shares, random.random() * shares[-1])][1:]
    size = least + int((random.random() + random.random()) / 2 * (most - least + 1))
    basket: dict[str, None] = {}
    if random.random() < REVEALING_SHARE:
        article, *beside = revealing.draw(random)
        basket[article] = None
        basket |= dict.fromkeys(name for name in beside if random.random() < COMPANION_SHARE)
    while len(basket) < size and random.random() < more:
        basket |= dict.fromkeys(name for name in themes.draw(random) if random.random() < THEME_SHARE)
    while len(basket) < size:
        basket[shelves.draw(random)[0]] = None
    return list(basket)
