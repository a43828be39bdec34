"""Invariants of generalised items, and A6: k^m-anonymity of the generalised records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter
from disjoin.model import GeneralizedItems, KmAnonymity, Transactions, Verdict
from disjoin.model.ragged import Ints32, offsets_of
from disjoin.verify import rows as row_shape
from disjoin.verify.chunks import COSTLY, combinations_in, one_of_twins, rare_itemsets_of, undecided
from disjoin.verify.inspection import THRESHOLD, Finding, Inspection, Known, examples, invariants_of, keep, verdict_of
from disjoin.verify.items import cut as item_cut
from disjoin.verify.items import original
from disjoin.verify.rows import Rows
from disjoin.verify.source import Source

INVARIANTS = invariants_of("items")
ALONE = tuple(each.name for each in INVARIANTS if each.needs == "release")


def inspect_items(published: GeneralizedItems, guarantee: KmAnonymity, known: Known) -> Verdict:
    """Verify generalised records, exactly: A1-A6, with the original also B1-B3, with the map record by record."""
    if known.exact:
        raise InvalidParameter("the exact check is for clusters; checks of generalised records are exact anyway.")
    vocabulary = published.records.vocabulary
    findings = row_shape.check_readable(published.records, "A1") + item_cut.check_readable(published)
    if findings:
        return verdict_of(published, guarantee, findings, ["A1"], {})
    rows, cut = Rows.of(published.records), item_cut.Cut.of(published)
    if not len(rows):
        findings.append(Finding("A1", "there is no record, so nothing is published."))
    if known.suppressed_records and guarantee.min_people is None:  # otherwise these are records of rare terms only
        message = f"{known.suppressed_records} records are stated as suppressed, but generalisation suppresses none."
        findings.append(Finding("A1", message))
    findings += row_shape.check_structure(vocabulary, rows, "A1") + item_cut.check_mapping_shape(published)
    findings += row_shape.check_order(vocabulary, rows, "A2") + item_cut.check_orders(published)
    findings += item_cut.check_mapping(cut) + item_cut.check_subtrees(cut) + item_cut.check_records_in_cut(rows, cut)
    tidied = rows.tidied()
    rarest = rarest_set(tidied, guarantee.m)
    findings += check_guarantee(tidied, rarest, guarantee)
    facts = {
        "smallest_support": None if rarest is None else rarest[0],
        "generalised_terms": int(pc.sum(pc.not_equal(cut.terms, cut.images)).as_py() or 0),
    }
    checked = list(ALONE)
    if isinstance(known.original, Transactions):
        source = Source.of(known.original, rows.names, known.part_of_record, known.suppressed_records)
        found, source = original.check_extent(source, rows, published.hierarchy)
        findings += found
        checked += ["B1", "B2"]
        if keep(findings, "A1"):
            findings += original.check_records(source, rows, cut)
            checked.append("B3")
    return verdict_of(published, guarantee, findings, checked, facts)


Rarest = tuple[int, Ints32]  # the least support of any occurring set of up to m terms, and a shortest such set


def check_guarantee(rows: Rows, rarest: Rarest | None, guarantee: KmAnonymity) -> list[Finding]:
    """A6. Needs tidied rows, of which `rarest` was found; records can satisfy no other part of a guarantee."""
    findings = []
    if guarantee.sensitive or guarantee.l > 1:
        message = "the guarantee names sensitive terms, but generalised records have only k and m."
        findings.append(Finding("A6", message, example=guarantee.sensitive))
    if rarest is not None and rarest[0] < guarantee.k:
        support, items = rarest
        found, _ = _rarer_than(guarantee.k, rows, guarantee.m)
        others = "" if found == 1 else f" At least {found:,} combinations are too rare."
        message = f"these terms occur together in {support} records, but at least {guarantee.k} are needed.{others}"
        findings.append(Finding("A6", message, example=examples(rows.names, items)))
    return findings


def rarest_set(rows: Rows, m: int) -> Rarest | None:
    """Return the rarest set of 1 to m terms that occurs in tidied rows; None if there are no terms.

    A search finds the smallest sets below a bound, so the bound is lowered until there is none; at most m searches.
    """
    supports = rows.supports()
    occurring = np.flatnonzero(supports)
    if not occurring.size:
        return None
    least = int(occurring[np.argmin(supports[occurring])])
    rarest = int(supports[least]), np.array([least], dtype=np.int32)
    while m > 1 and rarest[0] > 1:
        _, rarer = _rarer_than(rarest[0], rows, m)
        if rarer is None:
            break
        rarest = rarer
    return rarest


def _rarer_than(bound: int, rows: Rows, m: int) -> tuple[int, Rarest | None]:
    if m == 1:
        supports = rows.supports()
        return int(((supports > 0) & (supports < bound)).sum()), None
    if combinations_in(np.diff(rows.offsets), m).sum() > COSTLY:
        row_of = rows.owners()
        chosen = one_of_twins(row_of, rows.items, len(rows.names))[rows.items]
        lengths = np.bincount(row_of[chosen], minlength=len(rows))
        rows = replace(rows, offsets=offsets_of(lengths), items=rows.items[chosen])
    bags = (rows.whole, rows.offsets, rows.items, rows.counts)
    worst, sets, is_done = rare_itemsets_of(bags, len(rows.names), np.zeros(1, dtype=np.int64), bound, m)
    if not is_done:
        raise undecided(sets.shape[1])
    found, least, length = worst[:, 0].tolist()
    return found, (least, np.sort(sets[0, :length])) if found else None


FACTS = ("smallest_support", "generalised_terms")  # facts about the tables alone
INSPECTION = Inspection((KmAnonymity,), Transactions, inspect_items, (*INVARIANTS, *THRESHOLD), FACTS)
