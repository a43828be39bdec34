"""Invariants of clusters: from the release alone, compared with the original, exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Transactions, Verdict
from disjoin.model.ragged import Ints64, used_by
from disjoin.verify import chunks
from disjoin.verify.clusters import original, reconstructions, resistance, sensitive, structure
from disjoin.verify.clusters.support_bounds import check_bounds
from disjoin.verify.forest import MOST_RECORDS, Forest, check_shape, ranked, tidied
from disjoin.verify.inspection import THRESHOLD, Finding, Inspection, Known, invariants_of, keep, verdict_of
from disjoin.verify.source import Source, compare_terms, follow_map, is_among

INVARIANTS = invariants_of("clusters")
ALONE = tuple(each.name for each in INVARIANTS if each.needs == "release")
FILLED = "V7"  # mixed data have another condition instead
ONLY_FOR_A_PROOF = (FILLED, "V9")  # the paper's REFINE may break these
NO_ASSOCIATION = [0, 1]  # records, out of records


def inspect_clusters(
    published: Clusters, guarantee: KmAnonymity, known: Known, spared: Ints64 | None = None
) -> Verdict:
    """Verify clusters: V1-V15 as far as guaranteed; with the original O1, O6 and O7, with the map O1-O6; G1 if tiny.

    `spared` counts the records of every cluster that need no term of its chunks (V11). If the guarantee is not proven,
    breaches of V7 and V9, and trees too large for V10, are counted in `facts["unproven"]` and are no violations.
    """
    if known.original is None and known.exact:
        raise InvalidParameter("the exact check needs the itemsets of the original: give the original, too.")
    if known.original is None and (facts := _sound_by_ranges(published, _tame(guarantee), spared)) is not None:
        return Verdict(guarantee, (), tuple(_checked(guarantee)), facts)
    inspection = _Inspection(published, _tame(guarantee), known, spared)
    if inspection.read_alone() and isinstance(known.original, Transactions):
        source = Source.of(known.original, inspection.forest.names, known.part_of_record, known.suppressed_records)
        inspection.weigh(inspection.compare_with(source), known.exact)
    return verdict_of(published, guarantee, inspection.conclude(), inspection.checked, inspection.facts)


def _tame(guarantee: KmAnonymity) -> KmAnonymity:
    """Return an equivalent guarantee whose numbers fit into 64 bits: no release has that many records."""
    most, many = MOST_RECORDS + 1, 2**31
    return replace(
        guarantee,
        k=min(guarantee.k, most),
        m=min(guarantee.m, many),
        l=min(guarantee.l, most),
        slack=min(guarantee.slack, most),
        also=tuple((min(k, most + 1), min(m, many + 1)) for k, m in guarantee.also),
    )


def _sound_by_ranges(
    published: Clusters, guarantee: KmAnonymity, spared: Ints64 | None = None
) -> dict[str, Any] | None:
    """Check many trees range by range, with one range in memory; None if there is one range, or a violation.

    A range is checked like a separate release. For the whole it is checked that the numbers add up, the vocabulary is
    in order and used, no tree spans two ranges, and trees ascend between ranges.
    """
    if published.anomalies or check_shape(published) or len(ranges := published.ranges()) < 2:
        return None
    names, is_root = published.vocabulary, published.parents < 0
    roots = np.append(np.flatnonzero(is_root), len(published))
    is_apart = (is_root | (published.parents >= roots[np.cumsum(is_root) - 1])).all()
    is_used = used_by(len(names), published.items, published.term_items).all()
    if not is_apart or not is_used or ranked(names)[1] is not None:
        return None
    borders = np.searchsorted(roots, [first for first, _ in ranges[1:]])
    around = zip(roots[borders - 1].tolist(), roots[borders + 1].tolist(), strict=True)
    pairs = (Forest.of(published.trees(*two)) for two in around)
    own = [None if spared is None else spared[first:last] for first, last in ranges]
    found = [_facts_if_sound(published.between(*nodes), guarantee, few) for nodes, few in zip(ranges, own, strict=True)]
    if None in found or any(structure.check_order_between(names, pair) for pair in pairs):
        return None
    return _together([facts for facts in found if facts])


def _facts_if_sound(trees: Clusters, guarantee: KmAnonymity, spared: Ints64 | None) -> dict[str, Any] | None:
    inspection = _Inspection(trees, guarantee, Known(), spared)
    is_sound = inspection.read_alone() and not inspection.findings and not inspection.conclude()
    return inspection.facts if is_sound else None


def _together(found: list[dict[str, Any]]) -> dict[str, Any]:
    bare, slacks, rates = ([facts[name] for facts in found] for name in FACTS[:3])
    least = min((slack for slack in slacks if slack is not None), default=None)
    largest = max(rates, key=lambda rate: Fraction(*rate))  # the first of equal ones
    return found[0] | {FACTS[0]: sum(bare), FACTS[1]: least, FACTS[2]: largest}


def _checked(guarantee: KmAnonymity) -> list[str]:
    unasked = {"V13", "V14", "V15"} - resistance.guaranteed(guarantee)
    return [name for name in ALONE if name not in unasked]


class _Inspection:
    forest: Forest

    def __init__(self, published: Clusters, guarantee: KmAnonymity, known: Known, spared: Ints64 | None = None) -> None:
        self.published = published
        self.spared = spared
        self.guarantee = guarantee
        self.known = known
        self.findings: list[Finding] = []
        self.checked: list[str] = ["V1"]
        self.facts: dict[str, Any] = {}

    def read_alone(self) -> bool:
        """V1-V15, the release alone; return whether it can be read at all."""
        self.findings += check_shape(self.published)
        if self.findings:
            return False
        vocabulary = self.published.vocabulary
        raw = Forest.of(self.published)
        untidy = structure.check_structure(vocabulary, raw) + structure.check_order_inside(raw)
        self.forest = tidied(raw) if untidy else raw
        self.findings += untidy + structure.check_order_between(vocabulary, self.forest)
        self._check_chunks()
        self._check_leaves()
        self.findings += resistance.check_resistance(self.forest, self.guarantee)
        effort: dict[str, Any] = {}
        if self.findings:  # without findings, V10 follows from the others
            broken, effort = reconstructions.check_existence(self.forest, self.findings)
            self.findings += broken
        self.facts |= effort
        self.findings.sort(key=lambda finding: int(finding.invariant[1:]))
        undecided = {"V10"} if effort.get("trees_too_large") else set()
        self.checked = [name for name in _checked(self.guarantee) if name not in undecided]
        return True

    def _check_chunks(self) -> None:
        forest = self.forest
        self.findings += chunks.check_chunk_sizes(forest)
        self.findings += chunks.check_disjoint(forest)
        shared, meets = structure.check_shared_terms(forest)
        self.findings += shared
        self.findings += chunks.check_combinations(forest, self.guarantee)
        self.findings += chunks.check_property_one(forest, meets, self.guarantee)

    def _check_leaves(self) -> None:
        forest, guarantee = self.forest, self.guarantee
        holders, rate = np.zeros(len(forest), np.bool_), NO_ASSOCIATION
        forced: list[Finding] = []
        if guarantee.sensitive:
            marks = is_among(forest.names, guarantee.sensitive)
            holders = sensitive.leaves_with_sensitive(forest, marks)
            forced, rate = sensitive.check_sensitive(forest, guarantee, marks, self.spared)
        self.findings += structure.check_least_sizes(forest, guarantee, holders)
        too_few, slack = structure.check_counts(forest, forest.domains.chunk_sizes, guarantee)
        self.findings += too_few + forced
        self.facts |= slack | {"forced_association": rate}

    def compare_with(self, source: Source) -> Source:
        """O1-O7, the release compared with its original; return the source, without an unusable map."""
        forest, guarantee = self.forest, self.guarantee
        self.findings += original.check_record_count(source, self.published.n_records)
        expected = np.where(forest.is_leaf, forest.sizes, 0)  # records belong to leaves, not to joint clusters
        strayed, source = follow_map(source, expected, "O1", "cluster")
        self.findings += strayed + compare_terms(source, forest.names, (forest.items, forest.term_items), "O6")
        self.checked += ["O1", "O6"]
        if source.leaves is not None:
            self._follow_map(source)
            return source
        if guarantee.sensitive:
            marks = is_among(forest.names, guarantee.sensitive)
            self.findings += sensitive.check_possible_association(source, forest, guarantee, marks)
        if keep(self.findings, "V1", "V3", "V4"):
            apart, clock = keep(self.findings, "V9"), self.known.clock
            outside, facts = check_bounds(source, forest, apart=apart, clock=clock)
            self.findings += outside
            self.facts["O7"] = facts
            self.checked += ["O7"] if facts["itemsets"] else []
        return source

    def _follow_map(self, source: Source) -> None:
        forest, guarantee = self.forest, self.guarantee
        self.facts["true_association"] = NO_ASSOCIATION
        if guarantee.sensitive:
            marks = is_among(forest.names, guarantee.sensitive)
            linked, self.facts["true_association"] = sensitive.true_association(source, forest, guarantee, marks)
            self.findings += linked
        if keep(self.findings, "V1", "V3", "V4"):
            threads = self.known.threads
            self.findings += original.check_bags(source, forest, threads=threads)
            self.checked += ["O2", "O3", "O4", "O5"]

    def weigh(self, source: Source, exact: bool | None) -> None:
        """G1, the guarantee itself, if it is requested, or if it is undecided and cheap."""
        wanted = exact
        if exact is None:
            is_open = not keep(self.findings, *(("V9",) if self.guarantee.proven else ONLY_FOR_A_PROOF))
            wanted = is_open and reconstructions.is_tiny(source, self.forest, self.guarantee)
        if wanted and keep(self.findings, "V1", "V2", "V3", "V4"):
            broken, self.facts["G1"] = reconstructions.check_guarantee(source, self.forest, self.guarantee)
            self.findings += broken
            self.checked += ["G1"]

    def conclude(self) -> list[Finding]:
        """Return the violations; without a claim of proof, breaches of V7 and V9 are facts instead."""
        if self.guarantee.proven or "V7" not in self.checked:
            return self.findings
        counts = {name: sum(f.invariant == name for f in self.findings) for name in ONLY_FOR_A_PROOF}
        self.facts["unproven"] = counts | {"V10": self.facts.get("trees_too_large", 0)}
        return [finding for finding in self.findings if finding.invariant not in ONLY_FOR_A_PROOF]


def unseen(verdict: Verdict) -> list[str]:
    guarantee, sentences = verdict.guarantee, _sampled(verdict.facts.get("O7", {}))
    if isinstance(guarantee, KmAnonymity) and guarantee.sensitive and "V11" in verdict.checked:
        return unseen_association(guarantee.l, "which record") + sentences
    return sentences


def unseen_association(l: int, what: str) -> list[str]:  # noqa: E741 - the papers' name
    rule = f"in every cluster at most one record in {l} has the same sensitive term"
    return [f"Not checked: that {rule}. Only the data owner knows where {what} were published."] if l >= 2 else []


def _sampled(tried: Mapping[str, Any]) -> list[str]:
    """Return a sentence on the share of itemsets that O7 tested, if it is a sample.

    >>> _sampled({"itemsets": 2, "of": 1000, "stopped_after": 0.5})
    ['O7 checked 2 of 1,000 sets of up to three terms, stopped after 0.5 seconds; the others were not checked.']
    """
    if not tried or tried["itemsets"] >= tried["of"]:
        return []
    seconds = tried.get("stopped_after")
    stopped = f", stopped after {seconds:g} second{'' if seconds == 1 else 's'}" if seconds else ""
    checked = f"O7 checked {tried['itemsets']:,} of {tried['of']:,} sets of up to three terms{stopped}"
    return [f"{checked}; the others were not checked."]


FACTS = ("leaves_without_term_chunk", "least_slack", "forced_association", "unproven")  # facts about the tables alone
INSPECTION = Inspection((KmAnonymity,), Transactions, inspect_clusters, (*INVARIANTS, *THRESHOLD), FACTS, unseen)
