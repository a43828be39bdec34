"""How much one task of Spark takes at once."""

from __future__ import annotations

from dataclasses import dataclass

ONE_TASK = 4_000_000  # records that a task can hold
MOST_TOP = 1_024


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much one task takes at once; releases are the same for any numbers."""

    shard_records: int = ONE_TASK
    shard_items: int = 40_000_000
    block_records: int = 200_000  # of trees that are cut, built or inspected together
    top: int = 128  # terms that records are described by
    further: int = 8_192  # terms whose counts are bounded one by one
    driver_items: int = 100_000_000  # terms in all records up to which the driver joins clusters: 2 GB, if all are rare

    def top_in(self, number: int, records: int) -> int:
        """Return by how many terms parts with up to that many records are described, in round 1, 2, ...

        They are twice as many in every round, as what is open after one is a long row of splits, each of few records.
        Where one task could not hold the records, it may not hold longer descriptions of them either.

        >>> [Sizes(300).top_in(number, 80_000) for number in (1, 2, 9)], Sizes().top_in(9, 10_000_000)
        ([128, 256, 1024], 128)
        """
        return max(self.top, min(self.top << min(number - 1, 10), MOST_TOP)) if records < ONE_TASK else self.top
