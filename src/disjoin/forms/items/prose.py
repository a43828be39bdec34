"""Texts about generalised items: what is kept, what an attacker could learn, limits, README.md."""

from __future__ import annotations

from disjoin.charts.distribution import percent, range_of
from disjoin.forms.form import Readme, texts_of, titled
from disjoin.model.release import Report
from disjoin.text import counted

TEXTS = texts_of(__package__)


def learned(report: Report) -> list[tuple[str, str]]:
    facts, records, k = report.statistics, report.counts["records"], report.guarantee.get("k")
    if not records:
        return []
    least, alike = facts["smallest_support"], facts["alike"]
    rows = [
        ("With 1 known term", f"At least {counted(least, 'candidate')}, or none."),
        ("With a whole record known, and that nothing else is in it", _whole(alike, records, k)),
    ]
    if facts["occurrences"]["of_categories"]:
        behind, share = range_of(facts["terms_of_a_category"], "term"), percent(facts["occurrences"]["share"])
        words = f"It must be guessed: {share} of the record entries are categories of {behind}."
        rows.append(("About the term behind a category", words))
    return rows


def _whole(alike: dict[str, int], records: int, k: int | None) -> str:
    """Return how many records all of their terms single out; these are more than m terms."""
    below = alike["below_k"]
    if not below:
        return f"At least {k:,} candidates, too: every record is equal to that many, including itself."
    alone = f"{counted(alike['alone'], 'record is', 'records are')} found alone ({percent(alike['alone'] / records)})"
    return (
        f"{alone}, and {below:,} among fewer than {k:,} ({percent(below / records)}, including these). The guarantee "
        "does not cover that much knowledge."
    )


def kept(report: Report) -> list[str]:
    facts = report.statistics
    terms, categories = facts["terms"], facts["published"]["categories"]
    words = [f"{counted(report.counts['records'], 'record')}, each a set of terms and categories."]
    if not categories:
        return [*words, f"All {counted(terms['total'], 'term')} are published as themselves."]
    return [
        *words,
        f"{terms['as_themselves']:,} of {counted(terms['total'], 'term')} are published as themselves; "
        f"{terms['generalised']:,} became {counted(categories, 'category', 'categories')}.",
        f"{percent(facts['occurrences']['share'])} of the record entries are categories. All counts are exact.",
    ]


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    m = report.guarantee.get("m")
    known = counted(m, "term") if isinstance(m, int) else "the guarantee covers"
    return titled(TEXTS["limits"].format(m=known))


def _done(report: Report) -> str:
    facts = report.statistics
    terms, categories = facts["terms"], facts["published"]["categories"]
    if not categories:
        return TEXTS["done as it was"]
    return TEXTS["done"].format(**terms, categories=counted(categories, "category", "categories"))


README = Readme(
    done=_done,
    exactly=TEXTS["exactly"],
    tables=lambda report: (TEXTS["tables"],),
    reading=TEXTS["reading"],
)
