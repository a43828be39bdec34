"""`python -m fuzz_files.worker SEED FIRST`: rounds without end, a line before and a line after each."""

from __future__ import annotations

import sys
import tempfile
import traceback
from pathlib import Path

from disjoin.parquet import untrusted
from fuzz_files.rounds import Rounds
from helpers.forked_readers import ForkedReaders

ONE_IN = 200  # one round in that many has its own process, as the program does it


def main(seed: int, first: int) -> None:
    usual, waiting = untrusted.ended, ForkedReaders()
    with tempfile.TemporaryDirectory() as place:
        rounds, number = Rounds(Path(place), seed), first
        while True:
            untrusted.ended = usual if number % ONE_IN == 0 or not ForkedReaders.is_possible else waiting.ended
            say("begin", number, rounds.name_of(number))
            try:
                word = rounds.play(number)
            except Exception:
                word = "FOUND " + " | ".join(traceback.format_exc().splitlines()[-6:])
            say("end", number, word)
            number += 1


def say(*words: object) -> None:
    sys.stdout.write("\t".join(map(str, words)).replace("\n", " ") + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
