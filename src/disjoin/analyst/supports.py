"""Supports of itemsets, as asked by users: lists, single terms, Arrow arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.analyst.as_clusters import Sets, require_sets, with_entries
from disjoin.analyst.cell_values import cells_matching, rows_matching
from disjoin.analyst.index import HOLDING, ROWS, SUPPORT, SupportIndex, desk_of
from disjoin.analyst.support_bounds import STACK_ROWS, WORK_ROWS, examine
from disjoin.errors import InvalidParameter, kind_of
from disjoin.jit.decision import prepare
from disjoin.model import GeneralizedItems, Groups
from disjoin.model.guarantee import threshold_in
from disjoin.model.mixed import Mixed
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.published import PublishedRecords
from disjoin.model.ragged import Ints64, Spans, offsets_of
from disjoin.model.release import Release
from disjoin.model.table import Table
from disjoin.text import printable

PER_ROW = 0.3e-6  # seconds of interpreting per term that is asked for and subrecord that has it
_MOST_NAMED, _LONGEST = 12, 60
_WANTED = "expected an itemset, such as ['tea', 'milk'], or several, such as [['tea', 'milk'], ['tea']]"


def itemsets_from(given: object) -> list[list[str]]:
    """Return itemsets as sorted lists of distinct terms.

    A string, or a collection of strings, is one itemset; a collection of collections is several. Among several, a
    string is the itemset of one term.

    >>> itemsets_from([{"tea", "milk"}, "jam", ()]), itemsets_from(["tea", "milk"])
    ([['milk', 'tea'], ['jam'], []], [['milk', 'tea']])
    """
    rows = [given] if isinstance(given, str) else [*_rows(given)]
    if rows and all(isinstance(row, (str, pa.StringScalar)) for row in rows):
        rows = [rows]
    return [_itemset(itemset, number) for number, itemset in enumerate(rows)]


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
    text = printable(term)
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f'"{text.replace(chr(34), 2 * chr(34))}"' if not text or {",", '"'} & {*text} else text


SCHEMA = pa.schema(
    [
        ("itemset", pa.list_(pa.string())),
        ("seen", pa.int64()),
        ("at_least", pa.int64()),
        ("estimate", pa.float64()),
        ("at_most", pa.int64()),
    ]
)


def support(source: Release | Sets | SupportIndex, itemsets: object, *, rare: str = "once") -> pa.Table:
    """Return how many records show each itemset (`seen`), and its support: `at_least`, `estimate` and `at_most`.

    A collection of terms is one itemset, a collection of collections several. Rows are in the order asked; terms in an
    itemset are sorted and repeats dropped. The true support lies between the bounds. The estimate is the mean over
    independent, uniform placement of all parts; `rare` is what it takes a term of a term chunk for: in one record of
    the cluster (`once`) or in k/2 (`half`). An unknown term is in no record (with a threshold `min_people`, in fewer
    than that many), the empty itemset in all. For groups, supports of ordinary items alone and of single sensitive
    items are exact, and `seen` is the same as `at_least`.

    Generalised records are asked for published names, whose supports are exact, for terms, or for both; a name that is
    neither is an error. A term counts as any of those that are published as it is, all equally likely. Supports in
    noisy records are estimates, and nothing is certain: `seen` and `at_least` are 0, and `at_most` is null.
    Mixed data is asked for terms and for values, written column=value: see `disjoin.analyst.supports`.

    >>> from disjoin.model import Clusters
    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2]]}], "term_chunk": ["milk"]}
    >>> support(Clusters.from_nested([leaf]), ["tea", ["tea", "milk"]]).to_pylist()[1]
    {'itemset': ['milk', 'tea'], 'seen': 0, 'at_least': 0, 'estimate': 0.6666666666666666, 'at_most': 2}
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


