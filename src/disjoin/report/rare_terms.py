"""What thresholds of people (`--min-people`) would cost, and whether terms look as if they name people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disjoin.methods.sensitive_terms import CountedTerms
from disjoin.model.personal_terms import looks_personal
from disjoin.words import counted

THRESHOLDS = (5, 7, 10, 11, 30, 50)  # people: what public rules ask for


def rare_terms(data: CountedTerms) -> dict[str, Any]:
    """Return for each threshold how many terms and occurrences it leaves out, and why terms may name people."""
    supports = data.supports()
    costs = [
        {"people": least, "terms": int((few := supports < least).sum()), "occurrences": int(supports[few].sum())}
        for least in THRESHOLDS
    ]
    return {"min_people": costs, "personal_terms": looks_personal(data.vocabulary.to_pylist(), supports.tolist())}


def rare_terms_text(facts: Mapping[str, Any], terms: int, occurrences: int) -> list[str]:
    """Return the costs line by line, under a heading."""
    lines = ["What a threshold of people leaves out (--min-people N)"]
    for row in facts["min_people"]:
        share = row["occurrences"] / occurrences if occurrences else 0.0
        lines.append(
            f"  N = {row['people']:>2}  {row['terms']:>10,} of {counted(terms, 'term')}, {share:.2%} of the occurrences"
        )
    if facts["personal_terms"]:
        lines.append(
            f"The column of terms {facts['personal_terms']}: it is not published without --min-people or --leave-out."
        )
    return lines
