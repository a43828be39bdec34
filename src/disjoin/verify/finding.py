"""One broken invariant while the inspection runs: it still knows its cluster or group as a number."""

from __future__ import annotations

from typing import NamedTuple

from disjoin.model import Violation


class Finding(NamedTuple):
    """What is broken and where; `node` and `chunk` are -1 when it concerns more than one of them.

    `part` is what a node is called where the data was published in another form than clusters.

    >>> str(Finding("V2", "7 subrecords in 5 records.", node=12, chunk=0).violation())
    'V2 at cluster 12, chunk 0: 7 subrecords in 5 records.'
    """

    invariant: str
    message: str
    node: int = -1
    chunk: int = -1  # counted inside the node, from 0
    example: tuple[str, ...] = ()
    part: str = "cluster"

    def violation(self) -> Violation:
        """Return the finding in words."""
        place = "the release" if self.node < 0 else f"{self.part} {self.node}"
        if self.chunk >= 0:
            place += f", chunk {self.chunk}"
        return Violation(self.invariant, place, self.message, self.example)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "leaf", "leaves"), counted(1200, "term")
    ('1 leaf', '1,200 terms')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
