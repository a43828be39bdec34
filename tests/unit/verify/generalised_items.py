"""Small generalised records for the inspector's tests, and ways to spoil them."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.model import Bag, GeneralizedItems, Hierarchy
from disjoin.model.ragged import offsets_of, strings
from oracle.item_inspection import Items, Record, generalised

FOREST = {  # the names from each leaf to the root; some leaves are nearer to it than others
    "a1": ["a1", "A", "AB", "*"],
    "a2": ["a2", "A", "AB", "*"],
    "b1": ["b1", "B", "AB", "*"],
    "b2": ["b2", "B", "AB", "*"],
    "b3": ["b3", "B", "AB", "*"],
    "c": ["c", "*"],
    "d1": ["d1", "D", "*"],
    "d2": ["d2", "D", "*"],
}
CUTS = [[], ["A"], ["B"], ["D"], ["A", "B"], ["A", "D"], ["AB"], ["AB", "D"], ["A", "B", "D"], ["*"]]


def mapping_of(cut: list[str]) -> dict[str, str]:
    """Return what every leaf is published as, if these nodes stand for all that is under them."""
    return {leaf: next((name for name in path if name in cut), leaf) for leaf, path in FOREST.items()}


def published(random: Random) -> tuple[list[Record], Items, list[int]]:
    """Make records, generalise them somehow, and return where each of them is."""
    some = random.sample(sorted(FOREST), random.randint(2, 8))
    records = [
        frozenset(random.sample(some, random.randint(1, min(4, len(some))))) for _ in range(random.randint(1, 10))
    ]
    records *= random.choice([1, 1, 2, 3])
    return records, *generalised(records, mapping_of(random.choice(CUTS)), FOREST)


def bag_of(items: Items) -> Bag:
    """Return the rows as they are listed, right or wrong."""
    vocabulary = items.vocabulary()
    number = {term: position for position, term in enumerate(vocabulary)}
    return Bag(
        vocabulary=pa.array(vocabulary, pa.string()),
        offsets=offsets_of([len(terms) for terms, _ in items.rows]),
        items=np.array([number[term] for terms, _ in items.rows for term in terms], dtype=np.int32),
        counts=np.array([count for _, count in items.rows], dtype=np.int64),
    )


def noun_of(items: Items) -> GeneralizedItems:
    """Return the release as it is listed, right or wrong."""
    return GeneralizedItems(
        records=bag_of(items),
        terms=strings([term for term, _ in items.mapping]),
        images=strings([image for _, image in items.mapping]),
        hierarchy=Hierarchy.from_rows(list(items.paths.values())),
    )


def spoiled(items: Items, random: Random) -> Items:
    """Return the records with one thing changed, often for the worse."""
    changed = deepcopy(items)
    if changed.rows and changed.mapping and all(terms for terms, _ in changed.rows):  # else it is spoiled already
        random.choice(WAYS)(changed, random)
    return changed


def _count(items: Items, random: Random) -> None:
    at = random.randrange(len(items.rows))
    terms, count = items.rows[at]
    items.rows[at] = (terms, count + random.choice([-3, -1, 1]))


def _show(items: Items, random: Random) -> None:
    terms, _ = random.choice(items.rows)
    terms.append(random.choice(["a1", "A", "AB", "c", "d1", "*", "b2", "zebra"]))
    if random.random() < 0.7:
        terms.sort()


def _hide(items: Items, random: Random) -> None:
    random.choice(items.rows)[0].pop()


def _blank(items: Items, random: Random) -> None:
    random.choice(items.rows)[0].insert(0, "")


def _repeat_row(items: Items, random: Random) -> None:
    items.rows.append(deepcopy(random.choice(items.rows)))
    if random.random() < 0.5:
        items.rows.sort()


def _drop_row(items: Items, random: Random) -> None:
    items.rows.remove(random.choice(items.rows))


def _shuffle_rows(items: Items, random: Random) -> None:
    random.shuffle(items.rows)


def _shuffle_terms(items: Items, random: Random) -> None:
    random.shuffle(random.choice(items.rows)[0])


def _keep_a_term(items: Items, random: Random) -> None:
    items.extra.append(random.choice(["a1", "zebra"]))


def _reverse_vocabulary(items: Items, _: Random) -> None:
    items.is_vocabulary_reversed = True


def _remap(items: Items, random: Random) -> None:
    at = random.randrange(len(items.mapping))
    term, _ = items.mapping[at]
    image = random.choice([*FOREST.get(term, ["*"]), "A", "c", "d2", "zebra", ""])
    items.mapping[at] = (term, image)


def _forget_leaf(items: Items, random: Random) -> None:
    items.mapping.remove(random.choice(items.mapping))


def _list_a_stranger(items: Items, random: Random) -> None:
    items.mapping.append(("zebra", random.choice(["zebra", "*", "A"])))


def _list_twice(items: Items, random: Random) -> None:
    items.mapping.append((random.choice(items.mapping)[0], random.choice(["A", "*", "c"])))
    items.mapping.sort()


def _shuffle_mapping(items: Items, random: Random) -> None:
    random.shuffle(items.mapping)


WAYS: list[Any] = [way for name, way in list(globals().items()) if name.startswith("_") and callable(way)]
