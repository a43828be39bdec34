"""A child that behaves as the reading of a damaged file can: `python -m rough_child MEMORY SECONDS HOW`."""

import os
import signal
import sys
import time

from disjoin.files import first_look_child
from disjoin.files.first_look_child import READY, SOUND, WORD


def main(memory, seconds, how):
    if how == "mute":
        return 1
    first_look_child._limit(int(memory), int(seconds))
    first_look_child._say(READY)
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
            return first_look_child.TOO_LARGE
    if how != "wordless":
        first_look_child._say(WORD)
    return 0 if how == "leaves early" else SOUND


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
