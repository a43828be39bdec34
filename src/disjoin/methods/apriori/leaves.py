"""What a run needs before it begins: enough records, and a leaf in the hierarchy for every term."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.model import Hierarchy, Transactions
from disjoin.model.hierarchy_builders import fan_out_hierarchy


def require_records(k: int, data: Transactions) -> None:
    """Raise unless there are k records: even a record of the root alone must have k candidates."""
    n = len(data)
    if n < k:
        remedy = f"Add records, or lower k to {n} or less." if n >= 2 else "Add records."
        raise GuaranteeUnreachable(
            f"{'1 record cannot hide' if n == 1 else f'{n} records cannot hide one another'} in crowds of {k}. {remedy}"
        )


def hierarchy_for(data: Transactions, given: Hierarchy | None, fan_out: int) -> Hierarchy:
    """Return the hierarchy given, which must have a leaf for every term that occurs, or build one over these terms."""
    there = data.vocabulary.take(pa.array(np.flatnonzero(data.supports()))).to_pylist()
    if given is None:
        return fan_out_hierarchy(there, fan_out)
    leaves = {*given.names.slice(0, given.n_leaves).to_pylist()}
    lost = [term for term in there if term not in leaves]
    if lost:
        found = "1 term has none, in" if len(lost) == 1 else f"{len(lost):,} terms have none, one of them in"
        item = data.vocabulary.index(lost[0]).as_py()
        record = int(np.searchsorted(data.offsets, np.flatnonzero(data.items == item)[0], side="right")) - 1
        raise InvalidParameter(
            f"every term needs a leaf in the hierarchy, and {found} record {record:,} (from 0). "
            "Add a row for each: the term, what it generalises to, and so on to the root."
        )
    return given
