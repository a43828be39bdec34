"""Seconds of one clustering in memory, for a file, after compiling."""

import sys
import time

from disjoin.engines.local import Local
from disjoin.files.reading import read
from disjoin.methods import Disassociation

data = read(sys.argv[1])
method = Disassociation(k=5, m=2, clustering=sys.argv[2])
found = []
for _ in range(3):
    start = time.perf_counter()
    method.publish(data, Local())
    found.append(time.perf_counter() - start)
print(sorted(found)[1])
