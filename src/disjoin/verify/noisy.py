"""Verification of noisy records: N1-N4. Differential privacy itself cannot be checked from tables."""

from __future__ import annotations

from typing import Any

from disjoin.errors import InvalidParameter
from disjoin.model import DifferentialPrivacy, NoisyRecords, Transactions, Verdict
from disjoin.text import BY_CONSTRUCTION
from disjoin.verify.inspection import Finding, Inspection, Known, invariants_of, verdict_of
from disjoin.verify.rows import Rows, check_order, check_readable, check_structure

INVARIANTS = invariants_of("noisy")
SEEN = (
    "the domain was taken from the data, so one record can change every row: this is not differentially private. "
    "Publish again with a list of terms from another source."
)


def inspect_noisy(published: NoisyRecords, guarantee: DifferentialPrivacy, known: Known) -> Verdict:
    """Verify noisy records: N1-N4, never against an original. `facts["by_construction"]`: the method guarantees them.

    If the guarantee is not proven, N4 is counted in `facts["unproven"]` and is not a violation.
    """
    if known.exact:
        raise InvalidParameter("the exact check is for clusters; tables cannot show how much noise counts have.")
    if known.part_of_record is not None:
        raise InvalidParameter("noisy records do not come from records of the original: leave part_of_record out.")
    facts: dict[str, Any] = {"by_construction": True}
    if known.original is not None:
        facts["compared"] = False
    if not guarantee.proven:
        facts["unproven"] = {"N4": 1}
    findings = check_readable(published.records, "N1")
    if findings:
        return verdict_of(published, guarantee, findings, ["N1"], facts)
    vocabulary, rows, suppressed = published.records.vocabulary, Rows.of(published.records), known.suppressed_records
    findings += check_structure(vocabulary, rows, "N1") + check_order(vocabulary, rows, "N2")
    if suppressed:
        message = f"{suppressed} records are stated as suppressed, but exact numbers have no guarantee."
        findings.append(Finding("N3", message))
    stated = known.stated
    if isinstance(stated, DifferentialPrivacy):  # not less than the guarantee to check
        if guarantee.proven and not stated.proven:
            findings.append(Finding("N4", SEEN))
        if stated.epsilon > guarantee.epsilon:
            message = f"it states an epsilon of {stated.epsilon}, but at most {guarantee.epsilon} is wanted."
            findings.append(Finding("N4", message))
    return verdict_of(published, guarantee, findings, [each.name for each in INVARIANTS], facts)


def unseen(verdict: Verdict) -> list[str]:
    sentences = []
    if verdict.facts.get("by_construction") and all(violation.invariant != "N4" for violation in verdict.violations):
        sentences.append(BY_CONSTRUCTION)
    if verdict.facts.get("compared") is False:
        sentences.append("Not compared with the original: noise can turn any records into any others.")
    return sentences


FACTS = ("by_construction", "unproven")  # facts about the tables alone
INSPECTION = Inspection((DifferentialPrivacy,), Transactions, inspect_noisy, INVARIANTS, FACTS, unseen)
