"""Parts of the dossier that differ from form to form: what known terms reveal, an example attack, what is kept.

Each form has its own in `dossier.py` of its folder; this module has the records, and what several forms share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.attack.known_terms import Candidates, candidates
from disjoin.attack.risk import HARMED, giveaways
from disjoin.charts.svg import Bar, Chart, bars
from disjoin.model import Release, Table, Transactions
from disjoin.model.ragged import Ints64
from disjoin.model.release import Report
from disjoin.text import counted, percent, printable

CAUTION = HARMED  # of the records: the recommendation warns if more than that are affected
SAMPLE = 200  # records or people that are attacked one by one
MOST_KNOWN = 3  # known terms, items or columns, where the guarantee names no number
NOT_COUNTED = "not counted"
BEFORE = "Before: {} that the known {} single out"
AFTER = "After: {} with fewer than {} candidates"
CERTAIN = "After: {} for which a further {} is certain (inference)"


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


@dataclass(frozen=True, slots=True)
class DossierParts:
    """What a form contributes to the dossier. `costs` are exact figures about the original, as in `Form.costs`."""

    revealed: Callable[[Release, Any, Report], Revealed]
    example: Callable[[Release, Any], tuple[str, Candidates] | None]  # what was known in words, and what was found
    kept: Callable[[Report, Mapping[str, Any]], Sequence[str]]  # three sentences
    pictures: tuple[int, ...] = (0, 1)  # of `Page.figures`
    chart: Callable[[Report, Mapping[str, Any]], Chart] | None = None  # drawn before these
    has_learned: bool = False  # whether `revealed` has all figures of `Form.learned`


def nothing_revealed(release: Release, original: Any, report: Report) -> Revealed:
    return Revealed("known terms", (), (), (), (), (), "the figures of the report are acceptable")


NO_PARTS = DossierParts(nothing_revealed, lambda release, original: None, lambda report, costs: ())


def numbers(most: int, covered: int, least: int = 1) -> tuple[str, ...]:
    return tuple(f"{n}" if n <= covered else f"{n} (not guaranteed)" for n in range(least, most + 1))


def cluster_known(report: Report, noun: str) -> tuple[str, ...]:
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


def shown(share: float | None) -> str:
    return NOT_COUNTED if share is None else percent(share)


def inference(share: float, known: str) -> str:
    if not share:
        return f"An attacker who knows {known} learns no further term with certainty."
    return f"An attacker who knows {known} learns a further term with certainty for {percent(share)} of the records."


def more_known(share: float, known: int, covered: int, k: int, nouns: tuple[str, str] = ("record", "records")) -> str:
    """Return what more known terms reveal than the guarantee covers."""
    who = f"{percent(share)} of the {nouns[1]} have" if share else f"no {nouns[0]} has"
    more = " This is more than the guarantee covers." if known > covered else ""
    return f"With {counted(known, 'known term')}, {who} fewer than {k} candidates.{more}"


def rarest_first(original: Transactions, rows: Iterable[int]) -> list[list[str]]:
    """Return the terms of some records, the rarest first."""
    supports, found = original.supports(), []
    for row in rows:
        terms: Ints64 = original.records[row].astype(np.int64)
        order = terms[np.argsort(supports[terms], kind="stable")]
        found.append(original.vocabulary.take(pa.array(order)).to_pylist())
    return found


def attacked(
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


def sampled(number: int) -> list[int]:
    return [int(row) for row in np.unique(np.linspace(0, number - 1, min(SAMPLE, number)).astype(np.int64))]


def listed(names: Sequence[str]) -> str:
    *first, last = (printable(name) for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def known_values(table: Table, quasi: Sequence[str], row: int) -> list[str]:
    return [f"{name}={table.values_of(name)[int(table.codes_of(name)[row])].as_py()}" for name in quasi]


def pair_attack(release: Release, original: Transactions) -> tuple[str, Candidates] | None:
    """Return an attack on the rarest pair of terms that singles out records; None if there is none."""
    k = getattr(release.guarantee, "k", 0) or getattr(release.guarantee, "p", 2)
    _, pairs = giveaways(original, k)
    if not pairs:
        return None
    pair, count = min(pairs, key=lambda entry: entry[1])
    begin = f"In the data, {counted(count, 'record has', 'records have')} both {pair[0]} and {pair[1]}."
    return begin, candidates(release, list(pair))


def kept_bars(report: Report, costs: Mapping[str, Any]) -> Chart:
    """Draw what is kept of the terms, with the exact figures of the original."""
    terms = report.statistics["terms"]
    shares = {
        "item pairs visible together": costs["pair_mass"],
        "term occurrences counted": costs["term_mass"],
        "terms listed with counts": 1 - terms["only_in_term_chunks"] / max(1, terms["total"]),
    }
    found = [Bar(name, float(share), percent(float(share))) for name, share in shares.items()]
    words = ", ".join(f"{bar.name} {bar.text}" for bar in found)
    return bars("What is kept", found, ("what", "share"), f"Bars of what is kept: {words}.", until=1)


def pairs_kept(costs: Mapping[str, Any]) -> str:
    return f"{percent(costs['pair_mass'])} of the item pairs stay visible together (pair_mass)."


def terms_without_counts(report: Report) -> str:
    terms = report.statistics["terms"]
    return f"{terms['only_in_term_chunks']:,} of {counted(terms['total'], 'term')} are listed without counts."


def granularity_kept(report: Report) -> str:
    share = percent(report.statistics["granularity"])
    return f"Generalised columns keep {share} of their detail (granularity; 100% is unchanged)."
