"""Bounds and estimates for the supports of itemsets, from the published form alone (section A.8)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.analyst.index import Desk, Sets, desk_of
from disjoin.analyst.supports_asked import itemsets_from
from disjoin.kernels.estimating import STACK_ROWS, examine
from disjoin.kernels.together import WORK_ROWS
from disjoin.model import Groups, NoisyRecords, Release
from disjoin.model.arrays import Ints64, offsets_of

SCHEMA = pa.schema(
    [
        ("itemset", pa.list_(pa.string())),
        ("lower", pa.int64()),
        ("sharp_lower", pa.int64()),
        ("estimate", pa.float64()),
        ("upper", pa.int64()),
    ]
)


def support(source: Release | Sets | Desk, itemsets: object, *, rare: str = "once") -> pa.Table:
    """Return lower bound, sharp lower bound, estimate and upper bound of the support of each itemset.

    Rows are in the order asked; terms in an itemset are sorted and repeats dropped. The true support lies between the
    bounds. The estimate is the mean over independent, uniform placement of all parts; `rare` is what it takes a term
    of a term chunk for: in one record of the cluster (`once`) or in k/2 (`half`). An unknown term is in no record,
    the empty itemset in all. For groups, supports of ordinary items alone and of single sensitive items are exact, and
    nothing is certain beyond the sharp lower bound: both lower bounds are the same.

    Generalised records are asked for published names, whose supports are exact, for terms, or for both; a name that is
    neither is an error. A term counts as any of those that are published as it is, all equally likely. Supports in
    noisy records are estimates, and nothing is certain: the lower bounds are 0, and there is no upper bound (null).

    >>> from disjoin.model import Clusters
    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2]]}], "term_chunk": ["milk"]}
    >>> support(Clusters.from_nested([leaf]), ["tea", ["tea", "milk"]]).to_pylist()[1]
    {'itemset': ['milk', 'tea'], 'lower': 0, 'sharp_lower': 0, 'estimate': 0.6666666666666666, 'upper': 2}
    """
    desk = desk_of(source)
    once = desk.once(rare)
    asked = itemsets_from(itemsets)
    looked_up = [(itemset, 1.0) if desk.names is None else desk.names.looked_up(itemset) for itemset in asked]
    numbers = desk.numbers
    terms = np.array([numbers.get(term, -1) for itemset, _ in looked_up for term in itemset], dtype=np.int64)
    bounds, estimates = examined(desk, offsets_of([len(itemset) for itemset, _ in looked_up]), terms, once)
    if desk.form == Groups.form:
        bounds[:, 0] = bounds[:, 1]
    divisors = np.array([divisor for _, divisor in looked_up], dtype=np.float64)
    bounds[divisors > 1, :2] = 0
    return table_of(desk, asked, bounds, estimates / divisors)


def examined(desk: Desk, offsets: Ints64, terms: Ints64, once: float) -> tuple[Ints64, NDArray[np.float64]]:
    """Return (itemsets, 3) lower, sharp lower and upper bounds, and estimates, of itemsets of distinct term numbers."""
    sizes = np.diff(offsets)
    longest, levels = int(sizes.max(initial=1)), desk.depth + 2
    # A term may be met on every level of a mixed tree, and the last level is listed twice.
    work = np.zeros((WORK_ROWS, longest * (levels + 1)), dtype=np.int64)
    stack = np.zeros((STACK_ROWS, levels), dtype=np.int64)
    bounds, estimates = examine(offsets, terms, desk.index, once, work, stack, np.zeros(levels))
    bounds[sizes == 0] = desk.published.n_records
    estimates[sizes == 0] = desk.published.n_records
    return bounds, estimates


def table_of(desk: Desk, itemsets: list[list[str]], bounds: Ints64, estimates: NDArray[np.float64]) -> pa.Table:
    """Return the table of itemsets with what is known of their supports; of noisy records nothing is for certain."""
    is_noisy = desk.form == NoisyRecords.form
    lower = np.zeros_like(bounds) if is_noisy else bounds
    upper = pa.nulls(len(bounds), pa.int64()) if is_noisy else bounds[:, 2]
    columns = [pa.array(itemsets, SCHEMA.field("itemset").type), lower[:, 0], lower[:, 1], estimates, upper]
    return pa.table([pa.array(column) for column in columns], schema=SCHEMA)
