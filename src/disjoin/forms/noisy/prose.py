"""Texts about noisy records: what is kept, what an attacker could learn, limits, README.md."""

from __future__ import annotations

import math
from fractions import Fraction

from disjoin.charts.distribution import percent
from disjoin.errors import InvalidParameter
from disjoin.forms.form import Readme, Unproven, is_proven, titled
from disjoin.forms.noisy.facts import TEXTS, certainty, epsilon_of, factor
from disjoin.model.differential_privacy import readable
from disjoin.model.parameters import fraction_from
from disjoin.model.release import Report
from disjoin.text import counted

LARGE = 2  # an epsilon above is a weak guarantee


def learned(report: Report) -> list[tuple[str, str]]:
    """Return (attacker, limits of this release); empty if it is not private."""
    if not is_proven(report):
        return []
    epsilon = epsilon_of(report.guarantee)
    doubted, believed = certainty(epsilon, Fraction(1, 100)), certainty(epsilon)
    return [
        (
            "With all other records known",
            f"The certainty that a certain record was in the data rises from 50% to at most {believed}, or from 1% to "
            f"at most {doubted}.",
        ),
        (
            "About which of two records a person had",
            f"The certainty rises from 50% to at most {certainty(2 * epsilon)}.",
        ),
    ]


def kept(report: Report) -> list[str]:
    records, terms = counted(report.counts["records"], "synthetic record"), counted(report.counts["terms"], "term")
    if not report.statistics["rows"]:
        return ["Nothing: no count was large enough next to the noise."]
    return [
        f"{records} with {terms}, in {counted(report.statistics['rows'], 'row')}.",
        "All counts are noisy: no number is one of the original.",
        f"{percent(report.statistics['single_terms']['share'])} of the records have a single term.",
    ]


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    epsilon = epsilon_of(report.guarantee)
    names = ["limits weak"] if epsilon > LARGE else []
    names += ["limits seen"] if report.guarantee.get("terms") == "seen" else []
    numbers = {"once": factor(epsilon), "twice": factor(epsilon, 2), "thrice": factor(epsilon, 3)}
    words = "\n\n".join(TEXTS[name] for name in (*names, "limits"))
    return titled(words.format(epsilon=f"{float(epsilon):g}", certainty=certainty(epsilon), **numbers))


def _done(report: Report) -> str:
    epsilon = epsilon_of(report.guarantee)
    meaning = ""
    if is_proven(report):
        meaning = TEXTS["done meaning"].format(factor=factor(epsilon), certainty=certainty(epsilon))
    return TEXTS["done"].format(epsilon=float(epsilon), meaning=meaning)


MOST_DEVIATIONS = 10**6  # beyond what a method can be given


def _tables(report: Report) -> tuple[str, ...]:
    if report.method != "diffpart":  # the parameters of other methods may mean something else
        return (TEXTS["tables"],)
    try:
        keep = fraction_from("keep", report.parameters.get("keep"))
    except InvalidParameter:  # of a folder that was changed: it is compared with what is written here
        return (TEXTS["tables"],)
    return (TEXTS["tables"], _exactness(report, keep)) if 0 <= keep <= MOST_DEVIATIONS else (TEXTS["tables"],)


def _exactness(report: Report, keep: Fraction) -> str:
    """Return how large the noise is: DiffPart spends between half and all of epsilon on the counts that it lists."""
    least = 1 / epsilon_of(report.guarantee)
    return TEXTS["exactness"].format(
        least=readable(float(least)),
        most=readable(float(2 * least)),
        off=f"{math.ceil(float(2 * least) * math.log(20)):,}",  # noise is whole: rounded up, it is 19 of 20 at least
        keep=f"{float(keep):g}",
        from_=readable(float(keep * least) * math.sqrt(2)),
        to=readable(float(2 * keep * least) * math.sqrt(2)),
    )


README = Readme(done=_done, exactly=TEXTS["exactly"], tables=_tables, reading=TEXTS["reading"])
UNPROVEN = Unproven(
    f" {TEXTS['headline']}",
    lambda report: TEXTS["purpose"],
    lambda report: [("N4", TEXTS["seen"])] if report.verdict.get("unproven", {}).get("N4") else [],
)
