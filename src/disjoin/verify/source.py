"""Original records as the verifier reads them: terms renumbered as in the release."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from unicodedata import category, normalize

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.model import Transactions
from disjoin.model.intervals import number_from
from disjoin.model.ragged import Flags, Ints32, Ints64, used_by
from disjoin.verify.inspection import Finding, examples

# Default_Ignorable_Code_Point of the Unicode standard: invisible characters.
IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
BLANKS = re.compile(r"[\s\u2800]+")  # U+2800: braille without dots


def as_read(text: str) -> str:
    """Return a word as a reader sees it: without invisible characters, and equal for all spellings.

    >>> as_read("B20 ") == as_read("b20"), as_read("B20") == as_read("B21"), as_read("B20" + chr(0xFE0F))
    (True, False, 'b20')
    """
    spaced = BLANKS.sub(" ", IGNORED.sub("", text))
    seen = "".join(letter for letter in spaced if category(letter) not in ("Cc", "Cf"))
    return BLANKS.sub(" ", normalize("NFKC", normalize("NFKC", seen).casefold())).strip()


def value_as_read(text: str) -> str | Fraction:
    """Return a value of a column as a reader sees it: a number, a word, or `?` if nothing is visible.

    >>> value_as_read("1.0") == value_as_read("01"), value_as_read("1.0") == value_as_read("1.1")
    (True, False)
    """
    word = as_read(text) or "?"
    number = number_from(word)
    return word if number is None else number


def is_among(names: pa.StringArray, wanted: tuple[str, ...]) -> Flags:
    words = {as_read(name) for name in wanted}
    if not words:
        return np.zeros(len(names), dtype=np.bool_)
    return np.fromiter((as_read(name) in words for name in names.to_pylist()), np.bool_, len(names))


def positions(wanted: pa.StringArray, among: pa.StringArray) -> Ints64:
    """Return the position of each term among distinct others, -1 if it is not there."""
    found = pc.index_in(wanted, value_set=among).fill_null(-1)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)


def words_of(texts: Iterable[str], reading: Callable[[str], str | Fraction] = as_read) -> Ints64:
    """Return for each text the number of its word: the first spelling here.

    >>> words_of(["B20", "I10", "b20"]).tolist(), words_of(["1", "2", "01"], value_as_read).tolist()
    ([0, 1, 0], [0, 1, 0])
    """
    first: dict[str | Fraction, int] = {}
    return np.array([first.setdefault(reading(text), place) for place, text in enumerate(texts)], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Source:
    """Original records in the numbers of the release."""

    offsets: Ints64  # (records + 1,)
    terms: Ints32  # (occurrences,) numbers in the original's vocabulary
    items: Ints32  # (occurrences,) published numbers, -1 if not published; the others ascend in every record
    names: pa.StringArray  # the original's vocabulary
    numbers: Ints32  # (terms of the original,) the published number of each
    leaves: Ints64 | None  # (records,) the leaf or group of each record, -1 for a suppressed one
    suppressed: int

    @classmethod
    def of(cls, data: Transactions, names: pa.StringArray, leaves: Ints64 | None, suppressed: int) -> Source:
        numbers = positions(data.vocabulary, names).astype(np.int32)
        terms, known = data.items, numbers[numbers >= 0]
        if not (known[1:] > known[:-1]).all():  # a vocabulary that is not in code-point order
            rows = np.repeat(np.arange(len(data)), np.diff(data.offsets))
            terms = terms[np.lexsort((numbers[terms], rows))]
        is_same = bool((numbers == np.arange(numbers.size)).all())  # then no separate array is needed
        items = terms if is_same else numbers[terms]
        return cls(data.offsets, terms, items, data.vocabulary, numbers, leaves, suppressed)

    def __len__(self) -> int:
        return self.offsets.size - 1


def misfit(parts: Ints64, given: str, length: int, invariant: str, part: str, n_parts: int) -> list[Finding]:
    """Return why a map cannot be used; it needs an entry for each record or row, -1 for none."""
    if parts.shape != (length,):
        return [Finding(invariant, f"the map has {parts.size} entries for {length} {given}.")]
    if parts.size and not (int(parts.min()) >= -1 and int(parts.max()) < n_parts):
        return [Finding(invariant, f"the map names {part}s that do not exist.")]
    return []


def follow_map(source: Source, expected: Ints64, invariant: str, part: str) -> tuple[list[Finding], Source]:
    """Check that the map sends as many records to each part as expected; return the source, without an unusable map."""
    parts = source.leaves
    if parts is None:
        return [], source
    if findings := misfit(parts, "records", len(source), invariant, part, expected.size):
        return findings, replace(source, leaves=None)
    found = np.bincount(parts[parts >= 0], minlength=expected.size)
    findings = [
        Finding(invariant, f"{found[n]} records belong to it, but {expected[n]} are expected.", int(n), part=part)
        for n in np.flatnonzero(found != expected)
    ]
    left_out = int((parts < 0).sum())
    if left_out != source.suppressed:
        message = f"{left_out} records are in no {part}, but {source.suppressed} are stated as suppressed."
        findings.append(Finding(invariant, message))
    return findings, source


def check_total(source: Source, published: int, invariant: str) -> list[Finding]:
    if published + source.suppressed == len(source):
        return []
    message = f"{published} records published and {source.suppressed} suppressed, but {len(source)} given."
    return [Finding(invariant, message)]


def compare_terms(source: Source, names: pa.StringArray, published: Iterable[Ints32], invariant: str) -> list[Finding]:
    """Check that no term is new, and that none is missing unless unknown records were suppressed."""
    terms = source.terms
    if source.leaves is not None and not (source.leaves >= 0).all():
        terms = terms[np.repeat(source.leaves >= 0, np.diff(source.offsets))]
    occurs = used_by(len(source.names), terms)
    missing = np.flatnonzero(occurs & (source.numbers < 0))
    is_new = used_by(len(names), *published)
    is_new[source.numbers[occurs & (source.numbers >= 0)]] = False
    new = np.flatnonzero(is_new)
    findings = []
    if missing.size and (source.suppressed == 0 or source.leaves is not None):
        message = f"{missing.size} terms of the original are not published."
        findings.append(Finding(invariant, message, example=examples(source.names, missing)))
    if new.size:
        message = f"{new.size} published terms are not in the original."
        findings.append(Finding(invariant, message, example=examples(names, new)))
    return findings
