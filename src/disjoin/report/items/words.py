"""What a release of generalised terms does not promise, in words for the person who receives it."""

from __future__ import annotations

from disjoin.model.report import Report
from disjoin.report.words import counted

NOT_PROMISED: tuple[tuple[str, str], ...] = (
    (
        "Someone who knows more than {m}",
        "Whoever knows more of a record than that may narrow it down further, even to one person.",
    ),
    (
        "What all candidates share",
        "No term counts as sensitive here. If all records that fit what somebody knows have another term in common, "
        "that term is known of the person, too, whichever record is theirs.",
    ),
    (
        "Guessing the term behind a category",
        "A category says that a record had one of its terms or several, and not which. Whoever knows that one of them "
        "is far more common than the others can guess it.",
    ),
    (
        "Someone who runs the program backwards",
        "Terms are generalised no further than the method finds necessary. From what it did one can infer that some "
        "combination of the terms of a category with others is rare (the minimality attack).",
    ),
    (
        "The hierarchy and the mapping",
        "Both are published with all their terms, those that no record has among them. Who made the hierarchy should "
        "have made it without a look at the records.",
    ),
    (
        "Several records of one person",
        "Each record is protected by itself. If one person has many, or is in another release too, what is known from "
        "one may be combined with the other.",
    ),
    (
        "Someone who knows other records",
        "Whoever knows whose records some of the candidates are can take them out; fewer are left.",
    ),
    (
        "Knowing what somebody does not have",
        "The promise is about terms that a record contains. Knowing that a term is absent is not covered.",
    ),
)


def not_promised(report: Report) -> list[tuple[str, str]]:
    """Return what is not promised as (title, explanation)."""
    m = report.guarantee.get("m")
    known = counted(m, "term") if isinstance(m, int) else "the attacker of the promise"
    return [(title.format(m=known), words) for title, words in NOT_PROMISED]
