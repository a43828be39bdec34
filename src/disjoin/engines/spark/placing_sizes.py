"""How much one task of Spark takes at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much one task takes at once; releases are the same for any numbers."""

    shard_records: int = 4_000_000
    shard_items: int = 40_000_000
    block_records: int = 200_000  # of trees that are cut, built or inspected together
    top: int = 128  # terms that records are described by
    further: int = 8_192  # terms whose counts are bounded one by one