def _hidden(desk: SupportIndex, offsets: Ints64, terms: Ints64) -> Ints64:
    """Return how many records may have had each itemset if its unknown terms are of too few people to be shown."""
    threshold, is_known = threshold_in(desk.guarantee), terms >= 0
    if threshold is None or is_known.all():
        return np.zeros(offsets.size - 1, np.int64)
    sizes = Spans(offsets).sums(is_known)
    shown = examined(desk, offsets_of(sizes), terms[is_known], 1.0)[0][:, 2]
    return np.where(sizes < np.diff(offsets), np.minimum(shown, threshold.people - 1), 0)


def _of_people(release: Release, asked: list[list[str]], rare: str) -> pa.Table:
    """Return supports of values, written column=value, and terms together."""

    assert isinstance(release.published, Mixed), "only people have values"
    require_known_values(release.published, asked)
    rows = [people_support(release, itemset, rare) for itemset in asked]
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[], [], [], []]
    return pa.table([asked, *columns], schema=SCHEMA)


def examined(desk: SupportIndex, offsets: Ints64, terms: Ints64, once: float) -> tuple[Ints64, NDArray[np.float64]]:
    """Return (itemsets, 3) numbers seen, at least and at most, and estimates, of itemsets of distinct term numbers."""
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


def table_of(desk: SupportIndex, itemsets: list[list[str]], bounds: Ints64, estimates: NDArray[np.float64]) -> pa.Table:
    """Return the table of itemsets with what is known of their supports; of noisy records nothing is for certain."""
    is_exact = desk.noun.is_exact
    certain = bounds if is_exact else np.zeros_like(bounds)
    at_most = bounds[:, 2] if is_exact else pa.nulls(len(bounds), pa.int64())
    columns = [pa.array(itemsets, SCHEMA.field("itemset").type), certain[:, 0], certain[:, 1], estimates, at_most]
    return pa.table([pa.array(column) for column in columns], schema=SCHEMA)


# How many people have values and terms together, from mixed data alone: at least, about, at most.
#
# A value asks for everybody whose original value it covers: an age for those of that age, an interval or a name of a
# hierarchy for all below it. `disjoin.analyst.cell_values` says which published rows may be, and certainly are, of such
# people.

MARK, EVERYBODY = "\0asked", "\0"  # no term of a release is called so


class Matching(NamedTuple):
    """Of every entry: how many people certainly match, how many possibly do, and how many are expected to."""

    certainly: Ints64
    possibly: Ints64
    about: Ints64


