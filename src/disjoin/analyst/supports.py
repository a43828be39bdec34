"""Supports of itemsets in a release, and of people's values and terms: at least, estimate, at most (section A.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.analyst.as_clusters import Sets, looked_up, require_sets, with_entries
from disjoin.analyst.cell_values import cells_matching, rows_matching
from disjoin.analyst.index import IN_TERM_CHUNK, SupportIndex, desk_of, may_take, seek
from disjoin.errors import InvalidParameter, kind_of
from disjoin.jit.decision import prepare
from disjoin.jit.kernel import inner, kernel
from disjoin.model import GeneralizedItems, Groups
from disjoin.model.mixed import Mixed
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.parameters import threshold_in
from disjoin.model.published import PublishedRecords
from disjoin.model.ragged import Ints64, Spans, offsets_of
from disjoin.model.release import Release
from disjoin.model.table import Table
from disjoin.text import counted, listed

PER_ROW = 0.3e-6  # seconds of interpreting per term that is asked for and subrecord that has it
_WANTED = "expected an itemset, such as ['tea', 'milk'], or several, such as [['tea', 'milk'], ['tea']]"


def itemsets_from(given: object) -> list[list[str]]:
    """Return itemsets as sorted lists of distinct terms.

    A string, or a collection of strings, is one itemset; a collection of collections is several. Among several, a
    string is the itemset of one term.

    >>> itemsets_from([{"tea", "milk"}, "jam", ()]), itemsets_from(["tea", "milk"])
    ([['milk', 'tea'], ['jam'], []], [['milk', 'tea']])
    """
    rows = [given] if isinstance(given, str) else _listed(given, ", got")
    if rows and all(isinstance(row, (str, pa.StringScalar)) for row in rows):
        rows = [rows]
    return [_itemset(itemset, number) for number, itemset in enumerate(rows)]


def _listed(given: Any, found: str) -> list[Any]:
    """Return what a collection has; `found` begins the last part of the message that refuses anything else."""
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        return list(given.to_pylist())
    if isinstance(given, (bytes, Mapping, pa.Table)) or not isinstance(given, Iterable):
        raise InvalidParameter(f"{_WANTED}{found} {kind_of(given)}.")
    return list(given.tolist()) if isinstance(given, np.ndarray) else [*given]


def _itemset(given: Any, number: int) -> list[str]:
    terms = [given] if isinstance(given, str) else _listed(given, f"; itemset {number} (from 0) is")
    return sorted({_term(term, number) for term in terms})


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
    """Return a sentence that lists terms which the release does not have, as they are typed on the command line.

    >>> unknown_in_words(["coffee"]), unknown_in_words(["coffee", "milk, 1 l"])
    ('1 term is not in the release: coffee.', '2 terms are not in the release: coffee, "milk, 1 l".')
    """
    typed = (f'"{term.replace(chr(34), 2 * chr(34))}"' if not term or {",", '"'} & {*term} else term for term in terms)
    return f"{counted(len(terms), 'term is', 'terms are')} not in the release: {listed(typed)}."


_COLUMNS = {"seen": pa.int64(), "at_least": pa.int64(), "estimate": pa.float64(), "at_most": pa.int64()}
SCHEMA = pa.schema({"itemset": pa.list_(pa.string())} | _COLUMNS)


def support(source: Release | Sets | SupportIndex, itemsets: object, *, rare: str = "once") -> pa.Table:
    """Return how many records show each itemset (`seen`), and its support: `at_least`, `estimate` and `at_most`.

    A collection of terms is one itemset, a collection of collections several. Rows are in the order asked; terms in an
    itemset are sorted and repeats dropped. The true support lies between the bounds. The estimate is the mean over
    independent, uniform placement of all parts; `rare` is what it takes a term of a term chunk for: in one record of
    the cluster (`once`) or in k/2 (`half`). An unknown term is in no record (with a threshold `min_people`, in fewer
    than that many), the empty itemset in all. For groups, supports of ordinary items alone and of single sensitive
    items are exact, and `seen` is the same as `at_least`.

    Generalised records are asked for published names, whose supports are exact, for terms, or for both; a name that is
    neither is an error. A term counts as any of the terms with the same published item, all equally likely. Supports in
    noisy records are estimates, and nothing is certain: `seen` and `at_least` are 0, and `at_most` is null.
    Mixed data is asked for terms and for values, written column=value: see `disjoin.analyst.supports`.

    >>> from disjoin.model import Clusters
    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2]]}], "term_chunk": ["milk"]}
    >>> support(Clusters.from_nested([leaf]), ["tea", ["tea", "milk"]]).to_pylist()[1]
    {'itemset': ['milk', 'tea'], 'seen': 0, 'at_least': 0, 'estimate': 0.6666666666666666, 'at_most': 2}
    """
    if isinstance(source, Release) and isinstance(source.published, Mixed):
        return _of_people(source, source.published, itemsets_from(itemsets), rare)
    desk = desk_of(source)
    once = desk.once(rare)
    asked = itemsets_from(itemsets)
    published = [(itemset, 1.0) if desk.names is None else looked_up(desk.names, itemset) for itemset in asked]
    terms = np.array([desk.numbers.get(term, -1) for itemset, _ in published for term in itemset], dtype=np.int64)
    offsets = offsets_of([len(itemset) for itemset, _ in published])
    bounds, estimates = examined(desk, offsets, terms, once)
    bounds[:, 2] = np.maximum(bounds[:, 2], _hidden(desk, offsets, terms))
    if desk.noun is Groups:
        bounds[:, 0] = bounds[:, 1]
    divisors = np.array([divisor for _, divisor in published], dtype=np.float64)
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


def examined(desk: SupportIndex, offsets: Ints64, terms: Ints64, once: float) -> tuple[Ints64, NDArray[np.float64]]:
    """Return (itemsets, 3) numbers seen, at least and at most, and estimates, of itemsets of distinct term numbers."""
    sizes = Spans(offsets).lengths
    prepare(PER_ROW * terms.size * desk.index.holdings.rows.size / max(1, desk.n_terms))
    levels = desk.depth + 2
    # A term may be met on every level of a mixed tree, and the last level is listed twice.
    at, end, ahead, who, held, group, cursor = np.zeros((7, int(sizes.max(initial=1)) * (levels + 1)), dtype=np.int64)
    nodes, first, met, lows, sums = np.zeros((5, levels), dtype=np.int64)
    cursors = TermCursors(at, end, ahead, who, Met(held, group, cursor))
    stack = Stack(nodes, first, met, lows, sums, np.zeros(levels))
    bounds, estimates = examine(offsets, terms, desk.index, once, cursors, stack)
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
# A value selects all people whose original value it contains: an age for those of that age, an interval or a name of a
# hierarchy for all below it. `disjoin.analyst.cell_values` finds the rows that possibly, and certainly, match.

MARK, EVERYBODY = "\0asked", "\0"  # no term of a release is called so


class Matching(NamedTuple):
    """Of every entry: how many people certainly match, how many possibly do, and how many are expected to."""

    certainly: Ints64
    possibly: Ints64
    about: Ints64


def conditions_in(table: Table, texts: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Divide what is asked for into values by column, written column=value, and terms."""
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
    ends = np.round(np.cumsum(found.share * counts)).astype(np.int64)  # what rounding leaves over goes to the next
    return Matching(certainly, possibly, np.clip(np.diff(ends, prepend=0), 0, counts))


