"""All terms that might occur, and the records as far as they are made of these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter, described
from disjoin.model import Hierarchy, Transactions
from disjoin.model.differential_privacy import SEEN
from disjoin.model.ragged import Ints32, Ints64, offsets_of, strings

Domain = tuple[str, ...] | Literal["seen"]
NO_DOMAIN = (
    "domain must list all terms that might occur, known apart from the data: give a file with one term per line or a "
    "public hierarchy (--domain items.txt), or the word seen (--domain seen) for an experiment, whose release says "
    "that it is not proven."
)


def domain_of(terms: Hierarchy | Iterable[str | int] | None) -> Domain:
    """Return the terms of a domain, sorted by code points and each once: those given, or the leaves of a hierarchy.

    The word `seen` stands for the terms of the data, whatever they are, and comes back as it is.

    >>> domain_of(["tea", 7, "tea"]), domain_of("seen")
    (('7', 'tea'), 'seen')
    """
    if isinstance(terms, str) and terms == SEEN:
        return SEEN
    leaves = terms.names.slice(0, terms.n_leaves).to_pylist() if isinstance(terms, Hierarchy) else terms
    try:
        given = None if isinstance(leaves, (str, bytes)) else set(() if leaves is None else leaves)
    except TypeError:
        given = None
    if given is None:
        raise InvalidParameter(
            f"domain must be a list of terms, a Hierarchy or the word 'seen', got {described(terms)}."
        )
    if not given:
        raise InvalidParameter(NO_DOMAIN)
    for term in given:
        if not isinstance(term, (str, int)) or isinstance(term, bool) or term == "":
            raise InvalidParameter(f"a term of the domain must be a string that is not empty, got {described(term)}.")
    names = tuple(sorted({str(term) for term in given}))
    try:
        "".join(names).encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidParameter("the domain has a term that is not valid Unicode text.") from None
    return names


@dataclass(frozen=True, slots=True)
class Known:
    """Records over the terms of the domain, without those that have none of them; for the steward, what fell away."""

    terms: pa.StringArray
    offsets: Ints64
    items: Ints32  # positions in `terms`, ascending in a record
    outside_terms: int = 0
    outside_occurrences: int = 0
    outside_records: int = 0

    def __len__(self) -> int:
        return self.offsets.size - 1


def known_records(data: Transactions, domain: Domain) -> Known:
    """Return the records without terms outside the domain, as they are if that was seen in them.

    What is outside is dropped, record by record, and never added: a list that follows the data would protect nobody
    whose term is rare.
    """
    if domain == SEEN:
        return Known(data.vocabulary, data.offsets, data.items)
    import pyarrow.compute as pc  # here, as it is slow to import

    terms = strings(domain)
    places = pc.fill_null(pc.index_in(data.vocabulary, value_set=terms), -1).to_numpy().astype(np.int32)
    rows = data.records.renumbered(places)  # both lists are in code-point order, so items still ascend
    inside = rows.where(rows.items >= 0)
    lengths = inside.lengths
    kept = lengths[lengths > 0]
    return Known(
        terms=terms,
        offsets=offsets_of(kept),
        items=inside.items,
        outside_terms=int((places < 0).sum()),
        outside_occurrences=data.items.size - inside.items.size,
        outside_records=len(data) - kept.size,
    )
