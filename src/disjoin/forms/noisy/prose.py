"""Texts about noisy records: what an attacker could learn, limits, README.md."""

from __future__ import annotations

import math
from fractions import Fraction

from disjoin.errors import InvalidParameter
from disjoin.forms.form import Reading, Readme, Unproven, is_proven, titled
from disjoin.forms.noisy.facts import epsilon_of, factor, surely
from disjoin.model.differential_privacy import readable
from disjoin.model.parameters import fraction_from
from disjoin.model.release import Report
from disjoin.text import counted

LARGE = 2  # an epsilon above is a weak guarantee
SEEN = (
    "That it is differentially private",
    "The list of all terms was seen in the data, and everything follows from it: which terms go together in a group, "
    "how many levels there are, how much noise is added. One record with a term of its own can change every row. "
    "Besides, every term in these tables occurs in the original. The factors below are what a list that was known "
    "apart from the data would give.",
)
NOT_GUARANTEED = titled("""
What a record holds
The promise is about whether a record was there at all. Which of two records somebody had is two steps, one record less
and another one more, so for that question the factor is {twice}.

Several records of one person
The promise is about one record more or less. For somebody with 2 records the factor is {twice}, with 3 it is {thrice},
and so on.

Making it again
Every release made from the same data spends as much again: with two of them the factor is {twice}, and their noise can
be averaged. Make one, and keep it.

Taking a row for a fact
The records are made up. A row may stand for records that nobody had, and none is evidence about anybody. Only what
many records say together means something.

Losing what is rare
Combinations that few records have are lost in the noise, and so are most long records. That something is missing here
does not mean that it does not occur.

What is true of many
That certain terms go together for many people can be learnt from these tables, and then be guessed of anybody, whether
their record was among the data or not. That is what the tables are for.

Somebody who made it otherwise
No inspection of the tables can show the promise: it is about how they were made. Whoever receives them must trust that
they were made as they say, and that no exact count left the house beside them.
""")
WEAK = (
    "A large epsilon",
    "Epsilon {epsilon} allows a factor of {once}: that a record was there, held for as likely as not, can "
    "become {surely} sure. That is little protection; usual are values up to 2.",
)


FROM_EPSILON = (
    "These figures follow from epsilon alone, whatever the tables say. They are limits that hold for every release "
    "made in this way."
)


def learned(report: Report) -> list[tuple[str, str]]:
    """Return (attacker, limits of this release); empty if it is not private."""
    if not is_proven(report):
        return []
    epsilon = epsilon_of(report.guarantee)
    doubted, believed = surely(epsilon, Fraction(1, 100)), surely(epsilon)
    return [
        (
            "Someone who knows all other records",
            "Whether a certain record was among the data, they can be "
            f"{believed} sure of at most if they held it for as likely as not before, and {doubted} if they held it "
            "for 1% likely.",
        ),
        (
            "Someone who asks which of two records a person had",
            f"They can be {surely(2 * epsilon)} sure at most if they held both for equally likely before.",
        ),
    ]


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    epsilon = epsilon_of(report.guarantee)
    first = [WEAK] if epsilon > LARGE else []
    first += [SEEN] if report.guarantee.get("terms") == "seen" else []
    numbers = {"once": factor(epsilon), "twice": factor(epsilon, 2), "thrice": factor(epsilon, 3)}
    return [
        (title, words.format(epsilon=f"{float(epsilon):g}", surely=surely(epsilon), **numbers))
        for title, words in (*first, *NOT_GUARANTEED)
    ]


_TABLES = """\
## The table

`records.parquet`, one row per set of terms

| column | meaning |
|---|---|
| `terms` | the set |
| `count` | in about how many records of the original these are all the terms; a noisy number |

The order of the rows means nothing: they are sorted."""

_EXACTNESS = """\
## How exact the counts are

Noise was added to every count, with a scale between {least} and {most} records (1 and 2 divided by epsilon): in 19 of
20 cases it is {off} records at most, up or down. A set of terms is listed if its noisy count is at least {keep}
standard deviations of its noise, which is {from_} to {to} records. So small counts that are listed are too large more
often than too small, and a set that is not listed may well have been there. Where rows are added up, for the support
of a term, say, their noise adds up too, and the records that are not listed are missing: such sums are usually
too small."""


