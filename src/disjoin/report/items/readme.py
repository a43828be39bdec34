"""The parts of README.md that tell of generalised terms."""

from __future__ import annotations

from disjoin.model.report import Report
from disjoin.report.distribution import percent
from disjoin.report.form import Readme
from disjoin.report.words import counted

_TABLES = """\
## The tables

`records.parquet`, one row a distinct record

| column | meaning |
|---|---|
| `terms` | what the record holds: terms, and categories where a term was generalised |
| `count` | how many records hold exactly this |

`mapping.parquet`, one row a term of the hierarchy, whether a record has it or not

| column | meaning |
|---|---|
| `term` | the term |
| `published` | what it is published as in every record: itself, or a category above it |

`hierarchy.csv`, one line a term: the term, what it generalises to, and so on up to what stands for all terms, with
semicolons between them. A name that a line repeats is one and the same.

The order of the rows means nothing: everything is sorted."""


def _about(report: Report) -> str:
    published = report.statistics["published"]
    terms = published["in_records"] - published["categories_in_records"]
    categories = counted(published["categories_in_records"], "category", "categories")
    return (
        f"These tables stand for {report.counts['records']:,} records, each a set of terms, some of them generalised; "
        f"{counted(terms, 'different term')} and {categories} occur."
    )


def _done(report: Report) -> str:
    facts = report.statistics
    terms, categories = facts["terms"], facts["published"]["categories"]
    if not categories:
        return "No term had to be generalised: the records are here as they were."
    return (
        f"A hierarchy says what each of {terms['total']:,} terms can be generalised to. {terms['generalised']:,} of "
        f"them were, to {counted(categories, 'category', 'categories')}; the other {terms['as_themselves']:,} are "
        "published as themselves. A category stands for all terms below it, and takes their place in every record. A "
        "record that had several terms of one category has the category once. Of what the records hold, "
        f"{percent(facts['occurrences']['share'])} are categories."
    )


def _tables(report: Report) -> tuple[str, ...]:
    return (_TABLES,)


README = Readme(
    about=_about,
    done=_done,
    exactly=(
        "whoever knows so many terms of a record can look up what they are published as, and look for the records that "
        "hold all of it. There are at least as many candidates as promised, or none at all; and by what was "
        "known, they cannot be told apart."
    ),
    tables=_tables,
    reading=(
        "Counts of what is published are exact, by itself and in company. Of a term that was generalised it is known "
        "only that a record with its category had this term or another one below the category, or several. So a record "
        "with the category may have the term, no other record does, and how many have it can only be estimated: as if "
        "each of the terms below the category were equally likely, the count is divided by the number of these terms, "
        "for a pair of terms by both numbers. If both terms are published as the same category, the records with the "
        "category are divided by the square of its number of terms. Such estimates are rough. Rare terms are estimated "
        "too high, common ones too low."
    ),
)