def _of_people(release: Release, published: Mixed, asked: list[list[str]], rare: str) -> pa.Table:
    """Return supports of values and terms together; raise with a list of all values that no column can have."""
    values = {pair for itemset in asked for pair in conditions_in(published.rows, itemset)[0].items()}
    wrong = []
    for name, value in sorted(values):
        try:
            cells_matching(published.rows, name, value)
        except InvalidParameter as error:
            wrong.append(str(error))
    if wrong:
        raise InvalidParameter(" ".join(wrong))
    rows = [_people_support(release, published, itemset, rare) for itemset in asked]
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[], [], [], []]
    return pa.table([asked, *columns], schema=SCHEMA)


class PeopleDesk(NamedTuple):
    """The index of the people of a release, for all questions about them."""

    desk: SupportIndex
    first: Ints64  # (entries,) the subrecord of the people who are asked for; the next one is of the others

    def asked_for(self, marked: Ints64) -> SupportIndex:
        """Return the index in which `marked[e]` people of entry e have the term MARK."""
        index, mark = self.desk.index, self.desk.numbers[MARK]
        counts, supports = index.holdings.counts.copy(), index.holdings.supports.copy()
        counts[self.first + 1] = counts[self.first] - marked
        counts[self.first] = marked
        held = index.held[index.starts[mark] : index.starts[mark + 1]]
        starts = index.holdings.first_rows[held[0] : held[0] + held.size + 1]
        supports[held] = Spans(starts - starts[0]).sums(counts[index.holdings.rows[starts[0] : starts[-1]]])
        desk = copy(self.desk)
        desk.index = index._replace(holdings=index.holdings._replace(counts=counts, supports=supports))
        return desk


