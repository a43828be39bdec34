"""A child process that misbehaves as readers of damaged files can: `python -m helpers.misbehaving_child`."""

import os
import signal
import sys
import time

from disjoin.parquet import untrusted_child
from disjoin.parquet.untrusted_child import READY, SOUND, WORD


def main(memory, seconds, how):
    if how == "mute":
        return 1
    untrusted_child._limit(int(memory), int(seconds))
    untrusted_child._say(READY)
    if how.startswith("SIG"):
        os.kill(os.getpid(), getattr(signal, how))
    if how == "hangs":
        time.sleep(600)
    if how == "spins":
        while True:
            pass
    if how == "grows":
        try:
            return len(bytearray(int(memory) + (4 << 30)))
        except MemoryError:
            return untrusted_child.TOO_LARGE
    if how != "wordless":
        untrusted_child._say(WORD)
    return 0 if how == "leaves early" else SOUND


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
