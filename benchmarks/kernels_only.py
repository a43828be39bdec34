"""Seconds of HORPART and VERPART alone, for a file and a number of threads, after compiling."""

import sys
import time

from disjoin.engines.local import Local
from disjoin.files.reading import read
from disjoin.methods import Disassociation

data = read(sys.argv[1])
engines = {threads: Local(threads) for threads in (1, 2)}
method = Disassociation(k=5, m=2, refine=False)
method.publish(data, engines[2])
found: dict[int, list[float]] = {1: [], 2: []}
for _ in range(int(sys.argv[2])):
    for threads, engine in engines.items():
        start = time.perf_counter()
        method.publish(data, engine)
        found[threads].append(time.perf_counter() - start)
print(*(sorted(found[threads])[len(found[threads]) // 2] for threads in (1, 2)))