# The index is kept as long as the release.
_PEOPLE: WeakKeyDictionary[Release, PeopleDesk] = WeakKeyDictionary()


def people_desk(release: Release) -> PeopleDesk:
    found = _PEOPLE.get(release)
    if found is None:
        published, guarantee = release.published, release.guarantee
        assert isinstance(published, Mixed) and isinstance(guarantee, MixedAnonymity), "only mixed data has people"
        clusters, first = with_entries(published, MARK, EVERYBODY)
        found = _PEOPLE[release] = PeopleDesk(SupportIndex(clusters, guarantee.of_terms, is_inspected=True), first)
    return found


def _people_support(release: Release, published: Mixed, itemset: list[str], rare: str) -> tuple[int, int, float, int]:
    """Return how many people are seen to have values and terms, and how many have them: at least, estimate, at most."""
    asked, terms = conditions_in(published.rows, itemset)
    threshold, unknown = threshold_in(release.guarantee), set(unknown_terms_of(published, [itemset]))
    if threshold is not None and unknown:
        known = [each for each in itemset if each not in unknown]
        return 0, 0, 0.0, min(_people_support(release, published, known, rare)[3], threshold.people - 1)

    def bounds(desk: SupportIndex, wanted: list[str]) -> tuple[int, int, float, int]:
        [row] = support(desk, [wanted], rare=rare).to_pylist()
        return row["seen"], row["at_least"], row["estimate"], row["at_most"]

    def of_marked(marked: Ints64) -> tuple[int, int, float, int]:
        return bounds(people_desk(release).asked_for(marked), [MARK, *terms]) if marked.any() else (0, 0, 0.0, 0)

    if not asked:
        return bounds(desk_of(release), terms)
    found = people_matching(published, asked)
    certain = of_marked(found.certainly)
    if np.array_equal(found.certainly, found.possibly):
        return certain
    at_most, about = of_marked(found.possibly)[3], of_marked(found.about)[2]
    return certain[0], certain[1], min(max(about, certain[1]), float(at_most)), at_most


def unknown_terms_of(published: Mixed, itemsets: list[list[str]]) -> list[str]:
    """Return the terms asked for that the release does not have; values are no terms."""
    asked = {term for itemset in itemsets for term in conditions_in(published.rows, itemset)[1]}
    return sorted(asked.difference(published.vocabulary.to_pylist()))


# Only the nodes that have a term of the itemset are visited, merged from the posting lists of its terms. Supports
# within a chunk are exact, and between chunks by chance; then come trees in which terms are spread over nodes.

USED, DONE = -2, -1  # a holding that has been looked at, and a term
FAR = 2**40  # behind all places


class Met(NamedTuple):
    """Room for holdings that are met, with a place for every term of an itemset."""

    held: Ints64
    group: Ints64  # those in the same chunk
    cursor: Ints64  # and the next row of each


class TermCursors(NamedTuple):
    """Room to work in, with a place for every term of an itemset."""

    at: Ints64  # the next entry of the term
    end: Ints64  # the end of its entries
    ahead: Ints64  # the place of the next one
    who: Ints64  # terms met
    met: Met


class Stack(NamedTuple):
    """Room with a place for every node on the way down that has a term."""

    nodes: Ints64  # its place
    first: Ints64  # where its terms start in `who` and `held`, in mixed trees
    met: Ints64  # terms met down to it, in others
    bounds: Ints64  # what it bounds the support to
    sums: Ints64  # the sum of the bounds below
    chances: NDArray[np.float64]


@inner
def next_row(n, holdings, met):
    """Return the next subrecord that all n holdings of the group have, or -1."""
    row, agreed, i = 0, 0, 0
    while agreed < n:
        end = holdings.first_rows[met.group[i] + 1]
        met.cursor[i] = seek(holdings.rows, met.cursor[i], end, row)
        if met.cursor[i] == end:
            return -1
        found = holdings.rows[met.cursor[i]]
        agreed = agreed + 1 if found == row else 1
        row = found
        i = i + 1 if i + 1 < n else 0
    met.cursor[0] += 1
    return row


@inner
def together(n, holdings, met):
    """Count the records of a chunk that have all n terms of the group."""
    if n == 1:
        return holdings.supports[met.group[0]]
    for i in range(n):
        met.cursor[i] = holdings.first_rows[met.group[i]]
    total = 0
    row = next_row(n, holdings, met)
    while row >= 0:
        total += holdings.counts[row]
        row = next_row(n, holdings, met)
    return total


