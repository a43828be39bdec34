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
    shares = {name: f"{entry['value']:.1%}" for name, entry in report.measures.items()}
    exposed = (
        f"Here, somebody who knows {m + 1} terms of one chunk may find up to {shares['exposed_records']} of the "
        f"records among fewer than {k}."
    )
    universal = f"Here, these are {shares['universal_terms']} of the term occurrences in record chunks."
    return [
        (title.format(m=counted(m, "term")), words.format(exposed=exposed, universal=universal))
        for title, words in NOT_PROMISED
    ]
