"""What two sets of records share by chance, by looking at every way to deal them out."""

from __future__ import annotations

from collections import Counter
from itertools import product


def shared(left: list[int], right: list[int]) -> int:
    """Count the records that both have, as often as both have them."""
    return (Counter(left) & Counter(right)).total()


def moments(left: list[int], right: list[int]) -> tuple[float, float]:
    """Return mean and variance of what is shared, if each record falls to the left or to the right by itself."""
    every, share = [*left, *right], len(left) / (len(left) + len(right))
    mean = square = 0.0
    for sides in product((True, False), repeat=len(every)):
        chance = 1.0
        for is_left in sides:
            chance *= share if is_left else 1 - share
        dealt = [
            [record for record, side in zip(every, sides, strict=True) if side is wanted] for wanted in (True, False)
        ]
        mean += chance * shared(*dealt)
        square += chance * shared(*dealt) ** 2
    return mean, square - mean**2