@inner
def shares(size, first, n, holdings, once, met):
    """Use up the n holdings of a node listed from `first` on. Return in how many chunks they are, how many are in the
    term chunk, the sum and the least of the chunks' supports, and in how many records all are expected."""
    parts, rare, total, least, expected = 0, 0, 0, size, float(size)
    for a in range(first, first + n):
        held = met.held[a]
        if held == IN_TERM_CHUNK:
            rare += 1
            expected = expected * min(once, float(size)) / size
        elif held != USED:
            many = 1
            met.group[0] = held
            for b in range(a + 1, first + n):
                if met.held[b] >= 0 and holdings.chunks[met.held[b]] == holdings.chunks[held]:
                    met.group[many] = met.held[b]
                    met.held[b] = USED
                    many += 1
            support = together(many, holdings, met)
            parts += 1
            total += support
            least = min(least, support)
            expected = expected * support / size
    return parts, rare, total, least, expected


@inner
def certain(wanted, parts, rare, total, least, size, forced, is_leaf):
    """Return the lower and the sharp lower bound that a node with all wanted terms gives."""
    if rare > 0:
        return (1, forced) if wanted == 1 else (0, 0)
    if parts == 1:
        return least, least
    if not is_leaf:
        return 0, 0
    return 0, max(0, total - (parts - 1) * size)


@inner
def tree_mixed(root, n, index, once, work, stack):
    """Return lower, sharp lower and upper bound and the estimate for an itemset of n terms in a tree."""
    lower, sharp, upper, estimate, depth = 0, 0, 0, 0.0, 0
    stack.first[0] = 0
    for place in range(root, index.last[root] + 1):
        while depth > 0 and index.last[stack.nodes[depth - 1]] < place:
            depth -= 1
        first = stack.first[depth]
        end = first
        for i in range(n):
            if work.at[i] < work.end[i] and index.places[work.at[i]] == place:
                work.who[end] = i
                work.met.held[end] = index.held[work.at[i]]
                work.at[i] += 1
                end += 1
        if end > first:
            stack.nodes[depth] = place
            depth += 1
            stack.first[depth] = end
        if end - first == n:
            for a in range(n):  # a copy, because looking at them uses the list up
                work.met.held[end + a] = work.met.held[first + a]
            parts, rare, total, least, _ = shares(index.sizes[place], end, n, index.holdings, once, work.met)
            size, is_leaf = index.sizes[place], index.last[place] == place
            found = certain(n, parts, rare, total, least, size, index.forced[place], is_leaf)
            lower += found[0]
            sharp += found[1]
        if index.last[place] == place and depth > 0:
            bound, expected = _leaf(place, depth, n, index, once, work, stack)
            upper += bound
            estimate += expected
    return lower, sharp, upper, estimate


@inner
def _leaf(leaf, depth, wanted, index, once, work, stack):
    """Bound and expect the records of a leaf with all terms, each taken from the lowest place that has it."""
    size, resolved, done = index.sizes[leaf], 0, stack.first[depth]
    bound, expected = size, float(size)
    for i in range(wanted):
        work.who[done + i] = 0  # a mark for every term, kept behind the list
    for level in range(depth - 1, -1, -1):
        for a in range(stack.first[level], stack.first[level + 1]):
            held = work.met.held[a]
            if work.who[done + work.who[a]] == DONE:
                continue
            if held == IN_TERM_CHUNK:
                work.who[done + work.who[a]] = DONE
                resolved += 1
                expected = expected * min(once, float(size)) / size
                if wanted == 1:
                    expected = max(expected, float(index.forced[leaf]))
                continue
            many = 0
            for b in range(a, stack.first[level + 1]):
                mark, other = done + work.who[b], work.met.held[b]
                if (
                    other >= 0
                    and work.who[mark] != DONE
                    and index.holdings.chunks[other] == index.holdings.chunks[held]
                ):
                    work.met.group[many] = other
                    work.who[mark] = DONE
                    many += 1
            resolved += many
            support = together(many, index.holdings, work.met)
            bound = min(bound, support)
            if stack.nodes[level] == leaf:
                expected = expected * support / size
            else:
                expected *= _chance(leaf, stack.nodes[level], many, index, work)
    if resolved < wanted:
        return 0, 0.0
    return bound, expected