def _about(report: Report) -> str:
    records, terms = report.counts["records"], report.counts["terms"]
    return (
        f"This table stands for {counted(records, 'record')}, each a set of terms; {counted(terms, 'different term')} "
        f"{'occurs' if terms == 1 else 'occur'}. The records are made up from noisy counts. Neither the number of "
        "records nor that of terms is the number of the original."
    )


def _done(report: Report) -> str:
    epsilon = epsilon_of(report.guarantee)
    return (
        "The original records were divided, step by step, by the terms that they have; at each step the parts were "
        "counted with random noise, and small parts were given up. What is listed are the sets of terms at the end, "
        f"with their noisy counts. Epsilon, {float(epsilon):g} here, says how much noise{_meaning(report)}."
    )


def _meaning(report: Report) -> str:
    if not is_proven(report):
        return ""
    epsilon = epsilon_of(report.guarantee)
    return (
        f": one record more or less makes any outcome at most {factor(epsilon)} times as likely. Whoever held it for "
        f"as likely as not that a certain record was among the data can be {surely(epsilon)} sure of it at most after "
        "a look at this table, even if they know all other records"
    )


MOST_DEVIATIONS = 10**6  # beyond what a method can be given


def _tables(report: Report) -> tuple[str, ...]:
    if report.method != "diffpart":  # the parameters of other methods may mean something else
        return (_TABLES,)
    try:
        keep = fraction_from("keep", report.parameters.get("keep"))
    except InvalidParameter:  # of a folder that was changed: it is compared with what is written here
        return (_TABLES,)
    return (_TABLES, _exactness(report, keep)) if 0 <= keep <= MOST_DEVIATIONS else (_TABLES,)


def _exactness(report: Report, keep: Fraction) -> str:
    """Return how large the noise is: DiffPart spends between half and all of epsilon on the counts that it lists."""
    least = 1 / epsilon_of(report.guarantee)
    return _EXACTNESS.format(
        least=readable(float(least)),
        most=readable(float(2 * least)),
        off=f"{math.ceil(float(2 * least) * math.log(20)):,}",  # noise is whole: rounded up, it is 19 of 20 at least
        keep=f"{float(keep):g}",
        from_=readable(float(keep * least) * math.sqrt(2)),
        to=readable(float(2 * keep * least) * math.sqrt(2)),
    )


README = Readme(
    about=_about,
    done=_done,
    exactly=(
        "compare the data with and without any one record. No outcome, this table among them, is more likely with the "
        "one than with the other by more than that factor. So what somebody concludes about a person from this table "
        "could have been concluded nearly as surely, up to that factor, if the record of the person had not been there."
    ),
    tables=_tables,
    reading=(
        "Everything that is counted in this table is an estimate, and it speaks of the data as a whole. A single row "
        "with a small count may be noise. The larger a count, the less the noise matters."
    ),
)


READ_WITH_PYTHON = """\
import pandas as pd

records = pd.read_parquet("release/records.parquet")  # one row per set of terms, with its noisy count

# In about how many records is a term?
support = records.explode("terms").groupby("terms")["count"].sum().sort_values(ascending=False)


# In about how many records are several terms together?
def together(*terms):
    return records["count"][records["terms"].map(set(terms).issubset)].sum()
"""

READ_WITH_SQL = """\
SELECT term, sum(count) AS records_about
FROM (SELECT unnest(terms) AS term, count FROM 'release/records.parquet')
GROUP BY term ORDER BY records_about DESC, term;
"""

READING = Reading(("records.parquet",), READ_WITH_PYTHON, READ_WITH_SQL)


HEADLINE = (
    " The list of all terms was seen in the data, so this is not differentially private. "
    "Use this release for experiments, and do not publish it."
)
NOT_PRIVATE = (
    "This release was made for experiments, and it is not differentially private. The list of all terms, over which "
    "the records were divided and noise was spread, was seen in the data: a single record with a term of its own moves "
    "the groups of all terms, and so every row can tell of it. Do not rely on these tables to protect people."
)
SEEN_TERMS = "The list of all terms was not known apart from the data, but seen in them."
UNPROVEN = Unproven(
    HEADLINE,
    lambda report: NOT_PRIVATE,
    lambda report: [("N4", SEEN_TERMS)] if report.verdict.get("unproven", {}).get("N4") else [],
)
