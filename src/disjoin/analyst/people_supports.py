"""How many people have values and terms together, from mixed data alone: at least, about, at most.

A value asks for everybody whose original value it covers: an age for those of that age, an interval or a name of a
hierarchy for all below it. A published row that is coarser may be such a person's; how likely is estimated as if its
values were spread evenly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.analyst.index import Desk, desk_of
from disjoin.analyst.people_as_clusters import with_entries
from disjoin.analyst.postings import HOLDING, ROWS, SUPPORT
from disjoin.errors import InvalidParameter
from disjoin.model.generalized import EVERYTHING, MISSING
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.intervals import interval_from
from disjoin.model.mixed import Mixed
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.ragged import Ints64, Spans
from disjoin.model.release import Release
from disjoin.model.table import Table

Shares = NDArray[np.float64]
MARK, EVERYBODY = "\0asked", "\0"  # no term of a release is called so


class Matches(NamedTuple):
    """Of every entry: how many people surely match, how many may, and how many are expected to."""

    surely: Ints64
    possibly: Ints64
    about: Ints64


def conditions_in(published: Mixed, itemset: list[str]) -> tuple[dict[str, str], list[str]]:
    """Part an itemset into values, written column=value, and terms.

    A text that begins with the name of a column and = is about that column.
    """
    names = published.rows.schema.names
    about = {text: next((name for name in names if text.startswith(f"{name}=")), None) for text in itemset}
    asked = {name: text.removeprefix(f"{name}=") for text, name in about.items() if name is not None}
    if len(asked) < sum(name is not None for name in about.values()):
        raise InvalidParameter("ask for one value of a column at a time; for several, use an interval or a hierarchy.")
    return asked, [text for text in itemset if about[text] is None]


def matches_of(published: Mixed, asked: dict[str, str]) -> Matches:
    """Return how many people of every entry match all conditions."""
    counts = published.people.counts
    shares = np.ones(counts.size)
    surely = possibly = np.ones(counts.size, dtype=np.bool_)
    for name, value in asked.items():
        of_value = shares_of(published, name, value)[published.rows.codes_of(name)]
        surely, possibly, shares = surely & (of_value >= 1), possibly & (of_value > 0), shares * of_value
    return Matches(np.where(surely, counts, 0), np.where(possibly, counts, 0), _whole(shares * counts, counts))


def _whole(expected: Shares, most: Ints64) -> Ints64:
    """Round so that sums stay as they are: what is left over goes on to the next."""
    ends = np.round(np.cumsum(expected)).astype(np.int64)
    return np.clip(np.diff(ends, prepend=0), 0, most)


def shares_of(published: Mixed, name: str, value: str) -> Shares:
    """Return for every published value of a column which share of what it stands for is asked for."""
    if name not in published.quasi and name not in published.hierarchies:
        return np.array([float(text == value) for text in published.rows.values_of(name).to_pylist()])
    return value_shares(published.rows, name, value, published.hierarchies.get(name))


def value_shares(table: Table, name: str, value: str, tree: Hierarchy | None = None) -> Shares:
    """Return for every value of a column which share of what it stands for is asked for, by a hierarchy or numbers."""
    texts = table.values_of(name).to_pylist()
    tree = table.hierarchies.get(name) if tree is None else tree
    if tree is not None:
        return _in_tree(tree, name, value, texts)
    if value in texts and interval_from(value) is None:  # a column of words
        return np.array([float(text in (value, EVERYTHING)) for text in texts])
    asked = interval_from(f"[{value.replace('..', ', ')}]" if ".." in value else value)
    if asked is None:
        raise InvalidParameter(f"{name} has numbers: ask for one, or for an interval such as {name}=20..29.")
    known = [ends for ends in map(interval_from, texts) if ends is not None]
    whole = min((low for low, _ in known), default=asked[0]), max((high for _, high in known), default=asked[1])
    return np.array([_overlap(whole if text == EVERYTHING else interval_from(text), asked) for text in texts])


def _overlap(ends: tuple[Fraction, Fraction] | None, asked: tuple[Fraction, Fraction]) -> float:
    """Return which share of an interval is inside another; whole numbers are counted one by one."""
    if ends is None:
        return 0.0
    low, high = max(ends[0], asked[0]), min(ends[1], asked[1])
    if low > high:
        return 0.0
    one = 1 if all(end.denominator == 1 for end in (*ends, *asked)) else 0
    width = ends[1] - ends[0] + one
    return float((high - low + one) / width) if width else 1.0


def _in_tree(tree: Hierarchy, name: str, value: str, texts: list[str]) -> Shares:
    nodes = {called: node for node, called in reversed(list(enumerate(tree.names.to_pylist())))}
    nodes.setdefault(EVERYTHING, tree.root)
    if value not in nodes and value != MISSING:
        raise InvalidParameter(f"{value!r} is no value of {name} and no name in its hierarchy.{_meant(value, nodes)}")
    asked = nodes.get(value, -1)
    above = {node: _with_above(tree, node) for node in {nodes.get(text, -1) for text in texts} | {asked} if node >= 0}

    def share(text: str) -> float:
        node = nodes.get(text, -1)
        if node < 0 or asked < 0:
            return float(text == value)
        if asked in above[node]:
            return 1.0
        return (
            float(Fraction(int(tree.leaf_counts[asked]), int(tree.leaf_counts[node]))) if node in above[asked] else 0.0
        )

    return np.array([share(text) for text in texts])


def _with_above(tree: Hierarchy, node: int) -> set[int]:
    found = {node}
    while tree.parents[node] >= 0:
        node = int(tree.parents[node])
        found.add(node)
    return found


def require_known_values(published: Mixed, itemsets: list[list[str]]) -> None:
    """Raise if values are asked for that no column can have; all of them are named, with what may be meant."""
    asked = {pair for itemset in itemsets for pair in conditions_in(published, itemset)[0].items()}
    wrong = []
    for name, value in sorted(asked):
        try:
            shares_of(published, name, value)
        except InvalidParameter as error:
            wrong.append(str(error))
    if wrong:
        raise InvalidParameter(" ".join(wrong))


def _meant(value: str, names: Iterable[str]) -> str:
    near = get_close_matches(value, list(names), n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


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
    asked, terms = conditions_in(published, itemset)
    found = matches_of(published, asked)

    def bounds(marked: Ints64) -> tuple[int, int, float, int]:
        if not marked.any():
            return 0, 0, 0.0, 0
        [row] = support(people_desk(release).asked_for(marked), [[MARK, *terms]], rare=rare).to_pylist()
        return row["lower"], row["sharp_lower"], row["estimate"], row["upper"]

    if not asked:
        [row] = support(desk_of(release), [terms], rare=rare).to_pylist()
        return row["lower"], row["sharp_lower"], row["estimate"], row["upper"]
    surely = bounds(found.surely)
    if np.array_equal(found.surely, found.possibly):
        return surely
    upper, about = bounds(found.possibly)[3], bounds(found.about)[2]
    return surely[0], surely[1], min(max(about, surely[1]), float(upper)), upper


def unknown_terms_of(published: Mixed, itemsets: list[list[str]]) -> list[str]:
    """Return the terms asked for that the release does not have; values are no terms."""
    asked = {term for itemset in itemsets for term in conditions_in(published, itemset)[1]}
    return sorted(asked.difference(published.vocabulary.to_pylist()))


def world_table(published: Mixed, world: pa.Table) -> pa.Table:
    """Return a possible original, whose rows are lists of values and terms, as a table with a column for each."""
    names = published.quasi
    columns: dict[str, list[str]] = {name: [] for name in names}
    terms: list[list[str]] = []
    for row in world["terms"].to_pylist():
        asked, others = conditions_in(published, row)
        for name in names:
            columns[name].append(asked[name])
        terms.append(others)
    return pa.table({**columns, "terms": pa.array(terms, pa.list_(pa.string()))})
