"""What can happen to the bytes of a file."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

ODD = (
    b"\0",
    b"\xff",
    b"\r",
    b"\n",
    b'"',
    b",",
    b";",
    b"\t",
    b"\xed\xa0\x80",
    b"\x7f",
    b"{",
    b"[",
    b"-1",
    b"9" * 30,
    b"=",
)


def flipped(data: bytes, random: Random) -> bytes:
    """Change one to three bytes."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 3)):
        changed[random.randrange(len(data))] ^= random.choice((1 << random.randrange(8), random.randint(1, 255)))
    return bytes(changed)


def cut(data: bytes, random: Random) -> bytes:
    """Lose the end, or a piece of the middle."""
    first = random.randrange(len(data))
    return data[:first] + (b"" if random.random() < 0.5 else data[random.randint(first, len(data)) :])


def longer(data: bytes, random: Random) -> bytes:
    """Put something odd, or a piece of the file itself, somewhere."""
    place, first = random.randint(0, len(data)), random.randrange(len(data))
    more = random.choice(ODD) if random.random() < 0.7 else data[first : first + random.randint(1, 40)]
    return data[:place] + more + data[place:]


def swapped(data: bytes, random: Random) -> bytes:
    """Let two pieces change their places."""
    a, b, c, d = sorted(random.randint(0, len(data)) for _ in range(4))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def overwritten(data: bytes, random: Random) -> bytes:
    """Write something odd over what was there."""
    place, odd = random.randrange(len(data)), random.choice(ODD)
    return data[:place] + odd + data[place + len(odd) :]


KINDS: tuple[Callable[[bytes, Random], bytes], ...] = (flipped, flipped, flipped, cut, longer, swapped, overwritten)


def mutated(data: bytes, random: Random) -> bytes:
    """Return the bytes, changed in one way or, now and then, in several."""
    changed = random.choice(KINDS)(data, random)
    return mutated(changed, random) if changed and random.random() < 0.2 else changed