def conditions_in(table: Table, texts: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Part what is asked for into values by column, written column=value, and terms.

    A text that begins with the name of a column and = is about that column.
    """
    asked: dict[str, str] = {}
    terms = []
    for text in texts:
        name = next((name for name in table.schema.names if text.startswith(f"{name}=")), None)
        if name in asked:
            raise InvalidParameter("ask for one value per column; for several, use an interval or a hierarchy.")
        if name is None:
            terms.append(text)
        else:
            asked[name] = text.removeprefix(f"{name}=")
    return asked, terms


def people_matching(published: Mixed, asked: dict[str, str]) -> Matching:
    """Return how many people of every entry match all conditions."""
    counts, found = published.people.counts, rows_matching(published.rows, asked)
    certainly, possibly = (np.where(flags, counts, 0) for flags in (found.certainly, found.possibly))
    return Matching(certainly, possibly, _whole(found.share * counts, counts))


def _whole(expected: NDArray[np.float64], most: Ints64) -> Ints64:
    """Round so that sums stay as they are: what is left over goes on to the next."""
    ends = np.round(np.cumsum(expected)).astype(np.int64)
    return np.clip(np.diff(ends, prepend=0), 0, most)


def require_known_values(published: Mixed, itemsets: list[list[str]]) -> None:
    """Raise if values are asked for that no column can have; all of them are named, with what may be meant."""
    asked = {pair for itemset in itemsets for pair in conditions_in(published.rows, itemset)[0].items()}
    wrong = []
    for name, value in sorted(asked):
        try:
            cells_matching(published.rows, name, value)
        except InvalidParameter as error:
            wrong.append(str(error))
    if wrong:
        raise InvalidParameter(" ".join(wrong))


@dataclass(frozen=True, slots=True)
class PeopleDesk:
    """The index of the people of a release, for all questions about them."""

    desk: SupportIndex
    first: Ints64  # (entries,) the subrecord of the people who are asked for; the next one is of the others

    def asked_for(self, marked: Ints64) -> SupportIndex:
        """Return the index in which `marked[e]` people of entry e have the term MARK."""
        index, mark = self.desk.index, self.desk.numbers[MARK]
        counts, holdings = index.counts.copy(), index.holdings.copy()
        counts[self.first + 1] = counts[self.first] - marked
        counts[self.first] = marked
        held = index.entries[HOLDING, index.starts[mark] : index.starts[mark + 1]]
        spans = Spans(holdings[ROWS, held[0] : held[0] + held.size + 1] - holdings[ROWS, held[0]])
        rows = index.rows[holdings[ROWS, held[0]] : holdings[ROWS, held[-1] + 1]]
        holdings[SUPPORT, held] = spans.sums(counts[rows])
        return self.desk.with_index(index._replace(counts=counts, holdings=holdings))


# It is made of what a release says, and worth keeping as long as the release itself.
_PEOPLE: WeakKeyDictionary[Release, PeopleDesk] = WeakKeyDictionary()


def people_desk(release: Release) -> PeopleDesk:
    """Return the index of the people of a release, made when it is first asked for."""
    found = _PEOPLE.get(release)
    if found is None:
        published, promise = release.published, release.guarantee
        assert isinstance(published, Mixed) and isinstance(promise, MixedAnonymity), "mixed data has its own promise"
        clusters, first = with_entries(published, MARK, EVERYBODY)
        found = _PEOPLE[release] = PeopleDesk(SupportIndex(clusters, promise.of_terms, is_inspected=True), first)
    return found


def people_support(release: Release, itemset: list[str], rare: str) -> tuple[int, int, float, int]:
    """Return how many people are seen to have values and terms, and how many have them: at least, estimate, at most."""

    published = release.published
    assert isinstance(published, Mixed), "only people have values and terms"
    asked, terms = conditions_in(published.rows, itemset)
    threshold, unknown = threshold_in(release.guarantee), set(unknown_terms_of(published, [itemset]))
    if threshold is not None and unknown:
        shown = people_support(release, [each for each in itemset if each not in unknown], rare)
        return 0, 0, 0.0, min(shown[3], threshold.people - 1)
    found = people_matching(published, asked)

    def bounds(marked: Ints64) -> tuple[int, int, float, int]:
        if not marked.any():
            return 0, 0, 0.0, 0
        [row] = support(people_desk(release).asked_for(marked), [[MARK, *terms]], rare=rare).to_pylist()
        return row["seen"], row["at_least"], row["estimate"], row["at_most"]

    if not asked:
        [row] = support(desk_of(release), [terms], rare=rare).to_pylist()
        return row["seen"], row["at_least"], row["estimate"], row["at_most"]
    surely = bounds(found.certainly)
    if np.array_equal(found.certainly, found.possibly):
        return surely
    at_most, about = bounds(found.possibly)[3], bounds(found.about)[2]
    return surely[0], surely[1], min(max(about, surely[1]), float(at_most)), at_most


def unknown_terms_of(published: Mixed, itemsets: list[list[str]]) -> list[str]:
    """Return the terms asked for that the release does not have; values are no terms."""
    asked = {term for itemset in itemsets for term in conditions_in(published.rows, itemset)[1]}
    return sorted(asked.difference(published.vocabulary.to_pylist()))


def world_table(published: Mixed, world: pa.Table) -> pa.Table:
    """Return a possible original, whose rows are lists of values and terms, as a table with a column for each."""
    names = published.quasi
    columns: dict[str, list[str]] = {name: [] for name in names}
    terms: list[list[str]] = []
    for row in world["terms"].to_pylist():
        asked, others = conditions_in(published.rows, row)
        for name in names:
            columns[name].append(asked[name])
        terms.append(others)
    return pa.table({**columns, "terms": pa.array(terms, pa.list_(pa.string()))})
