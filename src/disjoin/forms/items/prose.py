"""Texts about generalised items: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.charts.distribution import percent, range_of
from disjoin.forms.form import Reading, Readme, titled
from disjoin.model.release import Report
from disjoin.text import counted

NOT_GUARANTEED = titled("""
Someone who knows more than {m}
Whoever knows more of a record than that may narrow it down further, even to one person.

What all candidates share
No term counts as sensitive here. If all records that fit what somebody knows have another term in common, that term is
known of the person, too, whichever record is theirs.

Guessing the term behind a category
A category says that a record had one of its terms or several, and not which. Whoever knows that one of them is far
more common than the others can guess it.

Someone who runs the program backwards
Terms are generalised no further than the method finds necessary. From what it did one can infer that some combination
of the terms of a category with others is rare (the minimality attack).

The hierarchy and the mapping
Both are published with all their terms, those that no record has among them. Whoever made the hierarchy should have
made it without a look at the records.

Several records of one person
Each record is protected by itself. If one person has many, or is in another release too, what is known from one may be
combined with the other.

Someone who knows other records
Whoever knows whose records some of the candidates are can take them out; fewer are left.

Knowing what somebody does not have
The promise is about terms that a record contains. Knowing that a term is absent is not covered.
""")


def learned(report: Report) -> list[tuple[str, str]]:
    facts, records, k = report.statistics, report.counts["records"], report.guarantee.get("k")
    if not records:
        return []
    least, alike = facts["smallest_support"], facts["alike"]
    rows = [
        ("Someone who knows 1 term", f"They find at least {counted(least, 'candidate')}, or nobody."),
        ("Someone who knows a whole record, and that nothing else is in it", _whole(alike, records, k)),
    ]
    if facts["occurrences"]["of_categories"]:
        behind = range_of(facts["terms_of_a_category"], "term")
        share = percent(facts["occurrences"]["share"])
        words = f"They guess: {share} of what the records hold are categories, each of which stands for {behind}."
        rows.append(("Someone who asks for the term behind a category", words))
    return rows


def _whole(alike: dict[str, int], records: int, k: int | None) -> str:
    """Return how many records all of their terms single out; these are more than m terms."""
    below = alike["below_k"]
    if not below:
        return f"They find at least {k:,} candidates, too: every record is equal to that many, itself among them."
    return (
        f"They find {counted(alike['alone'], 'record')} alone ({percent(alike['alone'] / records)}), and "
        f"{counted(below, 'record')} ({percent(below / records)}) among fewer than {k:,}, these among them. "
        "Knowing that there is nothing else in a record is more than the promise covers."
    )


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    m = report.guarantee.get("m")
    known = counted(m, "term") if isinstance(m, int) else "the attacker of the promise"
    return [(title.format(m=known), words) for title, words in NOT_GUARANTEED]


_TABLES = """\
## The tables

`records.parquet`, one row a distinct record

| column | meaning |
|---|---|
| `terms` | what the record holds: terms, and categories where a term was generalised |
| `count` | how many records hold exactly this |

`mapping.parquet`, one row per term of the hierarchy, whether a record has it or not

| column | meaning |
|---|---|
| `term` | the term |
| `published` | what it is published as in every record: itself, or a category above it |

`hierarchy.csv`, one line per term: the term, what it generalises to, and so on up to what stands for all terms, with
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


README = Readme(
    about=_about,
    done=_done,
    exactly=(
        "whoever knows that many terms of a record can look up what they are published as, and look for the records "
        "that hold all of it. There are at least as many candidates as promised, or none at all; and by what was "
        "known, they cannot be told apart."
    ),
    tables=lambda report: (_TABLES,),
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


READ_WITH_PYTHON = """\
import pandas as pd

records = pd.read_parquet("release/records.parquet")  # one row a distinct record, with its count
mapping = pd.read_parquet("release/mapping.parquet")  # one row per term: what it is published as
hierarchy = pd.read_csv("release/hierarchy.csv", sep=";", header=None, dtype=str, keep_default_na=False)

# In how many records is what is published, a term or a category? This is exact.
support = records.explode("terms").groupby("terms")["count"].sum()

# In about how many records are two terms together? Exact if both are published as themselves.
published = mapping.set_index("term")["published"]
leaves = mapping.groupby("published")["term"].count()  # how many terms each stands for


def together(one, other):
    a, b = published[one], published[other]
    both = records["count"][records["terms"].map({a, b}.issubset)].sum()
    return both / (leaves[a] * leaves[b])
"""

READ_WITH_SQL = """\
WITH support AS (
  SELECT published, sum(count) AS n
  FROM (SELECT unnest(terms) AS published, count FROM 'release/records.parquet') GROUP BY published
), leaves AS (SELECT published, count(*) AS n FROM 'release/mapping.parquet' GROUP BY published)
SELECT term, published, coalesce(support.n, 0) AS records_at_most, coalesce(support.n, 0) / leaves.n AS records_about
FROM 'release/mapping.parquet' JOIN leaves USING (published) LEFT JOIN support USING (published)
ORDER BY records_about DESC, term;
"""

READING = Reading(
    ("records.parquet", "mapping.parquet", "hierarchy.csv"),
    READ_WITH_PYTHON,
    READ_WITH_SQL,
    formats="Parquet and CSV",
)
