"""Reads a file and finds its most frequent itemsets: what `benchmarks.bench analyst` times.

python -m benchmarks.top_itemsets FILE
"""

from __future__ import annotations

import sys

import disjoin
from disjoin.analyst.top_itemsets import rows_of, top_itemsets

TOP = 1000

data = disjoin.read(sys.argv[1])
found = top_itemsets(rows_of(data), TOP)
print(f"{data!r}: {len(found):,} itemsets, the last in {found.supports[-1]:,} records; {found.cut:,} ties cut")
