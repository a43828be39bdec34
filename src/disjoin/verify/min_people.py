"""H1, H2: the threshold of people.

H1 uses the release alone: the most people who may have a term. H2 counts people in the original: the verifier removes
or replaces terms and values that too few people have, with its own code, and the result must equal the release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter, Placeholder, Remedy
from disjoin.model import Clusters, Generalized, GeneralizedItems, Groups, Hierarchy, Mixed, MixedRecords
from disjoin.model.parameters import CATEGORY, LEAVE_OUT, OTHER, SUPPRESSED, MinPeople
from disjoin.model.published import Published, Verdict
from disjoin.model.ragged import Bag, Ints32, Ints64, offsets_of
from disjoin.model.table import Table
from disjoin.model.transactions import Transactions
from disjoin.text import counted
from disjoin.verify.forest import summed
from disjoin.verify.inspection import SHOWN, Finding, Inspection, Known
from disjoin.verify.source import words_of

WELL_FORMED = {"V1", "P1", "A1", "T1", "R1", "R9"}  # without these, counting is impossible
TERMS = ""  # the place of terms, which are in no column


class Listing(NamedTuple):
    """Published names in one place (a column, or all terms) and the most people who may have each."""

    column: str
    names: list[str]
    most: Ints64


def inspect_with_threshold(inspection: Inspection, published: Published, guarantee: Any, known: Known) -> Verdict:
    """Verify a form against the original without terms and values of too few people, and add H1 and H2."""
    threshold: MinPeople = guarantee.min_people
    kept = known if known.original is None else kept_original(published, guarantee, known)
    verdict = inspection.inspect(published, guarantee, kept)
    if getattr(published, "anomalies", ()) or any(each.invariant in WELL_FORMED for each in verdict.violations):
        return verdict
    findings = [finding for listing in listings_of(published) for finding in too_few(listing, threshold.people)]
    checked = [*verdict.checked, "H1"]
    if kept.original is not None:
        findings += _unlike(published, kept.original, threshold.people) + _uncounted(known, kept)
        checked.append("H2")
    violations = (*verdict.violations, *(finding.violation() for finding in findings))
    return replace(verdict, violations=violations, checked=tuple(checked))


def too_few(listing: Listing, least: int) -> list[Finding]:
    """H1: the names of a place that too few people can have; * is not a value."""
    few = np.flatnonzero(listing.most < least).tolist()
    if listing.column:
        few = [place for place in few if listing.names[place] != SUPPRESSED]
    if not few:
        return []
    what, worst = _named(listing.column, len(few)), int(min(listing.most[place] for place in few))
    message = f"{what} may belong to fewer than {least} people, one to at most {worst}."
    return [Finding("H1", message, example=tuple(listing.names[place] for place in few[:SHOWN]))]


def _named(column: str, number: int) -> str:
    return f"{counted(number, 'value')} of column {column!r}" if column else counted(number, "published term")


def listings_of(published: Published) -> list[Listing]:
    """Return all published names, and how many people may have each at most."""
    if isinstance(published, Clusters):
        return [of_clusters(published)]
    if isinstance(published, Groups):
        ordinary = (published.items, np.repeat(published.counts, np.diff(published.item_offsets)))
        secret = (published.sensitive_items, published.sensitive_counts)
        return [_of_terms(published.vocabulary, (ordinary, secret))]
    if isinstance(published, GeneralizedItems):
        return [_of_bag(published.records)]
    if isinstance(published, Generalized):
        table = published.table
        return [_column(table, name, np.ones(len(table), np.int64)) for name in _others(table, published.quasi)]
    assert isinstance(published, Mixed), "only mixed data have people to count"
    most: Counter[str] = Counter()
    for listing in (of_clusters(published.clusters), _of_bag(published.people)):
        most.update(dict(zip(listing.names, listing.most.tolist(), strict=True)))
    columns = [
        _column(published.rows, name, published.people.counts) for name in _others(published.rows, published.quasi)
    ]
    return [Listing(TERMS, list(most), np.array(list(most.values()), dtype=np.int64)), *columns]


def of_clusters(published: Clusters) -> Listing:
    """Count the records of a term's subrecords, and all records of clusters that list it without a count."""
    pairs = (
        pair
        for trees in published.in_ranges()
        for pair in (
            (trees.items, np.repeat(trees.counts, np.diff(trees.item_offsets))),
            (trees.term_items, np.repeat(trees.sizes, np.diff(trees.term_offsets))),
        )
    )
    return _of_terms(published.vocabulary, pairs)


def _of_bag(bag: Bag) -> Listing:
    return _of_terms(bag.vocabulary, [(bag.items, np.repeat(bag.counts, np.diff(bag.offsets)))])


