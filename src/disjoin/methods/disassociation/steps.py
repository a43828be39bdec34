"""How many steps publishing may take: counted, so that what is refused does not depend on the machine."""

from __future__ import annotations

import numpy as np

from disjoin.errors import GuaranteeUnreachable
from disjoin.model.arrays import Ints64

USED, MOST = 0, 1  # of a pair of numbers: steps that were taken or must be, and how many are allowed
BREATH = 50_000_000  # steps between two returns to Python, which hears Ctrl-C there
MOST_STEPS = 10_000_000_000  # about half a minute
STEPS_PER_OCCURRENCE = 1_000  # much data may take long


def new_steps(occurrences: int) -> Ints64:
    """Return a count of steps for the work on that many occurrences of terms: none taken yet."""
    return np.array([0, max(MOST_STEPS, STEPS_PER_OCCURRENCE * occurrences)])


def require_end(steps: Ints64, size: int) -> None:
    """Raise if the work on sets of up to `size` terms was given up because it takes too many steps."""
    if steps[USED] > steps[MOST]:
        raise GuaranteeUnreachable(
            f"the records are too long for m = {size}: to test all their sets of up to {size} terms takes more than "
            f"{steps[MOST]:,} steps. Choose m below {size}, or leave terms out of the longest records."
        )
