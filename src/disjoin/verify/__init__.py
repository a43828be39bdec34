"""The inspector: judges published data by what it says, knowing nothing of how it was made."""

from disjoin.verify.checking import (
    Blocks,
    BlockVerdict,
    certify,
    certify_in_blocks,
    check,
    extent_in_parts,
    judge,
    with_free_promises,
)

__all__ = [
    "BlockVerdict",
    "Blocks",
    "certify",
    "certify_in_blocks",
    "check",
    "extent_in_parts",
    "judge",
    "with_free_promises",
]
