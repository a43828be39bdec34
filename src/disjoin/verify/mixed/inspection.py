"""Invariants of mixed data: runs the checks of this package in order."""

from __future__ import annotations

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, Mixed, MixedAnonymity, MixedRecords, Verdict
from disjoin.verify.clusters import inspection as of_clusters
from disjoin.verify.inspection import THRESHOLD, Finding, Inspection, Known, invariants_of
from disjoin.verify.mixed import original, rows, rows_and_chunks
from disjoin.verify.table import shape

_ALONE = tuple(name for name in of_clusters.ALONE if name != of_clusters.FILLED)  # R4 replaces it for rows
_STRUCTURE = ("V1", "V2", "V3", "V4", "V9")  # V10 follows from these and R4
_CLUSTERS = [each for each in of_clusters.INVARIANTS if each.name in (*_ALONE, *original.OF_CLUSTERS)]
INVARIANTS = sorted((*_CLUSTERS, *invariants_of("mixed")), key=lambda each: each.needs == "original")


def inspect_mixed(published: Mixed, guarantee: MixedAnonymity, known: Known) -> Verdict:
    """Verify mixed data: V1-V6, V8-V12 of the clusters, R1-R9 of the rows; with the original also O1-O7 and W1-W3."""
    if known.exact:
        raise InvalidParameter("the exact check is for clusters, but this release also has rows. Leave it out.")
    spared = rows.spared_people(published, guarantee)
    verdict = of_clusters.inspect_clusters(published.clusters, guarantee.of_terms, Known(), spared)
    is_sound = "V2" in verdict.checked and not any(each.invariant == "V1" for each in verdict.violations)
    is_whole = not any(each.invariant in _STRUCTURE for each in verdict.violations)
    dropped = {of_clusters.FILLED, "V10"} if is_whole else {of_clusters.FILLED}
    found = original.Compared(
        findings=_columns(published, guarantee) + rows.check_shape(published),
        violations=[each for each in verdict.violations if each.invariant not in dropped],
        checked=[name for name in _ALONE if name in verdict.checked or (name == "V10" and is_whole)] + ["R9", "R1"],
        facts={name: verdict.facts[name] for name in ("forced_association",) if name in verdict.facts},
    )
    if is_sound and not found.findings:
        whole = _inspect_rows(published, guarantee, found)
        if isinstance(known.original, MixedRecords):
            original.compare(published, whole, guarantee, known, found)
    order = {each.name: place for place, each in enumerate(INVARIANTS)}
    violations = [*found.violations, *(finding.violation() for finding in found.findings)]
    violations.sort(key=lambda each: order.get(each.invariant, -1))
    checked = sorted(set(found.checked), key=lambda name: order[name])
    return Verdict(guarantee, (*published.anomalies, *violations), tuple(checked), found.facts)


def _columns(published: Mixed, guarantee: MixedAnonymity) -> list[Finding]:
    table, of_columns = published.rows, guarantee.of_columns
    found = shape.check_columns(table, of_columns) + shape.check_values(table) + shape.check_readable(table)
    extra = [name for name in table.schema.names if name not in (*of_columns.quasi, *of_columns.sensitive)]
    found += [Finding("R9", f"column {name!r} is not in the guarantee.") for name in extra]
    return [each._replace(invariant="R9") for each in found]


def _inspect_rows(published: Mixed, guarantee: MixedAnonymity, found: original.Compared) -> Clusters:
    """R1-R8; return the clusters with the terms that are published with rows as one more chunk."""
    classes = rows.leaf_classes(published, guarantee.quasi)
    whole = rows_and_chunks.with_standing_terms(published)
    found.findings += rows.check_sizes(published)
    found.findings += rows.check_classes(published, guarantee, classes)
    found.findings += rows.check_names(published, guarantee)
    if published.people.items.size:
        found.findings += rows_and_chunks.check_apart(published, whole)
    found.findings += rows_and_chunks.check_filled(published, guarantee)
    found.findings += rows.check_sensitive(published, guarantee, classes)
    found.findings += rows_and_chunks.check_exclusions(published, guarantee)
    found.findings += rows_and_chunks.check_order(published)
    asked = {"R5": guarantee.alpha is not None, "R6": guarantee.column_l > 1, "R7": guarantee.exclusions}
    found.checked += ["R2", "R3", "R4", *(name for name, is_asked in asked.items() if is_asked), "R8"]
    found.facts |= {"classes": int(classes.sizes.size), "least_class": min(classes.sizes.tolist(), default=0)}
    return whole


def unseen(verdict: Verdict) -> list[str]:
    guarantee, facts = verdict.guarantee, verdict.facts
    if not isinstance(guarantee, MixedAnonymity):
        return []
    is_open = guarantee.sensitive and "W2" not in verdict.checked
    sentences = of_clusters.unseen_association(guarantee.l, "who") if is_open else []
    undecided = facts.get("W3", {})
    if undecided.get("decided") is False:
        sentences.append(f"Not decided: W3, whether every row can belong to a person: {undecided['how']}.")
    if "W3" in verdict.checked and verdict.holds:
        sentences.append(
            "Only the publisher knows which row belongs to whom: terms published with rows were not compared."
        )
    return sentences


FACTS = ("forced_association", "classes", "least_class")  # facts about the tables alone
INSPECTION = Inspection((MixedAnonymity,), MixedRecords, inspect_mixed, (*INVARIANTS, *THRESHOLD), FACTS, unseen)
