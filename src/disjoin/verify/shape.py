"""V1, first part: can the arrays be read as a forest at all? What fails here ends the inspection."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.model import Clusters
from disjoin.verify.inspection import Finding

MOST_RECORDS = 2**40  # above it sums might wrap around, and a wrapped sum could hide a violation


def check_shape(published: Clusters) -> list[Finding]:
    """Return what makes the arrays unreadable: offsets, item numbers, magnitudes, parents, text that is no text."""
    findings = _unfit_offsets(published)
    if not is_text(published.vocabulary):
        findings.append(Finding("V1", "the vocabulary is not valid UTF-8 text."))
    if findings:
        return findings
    return _unfit_items(published) + _unfit_magnitudes(published) + _unfit_parents(published)


def _unfit_offsets(published: Clusters) -> list[Finding]:
    nodes = published.sizes.size
    chunks = published.subrecord_offsets.size - 1
    subrecords = published.item_offsets.size - 1
    tables = {  # name: (offsets, how many rows they cut, length of what they cut)
        "term_offsets": (published.term_offsets, nodes, published.term_items.size),
        "chunk_offsets": (published.chunk_offsets, nodes, chunks),
        "subrecord_offsets": (published.subrecord_offsets, chunks, subrecords),
        "item_offsets": (published.item_offsets, subrecords, published.items.size),
    }
    findings = [
        Finding("V1", f"{name} does not cut its table into consecutive rows; the release is damaged.")
        for name, (offsets, rows, length) in tables.items()
        if not cuts(offsets, rows, length)
    ]
    if nodes == 0:
        findings.append(Finding("V1", "there is no cluster, so nothing is published."))
    if published.parents.size != nodes:
        findings.append(Finding("V1", f"{published.parents.size} parents for {nodes} clusters."))
    if published.counts.size != subrecords:
        findings.append(Finding("V1", f"{published.counts.size} counts for {subrecords} subrecords."))
    return findings


def cuts(offsets: NDArray[np.int64], rows: int, length: int) -> bool:
    """Tell whether offsets cut something of a length into that many consecutive rows."""
    whole = offsets.size == rows + 1 and rows >= 0 and offsets[0] == 0 and offsets[-1] == length
    return bool(whole) and bool((offsets[1:] >= offsets[:-1]).all())


def is_text(vocabulary: pa.StringArray) -> bool:
    """Tell whether a vocabulary is valid UTF-8."""
    try:
        vocabulary.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _unfit_items(published: Clusters) -> list[Finding]:
    terms = len(published.vocabulary)
    return [
        Finding("V1", f"{name} names terms outside the vocabulary, which has {terms}.")
        for name, items in (("items", published.items), ("term_items", published.term_items))
        if items.size and not (int(items.min()) >= 0 and int(items.max()) < terms)
    ]


def _unfit_magnitudes(published: Clusters) -> list[Finding]:
    return [
        Finding("V1", f"the {name} add up to more than {MOST_RECORDS}; they cannot be numbers of records.")
        for name, numbers in (("sizes", published.sizes), ("counts", published.counts))
        if not is_countable(numbers)
    ]


def is_countable(numbers: NDArray[np.int64]) -> bool:
    """Tell whether sums of these numbers fit into 64 bits; asked in floating point, which does not wrap around."""
    return float(np.abs(numbers.astype(np.float64)).sum()) <= MOST_RECORDS


def _unfit_parents(published: Clusters) -> list[Finding]:
    parents = published.parents
    nodes = np.arange(parents.size)
    unknown = (parents < -1) | (parents >= parents.size)
    late = ~unknown & (parents >= nodes)  # what remains after this has no cycle
    findings = [Finding("V1", f"its parent {parents[i]} does not exist.", int(i)) for i in np.flatnonzero(unknown)]
    findings += [
        Finding("V1", f"its parent {parents[i]} does not come before it.", int(i)) for i in np.flatnonzero(late)
    ]
    return findings
