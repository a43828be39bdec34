"""Itemsets as people give them: lists of sets, single terms, Arrow arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.analyst.as_clusters import Sets, require_sets
from disjoin.analyst.index import Desk, desk_of
from disjoin.analyst.support_bounds import STACK_ROWS, WORK_ROWS, examine
from disjoin.compiling.decision import prepare
from disjoin.errors import InvalidParameter, kind_of
from disjoin.escaping import legible
from disjoin.model import GeneralizedItems, Groups, Mixed, Release
from disjoin.model.min_people import threshold_in
from disjoin.model.published import PublishedRecords
from disjoin.model.ragged import Ints64, Spans, offsets_of

PER_ROW = 0.3e-6  # seconds of interpreting per term that is asked for and subrecord that has it
_MOST_NAMED, _LONGEST = 12, 60
_WANTED = "expected itemsets, such as [['tea', 'milk'], 'tea']"


def itemsets_from(given: object) -> list[list[str]]:
    """Return itemsets as sorted lists of distinct terms; a string is the itemset of one term.

    >>> itemsets_from([{"tea", "milk"}, "jam", ()])
    [['milk', 'tea'], ['jam'], []]
    """
    if isinstance(given, str):
        return [[_term(given, 0)]]
    return [_itemset(itemset, number) for number, itemset in enumerate(_rows(given))]


def _rows(given: Any) -> Iterable[Any]:
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        return given.to_pylist()  # type: ignore[no-any-return]
    if isinstance(given, (bytes, Mapping, pa.Table)) or not isinstance(given, Iterable):
        raise InvalidParameter(f"{_WANTED}, got {kind_of(given)}.")
    return given.tolist() if isinstance(given, np.ndarray) else given


def _itemset(given: Any, number: int) -> list[str]:
    if isinstance(given, str):
        return [_term(given, number)]
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        given = given.to_pylist()
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise InvalidParameter(f"{_WANTED}; itemset {number} (from 0) is {kind_of(given)}.")
    return sorted({_term(term, number) for term in given})


def _term(given: Any, number: int) -> str:
    if isinstance(given, pa.StringScalar):
        given = given.as_py()
    if not isinstance(given, str):
        raise InvalidParameter(f"a term is a string; itemset {number} (from 0) has {kind_of(given)}.")
    if not given.isascii():
        try:
            given.encode()
        except UnicodeEncodeError:
            raise InvalidParameter(f"a term is UTF-8 text; itemset {number} (from 0) has another.") from None
    return str(given)


def unknown_terms(release: Release, itemsets: pa.ChunkedArray) -> list[str]:
    """Return the terms asked for that a release does not have; of generalised records no such name is answered."""
    if isinstance(release.published, Mixed):
        from disjoin.analyst.people_supports import unknown_terms_of

        return unknown_terms_of(release.published, itemsets.to_pylist())
    published = require_sets(release.published, "support")
    if isinstance(published, GeneralizedItems):
        return []
    vocabulary = published.records.vocabulary if isinstance(published, PublishedRecords) else published.vocabulary
    asked = {term for itemset in itemsets.to_pylist() for term in itemset}
    return sorted(asked.difference(vocabulary.to_pylist()))


def unknown_in_words(terms: list[str]) -> str:
    """Say which terms the release does not have.

    >>> unknown_in_words(["coffee"]), unknown_in_words(["coffee", "milk, 1 l"])
    ('1 term is not in the release: coffee.', '2 terms are not in the release: coffee, "milk, 1 l".')
    """
    shown = [_as_typed(term) for term in terms[:_MOST_NAMED]]
    more = [f"and {len(terms) - _MOST_NAMED:,} more"] if len(terms) > _MOST_NAMED else []
    many = "1 term is" if len(terms) == 1 else f"{len(terms):,} terms are"
    return f"{many} not in the release: {', '.join(shown + more)}."


def _as_typed(term: str) -> str:
    """Return a term as it is written on the command line: in quotes if it has a comma or a quote, and harmless."""
    text = legible(term)
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f'"{text.replace(chr(34), 2 * chr(34))}"' if not text or {",", '"'} & {*text} else text


SCHEMA = pa.schema(
    [
        ("itemset", pa.list_(pa.string())),
        ("lower", pa.int64()),
        ("sharp_lower", pa.int64()),
        ("estimate", pa.float64()),
        ("upper", pa.int64()),
    ]
)


def support(source: Release | Sets | Desk, itemsets: object, *, rare: str = "once") -> pa.Table:
    """Return lower bound, sharp lower bound, estimate and upper bound of the support of each itemset.

    Rows are in the order asked; terms in an itemset are sorted and repeats dropped. The true support lies between the
    bounds. The estimate is the mean over independent, uniform placement of all parts; `rare` is what it takes a term
    of a term chunk for: in one record of the cluster (`once`) or in k/2 (`half`). An unknown term is in no record
    (with a threshold `min_people`, in fewer than that many), the empty itemset in all. For groups, supports of ordinary
    items alone and of single sensitive items are exact, and nothing is certain beyond the sharp lower bound: both lower
    bounds are the same.

    Generalised records are asked for published names, whose supports are exact, for terms, or for both; a name that is
    neither is an error. A term counts as any of those that are published as it is, all equally likely. Supports in
    noisy records are estimates, and nothing is certain: the lower bounds are 0, and there is no upper bound (null).
    Mixed data is asked for terms and for values, written column=value: see `disjoin.analyst.people_supports`.

    >>> from disjoin.model import Clusters
    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2]]}], "term_chunk": ["milk"]}
    >>> support(Clusters.from_nested([leaf]), ["tea", ["tea", "milk"]]).to_pylist()[1]
    {'itemset': ['milk', 'tea'], 'lower': 0, 'sharp_lower': 0, 'estimate': 0.6666666666666666, 'upper': 2}
    """
    if isinstance(source, Release) and isinstance(source.published, Mixed):
        return _of_people(source, itemsets_from(itemsets), rare)
    desk = desk_of(source)
    once = desk.once(rare)
    asked = itemsets_from(itemsets)
    looked_up = [(itemset, 1.0) if desk.names is None else desk.names.looked_up(itemset) for itemset in asked]
    numbers = desk.numbers
    terms = np.array([numbers.get(term, -1) for itemset, _ in looked_up for term in itemset], dtype=np.int64)
    offsets = offsets_of([len(itemset) for itemset, _ in looked_up])
    bounds, estimates = examined(desk, offsets, terms, once)
    bounds[:, 2] = np.maximum(bounds[:, 2], _hidden(desk, offsets, terms))
    if desk.noun is Groups:
        bounds[:, 0] = bounds[:, 1]
    divisors = np.array([divisor for _, divisor in looked_up], dtype=np.float64)
    bounds[divisors > 1, :2] = 0
    return table_of(desk, asked, bounds, estimates / divisors)


def _hidden(desk: Desk, offsets: Ints64, terms: Ints64) -> Ints64:
    """Return how many records may have had each itemset if its unknown terms are of too few people to be shown."""
    threshold, is_known = threshold_in(desk.guarantee), terms >= 0
    if threshold is None or is_known.all():
        return np.zeros(offsets.size - 1, np.int64)
    sizes = Spans(offsets).sums(is_known)
    shown = examined(desk, offsets_of(sizes), terms[is_known], 1.0)[0][:, 2]
    return np.where(sizes < np.diff(offsets), np.minimum(shown, threshold.people - 1), 0)


def _of_people(release: Release, asked: list[list[str]], rare: str) -> pa.Table:
    """Return supports of values, written column=value, and terms together."""
    from disjoin.analyst.people_supports import people_support, require_known_values

    assert isinstance(release.published, Mixed), "only people have values"
    require_known_values(release.published, asked)
    rows = [people_support(release, itemset, rare) for itemset in asked]
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[], [], [], []]
    return pa.table([asked, *columns], schema=SCHEMA)


def examined(desk: Desk, offsets: Ints64, terms: Ints64, once: float) -> tuple[Ints64, NDArray[np.float64]]:
    """Return (itemsets, 3) lower, sharp lower and upper bounds, and estimates, of itemsets of distinct term numbers."""
    sizes = Spans(offsets).lengths
    prepare(PER_ROW * terms.size * desk.index.rows.size / max(1, desk.n_terms))
    longest, levels = int(sizes.max(initial=1)), desk.depth + 2
    # A term may be met on every level of a mixed tree, and the last level is listed twice.
    work = np.zeros((WORK_ROWS, longest * (levels + 1)), dtype=np.int64)
    stack = np.zeros((STACK_ROWS, levels), dtype=np.int64)
    bounds, estimates = examine(offsets, terms, desk.index, once, work, stack, np.zeros(levels))
    bounds[sizes == 0] = desk.published.n_records
    estimates[sizes == 0] = desk.published.n_records
    return bounds, np.clip(estimates, bounds[:, 1], bounds[:, 2])


def table_of(desk: Desk, itemsets: list[list[str]], bounds: Ints64, estimates: NDArray[np.float64]) -> pa.Table:
    """Return the table of itemsets with what is known of their supports; of noisy records nothing is for certain."""
    is_exact = desk.noun.is_exact
    lower = bounds if is_exact else np.zeros_like(bounds)
    upper = bounds[:, 2] if is_exact else pa.nulls(len(bounds), pa.int64())
    columns = [pa.array(itemsets, SCHEMA.field("itemset").type), lower[:, 0], lower[:, 1], estimates, upper]
    return pa.table([pa.array(column) for column in columns], schema=SCHEMA)
