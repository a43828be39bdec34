"""V6 and V7: leaves are large enough, and their chunks can hide one another's gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from disjoin.model import KmAnonymity
from disjoin.verify.finding import Finding
from disjoin.verify.forest import Forest
from disjoin.verify.overlap import Domains, sums_by_row


def check_least_sizes(forest: Forest, guarantee: KmAnonymity, has_sensitive: NDArray[np.bool_]) -> list[Finding]:
    """V6: every leaf has at least k records, and at least l if it has a sensitive term."""
    least = np.where(has_sensitive, guarantee.least_size, guarantee.k)
    return [
        Finding("V6", f"its size is {forest.sizes[node]}, at least {least[node]} is needed.", int(node))
        for node in np.flatnonzero(forest.is_leaf & (forest.sizes < least))
    ]


def check_counts(forest: Forest, domains: Domains, guarantee: KmAnonymity) -> tuple[list[Finding], dict[str, Any]]:
    """V7 (Lemma 2): a leaf has a term chunk, or N >= s + k(h-1) subrecords with h = max(1, min(m, chunks)).

    The facts are the least slack N - s - k(h-1) over the leaves without a term chunk (None if there are none): with
    a slack of 0 the lemma fails as soon as one record of the leaf is known in full.
    """
    bare = np.flatnonzero(forest.is_leaf & (np.diff(forest.term_offsets) == 0))
    subrecords = sums_by_row(forest.chunk_offsets, domains.chunk_sizes)[bare]
    spread = np.maximum(1, np.minimum(guarantee.m, np.diff(forest.chunk_offsets)[bare]))
    slack = subrecords - forest.sizes[bare] - guarantee.k * (spread - 1)
    findings = [
        Finding(
            "V7",
            f"no term chunk, and {n} subrecords where {n - missing} are needed.",
            int(node),
        )
        for node, n, missing in zip(bare[slack < 0], subrecords[slack < 0], slack[slack < 0], strict=True)
    ]
    least = int(slack.min()) if slack.size else None
    return findings, {"leaves_without_term_chunk": int(bare.size), "least_slack": least}
