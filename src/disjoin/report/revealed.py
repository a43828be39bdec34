"""Dossier table: what known terms or values reveal of a person, in the original and in the release, for every form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from disjoin.attack.definetti import definetti
from disjoin.attack.known_terms import Candidates, candidates
from disjoin.attack.risk import HARMED, LOOKED_AT, risk
from disjoin.attack.simulated import SURE_ENOUGH, simulate
from disjoin.attack.sure_inference import MOST_KNOWN, SureInference, sure_inference
from disjoin.attack.table_risk import people_risk, table_risk
from disjoin.attack.uniqueness import mixed_uniqueness, uniqueness
from disjoin.errors import InvalidParameter
from disjoin.forms.noisy.facts import certainty, epsilon_of
from disjoin.model import (
    Clusters,
    GeneralizedItems,
    Groups,
    KAnonymity,
    KmAnonymity,
    MixedAnonymity,
    MixedRecords,
    PrivacyDegree,
    Release,
    Table,
    Transactions,
)
from disjoin.model.ragged import Ints64, offsets_of
from disjoin.model.release import Report
from disjoin.text import counted, percent, printable

CAUTION = HARMED  # of the records: the recommendation warns if more than that are affected
TOO_MUCH = 0.1  # of the records in `exposed_records`, as in `disjoin.advise.survey`
LIKELY = 0.8  # share of a class with the same sensitive value, above which the recommendation warns
SAMPLE = 200  # records or people that are attacked one by one
MOST_COLUMNS = 3  # known columns of a table, in sets
NOT_COUNTED = "not counted"


@dataclass(frozen=True, slots=True)
class Revealed:
    """What an attacker finds with more and more knowledge; every cell is one number."""

    knowledge: str  # what the columns count: known terms
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]  # a label, and a cell for every column
    notes: tuple[str, ...]  # how it was counted
    remains: tuple[str, ...]  # sentences for the decision
    cautions: tuple[str, ...] = ()  # reasons for a stricter setting
    condition: str = ""  # what must be true of an attacker: "an attacker can know at most ..."

    @property
    def known(self) -> str:
        """What the attacker knows, as a plural noun."""
        return "columns" if self.knowledge == "known columns" else "terms"


def revealed(release: Release, original: Transactions | Table | MixedRecords, report: Report) -> Revealed:
    """Return what known terms or values reveal before and after publishing."""
    if isinstance(original, Table):
        return _of_rows(release, original, report)
    if isinstance(original, MixedRecords):
        return _of_people(release, original, report)
    if isinstance(release.published, Clusters):
        return _of_clusters(release, original, report)
    if isinstance(release.published, Groups):
        return _of_groups(release, original, report)
    if report.form == "noisy":
        return _of_noise(release, original)
    return _of_items(release, original)


BEFORE = "Before: {} that the known {} single out"
AFTER = "After: {} with fewer than {} candidates"
CERTAIN = "After: {} for which a further {} is certain (inference)"


def _numbers(most: int, covered: int, least: int = 1) -> tuple[str, ...]:
    return tuple(f"{n}" if n <= covered else f"{n} (not guaranteed)" for n in range(least, most + 1))


def _of_clusters(release: Release, original: Transactions, report: Report) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, KmAnonymity), "clusters are published under k^m-anonymity"
    found, k = risk(original, release), guarantee.k
    known = [point.known for point in found.curve]
    inferred = [_certain(release, original, number) for number in known]
    certain = [None if each is None else each.share for each in inferred]
    played = [simulate(release, original, terms=number, draws=LOOKED_AT) for number in known]
    rows = (
        (BEFORE.format("records", "terms"), tuple(percent(point.singled_out) for point in found.curve)),
        (AFTER.format("records", k), tuple(percent(point.afterwards) for point in found.curve)),
        (CERTAIN.format("records", "term"), tuple(map(_shown, certain))),
        (
            f"After: records for which a further term has a chance of {SURE_ENOUGH:.0%} or more",
            tuple(percent(each.learned / each.draws) for each in played),
        ),
    )
    looked = "all records" if found.looked_at == found.records else f"{counted(found.looked_at, 'record')}"
    notes = (
        "The first three rows count a record if any such set of its terms has the effect. The last row takes terms at "
        f"random ({played[-1].draws:,} draws). A chance does not count if the other records alone imply it.",
        f"The row with fewer than {k} candidates looks at {looked}, and of long records at the rarest terms.",
        *_sampled(inferred),
        *_cluster_known(report, "records"),
    )
    m, last = guarantee.m, known[-1]
    at_m, beyond = certain[m - 1], found.curve[-1].afterwards
    remains = []
    if at_m is not None:
        remains.append(_inference(at_m, counted(m, "term")))
    remains.append(_beyond(beyond, last, guarantee.most_known, k))
    cautions = []
    if at_m is not None and at_m > CAUTION:
        cautions.append(f"{counted(m, 'known term')} reveal a further term with certainty for {percent(at_m)}.")
    if beyond > CAUTION:
        cautions.append(f"{last} known terms leave fewer than {k} candidates for {percent(beyond)}.")
    cautions += _exposed(report)
    return Revealed(
        "known terms of a record",
        _numbers(last, guarantee.most_known),
        rows,
        notes,
        tuple(remains),
        tuple(cautions),
        f"an attacker can know at most {counted(guarantee.most_known, 'term')} of a record",
    )


def _cluster_known(report: Report, noun: str) -> tuple[str, ...]:
    """Return what another attacker finds, who also knows the cluster: the measures exposed_records, universal_terms."""
    k, exposed = report.guarantee["k"], report.measures["exposed_records"]["value"]
    universal, known = report.measures["universal_terms"]["value"], report.guarantee["m"] + 1
    words = "An attacker who also knows the cluster of a person is another case, which the table does not include."
    if exposed is not None:
        words += (
            f" With {known} known terms of one chunk, at most {percent(exposed)} of the {noun} have fewer than {k} "
            "candidates in the cluster (exposed_records)."
        )
    if universal:
        words += f" {percent(universal)} of the term occurrences are of terms that all {noun} of a cluster have."
    return (words,)


def _exposed(report: Report) -> list[str]:
    share = report.measures["exposed_records"]["value"]
    if share is None or share <= TOO_MUCH:
        return []
    known, k = report.guarantee["m"] + 1, report.guarantee["k"]
    who = f"An attacker who knows the cluster and {known} terms of one chunk"
    return [f"{who} can find fewer than {k} candidates for up to {percent(share)}."]


def _sampled(inferred: Sequence[SureInference | None]) -> tuple[str, ...]:
    """Return a note if certain inference was counted in some of the records only."""
    least = min((each.looked_at for each in inferred if each is not None and each.is_sampled), default=0)
    return (f"Certain inference is estimated from {least:,} records or more.",) if least else ()


def _certain(release: Release, original: Transactions, known: int) -> SureInference | None:
    """Return for how many records that many known terms reveal another; None if it cannot be counted."""
    if known > MOST_KNOWN:
        return None
    try:
        return sure_inference(release, original, known=known)
    except InvalidParameter:  # REFINE in mode paper
        return None


def _shown(share: float | None) -> str:
    return NOT_COUNTED if share is None else percent(share)


def _inference(share: float, known: str) -> str:
    if not share:
        return f"An attacker who knows {known} learns no further term with certainty."
    return f"An attacker who knows {known} learns a further term with certainty for {percent(share)} of the records."


def _beyond(share: float, known: int, covered: int, k: int, nouns: tuple[str, str] = ("record", "records")) -> str:
    """Return what more known terms reveal than the guarantee covers."""
    who = f"{percent(share)} of the {nouns[1]} have" if share else f"no {nouns[0]} has"
    more = " This is more than the guarantee covers." if known > covered else ""
    return f"With {counted(known, 'known term')}, {who} fewer than {k} candidates.{more}"


def _rarest(original: Transactions, rows: Iterable[int]) -> list[list[str]]:
    """Return the terms of some records, the rarest first."""
    supports, found = original.supports(), []
    for row in rows:
        terms: Ints64 = original.records[row].astype(np.int64)
        order = terms[np.argsort(supports[terms], kind="stable")]
        found.append(original.vocabulary.take(pa.array(order)).to_pylist())
    return found


def _attacked(
    release: Release, known: Sequence[tuple[list[str], list[str]]], sizes: range, k: int
) -> tuple[list[float], list[float]]:
    """Return the shares with fewer than k candidates, and with a further certain term, for each number of known terms.
    `known` are values of columns that are always known, and terms, the rarest first."""
    below, certain = np.zeros((2, len(known)), np.bool_)
    shares: tuple[list[float], list[float]] = [], []
    for size in sizes:
        for row, (values, terms) in enumerate(known):
            asked = [*values, *terms[:size]]
            if len(terms) >= size and asked and not (below[row] and certain[row]):
                found = candidates(release, asked, most=1)
                below[row] |= 0 < found.possible < k
                certain[row] |= bool(found.sure)
        for share, marked in zip(shares, (below, certain), strict=True):
            share.append(float(marked.mean()) if len(known) else 0.0)
    return shares


def _sample(number: int) -> list[int]:
    return [int(row) for row in np.unique(np.linspace(0, number - 1, min(SAMPLE, number)).astype(np.int64))]


def _of_items(release: Release, original: Transactions) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, KmAnonymity), "generalised items are published under k^m-anonymity"
    k, m = guarantee.k, guarantee.m
    alone = uniqueness(original, m + 1)
    known: list[tuple[list[str], list[str]]] = [([], terms) for terms in _rarest(original, _sample(len(original)))]
    _, certain = _attacked(release, known, range(1, m + 2), k)
    below = _below_k(release, k, m + 1)
    rows = (
        (BEFORE.format("records", "terms"), tuple(percent(each.share) for each in alone)),
        (AFTER.format("records", k), tuple(map(_shown, below))),
        (CERTAIN.format("records", "term or category"), tuple(map(percent, certain))),
    )
    notes = (f"The last row attacks {counted(len(known), 'record')} by their rarest terms; the others are exact.",)
    beyond = below[m] or 0.0
    remains = (
        _inference(certain[m - 1], counted(m, "term")).replace("further term", "further term or category"),
        _beyond(beyond, m + 1, m, k) if below[m] is not None else f"What {m + 1} known terms reveal was not counted.",
    )
    cautions = [f"{m + 1} known terms leave fewer than {k} candidates for {percent(beyond)}."]
    return Revealed(
        "known terms of a record",
        _numbers(m + 1, m),
        rows,
        notes,
        remains,
        tuple(cautions if beyond > CAUTION else ()),
        f"an attacker can know at most {counted(m, 'term')} of a record",
    )


def _below_k(release: Release, k: int, most: int) -> list[float | None]:
    """Return for 1 to `most` known terms the share of records with as many that fewer than k generalised ones have."""
    from disjoin.attack.exposed_sets import exposed_subrecords, one_chunk

    published = release.published
    assert isinstance(published, GeneralizedItems), "other forms have other candidates"
    bag, n_terms = published.records, len(published.records.vocabulary)
    supports = bag.sets.supports(bag.counts, n_terms)
    is_below = bag.sets.sums(supports[bag.sets.items] < k) > 0
    found: list[float | None] = []
    for width in range(1, most + 1):
        exposed = None if width > 1 and found[-1] is None else is_below
        if width > 1 and exposed is not None:
            exposed = exposed_subrecords(one_chunk(bag), n_terms, k, width)
        if exposed is not None:
            is_below = is_below | exposed
        share = int(bag.counts[is_below].sum()) / max(1, bag.n_records)
        found.append(None if exposed is None else share)
    return found


def _of_groups(release: Release, original: Transactions, report: Report) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, PrivacyDegree), "groups are published with a privacy degree"
    before = uniqueness(original, MOST_COLUMNS)
    published = release.published
    assert isinstance(published, Groups), "other forms have no groups"
    secret = {name for name, yes in zip(published.vocabulary.to_pylist(), published.is_sensitive, strict=True) if yes}
    is_secret = np.array([name in secret for name in original.vocabulary.to_pylist()], np.bool_)
    ordinary = original.records.where(~is_secret[original.items])
    ordinary = ordinary.take(np.flatnonzero(ordinary.lengths))
    plain = Transactions(offsets_of(ordinary.lengths), ordinary.items, original.vocabulary)
    after = uniqueness(plain, MOST_COLUMNS) if len(plain) else ()
    worst = max((e["largest_share"]["rounded"] for e in report.statistics["sensitive_items"]), default=0.0)
    counts = [each.unique_records / len(original) for each in after] or [0.0] * len(before)
    rows = (
        (BEFORE.format("records", "items"), tuple(percent(each.share) for each in before)),
        ("After: records that the known ordinary items single out", tuple(map(percent, counts))),
        (
            f"After: largest chance of one sensitive item (guaranteed: at most 1 in {guarantee.p})",
            tuple(percent(worst) for _ in before),
        ),
    )
    remains = ["Ordinary items are published unchanged, so they can single out a record. Sensitive items are hidden."]
    with suppress(InvalidParameter):  # no group lists a sensitive item
        remains.append(definetti(release, original).sentence())
    return Revealed(
        "known ordinary items of a record",
        _numbers(MOST_COLUMNS, MOST_COLUMNS),
        rows,
        ("The chance takes all records of a group as equally likely.",),
        tuple(remains),
        (),
        "only the listed sensitive items are secret, ordinary items may identify a record, and correlation may reveal "
        "likely holders of a sensitive item",
    )


def _of_noise(release: Release, original: Transactions) -> Revealed:
    before = uniqueness(original, MOST_COLUMNS)
    epsilon = epsilon_of(release.guarantee.to_json())
    most = certainty(epsilon)
    rows = (
        (BEFORE.format("records", "terms"), tuple(percent(each.share) for each in before)),
        ("After: certainty that a record was in the data, if it was 50% before", tuple(most for _ in before)),
    )
    weak = f"Epsilon {float(epsilon):g} is a weak guarantee: 50% certainty can become {most}."
    return Revealed(
        "known terms of a record",
        _numbers(MOST_COLUMNS, MOST_COLUMNS),
        rows,
        ("The second row is an upper bound. It holds for an attacker who knows all other records.",),
        (f"An attacker who is 50% certain that a record was in the data becomes at most {most} certain.",),
        (weak,) if epsilon > 2 else (),
        f"a change from 50% to {most} certainty is acceptable, and no further noisy release of these data follows",
    )


def _of_rows(release: Release, original: Table, report: Report) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, KAnonymity), "a table is published under k-anonymity"
    quasi, records = guarantee.quasi, report.counts["records"]
    found = table_risk(original, quasi, largest=min(MOST_COLUMNS, len(quasi)))
    sizes = [*range(1, min(MOST_COLUMNS, len(quasi) - 1) + 1), len(quasi)]
    noun, alone = "rows", {one.columns: float(one.unique_share) for one in (*found.known, found.whole)}
    if guarantee.person is not None and guarantee.person in original.schema.names:
        people = people_risk(original, quasi, guarantee.person, [one.columns for one in found.known])
        noun, alone = "people", {one.columns: float(one.alone_share) for one in (*people.known, people.whole)}
    before = [max(share for columns, share in alone.items() if len(columns) == size) for size in sizes]
    label = "Before: {} that the known columns single out (worst choice)" if len(quasi) > 1 else BEFORE
    holds = percent(0) if release.verdict.holds else "not verified"
    rows = [
        (label.format(noun, "columns"), tuple(map(percent, before))),
        (AFTER.format(noun, guarantee.k), tuple(holds for _ in sizes)),
    ]
    remains, cautions = [f"An attacker who knows {_listed(quasi)} finds a class of {guarantee.k} or more {noun}."], []
    for entry in report.statistics["sensitive_columns"]:
        name, share = printable(entry["column"]), entry["alike"]["rows"] / max(1, records)
        worst = entry["largest_share"]
        least = "at most " if share else ""
        cells = tuple(percent(share) if size == len(quasi) else f"{least}{percent(share)}" for size in sizes)
        rows.append((f"After: rows whose {name} is certain (inference)", cells))
        learned = f"learns the value of {name} with certainty for {percent(share)} of the rows."
        if not share:
            learned = f"learns no value of {name} with certainty; at worst, {worst['count']:,} of {worst['size']:,} "
            learned += "rows of a class have the same value."
        remains.append(f"The attacker {learned}")
        if worst["rounded"] > LIKELY:
            same = f"{worst['count']:,} of {worst['size']:,} rows have the same {name}"
            cautions.append(f"In one class, {same}; a smaller alpha or a larger l limits that.")
    names = tuple(f"{size}" if size < len(quasi) else f"all {size}" if size > 1 else "1" for size in sizes)
    return Revealed(
        "known columns",
        names,
        tuple(rows),
        ("Before: the worst set of that many quasi-identifiers. After: every class was counted.",),
        tuple(remains),
        tuple(cautions),
        f"an attacker can know no other column of a person than {_listed(quasi)}",
    )


def _listed(names: Sequence[str]) -> str:
    *first, last = (printable(name) for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def known_values(table: Table, quasi: Sequence[str], row: int) -> list[str]:
    return [f"{name}={table.values_of(name)[int(table.codes_of(name)[row])].as_py()}" for name in quasi]


def _of_people(release: Release, original: MixedRecords, report: Report) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, MixedAnonymity), "mixed data has its own guarantee"
    k, m, quasi = guarantee.k, guarantee.m, guarantee.quasi
    alone = mixed_uniqueness(original, quasi, m + 1)
    sample = _sample(len(original))
    known = [
        (known_values(original.table, quasi, row), terms)
        for row, terms in zip(sample, _rarest(original.records, sample), strict=True)
    ]
    below, certain = _attacked(release, known, range(m + 2), k)
    rows = (
        (BEFORE.format("people", "values and terms"), tuple(percent(each / len(original)) for each in alone)),
        (AFTER.format("people", k), tuple(map(percent, below))),
        (CERTAIN.format("people", "term or value"), tuple(map(percent, certain))),
    )
    notes = (
        f"The attacker always knows {_listed(quasi)}. The rows after publishing attack "
        f"{counted(len(known), 'person', 'people')} by their rarest terms.",
        *_cluster_known(report, "people"),
    )
    who = f"{_listed(quasi)} and {counted(m, 'term')}"
    remains = (
        _inference(certain[m], who).replace("of the records", "of the people"),
        _beyond(below[m + 1], m + 1, m, k, ("person", "people")),
    )
    cautions = [f"{m + 1} known terms leave fewer than {k} candidates for {percent(below[m + 1])}."]
    return Revealed(
        f"known terms, with {_listed(quasi)}",
        _numbers(m + 1, m, 0),
        rows,
        notes,
        remains,
        tuple(cautions if below[m + 1] > CAUTION else ()),
        f"an attacker can know at most {who} of a person",
    )


def example_of(
    release: Release, original: Transactions | Table | MixedRecords, pairs: Sequence[tuple[tuple[str, str], int]]
) -> tuple[str, Candidates] | None:
    """Return one attack with what was known: on a rare pair of terms, the first row, or a person with m terms."""
    if release.published.form == "noisy":
        return None
    guarantee = release.guarantee
    if isinstance(original, Table):
        assert isinstance(guarantee, KAnonymity), "a table is published under k-anonymity"
        return "The first row of the data.", candidates(release, known_values(original, guarantee.quasi, 0))
    if isinstance(original, MixedRecords):
        assert isinstance(guarantee, MixedAnonymity), "mixed data has its own guarantee"
        records, m = original.records, guarantee.m
        lengths = np.diff(records.offsets)
        person = int(np.argmax(np.where(lengths >= m, -lengths, -(1 << 40))))
        terms = records.vocabulary.take(pa.array(records.records[person][:m])).to_pylist()
        known = [*known_values(original.table, guarantee.quasi, person), *terms]
        return f"A person with {counted(int(lengths[person]), 'term')}.", candidates(release, known)
    if not pairs:
        return None
    pair, count = min(pairs, key=lambda entry: entry[1])
    begin = f"In the data, {counted(count, 'record has', 'records have')} both {pair[0]} and {pair[1]}."
    return begin, candidates(release, list(pair))
