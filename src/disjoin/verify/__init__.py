"""The verifier: checks published data without knowing how it was made."""

from disjoin.verify.checking import (
    Blocks,
    BlockVerdict,
    certify,
    certify_in_blocks,
    check,
    extent_in_parts,
    judge,
    with_stronger_guarantees,
)

__all__ = [
    "BlockVerdict",
    "Blocks",
    "certify",
    "certify_in_blocks",
    "check",
    "extent_in_parts",
    "judge",
    "with_stronger_guarantees",
]