@inner
def _chance(leaf, joint, n, index, work):
    """Return the chance that a record of a leaf gets a shared subrecord with the n terms of the group."""
    chance = 0.0
    for i in range(n):
        work.met.cursor[i] = index.holdings.first_rows[work.met.group[i]]
    row = next_row(n, index.holdings, work.met)
    while row >= 0:
        if may_take(leaf, joint, row, index):
            chance += index.holdings.counts[row] / index.slots[row]
        row = next_row(n, index.holdings, work.met)
    return chance


@kernel
def examine(offsets, terms, index, once, work, stack):
    """Return (lower, sharp lower, upper) and the estimate for itemsets of distinct terms; one with an unknown term (-1)
    has support 0. `once` is the number of records in which a term of a term chunk is expected."""
    bounds = np.zeros((offsets.size - 1, 3), np.int64)
    estimates = np.zeros(offsets.size - 1, np.float64)
    for x in range(offsets.size - 1):
        n = offsets[x + 1] - offsets[x]
        known = n > 0
        for i in range(n):
            term = terms[offsets[x] + i]
            known = known and term >= 0
            if term >= 0:
                work.at[i] = index.starts[term]
                work.end[i] = index.starts[term + 1]
        root = 0 if known else -1
        while root >= 0:
            found = _trees_apart(n, index, once, work, stack)
            root = found[4]
            _add(x, found, bounds, estimates)
            if root >= 0:
                _add(x, tree_mixed(root, n, index, once, work, stack), bounds, estimates)
    return bounds, estimates


@inner
def _add(x, found, bounds, estimates):
    bounds[x, 0] += found[0]
    bounds[x, 1] += found[1]
    bounds[x, 2] += found[2]
    estimates[x] += found[3]


@inner
def _next_tree(n, roots, places, at, end):
    """Move every list on to the next tree that has all terms; return its root, or -1 if there is none."""
    root, agreed, i = 0, 0, 0
    while agreed < n:
        at[i] = seek(places, at[i], end[i], root)
        if at[i] == end[i]:
            return -1
        found = roots[places[at[i]]]
        agreed = agreed + 1 if found == root else 1
        root = found
        i = i + 1 if i + 1 < n else 0
    return root


@inner
def _trees_apart(n, index, once, work, stack):
    """Add up trees that keep their terms apart, until there are no more or the next one does not. Returns lower, sharp
    lower and upper bound, the estimate, and the root of the tree that is left to do, or -1."""
    lower, sharp, upper, estimate = 0, 0, 0, 0.0
    places, last, at, end, ahead = index.places, index.last, work.at, work.end, work.ahead
    while True:
        root = _next_tree(n, index.roots, places, at, end)
        if root < 0 or index.is_mixed[root]:
            return lower, sharp, upper, estimate, root
        for i in range(n):
            ahead[i] = places[at[i]]
        place, depth = root, 0
        while place <= last[root]:
            place = last[root] + 1
            for i in range(n):
                place = min(place, ahead[i])
            while depth > 0 and last[stack.nodes[depth - 1]] < place:
                depth -= 1  # all below this joint is known
                value = min(stack.sums[depth], stack.bounds[depth])
                if depth > 0:
                    stack.sums[depth - 1] += value
                else:
                    upper += value
            met = 0
            for i in range(n):
                if ahead[i] == place and place <= last[root]:
                    work.met.held[met] = index.held[at[i]]
                    at[i] += 1
                    ahead[i] = places[at[i]] if at[i] < end[i] else FAR
                    met += 1
            above = stack.met[depth - 1] if depth > 0 else 0
            if met == 0 or (met + above < n and last[place] == place):
                continue  # the tree is done, or it is a leaf and something is missing
            size = index.sizes[place]
            parts, rare, total, least, expected = shares(size, 0, met, index.holdings, once, work.met)
            if parts >= 2 and met + above == n:
                least = min(least, max(0, index.spare[place] // (parts - 1)))
            if met == n:
                found = certain(n, parts, rare, total, least, size, index.forced[place], last[place] == place)
                lower += found[0]
                sharp += found[1]
                expected = min(max(expected, found[1]), least)
            chance = stack.chances[depth - 1] if depth > 0 else 1.0
            if met + above < n:
                stack.nodes[depth] = place
                stack.met[depth] = met + above
                stack.bounds[depth] = least
                stack.sums[depth] = 0
                stack.chances[depth] = chance * (expected / size)
                depth += 1
                continue
            estimate += chance * expected
            if depth > 0:
                stack.sums[depth - 1] += least
            else:
                upper += least