def _of_terms(vocabulary: pa.StringArray, pairs: Iterable[tuple[Ints32, Ints64]]) -> Listing:
    most = np.zeros(len(vocabulary), dtype=np.int64)
    for items, people in pairs:
        np.add.at(most, items, people)
    return Listing(TERMS, vocabulary.to_pylist(), most)


def _others(table: Table, quasi: tuple[str, ...]) -> list[str]:
    return [name for name in table.schema.names if name not in quasi]


def _column(table: Table, name: str, rows: Ints64) -> Listing:
    values = table.values_of(name).to_pylist()
    return Listing(name, values, summed(table.codes_of(name), rows, len(values)))


def _unlike(published: Published, original: object, least: int) -> list[Finding]:
    """H2: the release has exactly the terms and values that enough people of the original have."""
    names = {listing.column: listing.names for listing in listings_of(published)}
    if isinstance(published, GeneralizedItems):
        names = {TERMS: published.terms.to_pylist()}  # the names that a release lists, including those without records
    findings = []
    for column, mine in names.items():
        wanted = _names_in(original, column)
        if wanted is None:
            continue  # another invariant reports a new column
        new, lost = sorted(set(mine) - wanted), sorted(wanted - set(mine))
        gone = counted(len(lost), "term") if not column else _named(column, len(lost))
        breaches = (
            (new, f"{_named(column, len(new))} belong to fewer than {least} people of the original."),
            (lost, f"{gone} that at least {least} people have, or replacements of rarer ones, are not published."),
        )
        findings += [Finding("H2", words, example=tuple(some[:SHOWN])) for some, words in breaches if some]
    return findings


def _uncounted(known: Known, kept: Known) -> list[Finding]:
    """H2: records with only rare terms are among those that the release states as suppressed."""
    assert known.original is not None and kept.original is not None, "needs an original"
    gone = len(known.original) - len(kept.original)
    if gone <= known.suppressed_records:
        return []
    have = "1 record has" if gone == 1 else f"{gone} records have"
    return [Finding("H2", f"{have} only rare terms, but {known.suppressed_records} are stated as suppressed.")]


def _names_in(original: object, column: str) -> set[str] | None:
    if not column:
        records = original.records if isinstance(original, MixedRecords) else original
        assert isinstance(records, Transactions), "terms are compared with records"
        return {records.vocabulary[item].as_py() for item in np.unique(records.items).tolist()}
    table = original.table if isinstance(original, MixedRecords) else original
    assert isinstance(table, Table), "columns are compared with a table"
    if column not in table.schema.names:
        return None
    values = table.values_of(column)
    return {values[code].as_py() for code in np.unique(table.codes_of(column)).tolist()}


def kept_original(published: Published, guarantee: Any, known: Known) -> Known:
    """Return the original as it must be published, without terms and values of too few people."""
    original, threshold = known.original, guarantee.min_people
    if isinstance(original, Transactions):
        return _kept_records(original, threshold, known)
    if isinstance(original, MixedRecords):
        assert isinstance(published, Mixed), "people are compared with mixed data"
        flat = MinPeople(threshold.people) if threshold.rare == CATEGORY else threshold
        everybody = np.arange(len(original), dtype=np.int64)
        table = _kept_table(original.table, published.rows, guarantee.quasi, flat, everybody)
        return replace(known, original=replace(original, records=_kept_terms(original.records, threshold), table=table))
    assert isinstance(original, Table) and isinstance(published, Generalized), "tables are compared with tables"
    people = _people_of(original, guarantee.person)
    return replace(known, original=_kept_table(original, published.table, guarantee.quasi, threshold, people))


def original_as_published(published: Published, guarantee: Any, original: Any) -> Any:
    """Return the original without rare terms and values; for clusters with empty records, which measures count."""
    if isinstance(published, Clusters):
        return _kept_terms(original, guarantee.min_people)
    return kept_original(published, guarantee, Known(original)).original


def _people_of(original: Table, person: str | None) -> Ints64:
    """Return the number of the person of every row; spellings of an id are one person."""
    if person is None or person not in original.schema.names:
        return np.arange(len(original), dtype=np.int64)
    return words_of(original.values_of(person).to_pylist())[original.codes_of(person)]


def _kept_records(original: Transactions, threshold: MinPeople, known: Known) -> Known:
    """Return the records with remaining terms; the release states the others as suppressed."""
    kept = _kept_terms(original, threshold)
    has_terms = np.diff(kept.offsets) > 0
    gone = int((~has_terms & (np.diff(original.offsets) > 0)).sum())
    stays = has_terms | (np.diff(original.offsets) == 0)
    parts = known.part_of_record
    if parts is not None and parts.shape == stays.shape:
        if (parts[~stays] >= 0).any():  # the map places records without terms, which the form reports
            return replace(known, original=kept)
        parts = parts[stays]
    records = replace(kept, offsets=offsets_of(np.diff(kept.offsets)[stays]))
    suppressed = max(0, known.suppressed_records - gone)
    return replace(known, original=records, part_of_record=parts, suppressed_records=suppressed)


