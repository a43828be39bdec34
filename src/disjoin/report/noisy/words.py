"""What a release of noisy records does not promise, in words for the person who receives it."""

from __future__ import annotations

from disjoin.model.report import Report
from disjoin.report.noisy.odds import epsilon_of, factor, surely

LARGE = 2  # an epsilon above is a weak promise
SEEN = (
    "That it is differentially private",
    "The list of all terms was seen in the data, and everything follows from it: which terms go together in a group, "
    "how many levels there are, how much noise is added. One record with a term of its own can change every row. "
    "Besides, every term in these tables occurs in the original. The factors below are what a list that was known "
    "apart from the data would give.",
)
NOT_PROMISED: tuple[tuple[str, str], ...] = (
    (
        "What a record holds",
        "The promise is about whether a record was there at all. Which of two records somebody had is two steps, one "
        "record less and another one more, so for that question the factor is {twice}.",
    ),
    (
        "Several records of one person",
        "The promise is about one record more or less. For somebody with 2 records the factor is {twice}, with 3 it is "
        "{thrice}, and so on.",
    ),
    (
        "Making it again",
        "Every release made from the same data spends as much again: with two of them the factor is {twice}, and their "
        "noise can be averaged. Make one, and keep it.",
    ),
    (
        "Taking a row for a fact",
        "The records are made up. A row may stand for records that nobody had, and none is evidence about anybody. "
        "Only what many records say together means something.",
    ),
    (
        "Losing what is rare",
        "Combinations that few records have are lost in the noise, and so are most long records. That something is "
        "missing here does not mean that it does not occur.",
    ),
    (
        "What is true of many",
        "That certain terms go together for many people can be learnt from these tables, and then be guessed of "
        "anybody, whether their record was among the data or not. That is what the tables are for.",
    ),
    (
        "Somebody who made it otherwise",
        "No inspection of the tables can show the promise: it is about how they were made. Who receives them must "
        "trust that they were made as they say, and that no exact count left the house beside them.",
    ),
)
WEAK = (
    "A large epsilon",
    "Epsilon {epsilon} allows a factor of {once}: that a record was there, held for as likely as not, can "
    "become {surely} sure. That is little protection; usual are values up to 2.",
)


def not_promised(report: Report) -> list[tuple[str, str]]:
    """Return what is not promised as (title, explanation)."""
    epsilon = epsilon_of(report.guarantee)
    first = [WEAK] if epsilon > LARGE else []
    first += [SEEN] if report.guarantee.get("terms") == "seen" else []
    numbers = {"once": factor(epsilon), "twice": factor(epsilon, 2), "thrice": factor(epsilon, 3)}
    return [
        (title, words.format(epsilon=f"{float(epsilon):g}", surely=surely(epsilon), **numbers))
        for title, words in (*first, *NOT_PROMISED)
    ]
