"""What a release of clusters does not promise, in words for the person who receives it."""

from __future__ import annotations

from disjoin.model.report import Report
from disjoin.report.words import counted

NOT_PROMISED: tuple[tuple[str, str], ...] = (
    (
        "Someone who knows more than {m}",
        "Whoever knows more of a record than that may narrow it down further, even to one person. {exposed}",
    ),
    (
        "Someone who runs the program backwards",
        "The method keeps terms together whenever it may. From what it did not keep together one can infer that a "
        "combination is rare (the minimality attack). Anyone who runs the program on every original that fits a tiny "
        "release, and keeps those that give the same release, mostly finds some combination with fewer candidates than "
        "promised: in 72% to 93% of such releases that were tried. In real data this was shown for 0.1% to 0.3% of the "
        "records, with two rules only; more may be found.",
    ),
    (
        "Terms that a whole cluster has",
        "Some terms are in every record of a cluster. Whoever can tell the cluster of a person knows these terms of "
        "that person; the promise hides which record is theirs, not what all of them share. {universal}",
    ),
    (
        "Several records of one person",
        "Each record is protected by itself. If one person has many, or is in another release too, what is known from "
        "one may be combined with the other.",
    ),
    (
        "Someone who knows other records",
        "Whoever knows whole records of others can take them out of a cluster and look at what is left.",
    ),
    (
        "Knowing what somebody does not have",
        "The promise is about terms that a record contains. Knowing that a term is absent is not covered.",
    ),
)


def not_promised(report: Report) -> list[tuple[str, str]]:
    """Return what is not promised as (title, explanation), with what can be said of this release."""
    k, m = report.guarantee["k"], report.guarantee["m"]
    share = report.measures["universal_terms"]["value"]
    universal = f"Here, these are {share:.1%} of the term occurrences in record chunks."
    return [
        (title.format(m=counted(m, "term")), words.format(exposed=_exposed(report, k, m), universal=universal))
        for title, words in NOT_PROMISED
    ]


def _exposed(report: Report, k: int, m: int) -> str:
    share = report.measures["exposed_records"]["value"]
    if share is None:
        return f"Here, how many records that may be, with {m + 1} terms of one chunk known, was not computed."
    return (
        f"Here, somebody who knows {m + 1} terms of one chunk may find up to {share:.1%} of the records among fewer "
        f"than {k}."
    )