def _kept_terms(original: Transactions, threshold: MinPeople) -> Transactions:
    names = original.vocabulary.to_pylist()
    owners = np.repeat(np.arange(len(original)), np.diff(original.offsets))
    if threshold.rare == CATEGORY and original.hierarchy is None:
        raise _unknown_categories("rare terms of this release", Remedy("hierarchy", Placeholder("FILE"), "read it"))
    becomes = _replacements(names, owners, original.items, threshold, original.hierarchy)
    vocabulary = sorted({label for label in becomes if label is not None})
    numbers = {label: number for number, label in enumerate(vocabulary)}
    new = np.array([-1 if label is None else numbers[label] for label in becomes], dtype=np.int64)[original.items]
    width = max(1, len(vocabulary))
    keys = np.unique((owners * width + new)[new >= 0])  # each term once per record, ascending
    offsets = offsets_of(np.bincount(keys // width, minlength=len(original)))
    items = (keys % width).astype(np.int32)
    return Transactions(offsets, items, pa.array(vocabulary, pa.string()), intake=original.intake)


def _unknown_categories(what: str, remedy: Remedy) -> InvalidParameter:
    message = f"{what} were replaced by categories, so their hierarchy is needed."
    return InvalidParameter(message, remedies=[remedy])


def _kept_table(
    original: Table, published: Table, quasi: tuple[str, ...], threshold: MinPeople, people: Ints64
) -> Table:
    codes, values = list(original.codes), list(original.values)
    for name in _others(published, quasi):
        if name not in original.schema.names:
            continue
        place = original.schema.position(name)
        texts = original.values[place].to_pylist()
        tree = original.hierarchies.get(name)
        has_categories = not {*published.values_of(name).to_pylist()} <= {*texts, SUPPRESSED}
        if threshold.rare == CATEGORY and tree is None and has_categories:
            remedy = Remedy("hierarchies", Placeholder("FOLDER"), "read it from a folder")
            raise _unknown_categories(f"rare values of {name!r}", remedy)
        found = _replacements(texts, people, original.codes[place], threshold, tree)
        becomes = [label or SUPPRESSED for label in found]
        listed = sorted(set(becomes))
        codes[place] = np.array([listed.index(label) for label in becomes], np.int32)[original.codes[place]]
        values[place] = pa.array(listed, pa.string())
    return replace(original, codes=tuple(codes), values=tuple(values))


def _replacements(
    names: list[str], owners: Ints64, codes: Any, threshold: MinPeople, tree: Hierarchy | None
) -> list[str | None]:
    width = max(1, len(names))
    pairs = np.unique(owners.astype(np.int64) * width + codes)  # pairs of a person and a value
    people = np.bincount(pairs % width, minlength=len(names))
    enough = people >= threshold.people
    frequent = {name for name, is_enough in zip(names, enough.tolist(), strict=True) if is_enough}
    rare = pairs[~enough[pairs % width]]
    who: dict[str, set[int]] = {}
    for owner, code in zip((rare // width).tolist(), (rare % width).tolist(), strict=True):
        who.setdefault(names[code], set()).add(owner)
    replaced: dict[str, str] = {}
    if threshold.rare == OTHER:
        if OTHER in frequent or len({owner for owners in who.values() for owner in owners}) >= threshold.people:
            replaced = dict.fromkeys(who, OTHER)
    elif threshold.rare != LEAVE_OUT and tree is not None:
        replaced = _by_category(who, frequent, threshold.people, tree)
    return [name if name in frequent else replaced.get(name) for name in names]


def _by_category(who: Mapping[str, set[int]], frequent: set[str], least: int, tree: Hierarchy) -> dict[str, str]:
    """Return the lowest node below the root above each rare name that is frequent, or where enough people meet."""
    names, levels = tree.names.to_pylist(), tree.levels.tolist()
    start: dict[str, int] = {}
    for node, name in enumerate(names):
        if name in who:
            start.setdefault(name, node)
    found: dict[str, str] = {}
    for level in range(tree.height):
        meeting: dict[int, list[str]] = {}
        for name, node in start.items():
            if name not in found and levels[node] <= level:
                at = node
                while levels[at] < level:
                    at = int(tree.parents[at])
                meeting.setdefault(at, []).append(name)
        for at, members in meeting.items():
            people = set().union(*(who[name] for name in members))
            if names[at] != names[tree.root] and (names[at] in frequent or len(people) >= least):
                found |= dict.fromkeys(members, names[at])
    return found
