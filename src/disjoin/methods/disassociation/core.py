"""The k^m core of the records: which they are, and how they are published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.km_core import core_of
from disjoin.methods.disassociation.leaves import Leaves
from disjoin.methods.disassociation.single_chunk_leaf import whole_leaf
from disjoin.methods.disassociation.vertical import secret_terms
from disjoin.model import Transactions
from disjoin.model.arrays import Ints32
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation


def core_and_rest(
    data: Transactions, method: Disassociation, engine: Engine, progress: Progress
) -> tuple[Ints32, Ints32]:
    """Return the records of the core and the others, both ascending.

    Sensitive terms do not count, as they are published in term chunks only. So a record of sensitive terms alone is in
    the core: no set of ordinary terms is in it that could be rare.
    """
    progress("peeling", 0, 0)
    inside = core_of(data.offsets, data.items, ~secret_terms(data), method.k, method.m, engine.map)
    progress("peeling", 1, 1)
    return np.flatnonzero(inside).astype(np.int32), np.flatnonzero(~inside).astype(np.int32)


def core_leaf(data: Transactions, records: Ints32) -> Leaves:
    """Publish the core: its records without their sensitive terms are one chunk, as nothing in it is too rare.

    VERPART would come to the same chunk, after counting everything again.
    """
    return whole_leaf(data.offsets, data.items, records, secret_terms(data))
