"""Words that people write for nothing: NULL, NA, - and their like."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from disjoin.model.arrays import Ints64
from disjoin.model.spelling import folded, folded_column

BLANK_TERM = "(blank)"
USUAL_BLANKS = ("NULL", "NA", "N/A", "NaN", "None", "-")


def are_blank(texts: pa.StringArray, words: Iterable[str] = ()) -> pa.BooleanArray:
    """Tell of every text whether it is empty, has blanks only, or is one of these words in any spelling.

    >>> are_blank(pa.array(["tea", "", "  ", " null"]), ["NULL"]).to_pylist()
    [False, True, True, True]
    """
    wanted = {"", *(folded(word) for word in words)}
    return pc.is_in(folded_column(texts), value_set=pa.array(sorted(wanted), pa.string()))


def possible_blanks(texts: pa.StringArray, counts: Ints64) -> list[tuple[str, int]]:
    """Return the texts that may stand for a blank, each with its count, the most frequent first.

    >>> import numpy as np
    >>> possible_blanks(pa.array(["NA", "na", "tea", "-"]), np.array([3, 1, 9, 4]))
    [('-', 4), ('NA', 3), ('na', 1)]
    """
    places = pc.indices_nonzero(are_blank(texts, USUAL_BLANKS)).to_pylist()
    found = [(texts[place].as_py(), int(counts[place])) for place in places if counts[place]]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))
