"""The original's records in the release's numbers, and what can be asked of them whatever form was published."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import category, normalize

import numpy as np
import pyarrow as pa

from disjoin.model import Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.chunks import SHOWN
from disjoin.verify.inspection import Finding


def as_read(text: str) -> str:
    """Return a word as it is read, whatever its spelling; invisible letters are not.

    >>> as_read("B20 ") == as_read("b20"), as_read("B20") == as_read("B21")
    (True, False)
    """
    seen = "".join(filter(lambda letter: category(letter) != "Cf", text))
    return normalize("NFKC", normalize("NFKC", seen).casefold()).strip()


def is_among(names: pa.StringArray, wanted: tuple[str, ...]) -> Flags:
    """Tell for every name whether it is a spelling of one that is wanted."""
    words = {as_read(name) for name in wanted}
    if not words:
        return np.zeros(len(names), dtype=np.bool_)
    return np.fromiter((as_read(name) in words for name in names.to_pylist()), np.bool_, len(names))


def words_of(texts: Iterable[str]) -> Ints64:
    """Return the number of the word that each text is a spelling of: its first spelling here.

    >>> words_of(["B20", "I10", "b20"]).tolist()
    [0, 1, 0]
    """
    first: dict[str, int] = {}
    return np.array([first.setdefault(as_read(text), place) for place, text in enumerate(texts)], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Source:
    """Original records in the release's numbers."""

    offsets: Ints64  # (records + 1,)
    terms: Ints32  # (occurrences,) numbers in the original's vocabulary
    items: Ints32  # (occurrences,) published numbers, -1 if not published; the others ascend in every record
    names: pa.StringArray  # the original's vocabulary
    numbers: Ints32  # (terms of the original,) the published number of each
    leaves: Ints64 | None  # (records,) the leaf or group of each record, -1 for a suppressed one
    suppressed: int

    @classmethod
    def of(cls, data: Transactions, names: pa.StringArray, leaves: Ints64 | None, suppressed: int) -> Source:
        """Match the terms by their text; `names` are those of the release, ascending."""
        import pyarrow.compute as pc

        found = pc.index_in(data.vocabulary, value_set=names).fill_null(-1)
        numbers = np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int32)
        terms, known = data.items, numbers[numbers >= 0]
        if not (known[1:] > known[:-1]).all():  # a vocabulary that is not in code-point order
            rows = np.repeat(np.arange(len(data)), np.diff(data.offsets))
            terms = terms[np.lexsort((numbers[terms], rows))]
        is_same = bool((numbers == np.arange(numbers.size)).all())  # then they need no room of their own
        items = terms if is_same else numbers[terms]
        return cls(data.offsets, terms, items, data.vocabulary, numbers, leaves, suppressed)

    def __len__(self) -> int:
        return self.offsets.size - 1

    def published_terms(self) -> Ints32:
        """Return the terms of all occurrences but those of records that are known to be suppressed."""
        if self.leaves is None or (self.leaves >= 0).all():
            return self.terms
        return self.terms[np.repeat(self.leaves >= 0, np.diff(self.offsets))]


def follow_map(source: Source, expected: Ints64, invariant: str, part: str) -> tuple[list[Finding], bool]:
    """Check that the map sends every record to a part or to nowhere (-1), as many to each as `expected`.

    Also tell whether the map can be followed at all.
    """
    parts = source.leaves
    assert parts is not None, "asked for only with a map"
    if parts.shape != (len(source),):
        return [Finding(invariant, f"the map has {parts.size} entries for {len(source)} records.")], False
    if parts.size and not (int(parts.min()) >= -1 and int(parts.max()) < expected.size):
        return [Finding(invariant, f"the map names {part}s that do not exist.")], False
    found = np.bincount(parts[parts >= 0], minlength=expected.size)
    findings = [
        Finding(invariant, f"{found[n]} records belong to it, where {expected[n]} should.", int(n), part=part)
        for n in np.flatnonzero(found != expected)
    ]
    left_out = int((parts < 0).sum())
    if left_out != source.suppressed:
        message = f"{left_out} records are in no {part}, but {source.suppressed} were suppressed."
        findings.append(Finding(invariant, message))
    return findings, True


def compare_terms(source: Source, names: pa.StringArray, published: Iterable[Ints32], invariant: str) -> list[Finding]:
    """Check that no published term is new and none of the original is missing.

    Terms may be missing if records were suppressed and nobody knows which.
    """
    occurs = np.zeros(len(source.names), dtype=np.bool_)
    occurs[source.published_terms()] = True
    missing = np.flatnonzero(occurs & (source.numbers < 0))
    is_new = np.zeros(len(names), dtype=np.bool_)
    for items in published:
        is_new[items] = True
    is_new[source.numbers[occurs & (source.numbers >= 0)]] = False
    new = np.flatnonzero(is_new)
    findings = []
    if missing.size and (source.suppressed == 0 or source.leaves is not None):
        shown = tuple(source.names[int(term)].as_py() for term in missing[:SHOWN])
        findings.append(Finding(invariant, f"{missing.size} terms of the original are not published.", example=shown))
    if new.size:
        shown = tuple(names[int(term)].as_py() for term in new[:SHOWN])
        findings.append(Finding(invariant, f"{new.size} published terms are not in the original.", example=shown))
    return findings
