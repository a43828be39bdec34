"""How many people have values and terms together, from mixed data alone: at least, about, at most.

A value asks for everybody whose original value it covers: an age for those of that age, an interval or a name of a
hierarchy for all below it. `disjoin.analyst.cell_values` says which published rows may be, and certainly are, of such
people.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.analyst.cell_values import cells_matching, rows_matching
from disjoin.analyst.index import Desk, desk_of
from disjoin.analyst.people_as_clusters import with_entries
from disjoin.analyst.postings import HOLDING, ROWS, SUPPORT
from disjoin.errors import InvalidParameter
from disjoin.model.min_people import threshold_in
from disjoin.model.mixed import Mixed
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.ragged import Ints64, Spans
from disjoin.model.release import Release
from disjoin.model.table import Table

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

    desk: Desk
    first: Ints64  # (entries,) the subrecord of the people who are asked for; the next one is of the others

    def asked_for(self, marked: Ints64) -> Desk:
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
        found = _PEOPLE[release] = PeopleDesk(Desk(clusters, promise.of_terms, is_inspected=True), first)
    return found


def people_support(release: Release, itemset: list[str], rare: str) -> tuple[int, int, float, int]:
    """Return lower bound, sharp lower bound, estimate and upper bound of how many people have values and terms."""
    from disjoin.analyst.supports import support

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
        return row["lower"], row["sharp_lower"], row["estimate"], row["upper"]

    if not asked:
        [row] = support(desk_of(release), [terms], rare=rare).to_pylist()
        return row["lower"], row["sharp_lower"], row["estimate"], row["upper"]
    surely = bounds(found.certainly)
    if np.array_equal(found.certainly, found.possibly):
        return surely
    upper, about = bounds(found.possibly)[3], bounds(found.about)[2]
    return surely[0], surely[1], min(max(about, surely[1]), float(upper)), upper


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
